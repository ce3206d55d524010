"""Backups of a ledger, made while it is written, and the way back that nobody can take unseen."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, takewhile
from pathlib import Path

from tacita.data.formats.atomic import atomic_file
from tacita.errors import LedgerError
from tacita.queries.ledger import sqlite
from tacita.queries.ledger.anchor import Anchor
from tacita.queries.ledger.chain import following
from tacita.queries.ledger.entries import START, Entry, Head, canonical
from tacita.queries.ledger.heads import HeadFile, files_of
from tacita.queries.ledger.sqlite import SqliteStore
from tacita.queries.ledger.store import Store, open_store
from tacita.queries.ledger.verify import RESTORED, sound_head


@dataclass(frozen=True)
class Restored:
    """What a restored ledger is.

    Args:
        head: its head; the last entry says that it was restored.
        lost: how many entries that were anchored it does not have; None where no anchor tells.
    """

    head: Head
    lost: int | None


def backup(ledger: str | Path, target: Path, key: bytes) -> Head:
    """Copy a ledger, also while it is written, into a SQLite file that stands alone.

    As a ledger only grows, what is there when the copy begins is consistent. The head of the copy
    is kept beside it, in `target.head.json`.

    Args:
        ledger: where the ledger lies.
        target: the file to write; it appears whole or not at all.
        key: the ledger's key: what is broken is not copied.
    """
    store, target = open_store(ledger), Path(target)
    if target.exists():
        raise LedgerError(f"{target} exists, and no backup is written over; choose another name.")
    head = sound_head(store, key)
    with atomic_file(target) as temporary:
        _write_copy(temporary, takewhile(lambda entry: entry.number <= head.number, store.read()))
    _head_beside(target).write(head)
    return head


def restore(
    source: Path,
    ledger: str | Path,
    key: bytes,
    anchor: Path | HeadFile | None = None,
    *,
    accept_loss: bool = False,
) -> Restored:
    """Begin a ledger with the entries of a backup and one that says so.

    A ledger that is there is never touched: move it away first, and keep it.

    Args:
        source: the backup.
        ledger: where the ledger is to lie.
        key: the ledger's key.
        anchor: the ledger's anchor, or the file that keeps its head, which need not be there.
        accept_loss: whether to go on if the backup lacks entries that were anchored; answers they
            recorded are then unknown to whoever judges the next query.
    """
    copy = SqliteStore(source)
    beside = _head_beside(source).read()
    head = sound_head(copy, key, *([] if beside is None else [beside]))
    if head == START:
        raise LedgerError(f"The backup {source} has no entries; choose another.")
    keepers: Sequence[Anchor | HeadFile] = [Anchor(anchor)] if isinstance(anchor, Path) else []
    if isinstance(anchor, HeadFile):
        keepers = files_of(anchor, copy)
    heads = [found for one in keepers if (found := one.read()) is not None]
    sound_head(copy, key, *(one for one in heads if one.number <= head.number))
    kept = max(heads, default=None)
    lost = None if kept is None else max(kept.number - head.number, 0)
    if not accept_loss:
        _refuse_loss(head, lost, anchor if isinstance(anchor, Path) and kept is None else None)
    said = {"backup": str(head), "anchor": kept and str(kept), "lost": lost}
    mark = following(key, head, time.time_ns() // 1000, RESTORED, canonical(said))
    _fill(open_store(ledger), chain(copy.read(), [mark]))
    for keeper in keepers if isinstance(anchor, Path) or heads else ():
        keeper.write(mark.head)
        if isinstance(keeper, HeadFile):
            keeper.close()
    return Restored(mark.head, lost)


def _write_copy(path: Path, entries: Iterable[Entry]) -> None:
    with sqlite.told(str(path)), closing(sqlite.opened(path, "delete")) as connection:
        sqlite.add(connection, entries)


def _head_beside(copy: Path) -> Anchor:
    return Anchor(copy.with_name(f"{copy.name}.head.json"))


def _refuse_loss(head: Head, lost: int | None, missing: Path | None) -> None:
    advice = "or say that the loss is accepted (--accept-loss)."
    if missing is not None:
        raise LedgerError(
            f"The anchor {missing} is not there, so that nobody can tell what the backup lacks; "
            f"bring it back, {advice}"
        )
    if lost:
        raise LedgerError(
            f"The backup ends at entry {head.number} and lacks {lost} that the anchor knows of; "
            f"take a newer one, {advice}"
        )


def _fill(store: Store, entries: Iterable[Entry]) -> None:
    store.claim()
    try:
        if store.last() is not None:
            raise LedgerError(
                f"There is a ledger {store.place}, and none is written over; move it away first, "
                "and keep it."
            )
        store.write(entries)
    finally:
        store.close()
