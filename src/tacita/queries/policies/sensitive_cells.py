"""Cell rules on answers: what would be a sensitive cell of a table is no answer either."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, WithJsonSchema

from tacita.data.attribute import Kind
from tacita.mechanisms.sensitivity.contributions import Contributions
from tacita.method import ANY_KIND, Method, TableKind
from tacita.queries.cells import Cell
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import LINEAR, Statistic
from tacita.queries.updating import Update
from tacita.queries.watching import Watcher
from tacita.registry import from_plan

RULES = ("minimum_frequency", "dominance", "p_percent", "pq")
MOST = 10  # of the largest contributions; no rule in use looks at more


def _rules(said: Any) -> Any:
    listed = said if isinstance(said, list | tuple) else [said]
    return tuple(one if isinstance(one, Method) else from_plan(one, ("rule",)) for one in listed)


def _of_single_cells(rules: tuple[Method, ...]) -> tuple[Method, ...]:
    for rule in rules:
        if rule.name not in RULES:
            raise ValueError(
                f"`{rule.name}` looks at more than one cell; an answer can be judged by "
                f"{', '.join(RULES)}."
            )
    return rules


Rules = Annotated[
    tuple[Method, ...],
    BeforeValidator(_rules),
    AfterValidator(_of_single_cells),
    PlainSerializer(lambda rules: [rule.to_plan() for rule in rules]),
    WithJsonSchema({"type": "array", "items": {"type": "object"}, "minItems": 1}),
    Field(description="The rules, of which none may call the answer sensitive.", min_length=1),
]


class SensitiveCells(Method):
    """Refuse counts, sums and means that a sensitivity rule of tables calls sensitive.

    A sum over a query set is a cell of a magnitude table, and its records contribute to it; a count
    is a cell of a frequency table. The rules are those of tables: minimum frequency, (n, k)
    dominance, p percent, (p, q). Other statistics are refused.

    When not to use it alone: it looks at one answer at a time, and two answers that are not
    sensitive can differ by one that is; join it with `Audit`. A refusal depends on the values, so
    that it tells something about them.

    >>> import tacita as ta
    >>> from tacita.queries.cells import QuerySet
    >>> from tacita.queries.statistic import Asked
    >>> data = PublicClasses.of(ta.example("toy"), "toy")
    >>> total = Cell(Asked(Statistic.SUM, "income"), QuerySet(data, data.sizes > 0))
    >>> SensitiveCells({"p_percent": 10}).watch(data).allows(total)
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = "Hundepool et al., Statistical Disclosure Control, Wiley 2012"
    missing: ClassVar[str] = "A record whose value is blank does not contribute."
    example: ClassVar[dict[str, Any]] = {"rules": [{"minimum_frequency": 3}]}

    rules: Rules

    def watch(self, data: PublicClasses) -> Watcher:  # noqa: ARG002 - a cell brings its data
        """Begin to guard some data."""
        return CellWatcher(self.rules)


class CellWatcher:
    """Cell rules at work; they have no memory."""

    simulatable = False

    def __init__(self, rules: tuple[Method, ...]) -> None:
        self._rules = rules
        told = ", ".join(rule.name for rule in rules)
        self.guarantee = (
            f"No single answer is a sensitive cell by {told}; several answers together can be."
        )

    def covers(self, cell: Cell) -> bool:  # noqa: ARG002 - what it cannot judge it refuses
        """Have a say about every cell."""
        return True

    def allows(self, cell: Cell) -> bool:
        """Tell whether no rule that applies calls the cell sensitive."""
        if cell.asked.statistic not in LINEAR:
            return False
        is_count = cell.asked.statistic is Statistic.COUNT
        kind = TableKind.FREQUENCY if is_count else TableKind.MAGNITUDE
        rules = [rule for rule in self._rules if kind in rule.applies_to]
        contributions = _contributions(cell)
        return not any(rule.judge(contributions).sensitive[0] for rule in rules)  # type: ignore[attr-defined]

    def learn(self, cell: Cell) -> None:
        """Remember nothing."""

    def move(self, update: Update) -> None:
        """Go on after the data changed."""


def _contributions(cell: Cell) -> Contributions:
    """Return who contributes to the answer, as the rules of tables see it."""
    data, rows = cell.members.data, cell.members.rows
    weights = np.ones(len(rows)) if data.weights is None else data.weights[rows]
    if cell.asked.attribute is None or cell.asked.statistic is Statistic.COUNT:
        sizes = np.ones(len(rows))
    else:
        values = data.numbers(cell.asked.attribute)[rows]
        there = ~np.isnan(values)
        weights, sizes = weights[there], np.abs(values[there])
        sizes = sizes * weights if cell.asked.weighted else sizes
    largest = np.zeros(MOST)
    top = np.sort(sizes)[::-1][:MOST]
    largest[: len(top)] = top
    total = np.array([sizes.sum()])
    count = np.array([float(len(sizes))])
    frequency = np.array([weights.sum()]) if cell.asked.weighted else count
    return Contributions(total, total, frequency, count, largest[None], np.zeros((1, 2)))
