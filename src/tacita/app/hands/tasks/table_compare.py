"""Ways to protect a table compared: what each hides, what it costs, how long it takes."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from tacita.app.hands.tabled import tabled
from tacita.app.hands.work import Work
from tacita.data.classes import Mask
from tacita.errors import TacitaError
from tacita.method import Method
from tacita.registry import find
from tacita.release.measuring import measured
from tacita.release.table_comparison import BESIDES, LOSS, RISKS
from tacita.results import brief, show
from tacita.tables.perturb.applied import perturbed
from tacita.tables.protect.applied import protected
from tacita.tables.status import Status
from tacita.tables.table import Table

MEASURED = (*RISKS, LOSS, *BESIDES)


def run(work: Work) -> dict[str, Any]:
    """Return how each way does on the judged table, alone."""
    found = tabled(work)
    work.tell(len(found.said.compared))
    rows: list[dict[str, Any]] = []
    patterns: list[Mask | None] = []
    for place, way in enumerate(found.said.compared):
        work.tell(way.name)
        row, pattern = _tried(found.table, way, work.seed)
        rows.append({"place": place, "label": brief(way.to_plan()), **row})
        patterns.append(pattern)
    return {
        "cells": len(found.table),
        "sensitive": int(found.table.cells.sensitive.sum()),
        "measures": list(MEASURED),
        "rows": [{**row, "shared": _shared(patterns, place)} for place, row in enumerate(rows)],
    }


def _tried(table: Table, way: Method, seed: int) -> tuple[dict[str, Any], Mask | None]:
    """Return what a way does, and which cells it suppresses besides; or why it cannot."""
    begun = perf_counter()
    try:
        made, told = _changed(table, way, seed)
    except TacitaError as error:
        return {"refused": str(error)}, None
    seconds = perf_counter() - begun
    published = made.published()
    secondary: Mask = made.cells.status == Status.SECONDARY
    methods = [find(name)() for name in MEASURED]
    numbers = {one.name: one.value for one in measured(methods, table, published)}
    row = {
        "refused": "",
        "seconds": f"{seconds:.2f}",
        "secondary": int(secondary.sum()) if way.family == "protection" else None,
        "suppressed": int(published.cells.suppressed.sum()),
        "numbers": [show(numbers[name]) if name in numbers else "" for name in MEASURED],
        **told,
    }
    return row, secondary if way.family == "protection" else None


def _changed(table: Table, way: Method, seed: int) -> tuple[Table, dict[str, Any]]:
    """Return the table after a way, and its cost with how far it is from the least."""
    if way.family == "protection":
        made, found = protected(table, way)
        least = "least possible" if found.is_optimal else _at_least(found.bound, found.gap)
        return made, {"cost": show(found.cost), "least": least}
    changed, noise = perturbed(table, way, np.random.default_rng(seed))
    least = "least possible" if noise.is_optimal else _at_least(noise.bound or 0, noise.gap or 0)
    return changed, {"cost": show(noise.loss), "least": least}


def _at_least(bound: float, gap: float) -> str:
    return f"at least {show(bound)}, gap {gap:.1%}" if bound > 0 else ""


def _shared(patterns: Sequence[Mask | None], place: int) -> list[list[int]]:
    """Return the other patterns, each with how many secondary suppressions are common to both."""
    own = patterns[place]
    return [
        [other, int((own & pattern).sum())]
        for other, pattern in enumerate(patterns)
        if own is not None and pattern is not None and other != place
    ]
