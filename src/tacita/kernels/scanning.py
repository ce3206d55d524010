"""One walk over the bytes of a delimited text: where records break, and how fields begin.

A quote has its meaning only at the start of a field, and two quotes inside a quoted field are one:
the rules of the readers that this walk explains. Lines end in LF, CR or CRLF, and blank lines are
no records.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

TAB, LF, CR, SPACE, QUOTE, PLUS, MINUS, ZERO, NINE = b'\t\n\r "+-09'
UPPER_X, LOWER_X = b"Xx"
NOTES = 8
SHORT = 1 << 18  # bytes that are walked over sooner than the compiler is loaded
LINE, FIELD, RAGGED, RAGGED_END, RAGGED_FIELDS, UNCLOSED, QUOTED, BREAKS = range(NOTES)


class Survey(NamedTuple):
    """What a walk found; lines count from 1, fields from 0, and line 0 is no line."""

    codes: Mask  # for each column: has it a field like 007, +5 or 0x1F, which a number cannot keep
    line: int  # where the text ends
    field: int
    ragged: int  # the line on which the first record with too few or too many fields begins
    ragged_end: int
    ragged_fields: int
    unclosed: int  # the line of a quote that is still open where the text ends
    quoted: int  # how many fields are in quotes
    breaks: int  # how many lines end inside quotes


def survey(text: Bytes, delimiter: int, columns: int) -> Survey:
    r"""Walk over a text whose records should have a number of columns.

    >>> text = np.frombuffer(b"zip,age\n01234,5\n9,9,9\n", np.uint8)
    >>> found = survey(text, ord(","), columns=2)
    >>> found.codes.tolist(), found.ragged, found.ragged_fields, found.unclosed
    ([True, False], 3, 3, 0)
    """
    codes = np.zeros(columns, dtype=np.bool_)
    notes = np.zeros(NOTES, dtype=np.int64)
    if text.size > SHORT or "numba" in sys.modules:
        from tacita.kernels.compile import frozen

        _compiled()(frozen(text), np.uint8(delimiter), codes, notes)
    else:
        _walk(text.tobytes(), delimiter, codes, notes)
    return Survey(codes, *(int(note) for note in notes))


@cache
def _compiled() -> Callable[[Bytes, np.uint8, Mask, Ints], None]:
    from tacita.kernels.compile import kernel_of

    return kernel_of(_walk, _past_quotes, _end_record, _is_a_code)


def _walk(text: Bytes | bytes, delimiter: np.uint8 | int, codes: Mask, notes: Ints) -> None:
    """Walk field by field to the end of the text, marking columns and noting places."""
    i = field = 0
    begun = notes[LINE] = 1
    while True:
        start = i
        if i < len(text) and text[i] == QUOTE:
            i = _past_quotes(text, i, notes)
        while i < len(text) and text[i] != delimiter and text[i] != LF and text[i] != CR:
            i += 1
        if field < codes.size and not codes[field]:
            codes[field] = _is_a_code(text, start, i)
        if i < len(text) and text[i] == delimiter:
            field, i = field + 1, i + 1
            continue
        notes[FIELD] = field
        if field > 0 or i > start:  # else the line is blank
            _end_record(begun, codes.size, notes)
        if i == len(text):
            return
        i += 2 if text[i] == CR and i + 1 < len(text) and text[i + 1] == LF else 1
        notes[LINE] += 1
        field, begun = 0, notes[LINE]


def _past_quotes(text: Bytes | bytes, i: int, notes: Ints) -> int:
    """Go past a quoted part, counting the lines in it; note a quote that nothing closes."""
    opened = notes[LINE]
    notes[QUOTED] += 1
    i += 1
    while i < len(text):
        if text[i] == QUOTE:
            if i + 1 == len(text) or text[i + 1] != QUOTE:
                return i + 1
            i += 1
        elif text[i] == LF or (text[i] == CR and (i + 1 == len(text) or text[i + 1] != LF)):
            notes[LINE] += 1
            notes[BREAKS] += 1
        i += 1
    notes[UNCLOSED] = opened
    return i


def _end_record(begun: int, columns: int, notes: Ints) -> None:
    """Note the first record that has not as many fields as there are columns."""
    fields = notes[FIELD] + 1
    if fields != columns and notes[RAGGED] == 0:
        notes[RAGGED], notes[RAGGED_END], notes[RAGGED_FIELDS] = begun, notes[LINE], fields


def _is_a_code(text: Bytes | bytes, i: int, stop: int) -> bool:
    """Tell whether a field begins with a plus sign, a needless zero or a hexadecimal prefix.

    A date such as 0987-01-31 is no number, and so no code.
    """
    if i < stop and text[i] == QUOTE:
        i += 1
    while i < stop and text[i] in (SPACE, TAB):
        i += 1
    if i < stop and text[i] == PLUS:
        return True
    if i < stop and text[i] == MINUS:
        i += 1
    if i + 1 >= stop or text[i] != ZERO:
        return False
    end = i + 1
    while end < stop and ZERO <= text[end] <= NINE:
        end += 1
    if end == i + 1:
        return text[end] in (LOWER_X, UPPER_X)
    return not (end == i + 4 and end < stop and text[end] == MINUS)


def warm_up() -> None:
    """Compile the walk for the types in use."""
    from tacita.kernels.compile import frozen

    text: Bytes = frozen(np.frombuffer(b"a\n1\n", dtype=np.uint8))
    _compiled()(text, np.uint8(ord(",")), np.zeros(1, np.bool_), np.zeros(NOTES, np.int64))
