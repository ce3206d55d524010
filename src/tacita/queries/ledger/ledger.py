"""The ledger: nothing leaves before what was asked and decided is durable."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tacita.errors import LedgerError, ParameterError, shown
from tacita.queries.ledger.anchor import Anchor
from tacita.queries.ledger.chain import commitment, derived, following
from tacita.queries.ledger.entries import START, Entry, Head, canonical
from tacita.queries.ledger.heads import HeadFile, files_of, heads_in
from tacita.queries.ledger.store import Store, open_store
from tacita.queries.ledger.verify import UNPROVEN, sound_head

GATHERING = 0.002  # seconds that a group waits for those who came along the last time
FIRST = "ledger"  # the kind of the first entry, which holds the ledger's random name


@dataclass(frozen=True)
class Pending:
    """An entry that has its place, and may not be durable yet.

    Args:
        entry: the entry.
        durable: gives the entry once it is durable; `asyncio.wrap_future` awaits it.
    """

    entry: Entry
    durable: Future[Entry]

    @property
    def number(self) -> int:
        """The number of the entry."""
        return self.entry.number

    def wait(self) -> Entry:
        """Return the entry when it is durable and anchored.

        Raises:
            LedgerError: it could not be written; whatever it is about must not leave.
        """
        return self.durable.result()


class Ledger:
    """A ledger that is open for writing, by one process and any number of its threads.

    Entries get their place in the order of `append`. One thread writes them, all that wait at once
    in one transaction (group commit), then the anchor, and only then lets those who wait go on. If
    anything of that fails, every entry that waits and every later one raises a `LedgerError`, and
    the ledger stays closed. Opening it verifies the whole chain.

    Args:
        store: where it lies.
        key: its key, see `keys`.
        anchor: where its head is kept after every group of entries; it must be there.
        kept: where its head is kept too if there is no anchor. A ledger that comes without, such as
            one of an earlier version or from another machine, is taken as it is, and an entry says
            so.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, open_ledger(f"{folder}/l.db", b"k" * 32) as ledger:
    ...     pending = ledger.append("answer", {"user": "ana", "query": "SELECT count(*) FROM t"})
    ...     pending.wait().number, [entry.kind for entry in ledger.entries()]
    (2, ['ledger', 'answer'])
    """

    def __init__(
        self, store: Store, key: bytes, anchor: Anchor | None = None, kept: HeadFile | None = None
    ) -> None:
        self._store, self._key, self._anchor = store, key, anchor
        self._kept: list[HeadFile] = []
        store.claim()
        try:
            if anchor is None and kept is not None:
                self._kept = files_of(kept, store)
                self._head, is_unproven = _taken_up(store, key, self._kept)
            else:
                self._head, is_unproven = _verified(store, key, anchor), False
            self._last = self._head
        except BaseException:
            store.close()
            raise
        self._changed = threading.Condition()
        self._queue: list[Pending] = []
        self._group: list[Pending] = []
        self._closed = ""  # why, once it is
        self._owner = os.getpid()
        self._writer = threading.Thread(target=self._work, name="tacita ledger", daemon=True)
        self._writer.start()
        if self._head == START:
            self._begin()
        elif is_unproven:
            self._record_unproven()

    def append(self, kind: str, payload: Mapping[str, Any]) -> Pending:
        """Give an entry its place and return at once; wait for it before anything leaves.

        Args:
            kind: what it is about, in a word.
            payload: what is recorded: text, numbers, lists and mappings.
        """
        if not kind.isidentifier():
            raise ParameterError(f"Expected a word for the kind of an entry; found {shown(kind)}.")
        said = canonical(payload)
        with self._changed:
            self._refuse_closed()
            entry = following(self._key, self._last, time.time_ns() // 1000, kind, said)
            pending = Pending(entry, Future())
            pending.durable.set_running_or_notify_cancel()  # nobody can take an entry back
            self._queue.append(pending)
            self._last = entry.head
            self._changed.notify()
        return pending

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Give the durable entries after a number, in order."""
        return self._store.read(after)

    @property
    def head(self) -> Head:
        """The last entry that is durable and anchored."""
        return self._head

    @property
    def place(self) -> str:
        """Where it lies."""
        return self._store.place

    def commitment(self, answer: bytes, nonce: bytes) -> str:
        """Return what is recorded in place of an answer, see `chain.commitment`."""
        return commitment(self._key, answer, nonce)

    def derived(self, purpose: str) -> bytes:
        """Return a key for something else, the same at every opening."""
        return derived(self._key, purpose)

    def close(self) -> None:
        """Write what waits and let other processes in; no entry is taken any more."""
        with self._changed:
            self._closed = self._closed or f"The ledger {self.place} is closed."
            self._changed.notify()
        self._writer.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _begin(self) -> None:
        """Write the first entry, whose random name all others depend on."""
        try:
            first = self.append(FIRST, {"ledger": secrets.token_hex(16), "format": 1}).wait()
            for file in (kept.named_after(first) for kept in self._kept[:]):
                file.write(first.head)
                self._kept.append(file)
        except BaseException:
            self.close()  # nobody holds it yet who could
            raise

    def _record_unproven(self) -> None:
        """Say in the ledger that nothing shows whether it ended where it was found."""
        try:
            self.append(UNPROVEN, {"found": str(self._head)}).wait()
        except BaseException:
            self.close()
            raise

    def _refuse_closed(self) -> None:
        if self._closed:
            raise LedgerError(self._closed)
        if os.getpid() != self._owner:
            raise LedgerError("A ledger is written by the process that opened it, not by a fork.")

    def _work(self) -> None:
        """Write group after group, until it is closed or something fails."""
        try:
            while self._take_group():
                self._commit()
        except BaseException as error:  # noqa: BLE001 - whatever it is, nobody may wait for ever
            self._fail(error)
        finally:
            self._store.close()
            for file in self._kept:
                file.close()

    def _take_group(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closed)
            # Those who were answered together ask again together: a moment's patience takes them
            # all into one commit, and one who asks alone never waits.
            usual = len(self._group)
            self._changed.wait_for(lambda: len(self._queue) >= usual or self._closed, GATHERING)
            self._group, self._queue = self._queue, []
        return bool(self._group)

    def _commit(self) -> None:
        self._store.write(pending.entry for pending in self._group)
        head = self._group[-1].entry.head
        if self._anchor is not None:
            self._anchor.write(head)
        for file in self._kept:
            file.write(head)
        self._head = head
        for pending in self._group:
            pending.durable.set_result(pending.entry)

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._closed = (
                f"The ledger {self.place} cannot be written; nothing more is answered ({error})."
            )
            lost = [pending for pending in self._group + self._queue if not pending.durable.done()]
            self._queue = []
        for pending in lost:
            failure = LedgerError(self._closed)
            failure.__cause__ = error
            pending.durable.set_exception(failure)


def open_ledger(
    place: str | Path,
    key: bytes,
    anchor: str | Path | None = None,
    kept: HeadFile | None = None,
) -> Ledger:
    """Open a ledger for writing; it begins if it is not there.

    Args:
        place: a path, or an address like `postgresql://host/database`.
        key: its key, see `keys`.
        anchor: the file that keeps its head; better on another disk.
        kept: where its head is kept if there is no anchor; see `heads`.

    Raises:
        LedgerError: another process writes it, it was tampered with, or it was turned back.
    """
    return Ledger(open_store(place), key, None if anchor is None else Anchor(Path(anchor)), kept)


def _verified(store: Store, key: bytes, anchor: Anchor | None) -> Head:
    """Return the head of a ledger that is what was written, as far as its anchor tells."""
    kept = None if anchor is None else anchor.read() or _first_anchor(store, anchor)
    return sound_head(store, key, *([] if kept is None else [kept]))


def _taken_up(store: Store, key: bytes, files: list[HeadFile]) -> tuple[Head, bool]:
    """Return the head of a ledger, and whether nothing shows that it ended there."""
    heads, last = heads_in(files), store.last()
    if last is None and heads and heads[0] != START:
        raise LedgerError(
            f"The ledger {store.place} has no entries, and {files[0].path} keeps the head of one "
            f"with {heads[0].number:,}; bring the ledger back. If a new one is meant, move that "
            "file away."
        )
    return sound_head(store, key, *heads), last is not None and not heads


def _first_anchor(store: Store, anchor: Anchor) -> Head:
    """Anchor a ledger before its first entry: from then on an anchor that is not there is lost."""
    if store.last() is not None:
        raise LedgerError(
            f"The anchor {anchor.path} is not there, and the ledger {store.place} has entries; "
            "bring the anchor back, or check the ledger against a head that somebody kept and "
            "write the anchor anew with `tacita ledger anchor`."
        )
    anchor.write(START)
    return START
