"""The order in which the values of an attribute lie, and where."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.microdata.comparing.coverage import ascends
from tacita.microdata.comparing.nearness import numbers
from tacita.microdata.masking.ranges.line import Line, Places

ORDERED = frozenset({Kind.CONTINUOUS, Kind.ORDINAL, Kind.DATE})


def ascending(data: Dataset, name: str) -> Ints:
    """Return the records that have a value of an ordered attribute, by ascending value.

    Records of equal values keep their order.

    >>> import tacita as ta
    >>> ascending(ta.example("medical"), "Temp").tolist()
    [0, 4, 6, 10, 3, 8, 1, 2, 5, 7, 9]
    """
    column = data.column(name)
    if data.attribute(name).kind is Kind.ORDINAL and not _lie_at_their_value(data, name):
        place = Line.of(data, name).place
        column = pa.array(place, mask=place < 0)
    if not column.null_count:
        return _sorted(column)
    known = np.flatnonzero(np.asarray(column.is_valid()))
    return known[_sorted(column.drop_null())]


def _places(data: Dataset, name: str) -> Places:
    """Return the place of every record's category among those that occur; -1 for a blank."""
    from tacita.kernels.ranking import dense_ranks

    column = data.column(name)
    if _lie_at_their_value(data, name) and not column.null_count:
        ranked = dense_ranks(column.to_numpy())
        if ranked is not None:  # without a line, which needs far more room
            return ranked[0]
    return Line.of(data, name).place


def _lie_at_their_value(data: Dataset, name: str) -> bool:
    """Tell whether categories are whole numbers in their own order, so that no line is needed."""
    return pa.types.is_integer(data.column(name).type) and ascends(data.attribute(name))


def _sorted(column: pa.Array) -> Ints:
    if pa.types.is_float64(column.type):  # what NumPy sorts faster
        return np.argsort(np.asarray(column), kind="stable")
    places = pc.sort_indices(column, memory_pool=pa.system_memory_pool())
    return np.asarray(places).view(np.int64)  # none is below 0: the bits are the same


def positions(data: Dataset, name: str) -> Floats:
    """Return where the values of an ordered attribute lie; a blank is NaN.

    Numbers lie at their value, dates at their day, categories at their place among those that
    occur, in their order.
    """
    kind = data.attribute(name).kind
    if kind is Kind.ORDINAL:
        place = _places(data, name)
        return np.where(place < 0, np.nan, place)
    return data.numbers(name) if kind is Kind.CONTINUOUS else numbers([data], name)[0]
