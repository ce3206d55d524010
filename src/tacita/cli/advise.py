"""`tacita advise`: the masking that meets a bound on the risk at the least loss, as a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.inspect import refuse_existing, write_new
from tacita.cli.options import (
    Decimal,
    Delimiter,
    Encoding,
    Json,
    Metadata,
    Query,
    Sheet,
    Table,
    pairs,
)
from tacita.errors import ParameterError, shown
from tacita.interrupts import forget_interrupt

if TYPE_CHECKING:
    from tacita.tradeoff.advising import Advice

UNMET = 1
LIKE = {"--require": "k_anonymity: 5", "--intruder": "attributes: [age, zip]"}
Source = Annotated[
    str,
    typer.Argument(
        help="The data (a file, or a database's address), or a plan (YAML), whose data, roles, "
        "requirements and intruder are taken."
    ),
]
Require = Annotated[
    list[str] | None,
    typer.Option(
        help="What must hold, as plans say it: 'k_anonymity: 5' or "
        "'distance_linkage: {at_most: 0.05}'; may be given several times."
    ),
]
Roles = Annotated[
    list[str] | None,
    typer.Option("--role", help="A role, like age=key; proposed for attributes without one."),
]
Kinds = Annotated[
    list[str] | None, typer.Option("--kind", help="A kind, like zip=nominal; else proposed.")
]
Intruder = Annotated[
    str | None,
    typer.Option(
        help="For whom risks are measured, as plans say it: 'health/neighbour' or "
        "'{respondents: 0.2}'; the worst case when left out."
    ),
]
Loss = Annotated[
    str | None, typer.Option(help="The utility measure to keep low; by default the mean change.")
]
Time = Annotated[
    float | None,
    typer.Option(help="Seconds after which the best so far is given; Ctrl-C does so at any time."),
]
Trials = Annotated[int | None, typer.Option(min=1, help="How many trials are made at most.")]
AdviceSeed = Annotated[int, typer.Option(min=0, help="Where samples and trials draw from.")]
Plan = Annotated[Path | None, typer.Option(help="Where to write the plan; a file there is kept.")]
Map = Annotated[
    Path | None,
    typer.Option("--map", help="Where to draw what was tried: .html, .svg, .png, .csv or .json."),
]


def advise(
    source: Source,
    require: Require = None,
    role: Roles = None,
    kind: Kinds = None,
    intruder: Intruder = None,
    loss: Loss = None,
    time: Time = None,
    trials: Trials = None,
    seed: AdviceSeed = 0,
    out: Plan = None,
    drawing: Map = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    table: Table = None,
    query: Query = None,
    metadata: Metadata = None,
    json: Json = False,
) -> None:
    """Search for the masking that meets a bound on the risk at the least loss."""
    from tacita.cli.printing import print_json

    layout = {
        "delimiter": delimiter,
        "encoding": encoding,
        "decimal": decimal,
        "sheet": sheet,
        "table": table,
        "query": query,
        "metadata": metadata,
    }
    _refuse_place(source, out)
    refuse_existing(drawing)
    asked = {
        "require": [as_plans_say("--require", said) for said in require] if require else None,
        "roles": pairs("--role", role) or None,
        "kinds": pairs("--kind", kind) or None,
        "intruder": None if intruder is None else as_plans_say("--intruder", intruder),
        "loss": loss,
        "time_limit": time,
        "trials": trials,
        "seed": seed,
        **{word: value for word, value in layout.items() if value is not None},
    }
    found = _searched(source, asked)
    if out is not None and found.holds:
        write_new(found.plan(out.parent), out)
    if drawing is not None:
        found.map().write(drawing)
    print_json(found.to_dict()) if json else _show(found, out)
    if not found.holds:
        raise typer.Exit(UNMET)


def _refuse_place(source: str, out: Path | None) -> None:
    """Refuse to write over a plan, or where the paths of the given one lead nowhere."""
    from tacita.tradeoff.advising.setting import PLANS
    from tacita.tradeoff.advising.written import refuse_elsewhere

    refuse_existing(out)
    if out is not None and source.lower().endswith(PLANS):
        refuse_elsewhere(Path(source).parent, out.parent)


def as_plans_say(option: str, said: str) -> Any:
    """Read a requirement or an intruder as a plan says it."""
    import yaml

    from tacita.plain_yaml import read_yaml

    try:
        found = read_yaml(said)
    except yaml.YAMLError:
        found = None
    if found is None:
        raise ParameterError(
            f"`{option}` should be as plans say it, like '{LIKE[option]}'; found {shown(said)}."
        )
    return found


def _searched(source: str, asked: dict[str, Any]) -> Advice:
    """Search until told to stop; an interrupt gives the best so far."""
    from tacita.tradeoff.advising import advising

    found: Advice | None = None
    with _progress() as tell:
        try:
            for better in advising(source, tell=tell, **asked):
                found = better
        except KeyboardInterrupt:
            if found is None:
                raise
            forget_interrupt()
    assert found is not None  # noqa: S101 - the last advice is always given
    return found


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Show on a terminal what is tried; nothing elsewhere."""
    import sys

    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield status.update


def _show(found: Advice, out: Path | None) -> None:
    from tacita.cli.printing import print_table, say
    from tacita.results import counted

    for reason in found.reasons():
        say(reason)
    for title, (columns, rows) in found.tables().items():
        print_table(title, columns, rows)
    say(f"{counted(len(found.tried), 'trial')} in {found.seconds:.0f} s.")
    if not found.holds:
        return
    if out is None:
        say("Write the plan with --out plan.yaml.")
    else:
        say(f"The plan is in {out}: check the roles in it, then run it.")
