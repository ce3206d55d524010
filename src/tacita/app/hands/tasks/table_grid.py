"""A part of a table as it is printed: rows and columns with what is known of their cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacita.app.hands.tabled import Tabled, tabled
from tacita.app.hands.work import Work
from tacita.data.classes import Ints
from tacita.errors import InputError
from tacita.tables.dimension import NONE, Dimension
from tacita.tables.formats.grid import Heading, headings, values_name
from tacita.tables.formats.html import MARKS, Internal, Public
from tacita.tables.system import show_bound
from tacita.tables.table import Table

ROWS = 100  # of a page
COLUMNS = 20
EXPLAINED = ("sensitive", "secondary", "published", "exposed")


def run(work: Work) -> dict[str, Any]:
    """Return some rows and columns of a table."""
    found = tabled(work)
    table, asked = found.table, work.arguments
    axes = _axes(table, asked["down"], asked["across"])
    outer = _outer(table, asked["outer"], axes)
    downwards, sideways = _headings(table, axes[0]), _headings(table, axes[1])
    first, start = max(int(asked["first"]), 0), max(int(asked["start"]), 0)
    rows = np.arange(len(downwards))[first : first + ROWS]
    columns = np.arange(len(sideways))[start : start + COLUMNS]
    cells = _cells(table, outer, axes, (rows, columns))
    artist = Artist(found)
    return {
        "name": table.name,
        "told": artist.house.summary(),
        "values_of": values_name(table),
        "statuses": {word: MARKS[word] for word in EXPLAINED},
        "dimensions": [_dimension(one, axis in axes) for axis, one in enumerate(table.dimensions)],
        "down": axes[0],
        "across": axes[1],
        "outer": outer,
        "first": first,
        "start": start,
        "many": {"rows": ROWS, "columns": COLUMNS},
        "all": {"rows": len(downwards), "columns": len(sideways)},
        "heads": [list(sideways[place]) for place in columns.tolist()],
        "rows": [
            {"head": list(downwards[place]), "cells": [artist.draw(row) for row in part]}
            for place, part in zip(rows.tolist(), cells.tolist(), strict=True)
        ],
        "perturbed": found.published.perturbed_by,
        "audited": found.intervals is not None,
    }


class Artist:
    """Draws cells as the house sees them, and as a reader does.

    Args:
        found: the table.
    """

    def __init__(self, found: Tabled) -> None:
        self.published = found.published
        self.house = Internal(found.table, found.intervals)
        self.reader = Public(found.published)

    def draw(self, row: int) -> dict[str, Any] | None:
        """Return a cell in plain types; None where nobody contributes."""
        if row == NONE:
            return None
        drawn, seen = self.house.draw(row), self._seen(row)
        more = [f"published: {seen}"] if self.published.perturbed_by else []
        return {
            "row": row,
            "kinds": drawn.kind.split(),
            "text": drawn.text,
            "mark": drawn.mark,
            "told": [*drawn.told, *more],
            "seen": seen,
        }

    def _seen(self, row: int) -> str:
        cells = self.published.cells
        if self.published.perturbed_by is not None and np.isnan(cells.shown[row]):
            ends = cells.lower_bound[row], cells.upper_bound[row]
            return " to ".join(map(show_bound, ends))
        return self.reader.draw(row).text


def _axes(table: Table, down: int, across: int) -> tuple[int, int]:
    """Return which attributes stand before rows and above columns; -1 where there is none."""
    many = len(table.dimensions)
    if many == 1:
        return 0, NONE
    if not (0 <= down < many and 0 <= across < many) or down == across:
        raise InputError("Choose two different attributes for the rows and for the columns.")
    return down, across


def _outer(table: Table, said: Sequence[int], axes: tuple[int, int]) -> list[int]:
    """Return the code of every attribute that is neither down nor across; the total if not said."""
    codes = [int(said[axis]) if axis < len(said) else 0 for axis in range(len(table.dimensions))]
    return [
        code if axis not in axes and 0 <= code < len(table.dimensions[axis]) else 0
        for axis, code in enumerate(codes)
    ]


def _headings(table: Table, axis: int) -> Sequence[Heading]:
    if axis == NONE:
        return (Heading(values_name(table), 0, is_total=False),)
    return headings(table.dimensions[axis])


def _cells(
    table: Table, outer: Sequence[int], axes: tuple[int, int], shown: tuple[Ints, Ints]
) -> Ints:
    """Return the rows of the cells of a page, -1 where nobody contributes."""
    down, across = (0 if axis == NONE else int(table.strides[axis]) for axis in axes)
    start = int(np.dot(outer, table.strides))
    numbers = start + (shown[0] * down)[:, None] + (shown[1] * across)[None, :]
    return table.find(numbers.ravel()).reshape(numbers.shape)


def _dimension(dimension: Dimension, is_axis: bool) -> dict[str, Any]:
    """Return a dimension, with its codes where one of them is chosen."""
    codes = [] if is_axis else [list(one[:2]) for one in headings(dimension)]
    return {"name": dimension.name, "codes": codes}
