"""Tables: which there are, what spans them, what is sensitive in them, how they are protected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from tacita.app.asking import attributes_of
from tacita.app.bench import bench_of, form_of, go
from tacita.app.choosing import bounds_of, chosen
from tacita.app.exports import EXPORTS
from tacita.app.microdata import moved, put
from tacita.app.projects import Document
from tacita.app.rooms.waiting import number_in, variant_in, waiting
from tacita.app.tables import (
    added,
    asked_of,
    defined,
    fitting,
    has_way,
    method_in,
    requirement_in,
    table_at,
    tables_in,
    with_table,
    with_tables,
    with_way,
)
from tacita.errors import InputError
from tacita.method import Method
from tacita.registry import find
from tacita.release.table_plan import COMPARED, MEASURES, RULES, TablePlan
from tacita.results import brief

room = APIRouter(prefix="/p/{identifier}/tables")
ABOUT = {name: field.description or "" for name, field in TablePlan.model_fields.items()}
STATISTICS = ("count", "sum", "mean", "ratio", "percentage", "median")
FORMATS = ("csv", "xlsx", "html")
ROLLED = {
    "loss": ("count", "value", "contributors", "cost"),
    "allowed": {"level": "cut by whole levels", "kept": "left as it is"},
}
SPANNING = {"nominal", "ordinal", "continuous", "date"}
FAMILIES = {
    "rules": (RULES, {"rule": "Sensitivity rules"}),
    "compare": (
        COMPARED,
        {"protection": "Suppress cells", "perturbation": "Change values"},
    ),
    "require": (
        MEASURES,
        {"table risk": "Risks", "table utility": "Utility", "table attack": "Attacks"},
    ),
}
LISTS = ("rules", "suppress", "compare", "require")
WITHIN = {"way": "way-", "compare": "compare-", "require": "require-"}


@room.get("")
def tables(request: Request, identifier: str) -> Response:
    """Show the tables of a plan."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = bench.projects.checked(project.variant.plan)
    return bench.page(
        "tables.html.j2",
        project=project,
        here="tables",
        tables=[_told(one) for one in plan.tables],
        only_tables=bool(plan.tables) and not plan.releases_records,
    )


@room.post("")
async def add(request: Request, identifier: str) -> Response:
    """Add a table."""
    bench = bench_of(request)
    form = await form_of(request)
    variant = variant_in(bench.projects.get(identifier), form)
    table = defined(form, {})
    plan = added(variant.plan, table)
    bench.projects.change(identifier, plan, f"table {table['name']}", parent=variant.number)
    return go(f"{request.url.path}/{len(plan['tables']) - 1}")


@room.get("/form")
def new(request: Request, identifier: str) -> Response:
    """Show the form of a table that is to be added."""
    bench = bench_of(request)
    names = {one.get("name") for one in tables_in(bench.projects.get(identifier).variant.plan)}
    number = next(n for n in range(1, len(names) + 2) if f"table_{n}" not in names)
    return _form(request, identifier, {"name": f"table_{number}"}, None)


@room.get("/{place}")
def table(request: Request, identifier: str, place: int) -> Response:
    """Show one table; after it was undone, those that are left."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = bench.projects.checked(project.variant.plan)
    if not 0 <= place < len(plan.tables):
        return RedirectResponse(f"/p/{identifier}/tables", 303)
    said = plan.tables[place]
    return bench.page(
        "table.html.j2",
        project=project,
        here="tables",
        place=place,
        table=said,
        told=_told(said),
        others=len(plan.tables) - 1,
        protected=has_way(project.variant.plan),
        offered={word: fitting(said, labels) for word, (_, labels) in FAMILIES.items()},
        listed=_listed(said),
        exports=EXPORTS,
    )


@room.get("/{place}/form")
def edit(request: Request, identifier: str, place: int) -> Response:
    """Show what is said of a table, to be changed."""
    said = table_at(bench_of(request).projects.get(identifier).variant.plan, place)
    return _form(request, identifier, said, place)


@room.post("/{place}")
async def change(request: Request, identifier: str, place: int) -> Response:
    """Take what a person says of a table."""

    def changed(plan: Document, form: Any) -> tuple[Document, str]:
        said = defined(form, table_at(plan, place))
        return with_table(plan, place, said), f"table {said['name']} changed"

    return await _changed(request, identifier, changed)


@room.post("/{place}/remove")
async def remove(request: Request, identifier: str, place: int) -> Response:
    """Take a table away."""

    def changed(plan: Document, _: Any) -> tuple[Document, str]:
        name = table_at(plan, place).get("name")
        return with_tables(plan, moved(tables_in(plan), place, "remove")), f"without table {name}"

    await _changed(request, identifier, changed)
    return go(f"/p/{identifier}/tables")


@room.get("/{place}/{field}/form")
def method(
    request: Request, identifier: str, place: int, field: str, method: str = "",
    number: int | None = None,
) -> Response:  # fmt: skip
    """Show the form of a rule, a way or a measure that is required, new or as it stands there."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    tables = bench.projects.checked(project.variant.plan).tables
    said = _at(tables, place)
    families, _ = _families(field)
    stands = None if number is None else _at(_standing(said, field), number)
    found = find(method, families) if stands is None else type(stands)
    given = None if stands is None else stands.parameters()
    bounds = field == "require" and number is not None
    return bench.page(
        "table_method.html.j2",
        project=project,
        place=place,
        field=field,
        number=number,
        # Of rules and ways forms may be open at once.
        chosen=chosen(found, _as_attributes(found, said.by), given, within=WITHIN.get(field, "")),
        bounds=bounds_of(said.requirements[number]) if bounds else {},
        others=len(tables) - 1,
    )


@room.post("/{place}/way")
async def protect(request: Request, identifier: str, place: int) -> Response:
    """Choose how all tables are protected, or that they are not."""

    def changed(plan: Document, form: Any) -> tuple[Document, str]:
        table_at(plan, place)
        if form.get("method") == [""]:
            return with_way(plan, None), "tables not protected"
        way = method_in(form, COMPARED)
        return with_way(plan, way), f"tables: {brief(way)}"[:80]

    return await _changed(request, identifier, changed)


@room.post("/{place}/compared/{number}/use")
async def use(request: Request, identifier: str, place: int, number: int) -> Response:
    """Protect all tables in one of the ways that were compared."""

    def changed(plan: Document, _: Any) -> tuple[Document, str]:
        way = _at(table_at(plan, place).get("compare") or [], number)
        said = {way: {}} if isinstance(way, str) else way
        return with_way(plan, said), f"tables: {brief(said)}"[:80]

    return await _changed(request, identifier, changed)


@room.post("/{place}/suppress")
async def suppress(request: Request, identifier: str, place: int) -> Response:
    """Suppress a cell by hand, which the page names by its row."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    form = await form_of(request)
    variant = variant_in(project, form)
    row = number_in(form, "row")
    question = asked_of(variant.plan, place, "judged", "table_cell", "Looking at a cell", row=row)
    cell = question.answer(bench, project)
    if cell is None:
        raise InputError("Look at the cell before protection, then suppress it by hand.")

    def changed(plan: Document, _: Any) -> tuple[Document, str]:
        said = table_at(plan, place)
        more = {**said, "suppress": [*(said.get("suppress") or []), cell["codes"]]}
        return with_table(plan, place, more), f"suppress {cell['name']}"[:80]

    return _kept(request, identifier, form, changed)


@room.post("/{place}/{field}")
async def keep(request: Request, identifier: str, place: int, field: str) -> Response:
    """Add a rule, a way to be compared or something that is required, or change one."""

    def changed(plan: Document, form: Any) -> tuple[Document, str]:
        said = table_at(plan, place)
        families, _ = _families(field)
        one = requirement_in(form) if field == "require" else method_in(form, families)
        number = number_in(form, "number") if any(form.get("number", ())) else None
        more = {**said, field: put(said.get(field) or [], one, number)}
        words = {"rules": "rule", "compare": "compare", "require": "require"}
        return with_table(plan, place, more), f"{words[field]} {brief(one)}"[:80]

    return await _changed(request, identifier, changed)


@room.post("/{place}/{field}/remove")
async def take_away(request: Request, identifier: str, place: int, field: str) -> Response:
    """Take a rule, a cell suppressed by hand, a way or a requirement away."""

    def changed(plan: Document, form: Any) -> tuple[Document, str]:
        said = table_at(plan, place)
        if field not in LISTS:
            raise InputError("There is nothing of that name in a table.")
        rest = moved(said.get(field) or [], number_in(form, "number"), "remove")
        return with_table(plan, place, {**said, field: rest}), f"fewer {field}"

    return await _changed(request, identifier, changed)


# -- what the pages show ---------------------------------------------------------------------------


def _told(said: TablePlan) -> dict[str, Any]:
    """Return a table as a person names it."""
    way = said.way or said.perturbation
    return {
        "name": said.name,
        "by": list(said.by),
        "shows": f"{said.statistic or 'sum'} of {said.value}" if said.value else "count",
        "rules": [brief(one.to_plan()) for one in said.methods],
        "way": None if way is None else brief(way.to_plan()),
        "changes_values": way is not None and way.family == "perturbation",
        "is_drawn_anew": way is not None and not way.repeatable,
    }


def _standing(said: TablePlan, field: str) -> Sequence[Method]:
    """Return the methods that stand in a list of a table; of ways the one that protects it."""
    way = said.way or said.perturbation
    return {
        "rules": said.methods,
        "compare": said.compared,
        "require": tuple(one.method for one in said.requirements),
        "way": () if way is None else (way,),
    }.get(field, ())


def _listed(said: TablePlan) -> dict[str, list[str]]:
    """Return what stands in the lists of a table, as a person names it."""
    return {
        "rules": [brief(one.to_plan()) for one in said.methods],
        "compare": [brief(one.to_plan()) for one in said.compared],
        "require": [brief(one.to_plan()) for one in said.requirements],
        "suppress": [
            ", ".join(f"{name} {code}" for name, code in cell.items()) or "the grand total"
            for cell in said.suppress
        ],
    }


def _form(
    request: Request, identifier: str, said: Mapping[str, Any], place: int | None
) -> Response:
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    question = attributes_of(project.variant.plan, 0)
    attributes = question.answer(bench, project)
    if attributes is None:
        return waiting(bench, project, question, request)
    return bench.page(
        "table_form.html.j2",
        project=project,
        place=place,
        said={**dict.fromkeys(ABOUT), **said},
        about=ABOUT,
        spanning=[one["name"] for one in attributes if _can_span(one, said.get("by") or ())],
        numbers=[one["name"] for one in attributes if one["kind"] == "continuous"],
        names=[one["name"] for one in attributes],
        statistics=STATISTICS,
        formats=FORMATS,
        rolled=ROLLED,
        **_more(bench.projects.checked(project.variant.plan).tables, place),
    )


def _more(tables: Sequence[TablePlan], place: int | None) -> dict[str, Any]:
    """Return what a table says of waivers and of rolling up, as its form shows it."""
    said = None if place is None else tables[place]
    waivers, rolls = (None, None) if said is None else (said.waivers, said.roll_up)
    return {
        "waivers": {} if waivers is None else waivers.model_dump(mode="json", exclude_none=True),
        "roll_up": None if rolls is None else rolls.model_dump(),
    }


def _can_span(attribute: Mapping[str, Any], by: Sequence[str]) -> bool:
    """Tell whether an attribute may span a table: identifiers would list the respondents."""
    fits = attribute["kind"] in SPANNING and not {"identifier", "weight"} & set(attribute["roles"])
    return fits or attribute["name"] in by


def _as_attributes(method: type[Method], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return what spans a table, as the attributes that a method for tables can name."""
    kinds = sorted(kind.value for kind in method.applies_to)
    return [{"name": name, "kind": kinds[0]} for name in names]


def _families(field: str) -> tuple[tuple[str, ...], Mapping[str, str]]:
    found = FAMILIES.get("compare" if field == "way" else field)
    if found is None:
        raise InputError("There is nothing of that name in a table.")
    return found


def _at(said: Sequence[Any], number: int) -> Any:
    if not 0 <= number < len(said):
        raise InputError("It is no longer there; load the page again.")
    return said[number]


async def _changed(
    request: Request, identifier: str, changed: Callable[[Document, Any], tuple[Document, str]]
) -> Response:
    return _kept(request, identifier, await form_of(request), changed)


def _kept(
    request: Request,
    identifier: str,
    form: Any,
    changed: Callable[[Document, Any], tuple[Document, str]],
) -> Response:
    """Keep a change of the plan that the page showed as a new variant."""
    projects = bench_of(request).projects
    variant = variant_in(projects.get(identifier), form)
    plan, what = changed(variant.plan, form)
    projects.change(identifier, plan, what, parent=variant.number)
    return go("")
