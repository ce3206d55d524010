"""Which records are risky: the combinations of key values that give respondents away most."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tacita.app.hands.asked import as_asked, plainly, released
from tacita.app.hands.work import Work
from tacita.data.classes import EquivalenceClasses, Floats
from tacita.registry import find
from tacita.release.execute import intruder_of
from tacita.release.measuring import measuring

SHOWN = 200  # classes
NAMED = 5  # records of a class


def run(work: Work) -> dict[str, Any]:
    """Return the riskiest classes: their key values, how many share them, which records."""
    method = find(work.arguments["by"], ("risk",))()
    work = as_asked(work)
    with plainly(work):
        original, protected = work.original, released(work)
        work.tell(method.name)
        intruder = intruder_of(work.plan, original)
        found = measuring(original, protected, intruder)(method)
        classes = protected.classes(None)
    highest = np.zeros(len(classes))
    np.maximum.at(highest, classes.of_record, np.asarray(found.per_record, np.float64))
    worst = np.lexsort((classes.counts, -highest))[:SHOWN]
    return {
        "by": method.name,
        "sentence": found.sentence,
        "attributes": list(classes.keys),
        "classes": len(classes),
        "records": len(protected),
        "rows": _rows(classes, worst, highest),
    }


def _rows(
    classes: EquivalenceClasses, worst: np.ndarray[Any, Any], highest: Floats
) -> list[dict[str, Any]]:
    first, numbers = pa.array(classes.first[worst]), classes.data.source_rows + 1
    values = [classes.data.column(name).take(first).to_pylist() for name in classes.keys]
    return [
        {
            "values": [None if one is None else str(one) for one in combination],
            "size": int(classes.counts[place]),
            "risk": float(highest[place]),
            "records": np.sort(numbers[classes.of_record == place])[:NAMED].tolist(),
        }
        for place, combination in zip(worst, zip(*values, strict=True), strict=True)
    ]
