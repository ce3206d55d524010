"""Verification: whether a ledger is what was written, and where it is not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tacita.errors import LedgerError
from tacita.queries.ledger.chain import link
from tacita.queries.ledger.entries import START, Entry, Head
from tacita.queries.ledger.store import Store

RESTORED = "restore"  # the kind of the entry that says a backup took the place of a ledger
UNPROVEN = "head"  # the kind of the entry that says no head showed where a ledger had ended


@dataclass(frozen=True, repr=False)
class Verified:
    """What was found out about a ledger.

    Args:
        head: the last entry up to which everything fits.
        broken: the number of the first entry that does not fit or is missing; None if all fit.
        sentence: what is wrong, or that nothing is.
        notes: what is worth knowing and not wrong: a clock that went back, entries given up.

    >>> Verified(START, None, "No entry is there yet.")
    holds: No entry is there yet.
    """

    head: Head
    broken: int | None
    sentence: str
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the ledger is what was written, as far as the heads reach."""
        return self.broken is None

    def __repr__(self) -> str:
        said = f"{'holds' if self.holds else 'BROKEN'}: {self.sentence}"
        return "\n".join([said, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """Return it in plain types."""
        return {
            "holds": self.holds,
            "entries": self.head.number,
            "head": str(self.head),
            "broken": self.broken,
            "sentence": self.sentence,
            "notes": list(self.notes),
        }


def verify(entries: Iterable[Entry], key: bytes, heads: Iterable[Head] = ()) -> Verified:
    """Check every entry against the one before it, and the chain against heads kept elsewhere.

    A chain alone cannot show that its end was cut off: only a head kept elsewhere can.

    Args:
        entries: all the entries, in order.
        key: the ledger's key.
        heads: heads that somebody kept, of anchors for instance.
    """
    kept = tuple(heads)
    expected = _by_number(kept)
    remarks = _Remarks()
    previous = START
    ahead = iter(entries)
    for entry in ahead:
        if entry.number != previous.number + 1 or link(key, previous.digest, entry) != entry.digest:
            return Verified(previous, *_broken(key, previous, entry, ahead), remarks.told())
        if entry.number in expected and expected[entry.number] != {entry.digest}:
            return Verified(previous, entry.number, _unlike(entry.number), remarks.told())
        remarks.take(entry)
        previous = entry.head
    return replace(_ended(previous, kept), notes=remarks.told())


def sound_head(store: Store, key: bytes, *kept: Head) -> Head:
    """Return the head of a ledger, which must be what was written.

    Args:
        store: where it lies.
        key: its key.
        kept: heads that it must hold, of its anchor for instance.

    Raises:
        LedgerError: it is not; the message says what is wrong and what to do.
    """
    found = verify(store.read(), key, kept)
    if not found.holds:
        raise LedgerError(
            f"The ledger {store.place} is not what was written. {found.sentence} Keep it as it is, "
            "find out why, and restore the newest backup elsewhere (`tacita ledger restore`)."
        )
    return found.head


class _Remarks:
    """What is worth knowing of a chain that fits."""

    def __init__(self) -> None:
        self.time = 0
        self.set_back: list[int] = []
        self.restored: list[Entry] = []
        self.unproven: list[Entry] = []

    def take(self, entry: Entry) -> None:
        if entry.time < self.time:
            self.set_back.append(entry.number)
        if entry.kind == RESTORED:
            self.restored.append(entry)
        if entry.kind == UNPROVEN:
            self.unproven.append(entry)
        self.time = entry.time

    def told(self) -> tuple[str, ...]:
        return (
            *self._clock(),
            *map(_restored, self.restored),
            *map(_unproven, self.unproven),
        )

    def _clock(self) -> Iterator[str]:
        if self.set_back:
            often = "once" if len(self.set_back) == 1 else f"{len(self.set_back):,} times"
            yield (
                f"The clock went back {often}, first at entry {self.set_back[0]}; the order of the "
                "entries does not depend on it."
            )


def _restored(entry: Entry) -> str:
    lost = entry.content.get("lost")
    given_up = {None: ", and no anchor tells what it lacks", 0: ""}.get(
        lost, f"; {lost} entries after it were given up"
    )
    return f"Entry {entry.number}: the ledger was restored from a backup{given_up}."


def _unproven(entry: Entry) -> str:
    return (
        f"Entry {entry.number}: no head was at hand when the ledger was opened; whether entries "
        f"after entry {entry.number - 1} had been taken away is not proven."
    )


def _by_number(heads: Iterable[Head]) -> Mapping[int, set[bytes]]:
    expected = defaultdict(set)
    for head in heads:
        expected[head.number].add(head.digest)
    return dict(expected)


def _unlike(number: int) -> str:
    return (
        f"Entry {number} is not the one that was anchored: this is another ledger, or somebody who "
        "has the key wrote it anew."
    )


def _ended(last: Head, kept: Iterable[Head]) -> Verified:
    """Judge a chain that fits up to its end."""
    furthest = max((head.number for head in kept), default=0)
    if furthest > last.number:
        return Verified(
            last,
            last.number + 1,
            f"{_entries(last.number + 1, furthest)} missing at the end: the ledger was cut off, or "
            "an older copy was put in its place.",
        )
    if last == START:
        return Verified(last, None, "No entry is there yet.")
    return Verified(
        last, None, f"{last.number:,} entries follow from the first. {_proven(furthest, last)}"
    )


def _proven(furthest: int, last: Head) -> str:
    """Say what a chain that fits proves, and what it does not."""
    sound = f"Nothing was changed, moved or put in up to entry {last.number:,}"
    if furthest == last.number:
        return f"{sound}, and no entry up to that one was taken away: its head was kept."
    kept = f" after entry {furthest:,}, which was anchored," if furthest else ""
    return (
        f"{sound}; whether later entries{kept} were taken away is not proven. Compare with a head "
        "that somebody kept of it (`tacita ledger head`, `--head`)."
    )


def _broken(key: bytes, previous: Head, entry: Entry, ahead: Iterator[Entry]) -> tuple[int, str]:
    """Return where a chain breaks and why, as far as the entries around it tell."""
    place = previous.number + 1
    if entry.number > place:
        return place, f"{_entries(place, entry.number - 1)} missing."
    if entry.number < place:
        return entry.number, f"Entry {entry.number} has a number that no entry can have."
    return place, _reason(key, previous, entry, next(ahead, None))


def _reason(key: bytes, previous: Head, entry: Entry, after: Entry | None) -> str:
    place = entry.number
    if after is not None:
        if after.digest in (link(key, entry.digest, after), _relinked(key, previous, entry, after)):
            return f"Entry {place} was changed."
        moved = after._replace(number=place)
        if link(key, previous.digest, moved) == after.digest:
            swapped = link(key, after.digest, entry._replace(number=place + 1)) == entry.digest
            return (
                f"Entries {place} and {place + 1} changed places."
                if swapped
                else f"Entry {place} was put in."
            )
    if place == 1:
        return "The first entry does not fit: the key is wrong, or the entry was changed."
    return f"Entry {place} does not follow from those before it: it or they were changed."


def _relinked(key: bytes, previous: Head, entry: Entry, after: Entry) -> bytes:
    """Return the digest of the entry after one whose own digest was changed, and only that."""
    return link(key, link(key, previous.digest, entry), after)


def _entries(first: int, last: int) -> str:
    return f"Entry {first} is" if first == last else f"Entries {first} to {last} are"
