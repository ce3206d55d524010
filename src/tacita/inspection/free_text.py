"""Free text: what people write in their own words, and nobody can check for what it gives away."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Ints

LOOKED_AT = 2_000  # distinct values that show how an attribute's text reads
FEWEST = 5  # distinct values below which nothing can be told
DISTINCT = 0.5  # share of the values that are distinct: labels of categories repeat
WORDS = 4  # words of a value on average
CHARACTERS = 100  # characters of a value on average, in scripts that do not part words
MEMBER_WORDS = 3  # words of a member on average, up to which parted text is a list

WORD = re.compile(r"(?<![\w@])[^\W\d_]+(?![\w@])")
LETTER = re.compile(r"[^\W\d_]")
PARTING = re.compile(r"[|;]")


def is_free_text(column: pa.Array | pa.ChunkedArray) -> bool:
    """Tell whether a column holds free text.

    It does when its values are text, at least half of them are distinct, there are at least 5, and
    they have 4 words or 100 characters on average. Long labels of categories repeat; codes, names
    and lists of them have few words.

    >>> is_free_text(pa.array([f"fell from a ladder, hit step {i}" for i in range(9)]))
    True
    >>> is_free_text(pa.array(["fell from a ladder at home", "hit by a falling branch"] * 9))
    False
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return is_free_text(column.cast(kind.value_type))
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return False
    counted = pc.value_counts(column.drop_null())
    return is_prose(counted.field("values"), np.asarray(counted.field("counts")))


def is_prose(values: pa.Array, counts: Ints) -> bool:
    """Tell whether the distinct values of a text column are free text.

    Args:
        values: the distinct values; missing ones and such of spaces alone do not matter.
        counts: how often each occurs.
    """
    written = pc.not_equal(pc.utf8_trim_whitespace(values), "")
    values, filled = values.filter(written), int(counts[np.asarray(written)].sum())
    if len(values) < max(FEWEST, DISTINCT * filled):
        return False
    places = np.unique(np.linspace(0, len(values) - 1, LOOKED_AT).astype(np.int64))
    texts = values.take(pa.array(places)).to_pylist()
    return not _are_lists(texts) and (
        _mean([len(WORD.findall(text)) for text in texts]) >= WORDS
        or _mean([len(LETTER.findall(text)) for text in texts]) >= CHARACTERS
    )


def _are_lists(texts: list[str]) -> bool:
    """Tell whether most texts are parted by bars or semicolons into short members."""
    lists = [PARTING.split(text) for text in texts if PARTING.search(text)]
    members = [len(WORD.findall(member)) for parts in lists for member in parts]
    return 2 * len(lists) > len(texts) and _mean(members) <= MEMBER_WORDS


def _mean(numbers: list[int]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0
