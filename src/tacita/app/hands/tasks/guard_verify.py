"""Whether a ledger is what was written: no entry changed, moved, put in or taken away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacita.api.database import kept_by
from tacita.app.hands.asked import plainly
from tacita.app.hands.guarding import guarded
from tacita.app.hands.work import Work
from tacita.queries.ledger.anchor import Anchor
from tacita.queries.ledger.store import open_store
from tacita.queries.ledger.verify import verify


def run(work: Work) -> dict[str, Any]:
    """Check every entry against the one before it, and the end against the anchor."""
    with plainly(work):
        said = guarded(work.plan)
        kept = kept_by(said)
        anchored = None if said.anchor is None else Anchor(Path(said.anchor)).read()
        entries = open_store(kept.where).read()
        return verify(entries, kept.key(), [] if anchored is None else [anchored]).to_dict()
