"""Some records of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.app.hands.work import Work

MANY = 50  # records of a page
WIDE = 200  # attributes of them


def run(work: Work) -> dict[str, Any]:
    """Return some records as texts."""
    first = int(work.arguments["first"])
    data = work.original
    rows = np.arange(first, min(first + MANY, len(data)))
    some = data.take(rows)
    names = data.names[:WIDE]
    columns = [some.column(name).to_pylist() for name in names]
    told = [[None if one is None else str(one) for one in column] for column in columns]
    return {
        "names": list(names),
        "attributes": len(data.names),
        "rows": [list(row) for row in zip(*told, strict=True)],
        "records": len(data),
        "many": MANY,
    }
