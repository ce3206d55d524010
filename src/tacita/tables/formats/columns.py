"""Columns of many numbers as text and back, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from tacita.data.classes import Floats, Ints
from tacita.tables.formats.text import spelled

TEXT = pa.large_string()  # text of more than 2 GB too
WHOLE = 2.0**53  # below it a double is a whole number that can be told
WORD, NUMBER = pa.string(), pa.float64()


def read_columns(texts: Sequence[str], kinds: Sequence[pa.DataType]) -> list[pa.Array] | None:
    """Read lines of words and numbers parted by single blanks; None if one is not like that.

    Args:
        texts: the lines.
        kinds: of each column, whether it has words or numbers; a number is finite.
    """
    names = [str(place) for place in range(len(kinds))]
    try:
        found = csv.read_csv(
            BytesIO("\n".join(texts).encode()),
            csv.ReadOptions(column_names=names),
            csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(
                column_types=dict(zip(names, kinds, strict=True)),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    columns = [column.combine_chunks() for column in found.columns]
    numbers = (column for column, kind in zip(columns, kinds, strict=True) if kind == NUMBER)
    are_finite = all(pc.all(pc.is_finite(column), min_count=0).as_py() for column in numbers)
    return columns if are_finite and len(found) == len(texts) else None


def spelled_column(numbers: Floats) -> pa.Array:
    """Return numbers as `spelled` spells each of them.

    >>> spelled_column(np.array([12.0, 0.1, 12.0])).to_pylist()
    ['12', '0.1', '12']
    """
    if (np.abs(numbers) < WHOLE).all() and (np.trunc(numbers) == numbers).all():
        return spelled_whole(numbers.astype(np.int64))
    distinct, places = np.unique(numbers, return_inverse=True)
    return pa.array([spelled(number) for number in distinct.tolist()], TEXT).take(pa.array(places))


def spelled_whole(numbers: Ints) -> pa.Array:
    """Return whole numbers as text."""
    return pa.array(numbers).cast(TEXT)


def side_by_side(*columns: pa.Array | str, between: str = "") -> pa.Array:
    """Join what stands beside each other in columns, or is the same in every row."""
    parts = [pa.scalar(one, TEXT) if isinstance(one, str) else one for one in columns]
    return pc.binary_join_element_wise(*parts, pa.scalar(between, TEXT))


def in_rows(words: pa.Array, ends: Ints, between: str) -> pa.Array:
    """Join words that belong to the same row.

    Args:
        words: the words, row after row.
        ends: where the words of each row start, and where the last one's end.
        between: what stands between two words.

    >>> in_rows(pa.array(["a", "b", "c"], TEXT), np.array([0, 2, 2, 3]), "+").to_pylist()
    ['a+b', '', 'c']
    """
    lists = pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), words)
    return pc.binary_join(lists, pa.scalar(between, TEXT))


def lines_in_one(rows: pa.Array) -> str:
    r"""Return the text whose lines some rows are.

    >>> lines_in_one(pa.array(["a", "b"], TEXT))
    'a\nb\n'
    """
    ended = side_by_side(rows, "\n")
    text: str = in_rows(ended, np.array([0, len(ended)]), "")[0].as_py()
    return text
