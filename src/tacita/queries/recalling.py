"""The history that a ledger tells of, taken up by a guard that opens.

A ledger has thousands of answers, and a guard that opens reads them all before it answers. What it
does about an answer therefore is as little as leaves it with the same history: a statement that was
answered alike before teaches nothing, and policies are told of many cells at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tacita.data.classes import Mask
from tacita.errors import LedgerError, QueryError
from tacita.queries.cells import Cell
from tacita.queries.expanding import expand, outlined
from tacita.queries.key_sets import KeySets
from tacita.queries.language.query import StatisticalQuery
from tacita.queries.language.reading import read_back
from tacita.queries.ledger.entries import Entry
from tacita.queries.permitting import with_keys
from tacita.queries.public_classes import PublicClasses
from tacita.queries.session import Session
from tacita.queries.watching import Answering, Private, Watcher, learn_all

ENOUGH = 2**23  # classes of all query sets that wait until policies are told of them


@dataclass(frozen=True, eq=False)
class Recollection:
    """A guard while it takes up the history of one version of the data.

    Args:
        data: the data that were answered from.
        parse: reads a statement, and remembers those it has read.
        watchers: the policies, by name.
        session: what was asked so far, in numbers.
        keys: the key sets that groups come from, if a policy has some.
    """

    data: PublicClasses
    parse: Callable[[str], StatisticalQuery]
    watchers: Mapping[str, Watcher]
    session: Session
    keys: KeySets | None = None
    _known: set[tuple[str, str]] = field(default_factory=set)  # statements, and what was answered
    _waiting: list[Cell] = field(default_factory=list)

    def take(self, entries: Iterable[Entry]) -> None:
        """Take up what entries tell, in their order."""
        room = ENOUGH
        for entry in entries:
            told = json.loads(entry.payload)
            if entry.kind == "debit":
                self._charge(told)
                continue
            cells = self._answered(entry.number, told)
            self._waiting.extend(cells)
            room -= sum(len(cell.members.places) + 1 for cell in cells)
            if room < 0:
                self._learn()
                room = ENOUGH
        self._learn()

    def _charge(self, told: Mapping[str, Any]) -> None:
        """Take what was taken before; a policy that is no more takes nothing."""
        for name, cost in told["costs"].items():
            if name in self._paid:
                self._paid[name].charge(cost, told["user"])

    @cached_property
    def _paid(self) -> dict[str, Answering]:
        """The policies that answers are paid from."""
        return {name: one for name, one in self.watchers.items() if isinstance(one, Answering)}

    def _answered(self, number: int, told: Mapping[str, Any]) -> Sequence[Cell]:
        """Return the cells of an answer that nothing is known of yet."""
        self.session.note_asked(told["user"], told["cells"], told["refused"])
        said = told["query"], told["allowed"]
        if told["refused"] == told["cells"] or said in self._known:
            return ()
        self._known.add(said)
        cells = self._cells(number, told)
        if cells is None:
            return ()
        answered = [cell for cell, yes in zip(cells, _bits(told), strict=True) if yes]
        self.session.note_answered(answered)
        return answered

    def _cells(self, number: int, told: Mapping[str, Any]) -> tuple[Cell, ...] | None:
        """Return the cells of a statement; None where no policy remembers them."""
        query = read_back(told["query"], self.data, self.parse)
        keyed = self._keyed(query)
        if keyed is None or keyed.keys is not None:
            if all(isinstance(one, Private) for one in self.watchers.values()):
                cells = () if keyed is None else _outlined(keyed, self.data)
                return cells if len(cells) == told["cells"] else None
            if "keys" in told:
                query = self._as_then(number, told, keyed)
        cells = _outlined(query, self.data)
        if told["cells"] != len(cells):
            raise LedgerError(
                f"Entry {number} of the ledger is about {told['cells']:,} numbers, of which the "
                f"data have {len(cells):,}: it is the ledger of other data."
            )
        return cells

    def _keyed(self, query: StatisticalQuery) -> StatisticalQuery | None:
        """Return a query with its key sets; None where it groups by what is not declared now."""
        try:
            return with_keys(query, self.data, self.keys)
        except QueryError:
            return None

    @staticmethod
    def _as_then(
        number: int, told: Mapping[str, Any], keyed: StatisticalQuery | None
    ) -> StatisticalQuery:
        """Return a query whose key sets are those that it was answered for."""
        if keyed is None or keyed.keys is None or keyed.keys.digest() != told["keys"]:
            raise LedgerError(
                f"Entry {number} of the ledger was answered for other declared groups, and a "
                "policy with a memory knows its answer: declare the `groups` of that time again, "
                "or begin a new ledger."
            )
        return keyed

    def _learn(self) -> None:
        learn_all(self.watchers.values(), self._waiting)
        self._waiting.clear()


def _outlined(query: StatisticalQuery, data: PublicClasses) -> tuple[Cell, ...]:
    return outlined(query, data) if query.secret else expand(query, data)


def _bits(told: Mapping[str, Any]) -> Mask:
    """Return which cells of a query were answered."""
    packed = np.frombuffer(bytes.fromhex(told["allowed"]), np.uint8)
    return np.unpackbits(packed, count=told["cells"]).astype(bool)
