"""Entries: what a ledger holds, one for everything that was asked, decided or changed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, Self

from tacita.errors import LedgerError, ParameterError, shown

DIGEST_BYTES = 32
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Head(NamedTuple):
    """Where a chain ends. Whoever keeps a head can tell later if anything before it was changed.

    Args:
        number: the number of the last entry; 0 before the first.
        digest: the digest of that entry, which depends on all entries before it.

    >>> str(Head(0, bytes(32)))[:8]
    '0:000000'
    """

    number: int
    digest: bytes

    def __str__(self) -> str:
        return f"{self.number}:{self.digest.hex()}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a head as it is printed."""
        if not re.fullmatch(rf"[0-9]{{1,18}}:[0-9a-f]{{{2 * DIGEST_BYTES}}}", text):
            raise ParameterError(
                "Expected the head of a ledger, NUMBER:DIGEST with a digest of "
                f"{2 * DIGEST_BYTES} hexadecimal digits; found {shown(text)}."
            )
        number, _, digest = text.partition(":")
        return cls(int(number), bytes.fromhex(digest))


START = Head(0, bytes(DIGEST_BYTES))


class Entry(NamedTuple):
    """One line of a ledger.

    Args:
        number: its place, from 1 on without gaps; the order comes from it and from nothing else.
        time: what the clock said, in microseconds since 1970 (UTC).
        kind: what it is about, in a word: `answer`, `refusal`, `update`.
        payload: what is recorded, as canonical JSON.
        digest: the keyed digest of this entry and all before it.
    """

    number: int
    time: int
    kind: str
    payload: bytes
    digest: bytes

    @property
    def head(self) -> Head:
        """The head of a ledger that ends here."""
        return Head(self.number, self.digest)

    @property
    def when(self) -> str:
        """What the clock said, as people write it; the bare number where that is no date."""
        try:
            return (EPOCH + timedelta(microseconds=self.time)).isoformat(timespec="microseconds")
        except OverflowError:
            return str(self.time)

    @property
    def content(self) -> dict[str, Any]:
        """What is recorded."""
        try:
            content: dict[str, Any] = json.loads(self.payload)
        except ValueError as error:
            raise LedgerError(
                f"Entry {self.number} of the ledger was changed; see `tacita ledger verify`."
            ) from error
        return content

    def to_dict(self) -> dict[str, Any]:
        """Return the entry in plain types."""
        return {
            "number": self.number,
            "time": self.when,
            "kind": self.kind,
            "payload": self.content,
            "digest": self.digest.hex(),
        }


def canonical(payload: Mapping[str, Any]) -> bytes:
    """Write a payload as JSON in the one way that its digest is taken of.

    Names are sorted, nothing but ASCII is used, and a float is written with all the digits that it
    needs to be read back; decimals and fractions are written as text.

    >>> canonical({"user": "ana", "cost": Fraction(1, 3), "answers": 2})
    b'{"answers":2,"cost":"1/3","user":"ana"}'
    """
    try:
        text = json.dumps(
            payload, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_exact
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise ParameterError(
            f"A ledger records text, finite numbers, truth values, lists and mappings: {error}."
        ) from error
    return text.encode("ascii")


def _exact(value: object) -> str:
    if isinstance(value, Fraction | Decimal):
        return str(value)
    raise TypeError(f"found {type(value).__name__}")
