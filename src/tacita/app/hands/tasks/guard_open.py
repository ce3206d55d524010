"""Opening a guarded database: its ledger begins, or its history is taken up."""

from __future__ import annotations

from typing import Any

from tacita.app.hands.asked import plainly
from tacita.app.hands.guarding import opened
from tacita.app.hands.work import Work


def run(work: Work) -> dict[str, Any]:
    """Open the guard, and return the head of its ledger."""
    work.memory.shut.discard(work.project)
    with plainly(work):
        guard = opened(work)
    return {"head": "" if guard.ledger is None else str(guard.ledger.head)}
