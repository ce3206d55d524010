"""`tacita tables perturb`: rounded, adjusted or noisy values in the place of the true ones."""

from __future__ import annotations

import json as json_text
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import Json, Overwrite, consent, refuse_target
from tacita.cli.table_files import (
    By,
    Form,
    HierarchyOf,
    Metadata,
    MissingOf,
    TotalOf,
    Value,
    read_one,
    said_of_file,
)
from tacita.errors import InputError, ParameterError

if TYPE_CHECKING:
    import numpy as np

    from tacita.method import Method
    from tacita.tables.perturb.perturbation import Perturbation
    from tacita.tables.system import System
    from tacita.tables.table import Table


def perturb(
    source: Annotated[Path, typer.Argument(help="The table, with its true values.")],
    out: Annotated[Path, typer.Option(help="The file to write; its ending says the kind.")],
    method: Annotated[
        str, typer.Option(help="The way, such as controlled_rounding; see `tacita methods`.")
    ] = "controlled_rounding",
    parameter: Annotated[
        list[str] | None,
        typer.Option("--set", help="NAME=VALUE: a parameter of the way, such as base=5."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Where its randomness comes from; drawn if left out.")
    ] = None,
    form: Form = None,
    to_form: Annotated[str | None, typer.Option(help="The kind of file to write.")] = None,
    by: By = None,
    value: Value = None,
    hierarchy: HierarchyOf = None,
    total: TotalOf = None,
    missing: MissingOf = None,
    metadata: Metadata = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Publish every cell of a table with a changed value; nothing of the true ones is written."""
    import numpy as np

    from tacita.api.seeds import fresh
    from tacita.tables.formats import write_table

    refuse_target(out, [source], consent(overwrite))
    begun = time.perf_counter()
    way = _way(method, parameter or [])
    table = read_one(source, form, said_of_file(by, value, hierarchy, total, missing, metadata))
    made, found = _perturbed(table, way, np.random.default_rng(fresh(seed)))
    write_table(made, out, form=to_form)
    _show(way, found, time.perf_counter() - begun, out, as_json=json)


def _way(method: str, said: list[str]) -> Method:
    from tacita.registry import from_plan

    return from_plan({method: dict(map(_parameter, said))}, ("perturbation",))


def _parameter(said: str) -> tuple[str, Any]:
    """Read a parameter; what is no number, yes or no, or list is a text.

    >>> _parameter("base=5"), _parameter("distance=l2"), _parameter("zero_restricted=false")
    (('base', 5), ('distance', 'l2'), ('zero_restricted', False))
    """
    name, mark, text = said.partition("=")
    if not (name and mark and text):
        raise ParameterError(f"Expected NAME=VALUE, like base=5; found {said!r}.")
    try:
        return name, json_text.loads(text)
    except ValueError:
        return name, text


def _perturbed(
    table: Table | System, way: Method, rng: np.random.Generator
) -> tuple[Table | System, Perturbation]:
    from dataclasses import replace

    import numpy as np

    from tacita.tables.perturb.applied import perturbed, published_cells
    from tacita.tables.system import System

    if not isinstance(table, System):
        return perturbed(table, way, rng)
    found: Perturbation = way.perturb(table, rng)  # type: ignore[attr-defined]
    if not found.is_additive:
        raise InputError(
            f"A file of cells and relations must add up, and `{way.name}` gives values that do "
            "not; read the table from a file that names its codes."
        )
    cells = published_cells(found)
    lower, upper = np.fmin(cells.lower_bound, cells.value), np.fmax(cells.upper_bound, cells.value)
    shown = replace(cells, lower_bound=lower, upper_bound=upper)
    return replace(found.system, cells=shown), found


def _show(way: Method, found: Perturbation, seconds: float, out: Path, *, as_json: bool) -> None:
    from tacita.cli.printing import print_json, say

    if as_json:
        print_json({**found.to_dict(), "seconds": round(seconds, 3)})
        return
    say(repr(found))
    if not found.is_reproducible:
        clock = "the clock stopped the search; another run may find other values"
        secure = "its noise comes from a secure source; another run gives other values"
        say(f"Note: {clock if way.repeatable else secure}.")
    say(f"{seconds:.1f} s; written to {out}.")
