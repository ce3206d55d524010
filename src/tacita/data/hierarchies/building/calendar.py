"""Calendar units for dates, chosen from their range."""

from __future__ import annotations

import pyarrow.compute as pc

from tacita.data.attribute import Kind
from tacita.data.hierarchies.building.codes import evenly
from tacita.data.hierarchies.building.values import Values
from tacita.data.hierarchies.dates import UNITS, Dates


def dates(values: Values, levels: int | None = None) -> Dates:
    """Choose the calendar units that gather some dates and leave more than one.

    Args:
        values: dates or times.
        levels: how many units there are at most, spread evenly; all that are of use when left out.
    """
    values.refuse_other_than("dates", (Kind.DATE,), "dates")
    useful: list[str] = []
    before = len(values)
    for unit in UNITS:
        found = len(pc.unique(Dates((unit,)).labels(values.values, 1)))
        if found == 1 and not useful:
            return Dates((unit,))
        if 1 < found < before:
            useful.append(unit)
            before = found
    # Dates in every one of their decades alone: the longest unit is all there is.
    return Dates(tuple(evenly(useful, levels)) or (unit,))
