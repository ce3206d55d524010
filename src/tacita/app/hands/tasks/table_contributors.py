"""Who contributes to a cell: the holdings, or the records, with the largest contributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.app.hands.tabled import Tabled, tabled
from tacita.app.hands.work import Work
from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import InputError
from tacita.results import show
from tacita.tables.dimension import NONE, Dimension, Places
from tacita.tables.spanning import Spanning
from tacita.tables.tabulate import tabulate
from tacita.tables.wanted import source_of

NAMED = 25


def run(work: Work) -> dict[str, Any]:
    """Return the largest contributors of a cell."""
    found, row = tabled(work), int(work.arguments["row"])
    if not 0 <= row < len(found.table):
        raise InputError("There is no such cell; load the page again.")
    records = _records(found, found.table.places[row])
    named = _holdings(found, records) if found.said.contributor else _single(found, records)
    return {
        "row": row,
        "name": found.table.name_of(row),
        "records": len(records),
        "by": found.said.contributor or "record",
        "value_of": found.said.value or "records",
        "many": len(named),
        "rows": [[name, show(size)] for name, size in named[:NAMED]],
    }


def _records(found: Tabled, place: Places) -> Ints:
    """Return the numbers of the records behind a cell."""
    source = source_of(found.data, found.said.by)
    keys = found.data.table
    for name in source.reasons:
        keys = keys.append_column(source.reasons[name], [found.data.missing_reasons[name]])
    inside = np.ones(len(found.data), bool)
    for axis, dimension in enumerate(found.table.dimensions):
        name = dimension.name
        spanning = Spanning(
            found.data.attribute(name), (), dimension.total, found.said.missing,
            source.reasons.get(name),
        )  # fmt: skip
        codes = spanning.places(dimension, keys)
        inside &= (codes != NONE) & _below(dimension, int(place[axis]))[codes]
    return np.flatnonzero(inside)


def _below(dimension: Dimension, whole: int) -> Mask:
    """Tell which codes are a code or lie below it, along any hierarchy."""
    found = np.zeros(len(dimension), bool)
    found[whole] = True
    for parents in dimension.parents:
        for code in range(len(dimension)):  # a code stands after those above it
            found[code] |= parents[code] != NONE and found[parents[code]]
    return found


def _holdings(found: Tabled, records: Ints) -> list[tuple[str, float]]:
    """Return what holdings contribute, the largest first."""
    name = str(found.said.contributor)
    table = tabulate(found.data.take(records), [name], value=found.said.value)
    named = [
        (table.codes_of(row)[0], float(table.cells.value[row])) for row in range(1, len(table))
    ]
    return sorted(named, key=lambda one: -abs(one[1]))


def _single(found: Tabled, records: Ints) -> list[tuple[str, float]]:
    """Return what records contribute, each named by its number in the file from 1."""
    sizes: Floats = np.ones(len(records))
    if found.said.value is not None:
        sizes = np.nan_to_num(found.data.numbers(found.said.value)[records])
    order = np.argsort(-np.abs(sizes), kind="stable")
    return [(str(records[place] + 1), float(sizes[place])) for place in order.tolist()]
