"""`tacita synthesize`: synthetic copies of a file, each released with its evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.inspect import Source
from tacita.cli.options import (
    Decimal,
    Delimiter,
    Encoding,
    Force,
    Json,
    Metadata,
    Out,
    Query,
    Seed,
    Sheet,
    Table,
    Threads,
    Waive,
    pairs,
)
from tacita.errors import ParameterError, shown

if TYPE_CHECKING:
    from tacita.method import Method
    from tacita.release.plan import DataPlan, Plan

Generator = Annotated[
    str,
    typer.Option(
        help="A generator as plans say it: sequential_trees, or "
        "'sequential_trees: {records: 500, rules: [\"0 <= age <= 120\"]}'."
    ),
]
Number = Annotated[int, typer.Option("--copies", min=1, help="How many copies are made.")]
Roles = Annotated[
    list[str] | None, typer.Option("--role", help="A role, like ssn=identifier or age=key.")
]
Kinds = Annotated[
    list[str] | None, typer.Option("--kind", help="A kind, like zip=nominal; else the type tells.")
]
Require = Annotated[
    list[str] | None,
    typer.Option(help="What must hold of every copy, as plans say it: 'means: {at_most: 0.1}'."),
]


def synthesize(
    source: Source,
    method: Generator = "sequential_trees",
    copies: Number = 1,
    role: Roles = None,
    kind: Kinds = None,
    require: Require = None,
    out: Out = Path("out"),
    seed: Seed = None,
    threads: Threads = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    table: Table = None,
    query: Query = None,
    metadata: Metadata = None,
    force: Force = False,
    waive: Waive = None,
    json: Json = False,
) -> None:
    """Draw synthetic records like those of a file, measure and attack them, and release them."""
    from tacita.api.seeds import fresh
    from tacita.cli.run import show_outcome
    from tacita.release.release import run
    from tacita.release.waiver import with_waiver
    from tacita.threads import use_threads

    use_threads(threads)
    laid_out = {
        "delimiter": delimiter,
        "encoding": encoding,
        "decimal": decimal,
        "sheet": sheet,
        "table": table,
        "query": query,
        "metadata": metadata,
    }
    plan = _plan(_data(source, role, kind, laid_out), _generator(method), copies, require or [])
    plan = with_waiver(plan, waive)
    show_outcome(run(plan, out, seed=fresh(seed), force=force), out, as_json=json)


def _data(
    source: str, role: list[str] | None, kind: list[str] | None, laid_out: dict[str, Any]
) -> DataPlan:
    from tacita.data.formats import layout_of
    from tacita.data.read import declarations_of
    from tacita.release.plan import DataPlan

    said = declarations_of(role=pairs("--role", role) or None, kind=pairs("--kind", kind) or None)
    given = {word: value for word, value in laid_out.items() if value is not None}
    return DataPlan(source, attributes=said, layout=layout_of(given))


def _plan(data: DataPlan, method: Method, copies: int, require: list[str]) -> Plan:
    from tacita.microdata.synthesis.inference.copying import refuse_copying
    from tacita.release.plan import Plan
    from tacita.release.requirement import Requirement

    if copies > 1:
        refuse_copying(method)
    required = tuple(Requirement.from_plan(_said("--require", text)) for text in require)
    return Plan(data, (method,), required, copies=copies)


def _generator(text: str) -> Method:
    from tacita.registry import from_plan

    return from_plan(_said("--method", text), ("synthesis",))


def _said(option: str, text: str) -> Any:
    """Read what an option says as a plan would."""
    import yaml

    from tacita.plain_yaml import read_yaml

    try:
        said = read_yaml(text)
    except yaml.YAMLError:
        said = None
    if not isinstance(said, str | dict) or not said:
        raise ParameterError(
            f"`{option}` should name a method as plans say it; found {shown(text)}."
        )
    return said
