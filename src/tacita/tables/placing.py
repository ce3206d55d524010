"""Where the cells of one table stand in another that has all its codes."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Ints
from tacita.tables.table import Table, numbers_of


def numbers_in(table: Table, part: Table) -> Ints:
    """Return the numbers that the cells of a table have among the combinations of another.

    Args:
        table: the table that has all codes.
        part: one over the same attributes, with some of these codes.

    >>> from tacita.tables.ready import grid_table
    >>> whole = grid_table("t", {"x": [1, 2], "y": [3, 4]}, ["u", "v"])
    >>> numbers_in(whole, grid_table("t", {"y": [3, 4]}, ["u", "v"]))
    array([0, 1, 2, 6, 7, 8])
    """
    spans = zip(table.dimensions, part.dimensions, part.places.T, strict=True)
    places = [np.array([d.place(code) for code in own.codes])[at] for d, own, at in spans]
    return numbers_of(np.column_stack(places), table.strides)
