"""A question to a guarded database, answered as far as its policies allow."""

from __future__ import annotations

from typing import Any

from tacita.app.hands.asked import plainly
from tacita.app.hands.guarding import opened
from tacita.app.hands.work import Work
from tacita.errors import QueryError


def run(work: Work) -> dict[str, Any]:
    """Return the answer, which is in the ledger by then, or why it is no statistical query."""
    asked = work.arguments
    with plainly(work):
        guard = opened(work)
        try:
            answer = guard.ask(asked["sql"], user=asked["user"], parameters=asked["parameters"])
        except QueryError as error:
            return {"reason": str(error)}
    return {"reason": "", **answer.to_dict()}
