"""The guard of a database: it understands a question, decides, records, and only then answers."""

from __future__ import annotations

import json
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, Self
from weakref import WeakKeyDictionary

import numpy as np

from tacita.errors import LedgerError, ParameterError, QueryError
from tacita.method import Method
from tacita.queries.answer import Answer, Released, plain
from tacita.queries.answering import true_value
from tacita.queries.cells import Cell
from tacita.queries.expanding import expand
from tacita.queries.key_sets import KeySets
from tacita.queries.language.naming import Permitted
from tacita.queries.language.parse import parse
from tacita.queries.language.query import StatisticalQuery
from tacita.queries.ledger.entries import Entry
from tacita.queries.ledger.ledger import Ledger, Pending
from tacita.queries.permitting import (
    evidence_of,
    judged_cells,
    keys_of,
    permitted_by,
    with_keys,
    without_untold,
)
from tacita.queries.presenting import present
from tacita.queries.private.spending import Spending
from tacita.queries.public_classes import PublicClasses
from tacita.queries.recalling import Recollection
from tacita.queries.session import Session
from tacita.queries.updating import Update
from tacita.queries.watching import Answering, Private, Watcher, learn_all

LONGEST = 2000  # characters of a question that is not understood which the ledger keeps
REMEMBERED = 512  # queries that need not be read again
QUICK = 0.002  # CPU seconds of a question that is not worth a thread
SMALL = 2**14  # records of all cells of a query up to which they are remembered
FEW = 50  # values of a public attribute up to which the view lists them
EXPLAIN = re.compile(r"\s*EXPLAIN\s+PRIVACY\s+", re.IGNORECASE)
Parameters = Sequence[Any] | Mapping[str, Any]
Priced = str | tuple[str, Parameters] | tuple[str, Parameters, Spending | None]


@dataclass(frozen=True)
class Decision:
    """What becomes of a query.

    Args:
        cells: its cells.
        allowed: which of them are answered.
        acting: the place of the policy that answers each; None where the answer is exact.
        costs: what was taken for it, by policy.
        version: the version of the data it is answered from.
        spending: what the query shall cost, if it was said.
    """

    cells: tuple[Cell, ...]
    allowed: list[bool]
    acting: list[int | None]
    costs: Mapping[str, Mapping[str, Any]]
    version: int
    spending: Spending | None = None


class Submitted(NamedTuple):
    """An answer on its way into the ledger.

    Attributes:
        answer: the answer, which leaves when it is there.
        pending: gives its entry when that is durable; None where nothing is recorded.
    """

    answer: Answer
    pending: Pending | None


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
        about: what was done to the data, told with every answer; empty for nothing.

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
        about: str = "",
    ) -> None:
        self.data = data
        self.ledger = ledger
        self._about = {"input": about} if about else {}
        self._policies = tuple(policies)
        _refuse_twice([policy.name for policy in policies])
        self._watchers: tuple[Watcher, ...] = tuple(one.watch(data) for one in policies)  # type: ignore[attr-defined]
        self._lock = threading.Lock()
        self._session = Session()
        self._version = 0
        self._closed = ""
        self._paid: Pending | None = None  # the last debit
        self._named = dict(zip([one.name for one in policies], self._watchers, strict=True))
        self._answering = [isinstance(one, Answering) for one in self._watchers]
        for one in self._watchers:
            if ledger is not None and isinstance(one, Private):
                one.use_key(ledger.derived("records that count"))
        self._permitted, self._keys = permitted_by(self._watchers), keys_of(self._watchers)
        self._parsed = _remembering(data, self._permitted, self._keys)
        self._small: WeakKeyDictionary[StatisticalQuery, tuple[Cell, ...]] = WeakKeyDictionary()
        self._quick: dict[str, None] = {}  # the last asked is the last
        for sql in published:
            learn_all(self._watchers, expand(parse(sql, data), data))

    # -- questions -------------------------------------------------------------------------------

    def ask(
        self,
        sql: str,
        *,
        user: str,
        parameters: Parameters = (),
        spending: Spending | None = None,
    ) -> Answer:
        """Answer a question, as far as the policies allow.

        Args:
            sql: a SELECT of statistics from the view.
            user: who asks.
            parameters: the values of `?`, in order, or of `:name`, by name.
            spending: what it shall cost; what policies with a budget say where it is left out.

        Raises:
            QueryError: it is not a statistical query; the message says why.
            LedgerError: it could not be recorded, so that it is not answered.
        """
        return self.settled(self.submit(sql, user=user, parameters=parameters, spending=spending))

    def submit(
        self,
        sql: str,
        *,
        user: str,
        parameters: Parameters = (),
        spending: Spending | None = None,
    ) -> Submitted:
        """Decide about a question and compute its answer, which may not leave before `settled`.

        Who has many questions at once submits them one after the other and waits for the ledger,
        which takes them together, meanwhile. Arguments and errors are those of `ask`.
        """
        if (asked := EXPLAIN.match(sql)) is not None:
            return Submitted(self._explained(sql[asked.end() :], user, parameters, spending), None)
        begun = time.thread_time()
        with self._recording(sql, user):
            query = self._understood(sql, parameters)
            self._refuse_spending(spending)
            judged, decided = self._decided(query, user, spending)
        told = self._told(user, query, judged)
        try:
            cells, released = without_untold(query, decided.cells, self._released(decided))
            shown = present(query, cells, released)
        except BaseException:
            # What was decided counts as answered: the history knows it, and so does the ledger.
            self._record("failure", told)
            raise
        pending = self._append("answer", told | self._committed((shown.rows, shown.intervals)))
        with self._lock:
            self._session.note(user, cells, released)
        answer = Answer(
            shown.columns,
            shown.rows,
            shown.refused,
            self._guarantees(judged.cells) | shown.notes,
            None if pending is None else pending.number,
            "" if pending is None else str(pending.entry.head),
            self.left(user),
            shown.intervals,
            decided.costs,
            shown.statistics,
        )
        self._note_time(sql, time.thread_time() - begun)
        return Submitted(answer, pending)

    def submit_quickly(
        self,
        sql: str,
        *,
        user: str,
        parameters: Parameters = (),
        spending: Spending | None = None,
    ) -> Submitted | None:
        """Do as `submit`, or nothing: only if the text took no time last, and nobody is served."""
        if sql not in self._quick or self._lock.locked():
            return None
        return self.submit(sql, user=user, parameters=parameters, spending=spending)

    def _note_time(self, sql: str, seconds: float) -> None:
        """Remember lately asked texts that take no time."""
        with self._lock:
            self._quick.pop(sql, None)
            if seconds < QUICK and len(sql) <= LONGEST:
                self._quick[sql] = None
            if len(self._quick) > REMEMBERED:
                del self._quick[next(iter(self._quick))]

    def settled(self, submitted: Submitted) -> Answer:
        """Return an answer when it is in the ledger; close the guard if that fails."""
        with self._closing():
            if submitted.pending is not None:
                submitted.pending.wait()
        return submitted.answer

    def explain(
        self,
        sql: str,
        *,
        user: str,
        parameters: Parameters = (),
        spending: Spending | None = None,
    ) -> dict[str, Mapping[str, Any]]:
        """Tell of every policy that would answer what that would cost; it costs nothing itself.

        `EXPLAIN PRIVACY SELECT ...` asks the same in a query.
        """
        with self._recording(sql, user):
            query = self._understood(sql, parameters)
            self._refuse_spending(spending)
            with self._lock:
                self._refuse_closed()
                cells = self._outlined(query)
                acting = [self._acting(cell) for cell in cells]
                told = {
                    self._policies[place].name: one.explain(chosen, user)
                    for place, one, chosen in self._shares(cells, acting, spending)
                }
                paid = self._paid
        with self._closing():
            if paid is not None:  # what is told may rest on bounds that were paid for just now
                paid.wait()
        return told

    def cost(
        self, queries: Sequence[Priced], *, user: str, spending: Spending | None = None
    ) -> dict[str, Mapping[str, Any]]:
        """Tell of every policy with a budget what queries would cost together, at most.

        It tells as well whether there is `enough` left, and costs nothing itself. A query that is
        refused costs nothing.

        Args:
            queries: the queries, those with parameters together with them, and with what they
                shall cost.
            user: who would ask them.
            spending: what each shall cost that does not say it.
        """
        outlines = []
        for one in queries:
            sql, parameters, *said = (one, ()) if isinstance(one, str) else one
            own = next(iter(said), None) or spending
            with self._recording(sql, user):
                query = self._understood(sql, parameters)
                self._refuse_spending(own)
                with self._lock:
                    outlines.append((self._outlined(query), own))
        with self._lock:
            self._refuse_closed()
            return {
                name: one.price([(self._acted(one, cells), own) for cells, own in outlines], user)
                for name, one in self._named.items()
                if isinstance(one, Private)
            }

    def _acted(self, watcher: Watcher, cells: Sequence[Cell]) -> list[Cell]:
        """Return the cells that a policy answers."""
        acting = [self._acting(cell) for cell in cells]
        return [
            cell
            for cell, act in zip(cells, acting, strict=True)
            if act is not None and self._watchers[act] is watcher
        ]

    def _explained(
        self, sql: str, user: str, parameters: Parameters, spending: Spending | None
    ) -> Answer:
        told = self.explain(sql, user=user, parameters=parameters, spending=spending)
        rows = [
            (name, word, plain(value)) for name, one in told.items() for word, value in one.items()
        ]
        none = tuple((False,) * 3 for _ in rows)
        return Answer(("policy", "what", "value"), tuple(rows), none, left=self.left(user))

    def _understood(self, sql: str, parameters: Parameters) -> StatisticalQuery:
        """Read a query; one without parameters, which may be asked again, is remembered."""
        if parameters:
            query = parse(sql, self.data, parameters, self._permitted)
            return with_keys(query, self.data, self._keys)
        return self._parsed(sql)

    def _outlined(self, query: StatisticalQuery) -> tuple[Cell, ...]:
        """Return what is judged of a query; a few small cells are remembered with the query.

        Nobody may change the data meanwhile, or cells of the old ones would be remembered.
        """
        cells = self._small.get(query)
        if cells is None:
            cells = judged_cells(query, self.data, self._watchers)
            if _is_small(cells):
                self._small[query] = cells
        return cells

    @contextmanager
    def _recording(self, sql: str, user: str) -> Iterator[None]:
        """Record a question that is no statistical query, with the reason."""
        try:
            yield
        except QueryError as error:
            with self._lock:
                self._session.not_understood += 1
            told = {"user": user, "question": str(sql)[:LONGEST], "reason": str(error)}
            self._record("language", told)
            raise

    def _refuse_spending(self, spending: Spending | None) -> None:
        """Raise where a query says what it shall cost, and no policy can take it."""
        if spending is None:
            return
        private = [one for one in self._watchers if isinstance(one, Private)]
        if not private:
            raise QueryError(
                "Queries of this database have no cost: none of its policies has a budget."
            )
        for one in private:
            one.at(spending)

    def _decided(
        self, query: StatisticalQuery, user: str, spending: Spending | None
    ) -> tuple[Decision, Decision]:
        """Judge the cells of a query, tell the policies which are answered, and take the cost.

        Returns:
            What was judged, which depends on nothing confidential, and what is to be answered.
        """
        with self._lock:
            self._refuse_closed()
            cells = self._outlined(query)
            allowed = [self._decide(cell) for cell in cells]
            acting = [
                self._acting(cell) if yes else None
                for cell, yes in zip(cells, allowed, strict=True)
            ]
            costs: dict[str, Mapping[str, Any]] = {}
            for place, one, chosen in self._shares(cells, acting, spending):
                cost = one.debit(chosen, user)
                if cost is None:
                    allowed = [
                        yes and act != place for yes, act in zip(allowed, acting, strict=True)
                    ]
                elif cost:
                    costs[self._policies[place].name] = cost
            judged = Decision(cells, allowed, acting, costs, self._version, spending)
            if costs:
                # Before anybody else decides: later answers may rest on bounds that it pays for.
                debit = {**self._told(user, query, judged), "costs": costs}
                self._paid = self._append("debit", debit)
            return judged, self._opened(query, judged)

    def _opened(self, query: StatisticalQuery, judged: Decision) -> Decision:
        """Return a decision about an outline as one about the groups themselves."""
        if not query.secret or not any(judged.allowed):
            return judged
        place = {(cell.of, cell.asked): place for place, cell in enumerate(judged.cells)}
        cells = expand(query, self.data)
        places = [place[cell.of, cell.asked] for cell in cells]
        return replace(
            judged,
            cells=cells,
            allowed=[judged.allowed[one] for one in places],
            acting=[judged.acting[one] for one in places],
        )

    def _decide(self, cell: Cell) -> bool:
        covering = [one for one in self._watchers if one.covers(cell)]
        if not covering or self._undoes(cell, covering):
            return False
        if not all(one.allows(cell) for one in covering):
            return False
        for one in covering:
            one.learn(cell)
        return True

    def _undoes(self, cell: Cell, covering: Sequence[Watcher]) -> bool:
        """Tell whether an answer would be exact where a policy without a say hides values.

        A set that confidential values name tells them: counts of those who have more than this and
        more than that halve an interval until nothing is left of it.
        """
        is_exact = self._acting(cell) is None
        return is_exact and not cell.members.is_public and len(covering) < len(self._watchers)

    def _acting(self, cell: Cell) -> int | None:
        """Return the first policy that says what the answer to a cell is; None if it is exact."""
        for place, one in enumerate(self._watchers):
            if self._answering[place] and one.covers(cell):
                return place
        return None

    def _shares(
        self, cells: Sequence[Cell], acting: Sequence[int | None], spending: Spending | None
    ) -> Iterator[tuple[int, Answering, list[Cell]]]:
        """Give every policy that answers some cells, as it does for a price, with those cells."""
        for place in sorted({one for one in acting if one is not None}):
            chosen = [cell for cell, one in zip(cells, acting, strict=True) if one == place]
            one = self._watchers[place]
            yield place, one.at(spending) if isinstance(one, Private) else one, chosen  # type: ignore[misc]

    def _released(self, decided: Decision) -> list[Released | None]:
        """Answer the cells that are answered, exactly or as a policy says."""
        acting = [
            act if yes else None for act, yes in zip(decided.acting, decided.allowed, strict=True)
        ]
        made = {
            place: iter(one.release(chosen))
            for place, one, chosen in self._shares(decided.cells, acting, decided.spending)
        }
        return [
            None if not yes else _exact(cell) if act is None else next(made[act])
            for cell, yes, act in zip(decided.cells, decided.allowed, acting, strict=True)
        ]

    def _guarantees(self, cells: Sequence[Cell]) -> dict[str, str]:
        """Return what was done to the data, and what holds.

        It is told of every policy that had a say; of those that say what answers are, of the one
        that did.
        """
        acting = {self._acting(cell) for cell in cells}
        return self._about | {
            name: one.guarantee
            for place, (name, one) in enumerate(self._named.items())
            if place in acting
            or (not self._answering[place] and any(one.covers(cell) for cell in cells))
        }

    # -- the ledger ------------------------------------------------------------------------------

    def _told(self, user: str, query: StatisticalQuery, decided: Decision) -> dict[str, Any]:
        allowed = decided.allowed
        keys = {}
        if query.keys is not None and not all(isinstance(one, Private) for one in self._watchers):
            keys = {"keys": query.keys.digest()}  # a policy with a memory may have a say
        return {
            "user": user,
            "query": query.canonical(),
            "allowed": np.packbits(np.array(allowed, bool)).tobytes().hex(),
            "cells": len(allowed),
            "refused": len(allowed) - sum(allowed),
            "version": decided.version,
            **keys,
        }

    def _committed(self, answer: Sequence[Any]) -> dict[str, str]:
        """Return what is recorded in place of an answer."""
        if self.ledger is None:
            return {}
        nonce = secrets.token_bytes(16)
        said = json.dumps(answer, default=str).encode()
        return {"commitment": self.ledger.commitment(said, nonce), "nonce": nonce.hex()}

    def _record(self, kind: str, payload: dict[str, Any]) -> None:
        """Write an entry and wait until it is durable; close the guard if that fails."""
        with self._closing():
            if (pending := self._append(kind, payload)) is not None:
                pending.wait()

    def _append(self, kind: str, payload: dict[str, Any]) -> Pending | None:
        """Give an entry its place; it is durable when a later one is."""
        with self._closing():
            return None if self.ledger is None else self.ledger.append(kind, payload)

    @contextmanager
    def _closing(self) -> Iterator[None]:
        """Answer nothing more once the ledger fails."""
        try:
            yield
        except LedgerError as error:
            self._closed = str(error)
            raise

    def _refuse_closed(self) -> None:
        if self._closed:
            raise LedgerError(self._closed)

    def replay(self, entries: Iterable[Entry]) -> None:
        """Take up the history that a ledger tells of this version of the data."""
        read = _remembering(self.data, self._permitted, None)
        Recollection(self.data, read, self._named, self._session, self._keys).take(entries)

    # -- data that change ------------------------------------------------------------------------

    def refuse_data(self, data: PublicClasses) -> None:
        """Raise where a policy cannot go on with other data; nothing is changed yet."""
        for one in self._watchers:
            if isinstance(one, Private):
                one.refuse_data(data)

    def move(self, update: Update) -> None:
        """Go on with data that changed; what was answered stays in the history."""
        with self._lock:
            self.data = update.data
            self._small.clear()
            self._quick.clear()
            self._version += 1
            for one in self._watchers:
                one.move(update)
            self._keys = keys_of(self._watchers)
            self._parsed = _remembering(update.data, self._permitted, self._keys)

    # -- what there is ---------------------------------------------------------------------------

    @property
    def view(self) -> dict[str, Any]:
        """What analysts may name: public attributes with their values if few, confidential ones.

        `permitted` tells what a policy lets them name beyond.
        """
        public = {name: self._public(name) for name in self.data.columns}
        hidden = {name: {"kind": str(self.data.attributes[name].kind)} for name in self.data.hidden}
        told = {"view": self.data.view, "public": public, "confidential": hidden}
        return told | ({"permitted": self._permitted.to_dict()} if self._permitted else {})

    def _public(self, name: str) -> dict[str, Any]:
        told: dict[str, Any] = {"kind": str(self.data.attributes[name].kind)}
        if self._keys is None:
            values = self.data.columns[name].values
            few = sorted(values.to_pylist()) if len(values) <= FEW else None
        else:  # which values occur is nobody's business then
            few = self._keys.shown(name, FEW)
        return told if few is None else told | {"values": [plain(one) for one in few]}

    @property
    def policies(self) -> list[dict[str, Any]]:
        """The policies, with what holds and whether refusals tell nothing."""
        return [
            {"name": name, "guarantee": one.guarantee, "simulatable": one.simulatable}
            for name, one in self._named.items()
        ]

    def session(self) -> dict[str, Any]:
        """Return what was asked, answered and refused so far, over all users."""
        with self._lock:
            return self._session.to_dict() | evidence_of(self._named)

    def left(self, user: str) -> dict[str, float]:
        """Return what is left of the budgets of a user; restriction has none."""
        budgets: dict[str, float] = {}
        for one, answers in zip(self._watchers, self._answering, strict=True):
            if answers:
                budgets |= one.left(user)  # type: ignore[attr-defined]
        return budgets

    @property
    def is_closed(self) -> bool:
        """Whether nothing is answered any more."""
        return bool(self._closed)

    def close(self) -> None:
        """Answer nothing more, and let others write the ledger."""
        self._closed = self._closed or "The guard is closed."
        if self.ledger is not None:
            self.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _remembering(
    data: PublicClasses, permitted: Permitted, keys: KeySets | None
) -> Callable[[str], StatisticalQuery]:
    """Return what reads queries over some data, and reads those asked lately only once."""
    return lru_cache(REMEMBERED)(
        lambda sql: with_keys(parse(sql, data, permitted=permitted), data, keys)
    )


def _is_small(cells: Sequence[Cell]) -> bool:
    """Tell whether cells of public sets take so little room that they may be remembered."""
    sets = [cell.members for cell in cells[: SMALL + 1]]
    return all(one.is_public for one in sets) and sum(one.size + 1 for one in sets) <= SMALL


def _refuse_twice(names: Sequence[str]) -> None:
    """Refuse a policy that is named twice: the ledger tells costs by their names."""
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"The policy `{name}` is named twice; name it once.")


def _exact(cell: Cell) -> Released:
    return Released(true_value(cell))
