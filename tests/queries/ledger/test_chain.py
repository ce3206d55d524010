from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from tacita.queries.ledger.chain import commitment, following, link
from tacita.queries.ledger.entries import START, Entry

KEYS = st.binary(min_size=32, max_size=32)
ENTRIES = st.builds(
    Entry,
    st.integers(1, 2**63 - 1),
    st.integers(-(2**63), 2**63 - 1),
    st.text(st.characters(codec="utf-8"), max_size=5),
    st.binary(max_size=9),
    st.just(b""),
)


def hmac_by_hand(key: bytes, message: bytes) -> bytes:
    """RFC 2104, for a key no longer than a block."""
    block = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in block) + inner).digest()


def test_the_digest_by_hand():
    entry = following(b"k" * 32, START, 5, "answer", b"{}")
    message = b"tacita entry\0" + bytes(32) + b"\0\0\0\0\0\0\0\1" + b"\0\0\0\0\0\0\0\5"
    assert entry.number == 1
    assert entry.digest == hmac_by_hand(b"k" * 32, message + b"\0\0\0\6answer{}")
    after = following(b"k" * 32, entry.head, -1, "open", b"")
    message = b"tacita entry\0" + entry.digest + b"\0\0\0\0\0\0\0\2" + b"\xff" * 8
    assert after.number == 2
    assert after.digest == hmac_by_hand(b"k" * 32, message + b"\0\0\0\4open")


@given(KEYS, KEYS, ENTRIES, ENTRIES)
def test_other_entries_have_other_digests(key, previous, entry, other):
    same = link(key, previous, entry) == link(key, previous, other)
    assert same == (entry == other)


@given(KEYS, KEYS, KEYS, ENTRIES)
def test_a_digest_depends_on_the_key_and_the_entry_before(key, other, previous, entry):
    assert (link(key, previous, entry) == link(other, previous, entry)) == (key == other)
    assert (link(key, previous, entry) == link(key, other, entry)) == (previous == other)


@given(st.binary(max_size=4), st.binary(max_size=4), st.binary(max_size=4), st.binary(max_size=4))
def test_a_commitment_is_to_one_answer_and_one_nonce(answer, nonce, other, again):
    same = commitment(b"k" * 32, answer, nonce) == commitment(b"k" * 32, other, again)
    assert same == ((answer, nonce) == (other, again))
    assert commitment(b"k" * 32, answer, nonce) != commitment(b"l" * 32, answer, nonce)
