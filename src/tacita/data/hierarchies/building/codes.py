"""Beginnings of codes, of one length or of several."""

from __future__ import annotations

from typing import TypeVar

import pyarrow as pa

from tacita.data.hierarchies import Hierarchy
from tacita.data.hierarchies.building.values import Values, tree_of
from tacita.data.hierarchies.intervals import ROOT
from tacita.data.hierarchies.prefix import Prefix
from tacita.errors import HierarchyError

T = TypeVar("T")


def prefixes(values: Values, levels: int | None = None) -> Hierarchy:
    """Make a hierarchy of the beginnings of codes: one sign shorter at each level.

    Codes of one length become `9413*`, `941**` and so on. Codes of several lengths are cut to the
    same number of signs, and shorter ones stay as they are until the others are as short: `1203`
    and `12` become `12*`.

    Args:
        values: codes: text or whole numbers.
        levels: how many lengths there are at most, spread evenly; all that tell codes apart when
            left out.
    """
    _refuse_others(values.values.type)
    words = values.words
    lengths = {len(word) for word in words}
    if len(lengths) == 1 and levels is None and max(lengths) > 0:
        return Prefix(max(lengths))
    longest = max(lengths)
    cut = [[_beginning(word, length) for word in words] for length in range(longest - 1, 0, -1)]
    above = evenly(_coarser(words, cut), levels)
    return tree_of(words, above)


def _refuse_others(kind: pa.DataType) -> None:
    types = pa.types
    if not (types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind)):
        raise HierarchyError(f"`prefixes` needs codes, text or whole numbers; found {kind}.")


def _beginning(word: str, length: int) -> str:
    return word if len(word) < length else f"{word[:length]}{ROOT}"


def _coarser(words: list[str], levels: list[list[str]]) -> list[list[str]]:
    """Return the levels that have fewer labels than the one before, and more than one."""
    kept, before = [], len(words)
    for labels in levels:
        found = len(set(labels))
        if 1 < found < before:
            kept.append(labels)
            before = found
    return kept


def evenly(choices: list[T], most: int | None) -> list[T]:
    """Return so many of some choices at most, spread evenly, the first and the last among them.

    >>> evenly(list("abcde"), 3), evenly(list("abcde"), 1), evenly(list("ab"), 3)
    (['a', 'c', 'e'], ['c'], ['a', 'b'])
    """
    if most is None or len(choices) <= most:
        return choices
    if most == 1:
        return [choices[len(choices) // 2]]
    return [choices[place * (len(choices) - 1) // (most - 1)] for place in range(most)]
