"""Closing a guarded database: others may write its ledger again."""

from __future__ import annotations

from typing import Any

from tacita.app.hands.guarding import closed
from tacita.app.hands.work import Work


def run(work: Work) -> dict[str, Any]:
    """Close the guard, and tell whether one was open; only who opens it again uses it again."""
    work.memory.shut.add(work.project)
    return {"closed": closed(work)}
