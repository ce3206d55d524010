"""The attributes of the data: kinds, roles, missing values, distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.app.hands.work import Work
from tacita.data.attribute import Kind
from tacita.data.classes import joined_sets
from tacita.data.dataset import Dataset

BARS = 20  # of a histogram
FREQUENT = 12  # values that are drawn


def run(work: Work) -> dict[str, Any]:
    """Return the number of records and what is known of every attribute."""
    data = work.original
    return {
        "records": len(data),
        "attributes": [_attribute(data, name) for name in data.names],
        "warnings": list(data.origin.warnings),
    }


def _attribute(data: Dataset, name: str) -> dict[str, Any]:
    attribute = data.attribute(name)
    column = _comparable(data, name)
    return {
        "name": name,
        "kind": attribute.kind.value,
        "roles": sorted(role.value for role in attribute.roles),
        "type": str(data.column(name).type),
        "missing": int(column.null_count),
        "distinct": int(pc.count_distinct(column).as_py()),
        "shape": _histogram(data, name) if attribute.kind is Kind.CONTINUOUS else _bars(data, name),
    }


def _comparable(data: Dataset, name: str) -> pa.Array:
    """Return the values of an attribute; sets as text, which can be counted."""
    column = data.column(name)
    return joined_sets(column) if pa.types.is_list(column.type) else column


def _histogram(data: Dataset, name: str) -> dict[str, Any]:
    numbers = data.numbers(name)
    known = numbers[np.isfinite(numbers)]
    if not known.size:
        return {"labels": [], "counts": []}
    low, high = known.min() / 2, known.max() / 2  # halves, which are never too far apart
    if np.unique(np.linspace(low, high, BARS + 1)).size <= BARS:  # or too near each other to part
        return {"edges": [float(known.min()), float(known.max())], "counts": [known.size]}
    counts, edges = np.histogram(known / 2, bins=BARS)
    edges = edges * 2
    return {"edges": edges.tolist(), "counts": counts.tolist()}


def _bars(data: Dataset, name: str) -> dict[str, Any]:
    counted = pc.value_counts(_comparable(data, name).drop_null().cast(pa.string()))
    order = np.argsort(-np.asarray(counted.field("counts")), kind="stable")[:FREQUENT]
    return {
        "labels": counted.field("values").take(pa.array(order)).to_pylist(),
        "counts": counted.field("counts").take(pa.array(order)).to_pylist(),
    }
