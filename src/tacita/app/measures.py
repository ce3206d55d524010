"""Measures side by side: of the original, of variants, of what is being tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacita.results import show

Measured = Sequence[Mapping[str, Any]]
FAMILIES = {"risk": "Risk", "attack": "Attacks", "utility": "Information loss"}


@dataclass(frozen=True)
class Row:
    """One measure of several data sets.

    Args:
        name: the measure.
        sentence: what the last number says.
        numbers: the numbers as a person reads them; empty where it was not measured.
    """

    name: str
    sentence: str
    numbers: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """The measures of a family.

    Args:
        label: what the family is called.
        heads: what was measured.
        rows: the measures.
    """

    label: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]


def side_by_side(columns: Mapping[str, Measured]) -> list[Table]:
    """Return a table a family; the original loses nothing and has no column there."""
    found = []
    for family, label in FAMILIES.items():
        own = {
            head: {one["name"]: one for one in column if one["family"] == family}
            for head, column in columns.items()
        }
        filled = {head: column for head, column in own.items() if column}
        if filled:
            found.append(Table(label, tuple(filled), tuple(_rows(list(filled.values())))))
    return found


def _rows(columns: Sequence[Mapping[str, Mapping[str, Any]]]) -> Iterator[Row]:
    for name in dict.fromkeys(name for column in reversed(columns) for name in column):
        there = [column[name] for column in columns if name in column]
        numbers = tuple(show(one[name]["value"]) if name in one else "" for one in columns)
        yield Row(name, there[-1]["sentence"], numbers)
