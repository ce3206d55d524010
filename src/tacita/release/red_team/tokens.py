"""Text as tokens, so that a secret can be recognized by a keyed hash of it, and by nothing else.

A text is its words: runs of letters and digits, in one case and one Unicode form. A secret is
looked for as a sequence of words wherever it has so many bits that no text holds it by chance
(`BITS`); in the released column that it was taken out of, as the exact value of a cell, however
short.
"""

from __future__ import annotations

import datetime as dt
import hmac
import math
import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

# One chance in 2^30 a position: a release of 10^7 words and 1 secret has a false alarm in 100 runs
# if its words were drawn at random, and words of reports are not: they are fixed and looked at.
BITS = 30.0
MOST_WORDS = 6  # of a longer secret the first six are looked for
DIGIT = math.log2(10)
MIXED = math.log2(36)  # a letter or digit of a word with both: numbers of files, hashes
LETTER = 2.62  # Shannon, Bell System Technical Journal 30, 1951: bits per letter, by words
EXACT = 2.0**53
HASH_BYTES = 16

WORD = re.compile(r"\w+")
NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?(?:[eE][+-]?\d{1,3})?")
PATH = re.compile(r"(?:/[\w.@+~-]+){2,}|\b[A-Za-z]:(?:\\{1,2}[\w.@+~-]+)+")
FILE_NAME = re.compile(r"\w[\w-]*(?:\.[\w-]+)+")


class Keyed:
    """Hashes that only who has the key can compute or test.

    >>> Keyed(b"key").hash("words", "anna") == Keyed(b"key").hash("words", "anna")
    True
    >>> Keyed(b"key").hash("words", "anna") == Keyed(b"other").hash("words", "anna")
    False
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._start = int.from_bytes(key[:4], "big")

    def quick(self, purpose: str, text: str) -> int:
        """Return a checksum that most tokens are told apart by; who can test it can test hashes.

        HMAC of every cell of a large file would take longer than everything else.
        """
        message = f"{purpose}\0{text}".encode("utf-8", "surrogatepass")
        return zlib.crc32(message, self._start)

    def hash(self, purpose: str, text: str) -> bytes:
        """Return HMAC-SHA256 of a text, cut to 16 bytes."""
        message = f"{purpose}\0{text}".encode("utf-8", "surrogatepass")
        return hmac.digest(self._key, message, "sha256")[:HASH_BYTES]


def words(text: str) -> list[str]:
    """Return the words of a text.

    >>> words("O'Brien, Anna (NL-0012)")
    ['o', 'brien', 'anna', 'nl', '0012']
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return WORD.findall(text.casefold())


def bits(word: str) -> float:
    """Return how surprising a word is at least; zeros around a number tell nothing.

    >>> round(bits("5550000")), round(bits("p00007919")), round(bits("schmidt"))
    (10, 47, 18)
    """
    if word.isdecimal():
        return DIGIT * min(len(word.strip("0")), 4 * len(set(word)))
    letters = sum(map(str.isalpha, word))
    if letters == len(word) or letters + word.count("_") == len(word):
        return LETTER * letters
    return MIXED * len(word)


def sequences(listed: Sequence[str], lengths: Iterable[int]) -> Iterator[str]:
    """Yield every sequence of some lengths of words that is too surprising to be chance."""
    worth = [bits(word) for word in listed]
    for length in lengths:
        for start in range(len(listed) - length + 1):
            if sum(worth[start : start + length]) >= BITS:
                yield " ".join(listed[start : start + length])


def as_secret(text: str) -> str | None:
    """Return the words by which a text is looked for anywhere; None if chance may hold them.

    Letters alone are words of a language: one of them, however long, is nobody's.

    >>> as_secret("Anna-Maria Schmidt"), as_secret("hospitalization"), as_secret("4711")
    ('anna maria schmidt', None, None)
    """
    listed = words(text)[:MOST_WORDS]
    if len(listed) == 1 and not any(map(str.isdigit, listed[0])):
        return None
    return " ".join(listed) if sum(map(bits, listed)) >= BITS else None


def canonical(value: Any) -> str:
    """Return one spelling of a value, whatever its type in a file; nothing for a blank.

    >>> canonical(1), canonical("1.0"), canonical(True), canonical("North  Sea"), canonical(None)
    ('1', '1', '1', 'north sea', '')
    """
    if value is None or value != value:  # noqa: PLR0124 - NaN is blank
        return ""
    if isinstance(value, bool | int):
        return str(int(value))
    if isinstance(value, float | Decimal):
        return _number(float(value))
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time() and value.tzinfo is None
        return value.date().isoformat() if midnight else value.replace(tzinfo=None).isoformat(" ")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return _of_text(str(value).strip())


def _of_text(text: str) -> str:
    if NUMBER.fullmatch(text):
        return _number(float(text))
    if text.casefold() in {"true", "false"}:
        return str(int(text.casefold() == "true"))
    return " ".join(words(text)) or text


def _number(number: float) -> str:
    if number.is_integer() and abs(number) < EXACT:
        return str(int(number))
    return repr(number)


def paths_in(text: str) -> Iterator[str]:
    """Yield every path in a text, and the paths of the folders above.

    >>> [*paths_in("see /home/anna/people.csv")]
    ['/home/anna', '/home/anna/people.csv']
    """
    for match in PATH.findall(text):
        parts = re.split(r"[/\\]+", match)
        for end in range(2 if parts[0] else 3, len(parts) + 1):
            yield "/".join(parts[:end])


def names_in(text: str) -> Iterator[str]:
    """Yield every file name in a text."""
    yield from FILE_NAME.findall(text)
