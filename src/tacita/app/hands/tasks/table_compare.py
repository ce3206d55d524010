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
from tacita.release.report.compared import specification
from tacita.release.report.plots import CONFIG
from tacita.release.table_comparison import BESIDES, LOSS, RISKS, TableComparison, TriedWay
from tacita.results import brief, show
from tacita.tables.perturb.applied import perturbed
from tacita.tables.protect.applied import protected
from tacita.tables.status import Status
from tacita.tables.table import Table

MEASURED = (*RISKS, LOSS, *BESIDES)
AXES = (f"the largest of {' and '.join(RISKS)}", LOSS)
Row = dict[str, Any]


def run(work: Work) -> dict[str, Any]:
    """Return how each way does on the judged table, alone."""
    found = tabled(work)
    work.tell(len(found.said.compared))
    rows: list[Row] = []
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
        "rows": [
            {**_plain(row), "shared": _shared(patterns, place)} for place, row in enumerate(rows)
        ],
        **_picture(found.said.compared, rows),
    }


def _picture(ways: Sequence[Method], rows: Sequence[Row]) -> dict[str, Any]:
    """Return the ways drawn, risk against loss, each point with its place; none to be drawn."""
    drawn: list[int] = []
    tried: list[TriedWay] = []
    for row, way in zip(rows, ways, strict=True):
        numbers = row["measured"]
        if not {*RISKS, LOSS} - {name for name, one in numbers.items() if one is not None}:
            risk = float(max(numbers[name] for name in RISKS))
            tried.append(TriedWay(way, risk, float(numbers[LOSS]), {}, 0.0))
            drawn.append(row["place"])
    if not tried:
        return {"picture": None, "front": []}
    compared = TableComparison(tuple(tried), AXES)
    drawing = specification(compared)
    for point, place in zip(drawing["data"]["values"], drawn, strict=True):
        point["place"] = place
    config = {**CONFIG, "padding": 5}
    front = [place for one, place in zip(tried, drawn, strict=True) if compared.is_on_front(one)]
    return {"picture": {"background": "transparent", **drawing, "config": config}, "front": front}


def _plain(row: Row) -> Row:
    """Return a row as the page shows it."""
    numbers = row["measured"]
    return {
        **{word: one for word, one in row.items() if word != "measured"},
        "numbers": [show(numbers[name]) if name in numbers else "" for name in MEASURED],
    }


def _tried(table: Table, way: Method, seed: int) -> tuple[Row, Mask | None]:
    """Return what a way does, and which cells it suppresses besides; or why it cannot."""
    begun = perf_counter()
    try:
        made, told = _changed(table, way, seed)
    except TacitaError as error:
        return {"refused": str(error), "measured": {}}, None
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
        "measured": numbers,
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
