"""Answers: protected statistics in rows and columns, with what was done and what holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tacita.errors import load_extra

if TYPE_CHECKING:
    from tacita.queries.camouflage.forms import Linear

# Whatever the reason is, this is all an analyst hears: a refusal must not tell anything.
REFUSAL = "The policy of this database does not allow an answer."


@dataclass(frozen=True, slots=True)
class Released:
    """One protected number.

    Args:
        value: the number (a value of the attribute for extremes); None where an interval says all.
        lower: the least the statistic can be, where an interval is given.
        upper: the most it can be.
        by: the policy that made it what it is; empty where it is exact.
        is_certain: whether the statistic is within the bounds for sure; else with some confidence.
        of: the camouflaged attribute whose protection set the bounds come from, if it is one.
        linear: what the statistic is over that set, where it is linear in the attribute.
        is_untold: whether nobody may know that its group is there; it is left out of the answer.
    """

    value: Any
    lower: float | None = None
    upper: float | None = None
    by: str = ""
    is_untold: bool = False
    is_certain: bool = False
    of: str | None = None
    linear: Linear | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, repr=False)
class Answer:
    """What an analyst gets.

    Args:
        columns: the names of the columns.
        rows: the values; None where a cell is refused or blank.
        refused: of each row and column whether it was refused.
        guarantees: of each policy that had a say, what holds.
        entry: the number of the ledger's entry that the answer is recorded under.
        head: the ledger's head after that entry, which anybody may keep as an anchor.
        left: what is left of budgets, by their names.
        intervals: of each row and column the bounds that were given, if any.
        cost: of each policy that took something, what the answer cost.
        statistics: of each column whether it tells of statistics; others tell of groups.

    >>> Answer(("sector", "count"), (("IT", 6), ("Fin", None)), ((False, False), (False, True)))
    sector    count
    IT            6
    Fin     refused
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    refused: tuple[tuple[bool, ...], ...]
    guarantees: Mapping[str, str] = field(default_factory=dict)
    entry: int | None = None
    head: str = ""
    left: Mapping[str, float] = field(default_factory=dict)
    intervals: tuple[tuple[tuple[float, float] | None, ...], ...] = ()
    cost: Mapping[str, Any] = field(default_factory=dict)
    statistics: tuple[bool, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether there are statistics and all of them were refused."""
        told = [no for row in self.refused for no in self._of_statistics(row)]
        return bool(told) and all(told)

    @property
    def value(self) -> Any:
        """The first statistic that is answered: what a query without groups asks for."""
        for row, refused in zip(self.rows, self.refused, strict=True):
            pairs = zip(self._of_statistics(row), self._of_statistics(refused), strict=True)
            for value, no in pairs:
                if not no:
                    return value
        return None

    def _of_statistics(self, row: Sequence[Any]) -> list[Any]:
        chosen = self.statistics or (True,) * len(self.columns)
        return [value for value, yes in zip(row, chosen, strict=True) if yes]

    @property
    def interval(self) -> tuple[float, float] | None:
        """The first bounds of the answer, if it has any."""
        return next((one for row in self.intervals for one in row if one is not None), None)

    def __repr__(self) -> str:
        words = [list(self.columns), *self._words()]
        widths = [max(map(len, column)) for column in zip(*words, strict=True)]
        numeric = [_is_numeric(column) for column in zip(*self.rows, strict=True)]
        numeric = numeric or [False] * len(widths)
        lines = [
            "  ".join(
                word.rjust(width) if right else word.ljust(width)
                for word, width, right in zip(line, widths, numeric, strict=True)
            ).rstrip()
            for line in words
        ]
        return "\n".join(lines)

    def _words(self) -> list[list[str]]:
        """Return what stands in every row and column."""
        bounds = self.intervals or [(None,) * len(self.columns)] * len(self.rows)
        return [
            [_word(*parts) for parts in zip(row, refused, within, strict=True)]
            for row, refused, within in zip(self.rows, self.refused, bounds, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain types, as the server sends it."""
        return {
            "columns": list(self.columns),
            "rows": [[plain(value) for value in row] for row in self.rows],
            "refused": [list(row) for row in self.refused],
            "notice": REFUSAL if any(map(any, self.refused)) else "",
            "guarantees": dict(self.guarantees),
            "entry": self.entry,
            "head": self.head,
            "left": dict(self.left),
            "intervals": [
                [None if one is None else list(one) for one in row] for row in self.intervals
            ],
            "cost": dict(self.cost),
            "statistics": list(self.statistics),
        }

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table; a refused cell is missing there.

        A column whose values have bounds is followed by those, `_lower` and `_upper`.
        """
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.columns)
        bounds = list(zip(*self.intervals, strict=True)) or [()] * len(self.columns)
        named: list[tuple[str, pa.Array]] = []
        for name, column, within in zip(self.columns, columns, bounds, strict=True):
            named.append((name, pa.array(alike(column))))
            if any(one is not None for one in within):
                for place, end in enumerate(("lower", "upper")):
                    ends = [None if one is None else float(one[place]) for one in within]
                    named.append((f"{name}_{end}", pa.array(ends)))
        return pa.table([array for _, array in named], [name for name, _ in named])

    def to_pandas(self) -> Any:
        """Return the rows as a pandas frame."""
        load_extra("pandas", "frames")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return the rows as a Polars frame."""
        return load_extra("polars", "frames").from_arrow(self.to_arrow())


def _word(value: Any, refused: bool, within: tuple[float, float] | None) -> str:
    if refused:
        return "refused"
    bounds = "" if within is None else f"[{within[0]:,.10g}, {within[1]:,.10g}]"
    if value is None:
        return bounds
    said = f"{value:,.10g}" if isinstance(value, float) else str(value)
    return f"{said} {bounds}".rstrip()


def _is_numeric(column: Sequence[Any]) -> bool:
    told = [value for value in column if value is not None]
    return all(isinstance(value, int | float) for value in told)


def alike(column: Sequence[Any]) -> list[Any]:
    """Return values of one type, so that they fit into one column.

    >>> alike([1, 2.5, None]), alike([1, "a"])
    ([1.0, 2.5, None], ['1', 'a'])
    """
    kinds = {type(value) for value in column if value is not None}
    if len(kinds) <= 1:
        return list(column)
    kind = float if kinds <= {int, float} else str
    return [None if value is None else kind(value) for value in column]


def plain(value: Any) -> Any:
    """Return a value as JSON can say it; what is no finite number has none."""
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
