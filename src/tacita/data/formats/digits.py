"""The digits of numbers in text: which a double holds, and what holds the others.

A double holds a number if it prints the same digits, as many as are written. That is so of every
number of 15 digits, of whatever a program printed of a double (``0.30000000000000004``), and not of
``12345678901234567.89``, which is read as 12345678901234568.
"""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

KEPT = 15  # digits that every double holds
LARGEST = 38  # digits of a decimal
GLANCE = 2**18  # bytes looked at together: they stay in the second-level cache
ZERO, NINE = b"09"
TINY = (b"e-", b"E-")  # without one, only a long run of zeros comes near nothing
# A number with more digits than every double holds, or so near to nothing that digits are lost.
LONG = r"([0-9][.,]?){16}|[eE]-[0-9]*[0-9]{3}"
FIXED = re.compile(r"-?[0-9]*[.]?[0-9]*")
Bytes = npt.NDArray[np.uint8]


def may_lose_digits(text: Bytes, sign: str = ".") -> bool:
    r"""Tell whether a text may have a number with more digits than every double holds.

    >>> may_lose_digits(np.frombuffer(b"a,b\n12345678901234567.89,1\n", np.uint8))
    True
    >>> may_lose_digits(np.frombuffer(b"a,b\n1.25,1\n", np.uint8))
    False
    """
    for at in range(0, text.size, GLANCE):
        part = text[at : at + GLANCE + KEPT]  # a run may lie on both sides of a cut
        raw = part.tobytes()
        if any(mark in raw for mark in TINY) or _has_run(part, ord(sign)):
            return True
    return False


def _has_run(part: Bytes, sign: int) -> bool:
    """Tell whether 16 bytes in a row are digits and decimal signs."""
    run = ((part >= ZERO) & (part <= NINE)) | (part == sign)
    for step in (1, 2, 4, 8):
        run = run[:-step] & run[step:]
    return bool(run.any())


def exact(column: pa.ChunkedArray, written: pa.ChunkedArray, sign: str) -> pa.ChunkedArray:
    """Return numbers that keep every digit: the doubles if they do, else decimals, else the text.

    Args:
        column: the numbers as doubles.
        written: the numbers as they are written.
        sign: the decimal sign.
    """
    # Whatever is written as a double is printed is held: the text of most files with long numbers.
    pointed = written if sign == "." else pc.replace_substring(written, sign, ".")
    printed = pc.equal(pointed, pc.fill_null(column.cast(written.type), ""))
    long = pc.and_not(pc.match_substring_regex(written, LONG), printed)
    long = pc.and_(long, pc.is_valid(column))
    texts = pointed.filter(long).to_pylist()
    doubles = column.filter(long).to_pylist()
    pairs = zip(texts, doubles, strict=True)
    if all(holds(text, double) for text, double in pairs):
        return column
    return _decimals(column, written, sign)


def holds(text: str, double: float) -> bool:
    """Tell whether a double prints the digits of a number, as many as are written.

    >>> holds("1.50", 1.5), holds("0.30000000000000004", 0.1 + 0.2), holds("1e-400", 0.0)
    (True, True, False)
    >>> holds("12345678901234567.89", 12345678901234567.89)
    False
    """
    number = Decimal(text.strip())
    if not number.is_finite() or not np.isfinite(double):
        return not np.isfinite(double) and not number.is_finite()
    digits = len(number.as_tuple().digits)
    # The shortest text of a double that lies between two others may be rounded the other way.
    return number in (Decimal(repr(double)), Decimal(f"{double:.{digits - 1}e}"))


def _decimals(column: pa.ChunkedArray, written: pa.ChunkedArray, sign: str) -> pa.ChunkedArray:
    """Return numbers as decimals; as text if one has an exponent or too many digits."""
    texts = pc.utf8_trim_whitespace(written)
    texts = pc.replace_substring(texts, sign, ".") if sign != "." else texts
    missing = pc.is_null(column) if column.null_count else pc.is_nan(column)
    missing = pc.or_(missing, pc.fill_null(pc.is_nan(column), True))
    texts = pc.if_else(missing, pa.scalar(None, texts.type), texts)
    numbers = [text for text in texts.unique().to_pylist() if text is not None]
    if not all(map(FIXED.fullmatch, numbers)):
        return written
    parts = [text.lstrip("-").partition(".") for text in numbers]
    places = max(len(fraction) for _, _, fraction in parts)
    whole = max(len(digits.lstrip("0")) for digits, _, _ in parts)
    if whole + places > LARGEST:
        return written
    return texts.cast(pa.decimal128(max(whole + places, 1), places))
