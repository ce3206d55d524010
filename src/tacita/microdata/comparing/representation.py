"""One representation: two columns brought to values that can be compared.

A number may be released as text, text with other capitals, spaces or accents in another encoding;
to call them different would hide links that an intruder finds.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind
from tacita.data.classes import Ints, comparable
from tacita.data.declaration import inferred_kind


def alike(known: pa.Array, released: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return two columns in one type and, if that is text, in one spelling.

    >>> [part.to_pylist() for part in alike(pa.array([1, 2]), pa.array([1.0, 2.5]))]
    [[1.0, 2.0], [1.0, 2.5]]
    >>> [part.to_pylist() for part in alike(pa.array(["Ana "]), pa.array(["ANA"]))]
    [['ana'], ['ana']]
    """
    if known.type != released.type:
        common = pa.float64() if _are_numbers(known, released) else pa.string()
        known, released = (column.cast(common, safe=False) for column in (known, released))
    if pa.types.is_string(known.type) or pa.types.is_large_string(known.type):
        known, released = spelled(known), spelled(released)
    return known, released


def spelled(column: pa.Array) -> pa.Array:
    """Return text in one spelling: composed characters, lower case, single spaces."""
    text = pc.utf8_lower(pc.utf8_normalize(column, "NFKC"))
    return pc.replace_substring_regex(pc.utf8_trim_whitespace(text), r"\s+", " ")


def common_codes(known: pa.Array, released: pa.Array) -> tuple[Ints, Ints]:
    """Return numbers for two columns that are equal where the values are; a blank has -1.

    >>> [part.tolist() for part in common_codes(pa.array(["b", None]), pa.array(["a", "B"]))]
    [[0, -1], [1, 0]]
    """
    from tacita.kernels.grouping import factorize

    both = pa.concat_arrays(list(alike(known, released)))
    codes = factorize(*comparable(both))[0]
    return codes[: len(known)], codes[len(known) :]


def _are_numbers(*columns: pa.Array) -> bool:
    return all(inferred_kind(column.type) is Kind.CONTINUOUS for column in columns)
