"""A table as it is printed: the first attribute down, the last across, one grid for the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.data.decimals import decimals_of
from tacita.tables.dimension import NONE, Dimension
from tacita.tables.table import Table

DECIMALS = 2  # digits after the point of values that are no decimals, such as means


class Heading(NamedTuple):
    """What stands before a row or above a column.

    Args:
        text: the code, and what it means where that is known.
        depth: how many codes lie above it.
        is_total: whether it is the total of other codes.
    """

    text: str
    depth: int
    is_total: bool


@dataclass(frozen=True, eq=False)
class Grid:
    """One grid of a table.

    Args:
        of: the attributes that are neither down nor across, each with the code this grid is about.
        down: the headings of the rows.
        across: the headings of the columns.
        rows: for each row and column the cell's row in the table, -1 where nobody contributes.
    """

    of: tuple[tuple[str, str], ...]
    down: tuple[Heading, ...]
    across: tuple[Heading, ...]
    rows: Ints

    @property
    def title(self) -> str:
        """The codes that the whole grid is about, in a row."""
        return ", ".join(f"{name}: {text}" for name, text in self.of)


def grids(table: Table) -> Iterator[Grid]:
    """Lay a table out, grid by grid; grids that nobody contributes to are left out.

    >>> from tacita.tables.ready import ready_table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> table = ready_table("people", [sex], {"sex": ["Total", "f", "m"]}, {"value": [7, 3, 4]})
    >>> [grid.rows.tolist() for grid in grids(table)]
    [[[0], [1], [2]]]
    """
    first, *between = table.dimensions
    last = between.pop() if between else None
    down = headings(first)
    across = headings(last) if last else (Heading(values_name(table), 0, is_total=False),)
    step = table.strides
    corner = np.arange(len(down))[:, None] * step[0]
    corner = corner + (np.arange(len(across)) * step[-1] if last else np.zeros(1, np.int64))
    for codes in product(*(range(len(dimension)) for dimension in between)):
        start = int(np.dot(codes, step[1:-1])) if codes else 0
        rows = table.find((corner + start).ravel()).reshape(corner.shape)
        if (rows != NONE).any():
            yield Grid(_named(between, codes), down, across, rows)


def headings(dimension: Dimension) -> tuple[Heading, ...]:
    """Return what stands before the rows or above the columns of a dimension."""
    leaves = set(dimension.leaves.tolist())
    return tuple(
        Heading(_said(dimension, code), dimension.depth(code), code not in leaves)
        for code in range(len(dimension))
    )


def values_name(table: Table) -> str:
    """Return what the values of a table are.

    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> from tacita.tables.cells import Cells
    >>> values_name(Table("a", (sex,), np.array([[0]]), Cells.of([7]), "income", "mean"))
    'mean of income'
    """
    return table.statistic if table.variable is None else f"{table.statistic} of {table.variable}"


def decimals_shown(values: Floats) -> int:
    """Return with how many digits after the point values are printed.

    >>> decimals_shown(np.array([1.5, 2.25])), decimals_shown(np.array([1 / 3]))
    (2, 2)
    """
    decimals = decimals_of(values)
    return DECIMALS if decimals is None else decimals


def _named(dimensions: Sequence[Dimension], codes: Sequence[int]) -> tuple[tuple[str, str], ...]:
    return tuple((d.name, _said(d, code)) for d, code in zip(dimensions, codes, strict=True))


def _said(dimension: Dimension, code: int) -> str:
    label = dimension.label(code)
    return label if label == dimension.codes[code] else f"{dimension.codes[code]} {label}"
