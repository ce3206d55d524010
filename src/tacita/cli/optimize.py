"""`tacita optimize`: post-masking optimization of a masked file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import Json, Overwrite, PairBy, Threads, consent, pairing, refuse_target

if TYPE_CHECKING:
    from tacita.tradeoff.post_masking import PostMasked

Masked = Annotated[str, typer.Argument(help="The masked data.")]
Original = Annotated[str, typer.Option(help="The data before masking.")]
Out = Annotated[Path, typer.Option(help="The file to write; its ending says the format.")]
Attributes = Annotated[
    list[str] | None,
    typer.Option("--attribute", help="A number that may change; all of them when left out."),
]
Keys = Annotated[
    list[str] | None,
    typer.Option("--key", help="An attribute that intruders link by; all numbers when left out."),
]
Order = Annotated[int, typer.Option(min=2, max=4, help="The highest order of moments to restore.")]
Start = Annotated[
    str, typer.Option(help="Where the search starts: at the masked values, or at an affine image.")
]
Seed = Annotated[int, typer.Option(min=0, help="Where the steps of the search come from.")]


def optimize(
    masked: Masked,
    original: Original,
    out: Out,
    attribute: Attributes = None,
    key: Keys = None,
    order: Order = 2,
    start: Start = "masked",
    pair_by: PairBy = None,
    seed: Seed = 0,
    threads: Threads = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Bring the means and covariances of masked numbers back, without raising the risk.

    The result has looked at the original again: a promise of differential privacy ends.
    """
    from tacita.api.microdata import read
    from tacita.data.formats import layout_of, write_contents
    from tacita.threads import use_threads
    from tacita.tradeoff.post_masking import PostMasking

    use_threads(threads)
    refuse_target(out, [masked, original], consent(overwrite))
    search = PostMasking(attribute, known=key, order=order, start=start, seed=seed)  # type: ignore[arg-type]
    found = search.improve(read(original), read(masked), pair_by=pairing(pair_by))
    write_contents(found.data.contents(), out, layout_of({}))
    _show(found, out, as_json=json)


def _show(found: PostMasked, out: Path, *, as_json: bool) -> None:
    from tacita.cli.printing import print_json, say

    if as_json:
        print_json(found.to_dict())
        return
    say(repr(found))
    say(f"Written to {out}.")
