"""Entries of a ledger: who asked what, and what was decided."""

from __future__ import annotations

from itertools import islice
from json import dumps
from typing import Any

from tacita.api.database import kept_by
from tacita.app.hands.asked import plainly
from tacita.app.hands.guarding import guarded
from tacita.app.hands.work import Work
from tacita.queries.ledger.entries import Entry
from tacita.queries.ledger.store import open_store

MANY = 25  # entries of a page
HIDDEN = ("nonce", "commitment", "allowed", "version")  # for verification, not for reading


def run(work: Work) -> dict[str, Any]:
    """Return some entries, unverified, those of the end where nothing else is asked for.

    Reading stops no writer, whichever process that is.
    """
    with plainly(work):
        store = open_store(kept_by(guarded(work.plan)).where)
        last = store.last()
        number = 0 if last is None else last.number
        after = work.arguments["after"]
        start = max(number - MANY, 0) if after is None else after
        found = [_told(entry) for entry in islice(store.read(start), MANY)]
    return {"entries": found, "after": start, "last": number, "many": MANY}


def _told(entry: Entry) -> dict[str, Any]:
    said = {name: value for name, value in entry.content.items() if name not in HIDDEN}
    return {
        "number": entry.number,
        "when": entry.when[:19].replace("T", " "),
        "kind": entry.kind,
        "user": said.pop("user", ""),
        "said": {name: _text(value) for name, value in said.items()},
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value, ensure_ascii=False)
