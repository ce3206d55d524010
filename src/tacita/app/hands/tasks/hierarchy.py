"""A hierarchy tried on the values of an attribute."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacita.app.hands.work import Work
from tacita.data.hierarchies import build, generalize
from tacita.data.hierarchies.building import is_made
from tacita.data.read import hierarchy_of

SHOWN = 200  # values


def run(work: Work) -> dict[str, Any]:
    """Return what values become at every level, and how many are left of them."""
    name = work.arguments["name"]
    data = work.original
    said = work.arguments["hierarchy"]
    hierarchy = hierarchy_of(data, name, said) if is_made(said) else build(said, work.file.parent)
    values = data.column(name).drop_null().unique()
    values = values.take(pc.sort_indices(values))
    levels = [generalize(values, hierarchy, level) for level in range(hierarchy.height + 1)]
    told = [level.cast(pa.string())[:SHOWN].to_pylist() for level in levels]
    return {
        "distinct": len(values),
        "left": [int(pc.count_distinct(level).as_py()) for level in levels],
        "rows": [list(row) for row in zip(*told, strict=True)],
        "specification": hierarchy.specification(),
    }
