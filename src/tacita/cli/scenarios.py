"""`tacita scenarios`: who may attack data of a domain, with what, and what it means for a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import Json
from tacita.errors import InputError

if TYPE_CHECKING:
    from tacita.data.dataset import Dataset
    from tacita.intruders.scenario import Scenario

Which = Annotated[
    str | None, typer.Argument(help="A domain (health) or a scenario (health/neighbour).")
]
Data = Annotated[
    str | None, typer.Option(help="A file whose attributes are looked for in the scenarios.")
]


def scenarios(which: Which = None, data: Data = None, json: Json = False) -> None:
    """List disclosure scenarios: what intruders hold, how exactly, and of how many."""
    from tacita.cli.printing import print_json, print_table, say
    from tacita.intruders.library import scenario
    from tacita.intruders.library import scenarios as known

    one = which is not None and "/" in which
    chosen = (scenario(which),) if one and which is not None else known(which)
    held = None if data is None else _read(data)
    if json:
        print_json([_row(each, held) for each in chosen])
    elif held is not None:
        columns = ("scenario", "the intruder", "not in these data")
        print_table("Scenarios", columns, [_fitted(each, held) for each in chosen])
    elif one:
        say(str(chosen[0]))
    else:
        rows = [(each.path, each.who, each.source) for each in chosen]
        print_table("Scenarios", ("scenario", "who", "source"), rows)


def _read(place: str) -> Dataset:
    from tacita.data.read import read_dataset

    return read_dataset(place, {})


def _row(each: Scenario, held: Dataset | None) -> dict[str, Any]:
    if held is None:
        return each.to_dict()
    try:
        intruder = each.of(held)
    except InputError as error:
        return {**each.to_dict(), "intruder": None, "notes": [str(error)]}
    return {**each.to_dict(), "intruder": intruder.to_plan(), "notes": list(intruder.notes)}


def _fitted(each: Scenario, held: Dataset) -> tuple[str, str, str]:
    try:
        intruder = each.of(held)
    except InputError as error:
        return each.path, "", str(error)
    return each.path, str(intruder), " ".join(intruder.notes)
