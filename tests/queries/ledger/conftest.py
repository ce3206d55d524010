"""What the tests of the ledger start from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tacita.queries.ledger.ledger import Ledger, open_ledger


@pytest.fixture
def key() -> bytes:
    return b"a key of the tests, 32 bytes ...."[:32]


@pytest.fixture
def begin(tmp_path: Path, key: bytes) -> Callable[..., Ledger]:
    """Open the ledger of a test, with its anchor, and add some entries."""

    def begun(entries: int = 0) -> Ledger:
        ledger = open_ledger(tmp_path / "ledger.db", key, tmp_path / "anchor.json")
        for place in range(entries):
            ledger.append("answer", {"user": "ana", "place": place}).wait()
        return ledger

    return begun
