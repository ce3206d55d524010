"""Whether a ledger is what was written, as far as the heads that are kept of it reach."""

from __future__ import annotations

from typing import Any

from tacita.api.database import kept_by
from tacita.app.hands.asked import plainly
from tacita.app.hands.guarding import guarded
from tacita.app.hands.work import Work
from tacita.queries.ledger.store import open_store
from tacita.queries.ledger.verify import verify


def run(work: Work) -> dict[str, Any]:
    """Check every entry against the one before it, and the end against the heads that are kept."""
    with plainly(work):
        kept = kept_by(guarded(work.plan))
        entries = open_store(kept.where).read()
        return verify(entries, kept.key(), kept.heads()).to_dict()
