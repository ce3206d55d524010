"""The domain that a released file shows: what its own values say that others may stand for.

Whoever has the released file only reads `[24-28]` as five ages and `937**` as a hundred codes. A
label that the file does not explain is a value of its own: then nothing else fits it, and it fits
nothing else but a blank. A blank may be a value that the file does not show, because it was hidden
wherever it occurs. So too little is taken to be hidden, never too much.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from datetime import date, timedelta
from math import inf

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.data.hierarchies.tree import Tree
from tacita.microdata.comparing.coverage import ANYTHING, LISTED, RUN, STARS, distinct
from tacita.microdata.comparing.intervals import DAY, ISO_DATE, NUMBER, Span, calendar, interval
from tacita.microdata.comparing.representation import as_text

SAFE_DIGITS = 15  # so many, a double holds exactly
UNSHOWN = "\0not shown"  # a category that the file may hide; no value is called so
CODE = re.compile(r"[0-9]+\**")


def shown_domain(data: Dataset, names: Sequence[str]) -> Dataset:
    """Return the data with values that explain those of some attributes.

    `coverage` of these data and the released ones tells what the released values stand for, by all
    that the file shows: numbers and intervals of numbers, days and units of the calendar, lists of
    categories, and a hierarchy or an order where the attribute still has one.

    >>> import tacita as ta
    >>> coarse = ta.read(pa.table({"age": ["26", "[24-28]", None]}), roles={"age": "key"})
    >>> shown_domain(coarse, ["age"]).column("age").to_pylist()
    [26.0, 24.0, None]
    """
    for name in names:
        explain = _of_text if pa.types.is_string(data.column(name).type) else _of_others
        data = data.with_column(*explain(data.attribute(name), data.column(name)))
    return data


def _of_text(attribute: Attribute, column: pa.Array) -> tuple[Attribute, pa.Array]:
    codes, values = distinct(column)
    words = [None if _says_nothing(word) else word for word in values.to_pylist()]
    tree = attribute.hierarchy if isinstance(attribute.hierarchy, Tree) else None
    if tree is None:
        plain = replace(attribute, order=None, hierarchy=None)
        for kind, read in ((Kind.CONTINUOUS, _numbers), (Kind.DATE, _days)):
            if (found := read(words)) is not None:
                return _of_others(replace(plain, kind=kind), found.take(pa.array(codes)))
        tree = _flat(words, attribute)
    leaves = pa.array(_leaves(words, tree), pa.string()).take(pa.array(codes))
    return replace(attribute, order=None, hierarchy=tree), leaves


def _of_others(attribute: Attribute, column: pa.Array) -> tuple[Attribute, pa.Array]:
    """Return an attribute of values that are what they say, with what lies beyond them."""
    if isinstance(attribute.hierarchy, Tree):
        return attribute, column
    if attribute.kind is Kind.CONTINUOUS:
        tree = _around(np.asarray(column.cast(pa.float64(), safe=False).drop_null()))
    elif pa.types.is_temporal(column.type):
        tree = _around_days(column)
    else:
        tree = _flat(as_text(column).unique().to_pylist(), attribute)
    return replace(attribute, order=None, hierarchy=tree), column


def _around(numbers: Floats) -> Tree | None:
    """Return a tree of a number below all of some and one above; both are whole."""
    finite = numbers[np.isfinite(numbers)]
    if not len(finite):
        return None
    low, high = float(finite.min()), float(finite.max())
    ends = (
        min(np.floor(low) - 1, np.nextafter(low, -inf)),
        max(np.ceil(high) + 1, np.nextafter(high, inf)),
    )
    return Tree(tuple((repr(float(end)), ANYTHING) for end in ends))


def _around_days(column: pa.Array) -> Tree | None:
    """Return a tree of the day before all of some and the day after."""
    ends = [end for end in pc.min_max(column.cast(pa.date32(), safe=False)).as_py().values() if end]
    try:
        days = [ends[0] - timedelta(days=1), ends[1] + timedelta(days=1)] if ends else []
    except OverflowError:  # there is no day beyond
        return None
    return Tree(tuple((day.isoformat(), ANYTHING) for day in days)) if days else None


def _says_nothing(word: str | None) -> bool:
    return word is None or re.fullmatch(STARS, word) is not None


def _numbers(words: Sequence[str | None]) -> pa.Array | None:
    """Return an end of every range; None if not every word is a range of numbers."""
    said = [word for word in words if word is not None]
    codes = {len(word) for word in said if CODE.fullmatch(word)}
    if len(codes) > 1 and any(re.match("0[0-9]", word) for word in said):
        return None  # 07 is not 7 where codes have different lengths
    found = [None if word is None else _number(word) for word in words]
    if any(number is None for number, word in zip(found, words, strict=True) if word is not None):
        return None
    return pa.array(found, pa.float64()) if said else None


def _number(word: str) -> float | None:
    if re.fullmatch(NUMBER, word):
        safe = len(word) <= SAFE_DIGITS or repr(float(word)) == word
        return float(word) if safe else None
    span = interval(word.strip())
    return None if span is None else _within(span)


def _within(span: Span) -> float:
    """Return an end of a range; if one is no whole number that one, so that it shows."""
    ends = [end for end in span[:2] if np.isfinite(end)]
    return next((end for end in ends if end != int(end)), ends[0])


def _days(words: Sequence[str | None]) -> pa.Array | None:
    """Return the days; None if a word is neither a day nor a unit of the calendar."""
    read = calendar(DAY)
    if not any(words) or any(word and read(word.strip()) is None for word in words):
        return None
    days = [date.fromisoformat(w) if w and re.fullmatch(ISO_DATE, w) else None for w in words]
    return pa.array(days, pa.date32())


def _members(word: str) -> list[str]:
    """Return the categories that a word lists; itself if it lists none.

    >>> _members("{a, b}"), _members("a"), _members("[a;c]")
    (['a', 'b'], ['a'], ['[a;c]'])
    """
    listed = None if RUN.fullmatch(word) else LISTED.fullmatch(word)
    members = re.split(r"\s*[,;|]\s*", listed[1].strip()) if listed else [word]
    return members if all(members) else [word]


def _flat(words: Sequence[str | None], attribute: Attribute) -> Tree:
    """Return the tree of all categories below one root; one more where nobody said which."""
    leaves = {leaf for word in words if word for leaf in _members(word) if leaf.strip()}
    leaves |= {str(category) for category in attribute.order or (UNSHOWN,)}
    return Tree(tuple((leaf, ANYTHING) for leaf in sorted(leaves)))


def _leaves(words: Sequence[str | None], tree: Tree) -> list[str | None]:
    """Return the words that stand for nothing but themselves, as those do that nobody explains."""
    labels = {label for path in tree.paths for label in path}
    above = labels - set(tree.level(0))
    return [None if word in above or (word and _lists(word, labels)) else word for word in words]


def _lists(word: str, known: Set[str]) -> bool:
    """Tell whether a word is a list of known ones."""
    members = _members(word)
    return members != [word] and all(member in known for member in members)
