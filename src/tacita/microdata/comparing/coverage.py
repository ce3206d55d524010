"""Coverage: what the released values of an attribute may stand for.

`[20,30)` stands for ten ages, `937**` for a hundred postal codes, a blank for every value. Whoever
wants to know how many records fit a person, or how much a generalization lost, asks for this.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.data.hierarchies.prefix import Prefix
from tacita.data.hierarchies.tree import Tree
from tacita.data.pairing import paired_rows
from tacita.errors import HierarchyError
from tacita.microdata.comparing.intervals import (
    DAY,
    ISO_DATE,
    MASKED,
    NUMBER,
    Span,
    calendar,
    interval,
)
from tacita.microdata.comparing.representation import as_text

ANYTHING = "*"
STARS = r"\*+"  # a code of which no letter is left says as little
LAST = chr(sys.maxunicode)  # comes after every letter
EXACT = 2**53  # from here on, doubles skip whole numbers
RANGE_OF_CODES = r"^[0-9]+\*+$|^\[?[0-9]+\s*[-,;]\s*[0-9]+[\])]?$"
RANGE_OF_NUMBERS = r"^\[-?[0-9]+;-?[0-9]+\]$"
LISTED = re.compile(r"[\[{(](.*)[\])}]")
RUN = re.compile(r"\[([^;]+);([^;\s][^;]*)\]")


@dataclass(frozen=True, eq=False)
class Coverage:
    """What each released value of an attribute may stand for: runs on a line of its leaves.

    Numbers, dates and codes of digits lie on the line at their own value (dates at their day),
    categories at their place: ordinal ones in their order, those of a tree by their path from
    the root, others by their text. A value stands for one run `start <= x < stop` or for several.

    Args:
        is_number: whether the line is one of numbers, on which values lie that nobody has.
        leaf: where the leaves lie, ascending: those of the tree, and the original values.
        counts: how many original records have each leaf.
        known: where the value of every original record lies; NaN where it is blank.
        own: the same for the original record of every protected record.
        of_record: which of the distinct released values every protected record has.
        value: the released value that each run is of, ascending.
        start: where each run begins.
        stop: where each run has ended.
        lower: the least that each released value may stand for.
        upper: the greatest that each released value may stand for.
        limits: the least and the greatest value of the domain.
    """

    is_number: bool
    leaf: Floats
    counts: Ints
    known: Floats
    own: Floats
    of_record: Ints
    value: Ints
    start: Floats
    stop: Floats
    lower: Floats
    upper: Floats
    limits: tuple[float, float]

    @property
    def size(self) -> int:
        """The number of leaves in the domain."""
        return len(self.leaf)

    @cached_property
    def leaves(self) -> Floats:
        """How many leaves the released value of every record stands for; at least one."""
        return np.maximum(self._summed(np.ones(self.size, np.int64)), 1)[self.of_record]

    @cached_property
    def frequency(self) -> Floats:
        """How many original records have a leaf that the released value stands for."""
        return self._summed(self.counts)[self.of_record]

    @cached_property
    def holds(self) -> Mask:
        """Tell the records whose released value may stand for their original value."""
        record, run = self.runs_of(np.arange(len(self.own)))
        own = self.own[record]
        inside = (self.start[run] <= own) & (own < self.stop[run])
        return np.bincount(record[inside], minlength=len(self.own)) > 0

    def runs_of(self, records: Ints) -> tuple[Ints, Ints]:
        """Return every run of the released values of some records, and whose it is.

        Returns:
            the place of the record among those asked for, and the run, both for every run.
        """
        per_value = np.bincount(self.value, minlength=len(self.lower))
        values = self.of_record[records]
        times = per_value[values]
        whose = np.repeat(np.arange(len(records)), times)
        place = np.arange(len(whose)) - np.repeat(np.cumsum(times) - times, times)
        return whose, (np.cumsum(per_value) - per_value)[values[whose]] + place

    def _summed(self, amounts: Ints) -> Floats:
        """Add up what lies on the leaves of each released value."""
        before = np.append(0, np.cumsum(amounts))
        begin, end = (np.searchsorted(self.leaf, edges) for edges in (self.start, self.stop))
        inside = (before[end] - before[begin]).astype(np.float64)
        return np.bincount(self.value, inside, len(self.lower)).astype(np.float64)


def coverage(original: Dataset, protected: Dataset, name: str) -> Coverage:
    """Return what the released values of an attribute may stand for.

    Understood are exact values, labels of the original attribute's hierarchy, intervals (`[20,30)`,
    `20-30`, `<20`, `85+`), masked codes (`937**`), calendar units, lists (`{a, b}`), runs of
    categories in their order (`[a;c]`), and blanks or stars for every value. A label that nobody
    explains stands for the original values that became it.

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> coarse = data.apply(ta.Generalize("education", level=1), seed=0)
    >>> found = coverage(data, coarse, "education")
    >>> found.size, found.leaves[:3]
    (4, array([2., 2., 2.]))

    Raises:
        InputError: nobody knows which records belong together.
    """
    rows = paired_rows(original, protected)
    known, released = original.column(name), protected.column(name)
    if _tells_times(known) and pa.types.is_date(released.type):
        released = as_text(released)  # a day stands for all its hours, as a text that says so does
    read = reader(original.attribute(name), known, released)
    if read is None:
        return _of_categories(original.attribute(name), known, released, rows)
    return _of_numbers(original.attribute(name), read, known, released, rows)


def tree_over(attribute: Attribute, known: pa.Array) -> Tree | None:
    """Return the attribute's hierarchy as a tree; None if it has none that covers its values."""
    hierarchy = attribute.hierarchy
    if hierarchy is None or isinstance(hierarchy, Tree):
        return hierarchy
    try:
        return Tree.over(hierarchy, known) if len(known.drop_null()) else None
    except HierarchyError:
        return None


def distinct(column: pa.Array) -> tuple[Ints, pa.Array]:
    """Return which of the distinct values each record has, and those values; of sets as text."""
    plain = as_text(column) if pa.types.is_list(column.type) else column
    encoded = pc.dictionary_encode(plain, null_encoding="encode")
    return np.asarray(encoded.indices, np.int64), encoded.dictionary


def _runs(places: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and the last of every run of neighbouring places.

    >>> _runs([3, 1, 2, 7])
    [(1, 3), (7, 7)]
    """
    runs: list[tuple[int, int]] = []
    for place in sorted(places):
        if runs and place == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], place)
        else:
            runs.append((place, place))
    return runs


def _in_order(
    low: Floats, high: Floats, told: Mapping[int, Sequence[tuple[float, ...]]]
) -> tuple[Ints, Floats]:
    """Return the spans of values and ranges (NaN: neither) and of others, by the value's number.

    A span is a row: its low end, its high end, and for each whether it is left out.
    """
    points = np.flatnonzero(~np.isnan(low))
    rows = [np.column_stack([low[points], high[points], np.zeros((len(points), 2))])]
    rows += [np.array(spans, np.float64).reshape(len(spans), -1) for spans in told.values()]
    places = [points, *(np.full(len(spans), place) for place, spans in told.items())]
    value = np.concatenate(places).astype(np.int64)
    order = np.argsort(value, kind="stable")
    return value[order], np.concatenate(rows)[order]


# The leaves below every label of a tree, level by level: a label may stand on several.
Members = dict[str, list[set[int]]]


def _members(tree: Tree, places: Sequence[int]) -> Members:
    members: Members = {}
    for level in range(tree.height + 1):
        below: dict[str, set[int]] = {}
        for label, place in zip(tree.level(level), places, strict=True):
            below.setdefault(label, set()).add(place)
        for label, leaves in below.items():
            members.setdefault(label, []).append(leaves)
    return members


def _meant(levels: list[set[int]], became: set[int]) -> set[int]:
    """Return the leaves of a label at the lowest level that explains what became it."""
    return next((leaves for leaves in levels if became <= leaves), levels[-1])


def _learned(of_record: Ints, own: Ints, size: int, wanted: Mask) -> dict[int, set[int]]:
    """Return the leaves that became each of the released values that are asked for."""
    known = (own >= 0) & wanted[of_record]
    pairs = np.unique(of_record[known] * max(size, 1) + own[known])
    learned: dict[int, set[int]] = {}
    for pair in pairs.tolist():
        learned.setdefault(pair // size, set()).add(pair % size)
    return learned


# -- numbers and dates ---------------------------------------------------------------------------

# Turns a column into doubles; NaN where a value is blank or no number.
Reader = Callable[[pa.Array], Floats]


class _Line(NamedTuple):
    """Where the values of a numeric attribute lie."""

    leaf: Floats
    limits: tuple[float, float]
    is_whole: bool  # whether no value lies between two whole numbers
    labels: Members  # of the tree, with the places of their leaves


def reader(attribute: Attribute, known: pa.Array, released: pa.Array) -> Reader | None:
    """Return how the attribute's values become numbers; None where they are categories."""
    if pa.types.is_date(known.type):
        return lambda column: _moments(column, DAY)
    if _tells_times(known):
        return _times
    if pa.types.is_timestamp(known.type):
        return lambda column: _moments(column, 1)
    if attribute.kind is Kind.CONTINUOUS or _are_numbered(attribute, known, released):
        return _numbers if _fit_doubles(known) else None
    return _numbers if _are_codes(attribute, known, released) else None


def _are_numbered(attribute: Attribute, known: pa.Array, released: pa.Array) -> bool:
    """Tell whether values are whole numbers, in no other order, that are released as ranges."""
    if not pa.types.is_integer(known.type) or not pa.types.is_string(released.type):
        return False
    ranges = pc.match_substring_regex(pc.unique(released), RANGE_OF_NUMBERS)
    return bool(pc.any(ranges).as_py()) and ascends(attribute)


def ascends(attribute: Attribute) -> bool:
    """Tell whether an attribute whose values are numbers, or digits, has no order but theirs."""
    try:
        order = [int(category) for category in attribute.order or ()]
    except ValueError:
        return False
    return order == sorted(order)


def are_exact(attribute: Attribute, known: pa.Array, released: pa.Array) -> Mask:
    """Tell the released values that are single numbers or dates, and no labels of a tree."""
    read = reader(attribute, known, released)
    if read is None:
        return np.zeros(len(released), np.bool_)
    return ~np.isnan(read(released)) & ~_are_labels(released, _own_tree(attribute))


def _tells_times(column: pa.Array) -> bool:
    """Tell whether some values are not the beginning of a day."""
    if not pa.types.is_timestamp(column.type):
        return False
    ticks = _moments(column.unique(), 1)
    return bool((ticks[~np.isnan(ticks)] % DAY > 0).any())


def _times(column: pa.Array) -> Floats:
    """Return times in microseconds since 1970; a text at most says the day."""
    if pa.types.is_timestamp(column.type):
        return _moments(column, 1)
    return np.full(len(column), np.nan)


def _fit_doubles(column: pa.Array) -> bool:
    if not pa.types.is_integer(column.type):
        return True
    ends = pc.min_max(column).as_py()
    return all(end is None or abs(end) < EXACT for end in ends.values())


def _are_codes(attribute: Attribute, known: pa.Array, released: pa.Array) -> bool:
    """Tell whether values are codes, of as many digits each, that are released as ranges."""
    if not pa.types.is_string(known.type) or isinstance(attribute.hierarchy, Tree):
        return False
    codes = pc.unique(known).drop_null()
    if not are_digits(codes) or not ascends(attribute):
        return False
    ranges = pc.match_substring_regex(pc.unique(as_text(released)), RANGE_OF_CODES)
    return isinstance(attribute.hierarchy, Prefix) or bool(pc.any(ranges).as_py())


def are_digits(codes: pa.Array) -> bool:
    """Tell whether texts are all of as many digits.

    >>> are_digits(pa.array(["01", "27"])), are_digits(pa.array(["1", "27"]))
    (True, False)
    """
    digits = pc.all(pc.match_substring_regex(codes, "^[0-9]{1,15}$")).as_py()
    return bool(digits) and len(pc.unique(pc.utf8_length(codes))) == 1


def _numbers(column: pa.Array) -> Floats:
    if pa.types.is_string(column.type):
        column = _where(column, NUMBER)
    if pa.types.is_temporal(column.type) or pa.types.is_nested(column.type):
        return np.full(len(column), np.nan)
    numbers = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.where(np.isfinite(numbers), numbers, np.nan) + 0.0


def _moments(column: pa.Array, unit: int) -> Floats:
    """Return dates and times in microseconds since 1970 or, if the unit is a day, in days."""
    if pa.types.is_string(column.type):
        column = _where(column, ISO_DATE).cast(pa.date32())
    if not (pa.types.is_date(column.type) or pa.types.is_timestamp(column.type)):
        return np.full(len(column), np.nan)
    ticks = column.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
    there = np.asarray(ticks.is_valid())
    return np.where(there, np.asarray(ticks.fill_null(0)) // unit, np.nan)


def _where(column: pa.Array, pattern: str) -> pa.Array:
    """Blank the texts that are not of a pattern."""
    plain = pc.match_substring_regex(column, f"^(?:{pattern})$")
    return pc.if_else(plain, column, pa.scalar(None, column.type))


def _of_numbers(
    attribute: Attribute, read: Reader, known: pa.Array, released: pa.Array, rows: Ints
) -> Coverage:
    numbers = read(known)
    of_record, values = distinct(released)
    tree = _own_tree(attribute)
    exact = np.where(_are_labels(values, tree), np.nan, read(values))
    line = _line(tree, read, numbers, exact)
    unit = DAY if pa.types.is_date(known.type) else 1
    parse = calendar(unit) if pa.types.is_temporal(known.type) else interval
    own = numbers[rows]
    hulls = _hulls(of_record, own, len(values))
    became = _became(line, values, of_record, own)
    low, high = _read_ranges(values, line.labels) if parse is interval else (exact, exact)
    low, high = (np.where(np.isnan(exact), end, exact) for end in (low, high))
    told = {
        place: _explained(values[place].as_py(), line, became.get(place, set()), parse)
        or [hulls[place]]
        for place in np.flatnonzero(np.isnan(low)).tolist()
    }
    value, spans = _in_order(low, high, told)
    start, stop, lower, upper = _placed(spans, line)
    there = np.searchsorted(line.leaf, numbers[~np.isnan(numbers)])
    return Coverage(
        is_number=True,
        leaf=line.leaf,
        counts=np.bincount(there, minlength=len(line.leaf)),
        known=numbers,
        own=own,
        of_record=of_record,
        value=value,
        start=start,
        stop=stop,
        lower=_of_each(np.minimum, value, lower, len(values)),
        upper=_of_each(np.maximum, value, upper, len(values)),
        limits=line.limits,
    )


def _read_ranges(values: pa.Array, labels: Members) -> tuple[Floats, Floats]:
    """Return the ends of ranges `[low;high]`, of which there may be millions; NaN for others."""
    none = np.full(len(values), np.nan)
    if not pa.types.is_string(values.type):
        return none, none
    ends = pc.extract_regex(values, f"^\\[(?P<low>{NUMBER});(?P<high>{NUMBER})\\]$")
    low, high = (
        np.asarray(pc.struct_field(ends, end).cast(pa.float64()).fill_null(np.nan))
        for end in ("low", "high")
    )
    is_range = (low <= high) & ~np.asarray(pc.is_in(values, pa.array(list(labels), pa.string())))
    return np.where(is_range, low, np.nan), np.where(is_range, high, np.nan)


def _own_tree(attribute: Attribute) -> Tree | None:
    return attribute.hierarchy if isinstance(attribute.hierarchy, Tree) else None


def _are_labels(values: pa.Array, tree: Tree | None) -> Mask:
    """Tell the values that generalize others; a tree may have numbers for labels."""
    if tree is None or not pa.types.is_string(values.type):
        return np.zeros(len(values), np.bool_)
    labels = {label for path in tree.paths for label in path[1:]} - set(tree.level(0))
    return np.asarray(pc.is_in(values, pa.array(sorted(labels), pa.string())))


def _line(tree: Tree | None, read: Reader, numbers: Floats, exact: Floats) -> _Line:
    in_tree = read(pa.array(tree.level(0), pa.string())) if tree else np.zeros(0)
    leaf = np.unique(np.concatenate([numbers, in_tree]))
    leaf = leaf[~np.isnan(leaf)]
    ends = np.concatenate([leaf, exact[~np.isnan(exact)]])
    limits = (float(ends.min()), float(ends.max())) if len(ends) else (0.0, 0.0)
    labels = {}
    if tree and not np.isnan(in_tree).any():
        labels = _members(tree, np.searchsorted(leaf, in_tree).tolist())
    return _Line(leaf, limits, bool((ends == np.floor(ends)).all()), labels)


def _hulls(of_record: Ints, own: Floats, values: int) -> list[Span]:
    """Return from the least to the greatest original value that became each released value."""
    known = ~np.isnan(own)
    least = _of_each(np.minimum, of_record[known], own[known], values)
    greatest = _of_each(np.maximum, of_record[known], own[known], values)
    return [
        Span(low, high) if low <= high else Span()
        for low, high in zip(least.tolist(), greatest.tolist(), strict=True)
    ]


def _of_each(choose: np.ufunc, groups: Ints, numbers: Floats, size: int) -> Floats:
    """Return the least or the greatest number of every group; of an empty one an infinite one."""
    chosen = np.full(size, inf if choose is np.minimum else -inf)
    choose.at(chosen, groups, numbers)
    return chosen


def _became(line: _Line, values: pa.Array, of_record: Ints, own: Floats) -> dict[int, set[int]]:
    """Return the leaves that became each label of the tree."""
    if not line.labels:
        return {}
    places = np.where(np.isnan(own), -1, np.searchsorted(line.leaf, own))
    wanted = np.array([value in line.labels for value in values.to_pylist()], np.bool_)
    return _learned(of_record, places, len(line.leaf), wanted)


def _explained(
    word: object, line: _Line, became: set[int], parse: Callable[[str], Span | None]
) -> list[Span]:
    """Return what a released value that is not exact says itself."""
    if not isinstance(word, str) or re.fullmatch(STARS, word):
        return [Span()]
    if word in line.labels:
        leaves = _meant(line.labels[word], became)
        return [Span(line.leaf[a], line.leaf[b]) for a, b in _runs(leaves)]
    span = parse(word.strip())
    return [] if span is None else [span]


def _placed(spans: Floats, line: _Line) -> tuple[Floats, Floats, Floats, Floats]:
    """Return where spans start and stop, and their ends inside the domain.

    A span without an end reaches as far as the domain and all other spans.
    """
    low, high, without_low, without_high = spans.T
    if line.is_whole:
        low = np.where(without_low > 0, np.floor(low) + 1, np.ceil(low))
        high = np.maximum(np.where(without_high > 0, np.ceil(high) - 1, np.floor(high)), low)
        without_low = without_high = np.zeros(len(spans))
    ends = np.concatenate([low, high, line.limits])
    ends = ends[np.isfinite(ends)]
    first, last = np.clip(low, ends.min(), None), np.clip(high, None, ends.max())
    start = np.where(without_low > 0, np.nextafter(first, inf), first)
    beyond = last + 1 if line.is_whole else np.nextafter(last, inf)
    stop = np.where((without_high > 0) & (start < last), last, beyond)
    return start, stop, np.clip(low, *line.limits), np.clip(high, *line.limits)


# -- categories ----------------------------------------------------------------------------------


def _of_categories(
    attribute: Attribute, known: pa.Array, released: pa.Array, rows: Ints
) -> Coverage:
    words = as_text(known)
    leaves, members = leaves_in_order(attribute, known, words)
    codes = np.asarray(pc.index_in(words, leaves).fill_null(-1), np.int64)
    of_record, values = distinct(as_text(released))
    own = codes[rows]
    exact = _numbers(pc.index_in(values, leaves))
    learned = _learned(of_record, own, len(leaves), np.isnan(exact))
    domain = _Domain.of(leaves, members)
    told = {}
    for place in np.flatnonzero(np.isnan(exact)).tolist():
        became = learned.get(place, set())
        stands_for = _stands_for(values[place].as_py(), domain, became) or became
        runs = _runs(stands_for) or [(0, max(len(leaves) - 1, 0))]
        told[place] = [Span(*run) for run in runs]
    value, spans = _in_order(exact, exact, told)
    first, last = spans[:, 0], spans[:, 1]
    return Coverage(
        is_number=False,
        leaf=np.arange(len(leaves), dtype=np.float64),
        counts=np.bincount(codes[codes >= 0], minlength=len(leaves)),
        known=np.where(codes < 0, np.nan, codes),
        own=np.where(own < 0, np.nan, own),
        of_record=of_record,
        value=value,
        start=first,
        stop=last + 1,
        lower=_of_each(np.minimum, value, first, len(values)),
        upper=_of_each(np.maximum, value, last, len(values)),
        limits=(0.0, float(max(len(leaves) - 1, 0))),
    )


def leaves_in_order(
    attribute: Attribute, known: pa.Array, words: pa.Array
) -> tuple[pa.Array, Members]:
    """Return the leaves in their order, and which of them every label of the hierarchy has."""
    tree = tree_over(attribute, known)
    ordered = [str(category) for category in attribute.order or ()]
    if tree is not None:
        ordered += [path[0] for path in sorted(tree.paths, key=lambda path: path[::-1])]
    if not isinstance(attribute.hierarchy, Tree):
        held = set(words.unique().to_pylist())
        ordered = [leaf for leaf in ordered if leaf in held]
    others = sorted(set(words.unique().drop_null().to_pylist()) - set(ordered))
    places = {leaf: place for place, leaf in enumerate(dict.fromkeys([*ordered, *others]))}
    members = {} if tree is None else _members(tree, [places[path[0]] for path in tree.paths])
    return pa.array(places, pa.string()), members


class _Domain(NamedTuple):
    """The leaves of a categorical attribute, so that they are found quickly."""

    members: Members
    places: Mapping[str, int]
    in_order: list[str]

    @classmethod
    def of(cls, leaves: pa.Array, members: Members) -> _Domain:
        words = leaves.to_pylist()
        return cls(members, {word: place for place, word in enumerate(words)}, sorted(words))

    def beginning(self, start: str, length: int) -> set[int]:
        """Return the leaves of a length that begin with a text."""
        first, last = (bisect_left(self.in_order, start + end) for end in ("", LAST))
        words = self.in_order[first:last]
        return {self.places[word] for word in words if len(word) == length}

    def between(self, first: str, last: str) -> set[int] | None:
        """Return the leaves from one to another in their order; None if that is no run of them."""
        if not (first in self.places and last in self.places):
            return None
        return set(range(self.places[first], self.places[last] + 1)) or None

    def named(self, words: Sequence[str]) -> set[int] | None:
        """Return the leaves that a list of categories names; None if one of them is unknown."""
        if not all(word in self.places or word in self.members for word in words):
            return None
        found = ({self.places[w]} if w in self.places else self.members[w][0] for w in words)
        return set().union(*found)


def _stands_for(word: str | None, domain: _Domain, became: set[int]) -> set[int] | None:
    """Return the leaves that a released value names itself; None if it names none."""
    if word is None or re.fullmatch(STARS, word):
        return set(range(len(domain.places)))
    if word in domain.members:
        return _meant(domain.members[word], became)
    if found := MASKED.fullmatch(word):
        return domain.beginning(found[1], len(word))
    if (found := RUN.fullmatch(word)) and (run := domain.between(found[1], found[2])):
        return run
    if found := LISTED.fullmatch(word):
        return domain.named(re.split(r"\s*[,;|]\s*", found[1].strip()))
    return None
