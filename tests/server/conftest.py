"""A guard that answers by rote, and a server around it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from tacita.errors import QueryError
from tacita.queries.answer import Answer
from tacita.queries.guard import Submitted
from tacita.queries.ledger.entries import Entry, Head
from tacita.server.running import Server, ready
from tacita.server.settings import Listening, Settings
from tacita.server.tokens import Tokens

CONFIDENTIAL = "salary of record 14 is 35000"
PATIENCE = 120  # seconds that a busy machine may take for anything
VIEW = {
    "view": "firms",
    "records": 14,
    "public": {
        "sector": {"kind": "nominal", "values": ["Fin", "IT", "O'Neil"]},
        "age": {"kind": "continuous"},
    },
    "confidential": {"salary": {"kind": "continuous"}},
}


class Ledger:
    def __init__(self) -> None:
        self.kept: list[Entry] = []

    @property
    def head(self) -> Head:
        return self.kept[-1].head

    def entries(self, after: int = 0) -> Iterator[Entry]:
        return iter(self.kept[after:])

    def append(self, **payload: Any) -> Entry:
        number = len(self.kept) + 1
        entry = Entry(number, 0, "answer", json.dumps(payload).encode(), number.to_bytes(32))
        self.kept.append(entry)
        return entry


@dataclass
class FakeGuard:
    """Answers `count` with a number, refuses `small`, breaks at `crash`, waits at `wait`."""

    ledger: Ledger = field(default_factory=Ledger)
    lock: Any = field(default_factory=threading.Lock)
    going: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)
    closed: bool = False
    view: Any = field(default_factory=lambda: VIEW)
    policies: Any = field(
        default_factory=lambda: [
            {"name": "query_set_size", "guarantee": "Three records or more.", "simulatable": True}
        ]
    )

    def submit_quickly(
        self, sql: str, *, user: str, parameters: Any = (), spending: Any = None
    ) -> None:
        """Take time for every question."""

    def settled(self, submitted: Submitted) -> Answer:
        return submitted.answer

    def submit(
        self, sql: str, *, user: str, parameters: Any = (), spending: Any = None
    ) -> Submitted:
        if "crash" in sql:
            raise RuntimeError(CONFIDENTIAL)
        if "*" in sql and "count" not in sql:
            raise QueryError("Rows are not answered; ask for statistics such as count(*).")
        if "wait" in sql:
            self.begun.set()
            assert self.going.wait(PATIENCE)
        with self.lock:
            entry = self.ledger.append(user=user, query=sql, parameters=parameters)
        no = "small" in sql
        answer = Answer(
            ("sector", "count"),
            (("IT", None if no else 6), ("Fin, Ltd", 5)),
            ((False, no), (False, False)),
            {"query_set_size": "Three records or more."},
            entry.number,
            str(entry.head),
            {"epsilon": 0.5},
        )
        return Submitted(answer, None)

    def session(self) -> dict[str, Any]:
        return {"queries": len(self.ledger.kept)}

    def left(self, user: str) -> dict[str, float]:
        return {"epsilon": 0.5 if user == "ana" else 1.0}

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def guard() -> FakeGuard:
    return FakeGuard()


@pytest.fixture(scope="session")
def cheap_hashes() -> Iterator[None]:
    """Scrypt as cheap as it gets: tests make many tokens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacita.server.tokens.COST", {"n": 2, "r": 1, "p": 1})
        yield


@pytest.fixture
def tokens(tmp_path, cheap_hashes) -> Tokens:
    return Tokens(tmp_path / "tokens.json")


@dataclass(frozen=True)
class Served:
    """A server at work on this machine."""

    server: Server

    @property
    def url(self) -> str:
        return self.server.url

    def client(self, secret: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=PATIENCE, trust_env=False)


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    """Start servers; they are stopped when the test ends."""
    with ExitStack() as running:

        def start(guard, tokens=None, settings=None, listening=None) -> Served:
            settings = settings or Settings(rate=10_000, rate_of_all=10_000)
            server = ready(guard, tokens, settings, listening or Listening(port=0))
            thread = threading.Thread(target=server.run)
            thread.start()
            running.callback(thread.join, PATIENCE)
            running.callback(server.stop)
            return Served(server)

        yield start


@pytest.fixture
def client(serve, guard) -> Iterator[httpx.Client]:
    """A client of a server without tokens."""
    with serve(guard).client() as client:
        yield client
