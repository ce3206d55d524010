"""The keyed hash chain that ties every entry to all before it.

    digest_n = HMAC-SHA256(key, "entry" || digest_(n-1) || n || time || kind || payload)

Without the key nobody can make entries that fit, and with it nobody can change an entry without
changing every digest after it, which a head kept elsewhere shows. The first entry holds a random
name, so that entries of one ledger do not fit into another.
B. Schneier & J. Kelsey (1999), Secure audit logs to support computer forensics, ACM TISSEC 2(2).
"""

from __future__ import annotations

import hmac
from struct import Struct

from tacita.queries.ledger.entries import Entry, Head

# What is digested begins with what it is, so that a commitment never passes as an entry.
ENTRY, ANSWER, KEY = b"tacita entry\0", b"tacita answer\0", b"tacita key\0"
HASH = "sha256"
_HEADER = Struct(">qqI")  # number, time, length of the kind
_LENGTH = Struct(">I")


def link(key: bytes, previous: bytes, entry: Entry) -> bytes:
    """Return the digest that an entry must have after the digest of the one before it."""
    number, time, kind, payload, _ = entry
    word = kind.encode()
    header = _HEADER.pack(number, time, len(word))
    return hmac.digest(key, b"".join((ENTRY, previous, header, word, payload)), HASH)


def following(key: bytes, head: Head, time: int, kind: str, payload: bytes) -> Entry:
    """Return the entry that continues a chain."""
    bare = Entry(head.number + 1, time, kind, payload, b"")
    return bare._replace(digest=link(key, head.digest, bare))


def commitment(key: bytes, answer: bytes, nonce: bytes) -> str:
    """Return what a ledger records in place of an answer.

    It tells nothing about the answer, and whoever has the key can show later that an answer with
    its nonce is the one that was recorded, and that no other is.

    Args:
        key: the ledger's key.
        answer: the answer as it leaves.
        nonce: random bytes, new for every answer.

    >>> commitment(b"k" * 32, b"42", b"once") == commitment(b"k" * 32, b"42", b"again")
    False
    """
    return hmac.digest(key, ANSWER + _LENGTH.pack(len(nonce)) + nonce + answer, HASH).hex()


def derived(key: bytes, purpose: str) -> bytes:
    """Return a key for something else, from which nobody finds the ledger's.

    >>> len(derived(b"k" * 32, "samples"))
    32
    """
    return hmac.digest(key, KEY + purpose.encode(), HASH)
