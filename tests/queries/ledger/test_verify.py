from __future__ import annotations

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tacita.queries.ledger.chain import following
from tacita.queries.ledger.entries import START, Entry, Head
from tacita.queries.ledger.verify import verify

KEY = b"k" * 32


def chained(length: int, *, times=None, name: str = "a", key: bytes = KEY) -> list[Entry]:
    head, made = START, []
    for place in range(length):
        time = place if times is None else times[place]
        made.append(following(key, head, time, "answer", f'{{"{name}":{place}}}'.encode()))
        head = made[-1].head
    return made


def renumbered(entries: list[Entry]) -> list[Entry]:
    return [entry._replace(number=place) for place, entry in enumerate(entries, 1)]


def test_a_chain_that_was_not_touched():
    found = verify(chained(3), KEY, [chained(3)[1].head])
    assert (found.holds, found.broken, found.head) == (True, None, chained(3)[-1].head)
    assert repr(found).startswith("holds: 3 entries follow from the first. Nothing was changed")
    assert "after entry 2, which was anchored, were taken away is not proven" in found.sentence
    assert "is not proven" in verify(chained(3), KEY).sentence
    assert verify([], KEY, [START]).sentence == "No entry is there yet."
    assert found.to_dict()["head"] == str(found.head)


def changed(entries, place):
    entries[place] = entries[place]._replace(payload=b'{"a":99}')


def changed_digest(entries, place):
    entries[place] = entries[place]._replace(digest=bytes(32))


def changed_time(entries, place):
    entries[place] = entries[place]._replace(time=entries[place].time + 1)


def changed_kind(entries, place):
    entries[place] = entries[place]._replace(kind="refusal")


def missing(entries, place):
    del entries[place]


def missing_renumbered(entries, place):
    del entries[place]
    entries[:] = renumbered(entries)


def swapped(entries, place):
    entries[place], entries[place + 1] = entries[place + 1], entries[place]
    entries[:] = renumbered(entries)


def put_in(entries, place):
    entries.insert(place, chained(9, name="b")[-1])
    entries[:] = renumbered(entries)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize(
    ("tamper", "told"),
    [
        (changed, "Entry {n} was changed."),
        (changed_digest, "Entry {n} was changed."),
        (changed_time, "Entry {n} was changed."),
        (changed_kind, "Entry {n} was changed."),
        (missing, "Entry {n} is missing."),
        (missing_renumbered, None),
        (swapped, "Entries {n} and {m} changed places."),
        (put_in, "Entry {n} was put in."),
    ],
)
def test_what_was_done_to_a_chain(tamper, told, place):
    entries = chained(7)
    tamper(entries, place)
    found = verify(entries, KEY)
    assert not found.holds
    assert (found.broken, found.head.number) == (place + 1, place)
    if told is not None:
        assert found.sentence == told.format(n=place + 1, m=place + 2)


@given(st.integers(1, 12), st.randoms(use_true_random=False))
def test_nothing_but_the_chain_itself_is_taken_for_it(length, rng: random.Random):
    """Any mixture of the entries of two ledgers is found out, but for the beginning of the first."""
    own, foreign = chained(length), chained(length, name="b")
    mixed = [rng.choice(own + foreign) for _ in range(rng.randint(1, length))]
    if rng.random() < 0.5:
        mixed = renumbered(mixed)
    assume(mixed not in (own[: len(mixed)], foreign[: len(mixed)]))
    assert not verify(mixed, KEY).holds


@given(st.integers(1, 9), st.integers(0, 8))
def test_the_end_is_missed_only_by_who_kept_a_head(length, cut):
    assume(cut < length)
    whole = chained(length)
    assert verify(whole[:cut], KEY).holds
    found = verify(whole[:cut], KEY, [whole[-1].head])
    assert (found.holds, found.broken, found.head.number) == (False, cut + 1, cut)
    assert "missing at the end" in found.sentence


def test_a_ledger_that_was_written_anew_by_who_has_the_key():
    kept = chained(4)[2].head
    found = verify(chained(4, name="b"), KEY, [kept])
    assert (found.broken, found.holds) == (3, False)
    assert "not the one that was anchored" in found.sentence
    both = [kept, Head(3, bytes(32))]
    assert verify(chained(4), KEY, both).broken == 3


def test_a_wrong_key():
    found = verify(chained(4), b"l" * 32)
    assert (found.broken, found.head) == (1, START)
    assert "the key is wrong" in found.sentence
    assert "the key is wrong" in verify(chained(1), b"l" * 32).sentence


def test_numbers_that_repeat():
    entries = chained(3)
    found = verify([*entries, entries[2]], KEY)
    assert (found.broken, found.holds) == (3, False)


def test_a_clock_that_goes_back_is_told_and_no_harm():
    found = verify(chained(6, times=[5, 6, -9, 7, 3, 3]), KEY)
    assert found.holds
    (note,) = found.notes
    assert note.startswith("The clock went back 2 times, first at entry 3;")
    assert note in repr(found)
    assert "went back once" in verify(chained(2, times=[5, 4]), KEY).notes[0]
    assert verify(chained(3, times=[4, 4, 5]), KEY).notes == ()
