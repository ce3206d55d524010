"""A hierarchy tried on the values of an attribute."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacita.app.hands.work import Work
from tacita.data.classes import joined_sets
from tacita.data.dataset import Dataset
from tacita.data.hierarchies import build, generalize
from tacita.data.hierarchies.building import is_made
from tacita.data.read import hierarchy_of

SHOWN = 200  # values


def run(work: Work) -> dict[str, Any]:
    """Return what values become at every level, and how many are left of them."""
    name, said = work.arguments["name"], work.arguments["hierarchy"]
    data = work.original
    counted = pc.value_counts(_values(data, name))
    counted = counted.take(pc.sort_indices(counted.field("values")))
    values = counted.field("values")
    levels = [values] if said is None else _levels(work, data, values)
    told = [level[:SHOWN].cast(pa.string()).to_pylist() for level in levels]
    return {
        "distinct": len(values),
        "left": [int(pc.count_distinct(level).as_py()) for level in levels],
        "rows": [list(row) for row in zip(*told, strict=True)],
        "counts": counted.field("counts")[:SHOWN].to_pylist(),
        "missing": int(data.column(name).null_count),
    }


def _levels(work: Work, data: Dataset, values: pa.Array) -> list[pa.Array]:
    name, said = work.arguments["name"], work.arguments["hierarchy"]
    hierarchy = hierarchy_of(data, name, said) if is_made(said) else build(said, work.file.parent)
    return [generalize(values, hierarchy, level) for level in range(hierarchy.height + 1)]


def _values(data: Dataset, name: str) -> pa.Array:
    """Return the values of an attribute that are there; sets as text, which can be counted."""
    column = data.column(name)
    text = joined_sets(column) if pa.types.is_list(column.type) else column
    return text.drop_null()
