"""How a guarded database stands: what is left of budgets, and what the session came to."""

from __future__ import annotations

from typing import Any

from tacita.app.hands.asked import plainly
from tacita.app.hands.guarding import opened
from tacita.app.hands.work import Work


def run(work: Work) -> dict[str, Any]:
    """Return the budgets of users, the measures of the session and the head of the ledger."""
    with plainly(work):
        guard = opened(work)
        return {
            "left": [
                {"user": user, "budgets": guard.left(user)} for user in work.arguments["users"]
            ],
            "session": guard.session(),
            "head": "" if guard.ledger is None else str(guard.ledger.head),
        }
