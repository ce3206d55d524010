"""Judging a table: sensitivity rules find the primary suppressions and their protection levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import InputError, ParameterError, shown
from tacita.mechanisms.sensitivity.contributions import Contributions, Judgement
from tacita.method import Method, TableKind
from tacita.tables.dimension import NONE, Dimension, Places
from tacita.tables.status import Status
from tacita.tables.table import RESPONDENTS, Table

Rule = Method | Callable[[Contributions], Any]
Missing = Literal["judged", "safe"]
WAIVER = "waiver"  # the reason of cells whose contributors agreed that they are published


def judge(
    table: Table,
    rules: Sequence[Rule] | Rule,
    *,
    missing: Missing = "judged",
) -> Table:
    """Return the table with its sensitive cells found and their protection levels set.

    A cell that several rules call sensitive gets the first of them as its reason and the largest of
    their levels. The lower level never reaches below what everybody knows the cell to be at least.
    Cells that were called sensitive before stay so, a secondary suppression that a rule calls
    sensitive becomes a primary one, and cells with a waiver are not judged.

    Args:
        table: the table, with what is known of the contributions to its cells.
        rules: the rules, in order: methods such as `PPercent(15)`, or functions from
            `Contributions` to a mask of sensitive cells or a `Judgement`.
        missing: what becomes of cells on a code for missing values: they are `judged` like others,
            or `safe`.

    Raises:
        InputError: no cell can be judged by a rule, a rule calls a cell sensitive that is said to
            be published, or a function says what no rule can.
        ParameterError: there is no rule, or one does not apply to this kind of table.

    >>> from tacita.mechanisms.sensitivity.minimum_frequency import MinimumFrequency
    >>> from tacita.tables.cells import Cells
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> cells = Cells.of([7, 2, 5], frequency=[7, 2, 5])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), cells)
    >>> judge(table, [MinimumFrequency(3)]).cells.reason
    array(['', 'minimum_frequency', ''], dtype=object)
    """
    asked = [rules] if isinstance(rules, Method) or callable(rules) else list(rules)
    if not asked:
        raise ParameterError("Judging a table needs at least one rule; found none.")
    for rule in asked:
        _refuse_other(rule)
    if missing not in get_args(Missing):
        raise ParameterError(
            f"`missing` is {' or '.join(get_args(Missing))}; found {shown(missing)}."
        )
    contributions = contributions_of(table)
    exempt = table.cells.reason == WAIVER
    if missing == "safe":
        exempt |= _on_missing(table)
    for rule in asked:
        table = _with_judgement(table, _name(rule), _judgement(rule, table, contributions), exempt)
    return with_capped_levels(table)


def contributions_of(table: Table) -> Contributions:
    """Return who contributes how much to the cells of a table, as rules look at it."""
    cells = table.cells
    members = cells.contributors if table.weighting == RESPONDENTS else cells.frequency
    groups = {d.name: _group(table, axis, members) for axis, d in enumerate(table.dimensions)}
    return Contributions(
        value=cells.value,
        total=cells.total,
        frequency=cells.frequency,
        contributors=cells.contributors,
        largest=cells.largest,
        asked=cells.asked,
        group={name: group for name, (group, _) in groups.items()},
        siblings={name: siblings for name, (_, siblings) in groups.items()},
        members=members,
    )


# -- one rule --------------------------------------------------------------------------------------


def _name(rule: Rule) -> str:
    return rule.name if isinstance(rule, Method) else getattr(rule, "__name__", "rule")


def _refuse_other(rule: Any) -> None:
    """Refuse what is no rule; a class is one only with its parameters."""
    if isinstance(rule, Method) or (callable(rule) and not isinstance(rule, type)):
        return
    found = rule.__name__ if isinstance(rule, type) else shown(rule)
    raise ParameterError(
        "A rule is a method with its parameters, such as `PPercent(15)`, or a function; found "
        f"{found}."
    )


def _judgement(rule: Rule, table: Table, contributions: Contributions) -> Judgement:
    if isinstance(rule, Method):
        _refuse_kind(rule, table)
        judged: Judgement = rule.judge(contributions)  # type: ignore[attr-defined]
        return judged
    said = rule(contributions)
    judged = said if isinstance(said, Judgement) else Judgement.of(_mask(rule, said))
    _check_judgement(_name(rule), judged, len(table))
    return judged


def _check_judgement(name: str, judged: Judgement, cells: int) -> None:
    """Refuse what a user's rule says if it is not about every cell."""
    levels = judged.lower_level, judged.upper_level, judged.sliding_level
    for column in (judged.sensitive, *levels):
        if len(column) != cells:
            raise InputError(
                f"The rule `{name}` should say of {cells:,} cells whether they are sensitive; it "
                f"said so of {len(column):,}."
            )
    if not all(((level >= 0) & np.isfinite(level)).all() for level in levels):
        raise InputError(
            f"The rule `{name}` should set levels of 0 or more (units of the value); it set others."
        )


def _mask(rule: Rule, said: Any) -> Mask:
    mask = np.asarray(said)
    if mask.dtype != bool or mask.ndim != 1:
        raise InputError(
            f"The rule `{_name(rule)}` should give a mask, true where a cell is sensitive, or a "
            f"`Judgement`; found {type(said).__name__} of {mask.dtype}."
        )
    return mask


def _refuse_kind(rule: Method, table: Table) -> None:
    if not hasattr(rule, "judge"):
        raise ParameterError(
            f"`{rule.name}` is a method of the family {rule.family}; expected here: a rule such as "
            "`p_percent` or `minimum_frequency`."
        )
    kind = TableKind.FREQUENCY if table.variable is None else TableKind.MAGNITUDE
    if kind not in rule.applies_to:
        allowed = " and ".join(sorted(kind.value for kind in rule.applies_to))
        raise ParameterError(
            f"`{rule.name}` applies to {allowed} tables; `{table.name}` is a {kind.value} table."
        )


def _with_judgement(table: Table, name: str, judged: Judgement, exempt: Mask) -> Table:
    """Return the table with what one rule said of it."""
    cells = table.cells
    fires = judged.sensitive & ~exempt
    _refuse_published(table, name, fires)
    new = fires & (cells.status != Status.SENSITIVE)
    return table.with_cells(
        status=np.where(new, np.int8(Status.SENSITIVE), cells.status),
        reason=np.where(new, name, cells.reason),
        lower_level=_raised(cells.lower_level, judged.lower_level, fires),
        upper_level=_raised(cells.upper_level, judged.upper_level, fires),
        sliding_level=_raised(cells.sliding_level, judged.sliding_level, fires),
    )


def _refuse_published(table: Table, name: str, fires: Mask) -> None:
    contrary = np.flatnonzero(fires & (table.cells.status == Status.PUBLISHED))
    if contrary.size:
        raise InputError(
            f"The cell {table.name_of(int(contrary[0]))} is said to be published and "
            f"`{name}` calls it sensitive; give a waiver for it, or do not ask for it to be "
            "published."
        )


def _raised(level: Floats, other: Floats, fires: Mask) -> Floats:
    return np.where(fires, np.maximum(level, other), level)


def with_capped_levels(table: Table) -> Table:
    """Return the table with lower levels that prior knowledge allows: a count is never below 0."""
    cells = table.cells
    room = cells.value - cells.lower_bound
    capped = np.where(room < cells.lower_level, np.maximum(room, 0.0), cells.lower_level)
    return table.with_cells(lower_level=capped)


# -- where a cell lies -----------------------------------------------------------------------------


def _on_missing(table: Table) -> Mask:
    """Tell which cells lie on a code for missing values."""
    found = np.zeros(len(table), bool)
    for axis, dimension in enumerate(table.dimensions):
        codes = [dimension.places[code] for code in dimension.missing]
        found |= np.isin(table.places[:, axis], codes)
    return found


def _group(table: Table, axis: int, members: Floats) -> tuple[Floats, Floats]:
    """Return the members of the group that each cell divides along an attribute, and its parts.

    Where the attribute has several hierarchies, the smallest group counts: a cell holds a whole
    group only if it holds the smallest of them.
    """
    group = np.full(len(table), np.nan)
    siblings = np.full(len(table), np.nan)
    codes = table.places[:, axis]
    for parents in table.dimensions[axis].parents:
        above, parts = _divided(table.dimensions[axis], parents)
        has = np.flatnonzero(above[codes] != NONE)
        step = (above[codes[has]].astype(np.int64) - codes[has]) * table.strides[axis]
        rows = table.find(table.numbers[has] + step)
        has, rows = has[rows != NONE], rows[rows != NONE]
        found = members[rows]
        smaller = ~(found >= group[has])  # of an unknown group, every other is smaller
        group[has[smaller]] = found[smaller]
        siblings[has[smaller]] = parts[codes[has[smaller]]]
    return group, siblings


def _divided(dimension: Dimension, parents: Places) -> tuple[Places, Ints]:
    """Return for each code the nearest code above that has several parts, and how many.

    An only child says the same as the code right above it, so what counts lies higher.
    """
    count = np.bincount(parents[parents != NONE], minlength=len(dimension))
    above = parents.copy()
    for code in range(len(dimension)):
        while above[code] != NONE and count[above[code]] == 1:
            above[code] = parents[above[code]]
    return above, count[above]
