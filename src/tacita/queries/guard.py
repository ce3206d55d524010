"""The guard of a database: it understands a question, decides, records, and only then answers."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from tacita.errors import LedgerError, QueryError
from tacita.method import Method
from tacita.queries.answer import Answer, Released, plain
from tacita.queries.answering import true_value
from tacita.queries.cells import Cell
from tacita.queries.expanding import expand
from tacita.queries.language.parse import parse
from tacita.queries.language.query import StatisticalQuery
from tacita.queries.ledger.entries import Entry
from tacita.queries.ledger.ledger import Ledger
from tacita.queries.presenting import present
from tacita.queries.public_classes import PublicClasses
from tacita.queries.session import Session
from tacita.queries.updating import Update
from tacita.queries.watching import Watcher

LONGEST = 2000  # characters of a question that is not understood which the ledger keeps
FEW = 50  # values of a public attribute up to which the view lists them
Parameters = Sequence[Any] | Mapping[str, Any]


class Guard:
    """A database that answers statistical queries as far as its policies allow.

    Every cell of a query is judged by all policies that cover it, with the history of all users in
    mind; what no policy covers is refused. Decisions are made one after the other. The answer
    leaves when it is in the ledger; if the ledger fails, nothing is answered any more.

    Args:
        data: the classes of the records.
        policies: what has a say, all of them.
        ledger: where questions and decisions are recorded. Without one nothing is, and the next
            guard of the same data knows nothing of this one's history: for trying things out.
        published: queries whose answers were published before; they are part of the history.

    >>> import tacita as ta
    >>> toy = PublicClasses.of(ta.example("toy"), "toy")
    >>> guard = Guard(toy, [ta.QuerySetSize(3)])
    >>> guard.ask("SELECT count(*) FROM toy", user="ana").value
    1000
    """

    def __init__(
        self,
        data: PublicClasses,
        policies: Sequence[Method],
        *,
        ledger: Ledger | None = None,
        published: Sequence[str] = (),
    ) -> None:
        self.data = data
        self.ledger = ledger
        self._policies = tuple(policies)
        self._watchers: tuple[Watcher, ...] = tuple(one.watch(data) for one in policies)  # type: ignore[attr-defined]
        self._lock = threading.Lock()
        self._session = Session()
        self._version = 0
        self._closed = ""
        for sql in published:
            self._learn(expand(parse(sql, data), data))

    # -- questions -------------------------------------------------------------------------------

    def ask(self, sql: str, *, user: str, parameters: Parameters = ()) -> Answer:
        """Answer a question, as far as the policies allow.

        Args:
            sql: a SELECT of statistics from the view.
            user: who asks.
            parameters: the values of `?`, in order, or of `:name`, by name.

        Raises:
            QueryError: it is not a statistical query; the message says why.
            LedgerError: it could not be recorded, so that it is not answered.
        """
        query = self._understood(sql, user, parameters)
        cells, allowed, version = self._decided(query)
        try:
            released = [
                _exact(cell) if yes else None for cell, yes in zip(cells, allowed, strict=True)
            ]
            columns, rows, refused = present(query, cells, released)
        except BaseException:
            # What was decided counts as answered: the history knows it, and so does the ledger.
            self._record("failure", self._told(user, query, allowed, version))
            raise
        entry = self._record("answer", self._told(user, query, allowed, version), rows)
        with self._lock:
            self._session.note(user, cells, released)
        return Answer(
            columns,
            rows,
            refused,
            self._guarantees(cells),
            None if entry is None else entry.number,
            "" if entry is None else str(entry.head),
            self.left(user),
        )

    def _understood(self, sql: str, user: str, parameters: Parameters) -> StatisticalQuery:
        try:
            return parse(sql, self.data, parameters)
        except QueryError as error:
            with self._lock:
                self._session.not_understood += 1
            told = {"user": user, "question": str(sql)[:LONGEST], "reason": str(error)}
            self._record("language", told)
            raise

    def _decided(self, query: StatisticalQuery) -> tuple[tuple[Cell, ...], list[bool], int]:
        """Judge the cells of a query, and let the policies know which are answered."""
        with self._lock:
            self._refuse_closed()
            cells = expand(query, self.data)
            return cells, [self._decide(cell) for cell in cells], self._version

    def _decide(self, cell: Cell) -> bool:
        covering = [one for one in self._watchers if one.covers(cell)]
        if not covering or not all(one.allows(cell) for one in covering):
            return False
        self._learn([cell])
        return True

    def _learn(self, cells: Sequence[Cell]) -> None:
        for cell in cells:
            for one in self._watchers:
                if one.covers(cell):
                    one.learn(cell)

    def _guarantees(self, cells: Sequence[Cell]) -> dict[str, str]:
        """Return what holds, of every policy that had a say."""
        return {
            policy.name: one.guarantee
            for policy, one in zip(self._policies, self._watchers, strict=True)
            if any(one.covers(cell) for cell in cells)
        }

    # -- the ledger ------------------------------------------------------------------------------

    def _told(
        self, user: str, query: StatisticalQuery, allowed: Sequence[bool], version: int
    ) -> dict[str, Any]:
        return {
            "user": user,
            "query": query.canonical(),
            "allowed": np.packbits(allowed).tobytes().hex(),
            "cells": len(allowed),
            "refused": len(allowed) - sum(allowed),
            "version": version,
        }

    def _record(
        self, kind: str, payload: dict[str, Any], answer: Sequence[Any] | None = None
    ) -> Entry | None:
        """Write an entry and wait until it is durable; close the guard if that fails."""
        if self.ledger is None:
            return None
        if answer is not None:
            nonce = secrets.token_bytes(16)
            said = json.dumps(answer, default=str).encode()
            payload |= {"commitment": self.ledger.commitment(said, nonce), "nonce": nonce.hex()}
        try:
            return self.ledger.append(kind, payload).wait()
        except LedgerError as error:
            self._closed = str(error)
            raise

    def _refuse_closed(self) -> None:
        if self._closed:
            raise LedgerError(self._closed)

    def replay(self, entries: Iterable[Entry]) -> None:
        """Take up the history that a ledger tells of this version of the data."""
        for entry in entries:
            told = json.loads(entry.payload)
            query = parse(told["query"], self.data)
            cells = expand(query, self.data)
            bits = np.unpackbits(np.frombuffer(bytes.fromhex(told["allowed"]), np.uint8))
            if told["cells"] != len(cells):
                raise LedgerError(
                    f"Entry {entry.number} of the ledger is about {told['cells']:,} numbers, of "
                    f"which the data have {len(cells):,}: it is the ledger of other data."
                )
            allowed = bits[: len(cells)].astype(bool).tolist()
            self._learn([cell for cell, yes in zip(cells, allowed, strict=True) if yes])
            answered = [Released(None) if yes else None for yes in allowed]
            self._session.note(told["user"], cells, answered)

    # -- data that change ------------------------------------------------------------------------

    def move(self, update: Update) -> None:
        """Go on with data that changed; what was answered stays in the history."""
        with self._lock:
            self.data = update.data
            self._version += 1
            for one in self._watchers:
                one.move(update)

    # -- what there is ---------------------------------------------------------------------------

    @property
    def view(self) -> dict[str, Any]:
        """What analysts may name: public attributes with their values if few, confidential ones."""
        public = {name: self._public(name) for name in self.data.columns}
        hidden = {name: {"kind": str(self.data.attributes[name].kind)} for name in self.data.hidden}
        return {"view": self.data.view, "public": public, "confidential": hidden}

    def _public(self, name: str) -> dict[str, Any]:
        told: dict[str, Any] = {"kind": str(self.data.attributes[name].kind)}
        values = self.data.columns[name].values
        if len(values) <= FEW:
            told["values"] = [plain(one) for one in sorted(values.to_pylist())]
        return told

    @property
    def policies(self) -> list[dict[str, Any]]:
        """The policies, with what holds and whether refusals tell nothing."""
        return [
            {
                "name": policy.name,
                "guarantee": one.guarantee,
                "simulatable": one.simulatable,
            }
            for policy, one in zip(self._policies, self._watchers, strict=True)
        ]

    def session(self) -> dict[str, Any]:
        """Return what was asked, answered and refused so far, over all users."""
        with self._lock:
            return self._session.to_dict()

    def left(self, user: str) -> dict[str, float]:  # noqa: ARG002 - no policy here has a budget
        """Return what is left of the budgets of a user; restriction has none."""
        return {}

    def close(self) -> None:
        """Answer nothing more, and let others write the ledger."""
        self._closed = self._closed or "The guard is closed."
        if self.ledger is not None:
            self.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _exact(cell: Cell) -> Released:
    return Released(true_value(cell))
