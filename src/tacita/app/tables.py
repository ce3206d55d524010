"""The part of a plan that makes tables: one table changed at a time, protection for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tacita.app.asking import Question
from tacita.app.choosing import one_of
from tacita.app.forms import filled
from tacita.app.projects import Document
from tacita.errors import InputError
from tacita.method import Method, TableKind
from tacita.registry import family, find
from tacita.release.requirement import BOUNDS
from tacita.release.table_plan import COMPARED, MEASURES, TablePlan

Form = Mapping[str, Sequence[str]]
Said = dict[str, Any]
Stage = Literal["judged", "protected"]
NAMING = ("value", "denominator", "contributor", "shadow", "cost", "request", "keys")
WORDS = ("name", "statistic", "missing", "empty", "weighting", "given", *NAMING)
CODES = "request_codes"
WAIVERS = ("file", "on", "period", "identity")
ROLLED = "rolled"  # the field of a form that says what a table counts that is rolled up
CHANGES = {"protection": "protect", "perturbation": "perturb"}  # the field of each family
ASIDE = ("compare", "formats")  # what no value of a table depends on
LATER = (*CHANGES.values(), "require", *ASIDE)  # what does not matter before it is protected
PARAMETERS = "p:"


def tables_in(plan: Document) -> list[Said]:
    """Return the tables of a plan, as it says them."""
    return [dict(one) for one in plan.get("tables") or ()]


def table_at(plan: Document, place: int) -> Said:
    """Return one table of a plan.

    Raises:
        InputError: there is none at that place.
    """
    tables = tables_in(plan)
    if not 0 <= place < len(tables):
        raise InputError("There is no such table; load the page again.")
    return tables[place]


def with_tables(plan: Document, tables: Sequence[Said]) -> dict[str, Any]:
    """Return a plan with other tables; without any, it says nothing of tables."""
    rest = {word: said for word, said in plan.items() if word != "tables"}
    return {**rest, "tables": list(tables)} if tables else rest


def with_table(plan: Document, place: int, table: Said) -> dict[str, Any]:
    """Return a plan in which one table is another; what it says of nothing is left out."""
    tables = tables_in(plan)
    tables[place] = {word: said for word, said in table.items() if said not in (None, "", [])}
    return with_tables(plan, tables)


def with_way(plan: Document, way: Said | None) -> dict[str, Any]:
    """Return a plan whose tables are protected or perturbed in some way, all in one run."""
    tables = [_without(table, tuple(CHANGES.values())) for table in tables_in(plan)]
    if way is None:
        return with_tables(plan, tables)
    field = CHANGES[find(next(iter(way)), COMPARED).family]
    return with_tables(plan, [{**table, field: way} for table in tables])


def defined(form: Form, before: Mapping[str, Any]) -> Said:
    """Return what a person says of a table, with what was said before of rules and protection."""
    said: Said = {word: _text(form, word) for word in WORDS}
    largest = _text(form, "largest")
    if largest and not largest.isdecimal():
        raise InputError("`largest` is a whole number: how many contributions are kept of a cell.")
    said |= {
        "by": [one for one in form.get("by", ()) if one],
        "largest": int(largest) if largest else None,
        "formats": [] if (files := list(form.get("formats", ()))) == ["csv"] else files,
        "request_codes": [one for one in map(str.strip, _text(form, CODES).split(",")) if one],
        "waivers": _waivers(form),
        "roll_up": _roll_up(form),
    }
    if not said["by"]:
        raise InputError("Choose at least one attribute that spans the table.")
    one_of(form, "name")
    kept = {word: one for word, one in before.items() if word not in said}
    return {word: one for word, one in {**said, **kept}.items() if one not in (None, "", [])}


def _waivers(form: Form) -> Said | None:
    """Return what a form says of waivers; nothing without their file."""
    said = {word: text for word in WAIVERS if (text := _text(form, f"waivers-{word}"))}
    if said and "file" not in said:
        raise InputError("Waivers lie in a file of the folder; name it, or leave all of them out.")
    return said or None


def _roll_up(form: Form) -> Said | None:
    """Return what a form says of rolling up; nothing where the table stays as it is."""
    loss = _text(form, ROLLED)
    if not loss:
        return None
    head = f"{ROLLED}:"
    allowed = {name: how for name in form.get("by", ()) if (how := _text(form, f"{head}{name}"))}
    return {"loss": loss, **({"allowed": allowed} if allowed else {})}


def added(plan: Document, table: Said) -> dict[str, Any]:
    """Return a plan with one table more, which is protected like the others."""
    tables = tables_in(plan)
    ways = {word: tables[0][word] for word in CHANGES.values() if tables and word in tables[0]}
    return with_tables(plan, [*tables, {**table, **ways}])


def method_in(form: Form, families: Sequence[str]) -> Said:
    """Return the method that a person filled in, as a plan says it."""
    method = find(one_of(form, "method"), tuple(families))
    return {method.name: filled(method, _own(form))}


def requirement_in(form: Form) -> Said:
    """Return what a person requires of a table, as a plan says it."""
    said = method_in(form, MEASURES)
    bounds = {word: float(text) for word in BOUNDS if (text := _number(form, word))}
    return {name: {**given, **bounds} for name, given in said.items()}


def kind_of(table: TablePlan) -> TableKind:
    """Tell what sort of table it is; rules and ways apply to one or both."""
    return TableKind.FREQUENCY if table.value is None else TableKind.MAGNITUDE


def fitting(table: TablePlan, families: Mapping[str, str]) -> dict[str, dict[str, type[Method]]]:
    """Return the methods that apply to a table, by what their families are called."""
    kind = kind_of(table)
    return {
        label: {name: one for name, one in family(word).items() if kind in one.applies_to}
        for word, label in families.items()
    }


def has_way(plan: Document) -> bool:
    """Tell whether the tables of a plan are protected or perturbed."""
    return any(table.get(word) for table in tables_in(plan) for word in CHANGES.values())


# -- questions -------------------------------------------------------------------------------------


def asked_of(
    plan: Document,
    place: int,
    stage: Stage,
    task: str,
    title: str,
    *,
    tried: int | None = None,
    **more: Any,
) -> Question:
    """Ask something of a table of a plan.

    Args:
        plan: the plan.
        place: the place of the table among those of the plan.
        stage: before or after it is protected.
        task: who answers it.
        title: what is being done, in words.
        tried: the place of a way that is compared, which then protects the table, alone.
        more: what else the task needs.
    """
    part = {"data": plan["data"], "tables": _asked(plan, place, stage, tried)}
    at = 0 if len(part["tables"]) == 1 else place
    arguments = {"plan": part, "place": at, "stage": stage, **more}
    # Whoever looks at a protected table waits for nothing but tables.
    return Question(task, title, "quick" if stage == "judged" else "tables", arguments)


def compared_of(plan: Document, place: int) -> Question:
    """Ask how the ways to protect a table compare."""
    table = table_at(plan, place)
    alone = _without(table, (*CHANGES.values(), "require", "formats", "suppress"))
    arguments = {"plan": {"data": plan["data"], "tables": [alone]}, "place": 0, "stage": "judged"}
    return Question("table_compare", "Comparing ways", "long", arguments)


def _asked(plan: Document, place: int, stage: Stage, tried: int | None) -> list[Said]:
    """Return the tables that an answer depends on."""
    table = table_at(plan, place)
    if tried is not None:
        ways = table.get("compare") or []
        if not 0 <= tried < len(ways):
            raise InputError("This way is no longer compared; load the page again.")
        alone = with_way({"tables": [_without(table, (*LATER, "suppress"))]}, _mapping(ways[tried]))
        return tables_in(alone)
    if stage == "judged":
        return [_without(table, LATER)]
    return [_without(one, ASIDE) for one in tables_in(plan)]


def _mapping(said: Any) -> Said:
    return {said: {}} if isinstance(said, str) else dict(said)


def _without(said: Mapping[str, Any], words: Sequence[str]) -> Said:
    return {word: one for word, one in said.items() if word not in words}


def _own(form: Form) -> dict[str, Sequence[str]]:
    """Return the parameters of a method among the fields of a form."""
    return {
        name.removeprefix(PARAMETERS): one
        for name, one in form.items()
        if name.startswith(PARAMETERS)
    }


def _text(form: Form, name: str) -> str:
    return (form.get(name) or ("",))[0].strip()


def _number(form: Form, name: str) -> str:
    text = _text(form, name)
    try:
        float(text or 0)
    except ValueError as error:
        raise InputError(f"`{name}` should be a number such as 0.05.") from error
    return text
