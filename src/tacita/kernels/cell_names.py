"""One walk over the bytes of a sheet: how many cells are named in it, and where the last ones lie.

A cell says its name as in `<c r="XFD1048576">`: letters for the column, digits for the row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

SPACE, TAB, CR, LOWER_R, EQUALS, DOUBLE, SINGLE = b" \t\rr=\"'"
UPPER_A, UPPER_Z, ZERO, NINE = b"AZ09"
CASE = 0x20  # what makes a letter small
LETTERS, MOST_LETTERS, MOST_DIGITS = 26, 3, 7  # of a name, as in XFD1048576
NOTES = 6
NEAR, FAR, FIRST_COLUMN, LAST_COLUMN, FIRST_ROW, LAST_ROW = range(NOTES)


class Extent(NamedTuple):
    """Cells that are named in a text; columns and rows count from 1."""

    cells: int  # how many
    far: int  # names of more letters or digits than any sheet has, which are not counted else
    columns: tuple[
        int, int
    ]  # the first and the last; the last before the first where there is none
    rows: tuple[int, int]


def extent(text: Bytes) -> Extent:
    """Find the cells that are named in a text.

    >>> extent(np.frombuffer(b'<c r="B7"/><c r="AA9"/><c r="ABCD1"/>', np.uint8))
    Extent(cells=2, far=1, columns=(2, 27), rows=(7, 9))
    """
    notes = np.zeros(NOTES, np.int64)
    notes[FIRST_COLUMN] = notes[FIRST_ROW] = np.iinfo(np.int64).max
    _walk(frozen(text), notes)
    near, far, *places = (int(note) for note in notes)
    return Extent(near, far, (places[0], places[1]), (places[2], places[3]))


@kernel
def _walk(text: Bytes, notes: Ints) -> None:
    i = 0
    while i < text.size:
        if text[i] != LOWER_R:
            i += 1
            continue
        end = _past_name(text, _past_quote(text, i + 1), notes)
        i = end if end else i + 1


@kernel
def _past_quote(text: Bytes, i: int) -> int:
    """Return the place after an equals sign and a quote, blanks between; past the end if none."""
    i = _past_blanks(text, i)
    if i >= text.size or text[i] != EQUALS:
        return text.size
    i = _past_blanks(text, i + 1)
    return i + 1 if i < text.size and (text[i] == DOUBLE or text[i] == SINGLE) else text.size


@kernel
def _past_blanks(text: Bytes, i: int) -> int:
    while i < text.size and (text[i] == SPACE or TAB <= text[i] <= CR):
        i += 1
    return i


@kernel
def _past_name(text: Bytes, i: int, notes: Ints) -> int:
    """Note a name that ends in a quote, and return the place after it; 0 where there is none."""
    start, column, row = i, 0, 0
    while i < text.size and UPPER_A <= text[i] & ~CASE <= UPPER_Z:
        if i - start < MOST_LETTERS:
            column = LETTERS * column + (text[i] & ~CASE) - UPPER_A + 1
        i += 1
    digits = i
    while i < text.size and ZERO <= text[i] <= NINE:
        if i - digits < MOST_DIGITS:
            row = 10 * row + text[i] - ZERO
        i += 1
    if i >= text.size or digits in (start, i):
        return 0
    if text[i] != DOUBLE and text[i] != SINGLE:
        return 0
    if digits - start > MOST_LETTERS or i - digits > MOST_DIGITS:
        notes[FAR] += 1
        return i + 1
    notes[NEAR] += 1
    notes[FIRST_COLUMN] = min(notes[FIRST_COLUMN], column)
    notes[LAST_COLUMN] = max(notes[LAST_COLUMN], column)
    notes[FIRST_ROW] = min(notes[FIRST_ROW], row)
    notes[LAST_ROW] = max(notes[LAST_ROW], row)
    return i + 1


def warm_up() -> None:
    """Compile for bytes."""
    extent(np.frombuffer(b'<c r="A1">', np.uint8))
