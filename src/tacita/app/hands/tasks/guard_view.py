"""What analysts may name, and what holds of the answers, before anything was asked."""

from __future__ import annotations

from typing import Any

from tacita.app.hands.asked import as_asked, plainly
from tacita.app.hands.guarding import tried
from tacita.app.hands.work import Work


def run(work: Work) -> dict[str, Any]:
    """Return the view, the policies and the number of records; no ledger is touched."""
    work = as_asked(work)
    with plainly(work):
        guard = tried(work)
    return {"view": guard.view, "policies": guard.policies, "records": guard.data.records}
