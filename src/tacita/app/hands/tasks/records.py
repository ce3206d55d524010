"""Some records of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.app.hands.work import Work

MANY = 50  # records of a page


def run(work: Work) -> dict[str, Any]:
    """Return some records as texts."""
    first = int(work.arguments["first"])
    data = work.original
    rows = np.arange(first, min(first + MANY, len(data)))
    columns = [data.take(rows).column(name).to_pylist() for name in data.names]
    told = [[None if one is None else str(one) for one in column] for column in columns]
    return {
        "names": list(data.names),
        "rows": [list(row) for row in zip(*told, strict=True)],
        "records": len(data),
        "many": MANY,
    }
