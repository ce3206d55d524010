"""Answers: protected statistics in rows and columns, with what was done and what holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from tacita.errors import load_extra

# Whatever the reason is, this is all an analyst hears: a refusal must not tell anything.
REFUSAL = "The policy of this database does not allow an answer."


@dataclass(frozen=True)
class Released:
    """One protected number.

    Args:
        value: the number (a value of the attribute for extremes); None where an interval says all.
        lower: the least the statistic can be, where an interval is given.
        upper: the most it can be.
        by: the policy that made it what it is; empty where it is exact.
    """

    value: Any
    lower: float | None = None
    upper: float | None = None
    by: str = ""


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

    @property
    def is_refused(self) -> bool:
        """Whether there are statistics and all of them were refused."""
        return any(map(any, self.refused)) and self.value is None

    @property
    def value(self) -> Any:
        """The first number of the answer: what a query without groups asks for."""
        told = (
            value
            for row, refused in zip(self.rows, self.refused, strict=True)
            for value, no in zip(row, refused, strict=True)
            if not no
        )
        return next(told, None)

    def __repr__(self) -> str:
        words = [list(self.columns)]
        for row, refused in zip(self.rows, self.refused, strict=True):
            words.append([_word(value, no) for value, no in zip(row, refused, strict=True)])
        widths = [max(map(len, column)) for column in zip(*words, strict=True)]
        numeric = [_is_numeric(column) for column in zip(*self.rows, strict=True)]
        if not self.rows:
            numeric = [False] * len(widths)
        lines = [
            "  ".join(
                word.rjust(width) if right else word.ljust(width)
                for word, width, right in zip(line, widths, numeric, strict=True)
            ).rstrip()
            for line in words
        ]
        return "\n".join(lines)

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
        }

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table; a refused cell is missing there."""
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.columns)
        return pa.table([pa.array(_alike(column)) for column in columns], list(self.columns))

    def to_pandas(self) -> Any:
        """Return the rows as a pandas frame."""
        load_extra("pandas", "frames")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return the rows as a Polars frame."""
        return load_extra("polars", "frames").from_arrow(self.to_arrow())


def _word(value: Any, refused: bool) -> str:
    if refused:
        return "refused"
    if value is None:
        return ""
    return f"{value:,.10g}" if isinstance(value, float) else str(value)


def _is_numeric(column: Sequence[Any]) -> bool:
    told = [value for value in column if value is not None]
    return all(isinstance(value, int | float) for value in told)


def _alike(column: Sequence[Any]) -> list[Any]:
    """Return values of one type, so that they fit into one column."""
    kinds = {type(value) for value in column if value is not None}
    if len(kinds) > 1 and not kinds <= {int, float}:
        return [None if value is None else str(value) for value in column]
    return list(column)


def plain(value: Any) -> Any:
    """Return a value as JSON can say it."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
