"""Distances between what an intruder knows of respondents and what was released of them.

Every attribute is one of three things. *Ranges*: the intruder knows a number (a day, a place in an
order) and the release says a number or a range of them. *Paths*: the intruder knows a category and
the release says a category or a more general one. *Tables*: sets, compared by Jaccard's distance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.arithmetic import eigh, product
from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints, comparable
from tacita.data.dataset import Dataset
from tacita.data.hierarchies.prefix import Prefix
from tacita.data.hierarchies.tree import Tree
from tacita.microdata.comparing.coverage import coverage, distinct, reader, tree_over
from tacita.microdata.comparing.intervals import DAY, calendar, interval
from tacita.microdata.comparing.nearness import recoded_alike, spread_of
from tacita.microdata.comparing.representation import common_codes

Range = tuple[float, float]
ANYTHING: Range = (-inf, inf)
MICROSECONDS = 86_400_000_000.0  # of a day
MOST_CELLS = 2**24  # of a table of sets; above, sets are equal or not
TINY = 1e-300  # below every sum of weights: guards a division by zero
SINGULAR = 1e-12  # of the largest variance: what is smaller is rounding
BELOW = -2  # the code of a label below its own level: no value has it


@dataclass(frozen=True, eq=False)
class Ranges:
    """An attribute whose values lie on a line.

    Args:
        name: the attribute.
        known: the intruder's values; NaN where she knows none.
        low: where the released range begins; -inf (and `high` inf) where nothing was released.
        high: where it ends.
        length: by which differences may be divided: the number of steps in an order, or None.
    """

    name: str
    known: Floats
    low: Floats
    high: Floats
    length: float | None = None

    @property
    def is_exact(self) -> bool:
        """Whether numbers were released, no ranges and no places in an order."""
        blank = np.isinf(self.low) & np.isinf(self.high)
        return self.length is None and bool((blank | (self.low == self.high)).all())

    @property
    def released(self) -> Floats:
        """The middle of the released ranges inside what is known; NaN where nothing was said."""
        ends = self.known[~np.isnan(self.known)]
        blank = np.isinf(self.low) & np.isinf(self.high)
        limits = (ends.min(), ends.max()) if len(ends) else (0.0, 0.0)
        low, high = (np.clip(end, *limits) for end in (self.low, self.high))
        middle = np.where(self.low == self.high, self.low, low / 2 + high / 2)
        return np.where(blank, np.nan, middle)


@dataclass(frozen=True, eq=False)
class Paths:
    """An attribute whose values are leaves of a tree.

    Args:
        name: the attribute.
        known: the leaf of every record, -1 where the intruder knows none.
        released: the released label of every record, -1 for a blank.
        ancestors: for each leaf the number of its ancestor at each level below the root.
        labels: for each label the numbers of itself and its ancestors; -2 below its own level.
        levels: the level of each label.
    """

    name: str
    known: Ints
    released: Ints
    ancestors: Ints
    labels: Ints
    levels: Ints


@dataclass(frozen=True, eq=False)
class Sets:
    """An attribute whose values are sets.

    Args:
        name: the attribute.
        known: the number of every record's set, the last column of the table for a blank.
        released: the same, the last row for a blank.
        table: the distance of released to known sets.
    """

    name: str
    known: Ints
    released: Ints
    table: Floats


Part = Ranges | Paths | Sets


def of_originals(part: Part, rows: Ints) -> Part:
    """Return an attribute of which the intruder knows only the values of some originals."""
    known: Any = part.known[rows]
    return replace(part, known=known)


def whitened(parts: Sequence[Part], weights: Floats | None) -> list[Part]:
    """Turn attributes of exact numbers into ones of variance 1 without correlations.

    Euclidean distances between them are then Mahalanobis distances between the numbers. A blank is
    the mean; combinations without variance tell nobody apart and become 0. Units do not matter:
    every attribute is divided by its standard deviation first.
    """
    exact = [part for part in parts if isinstance(part, Ranges) and part.is_exact]
    if not exact or not len(exact[0].known):
        return list(parts)
    units = np.array([spread_of(part.known, weights) or 1.0 for part in exact])
    known = np.column_stack([part.known for part in exact]) / units
    counts = np.where(np.isnan(known), 0.0, 1.0 if weights is None else weights[:, None])
    means = np.nansum(known * counts, axis=0) / np.maximum(counts.sum(axis=0), TINY)
    centred = np.where(np.isnan(known), 0.0, known - means)
    asked = np.column_stack([part.released for part in exact]) / units - means
    weight = np.ones(len(known)) if weights is None else weights
    covariance = product((centred * weight[:, None]).T, centred) / max(weight.sum(), TINY)
    variances, axes = eigh(covariance)
    kept = variances > variances.max(initial=0) * SINGULAR
    turn = axes * np.where(kept, 1 / np.sqrt(np.where(kept, variances, 1.0)), 0.0)
    left, right = (product(one, turn) for one in (centred, np.where(np.isnan(asked), 0.0, asked)))
    axes_of = [
        Ranges(f"axis {j + 1}", left[:, j], right[:, j], right[:, j], 1.0)
        for j in range(left.shape[1])
    ]
    return [*axes_of, *(part for part in parts if part not in exact)]


def parts_of(
    original: Dataset, protected: Dataset, own: Ints | None, rows: Ints, names: Sequence[str]
) -> list[Part]:
    """Bring attributes to what distances are made of; those that were not released are left out.

    Args:
        original: what the intruder knows.
        protected: what was released.
        own: for each released record, the original record it comes from; None where nobody knows
            it, so that labels tell only what they say themselves.
        rows: the released records that are linked.
        names: the attributes.
    """
    held = [name for name in names if name in protected.attributes]
    return [_part(_Pair(original, protected, own, rows, name)) for name in held]


# -- one attribute --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Pair:
    """One attribute of both files."""

    original: Dataset
    protected: Dataset
    own: Ints | None
    rows: Ints
    name: str

    @property
    def kinds(self) -> tuple[Kind, Kind]:
        return self.original.attribute(self.name).kind, self.protected.attribute(self.name).kind

    @property
    def known(self) -> pa.Array:
        return self.original.column(self.name)

    @property
    def released(self) -> pa.Array:
        return self.protected.column(self.name).take(pa.array(self.rows))


def _part(pair: _Pair) -> Part:
    if pair.kinds == (Kind.CONTINUOUS, Kind.CONTINUOUS):
        numbers = pair.protected.numbers(pair.name)[pair.rows]
        return _points(pair.name, pair.original.numbers(pair.name), numbers)
    if pa.types.is_temporal(pair.known.type) and pair.known.type == pair.released.type:
        return _points(pair.name, _days(pair.known), _days(pair.released))
    if pair.kinds[0] is Kind.CONTINUOUS or pa.types.is_temporal(pair.known.type):
        return _covered(pair)
    if pair.kinds[0] is Kind.ORDINAL:
        return _places(pair)
    if pa.types.is_list(pair.known.type) and pa.types.is_list(pair.released.type):
        return _sets(pair)
    return _paths(pair)


def _points(name: str, known: Floats, released: Floats) -> Ranges:
    blank = np.isnan(released)
    low, high = np.where(blank, -inf, released), np.where(blank, inf, released)
    return Ranges(name, known, low, high)


def _days(column: pa.Array) -> Floats:
    moments = column.cast(pa.timestamp("us"), safe=False).cast(pa.int64()).cast(pa.float64())
    return np.asarray(moments.to_numpy(zero_copy_only=False)) / MICROSECONDS


def _covered(pair: _Pair) -> Part:
    """Read released labels as the ranges of numbers or days that they may stand for."""
    if pair.own is None:
        return _read(pair)
    found = coverage(pair.original, pair.protected, pair.name)
    if not found.is_number:
        return _flat(pair)
    # An end that does not belong to its interval must lie outside: it may be somebody's value.
    start, stop = np.full(len(found.lower), inf), np.full(len(found.lower), -inf)
    np.minimum.at(start, found.value, found.start)
    np.maximum.at(stop, found.value, found.stop)
    low = np.maximum(found.lower, start)
    high = np.maximum(np.minimum(found.upper, np.nextafter(stop, -inf)), low)
    nothing_said = (low <= found.limits[0]) & (high >= found.limits[1])
    low, high = np.where(nothing_said, -inf, low), np.where(nothing_said, inf, high)
    place = found.of_record[pair.rows]
    if not pa.types.is_temporal(pair.known.type):
        return Ranges(pair.name, pair.original.numbers(pair.name), low[place], high[place])
    unit = 1.0 if pa.types.is_date(pair.known.type) else MICROSECONDS
    return Ranges(pair.name, _days(pair.known), low[place] / unit, high[place] / unit)


def _read(pair: _Pair) -> Part:
    """Read released labels as the ranges of numbers or days that they say themselves."""
    read = reader(pair.original.attribute(pair.name), pair.known, pair.released)
    if read is None:
        return _flat(pair)
    is_date = pa.types.is_temporal(pair.known.type)
    unit = DAY if pa.types.is_date(pair.known.type) else 1
    parse = calendar(unit) if is_date else interval
    of_record, words = distinct(pair.released)
    exact = read(words)
    ends = np.column_stack([exact, exact])
    for place in np.flatnonzero(np.isnan(exact)):
        word = words[int(place)].as_py()
        span = parse(word) if isinstance(word, str) else None
        ends[place] = ANYTHING if span is None else (span.low, span.high)
    return Ranges(pair.name, read(pair.known), ends[of_record, 0], ends[of_record, 1])


def _places(pair: _Pair) -> Ranges:
    """Put ordered categories at their places; a more general label is the range of its leaves."""
    attribute = pair.original.attribute(pair.name)
    order = attribute.order or tuple(sorted(pc.unique(pair.known).drop_null().to_pylist()))
    words = pa.array([str(value) for value in order], pa.string())
    known = pc.index_in(pair.known.cast(pa.string()), words).cast(pa.float64())
    numbers = np.asarray(known.to_numpy(zero_copy_only=False))
    ranges = _ranges_of_labels(attribute.hierarchy, words.to_pylist())
    labels = pair.protected.column(pair.name).cast(pa.string())
    if pair.own is not None:
        ranges = _ranges_that_became(labels, numbers[pair.own]) | ranges
    encoded = pc.dictionary_encode(labels.take(pa.array(pair.rows)))
    ends = np.array([ranges.get(label, ANYTHING) for label in encoded.dictionary.to_pylist()])
    ends = np.vstack([ends.reshape(-1, 2), ANYTHING])
    place = np.asarray(encoded.indices.fill_null(len(ends) - 1))
    steps = float(max(len(order) - 1, 1))
    return Ranges(pair.name, numbers, ends[place, 0], ends[place, 1], steps)


def _ranges_of_labels(hierarchy: object, order: Sequence[str]) -> dict[str, Range]:
    """Return the places of every category, and from where to where each label of a tree reaches."""
    place = {word: float(number) for number, word in enumerate(order)}
    ranges: dict[str, Range] = {}
    for path in hierarchy.paths if isinstance(hierarchy, Tree) else ():
        for label in path if path[0] in place else ():
            low, high = ranges.get(label, (inf, -inf))
            ranges[label] = (min(low, place[path[0]]), max(high, place[path[0]]))
    return ranges | {word: (number, number) for word, number in place.items()}


def _ranges_that_became(labels: pa.Array, own: Floats) -> dict[str, Range]:
    """Return from where to where the original values reach that became each label."""
    table = pa.table({"label": labels, "own": pa.array(own, from_pandas=True)}).drop_null()
    ends = table.group_by("label").aggregate([("own", "min"), ("own", "max")]).to_pylist()
    return {row["label"]: (row["own_min"], row["own_max"]) for row in ends}


def _paths(pair: _Pair) -> Paths:
    """Give the nodes of a hierarchy numbers; without one, values are equal or not."""
    tree = tree_over(pair.original.attribute(pair.name), pair.known) or _tree_of_masks(pair)
    if tree is None or pa.types.is_list(pair.known.type):
        return _flat(pair)
    known, released = (
        pc.dictionary_encode(column.cast(pa.string())) for column in (pair.known, pair.released)
    )
    found = _ancestors(tree, known.dictionary.to_pylist(), released.dictionary.to_pylist())
    if found is None:
        return _flat(pair)
    ours, theirs = (
        np.asarray(side.indices.fill_null(-1)).astype(np.int64) for side in (known, released)
    )
    return Paths(pair.name, ours, theirs, *found)


def _tree_of_masks(pair: _Pair) -> Tree | None:
    """Return the tree of codes released with different numbers of stars; None if they are not."""
    if not pa.types.is_string(pair.known.type) or not pa.types.is_string(pair.released.type):
        return None
    stars = pc.count_substring(pc.unique(pair.protected.column(pair.name)), "*").drop_null()
    length = pc.max(pc.utf8_length(pc.unique(pair.known))).as_py()
    if len(pc.unique(stars)) < 2 or not length:  # noqa: PLR2004 - the flat comparison takes one
        return None
    coded = replace(pair.original.attribute(pair.name), hierarchy=Prefix(length))
    return tree_over(coded, pair.known)


def _ancestors(tree: Tree, leaves: list[str], labels: list[str]) -> tuple[Ints, Ints, Ints] | None:
    """Give ancestors of leaves and labels numbers; None if the tree does not know one of them."""
    nodes: dict[str, tuple[int, Any]] = {}
    for level in range(tree.height + 1):
        for path in tree.paths:
            nodes.setdefault(path[level], (level, path))
    if any(word not in nodes for word in (*leaves, *labels)):
        return None
    number = {label: place for place, label in enumerate(nodes)}
    codes = [
        [
            [number[path[at]] if at >= level else BELOW for at in range(tree.height)]
            for level, path in (nodes[word] for word in words)
        ]
        for words in (leaves, labels)
    ]
    ancestors, above = (np.array(part, np.int64).reshape(-1, tree.height) for part in codes)
    return ancestors, above, np.array([nodes[label][0] for label in labels], np.int64)


def _flat(pair: _Pair) -> Paths:
    """Compare values as equal or not, after the intruder's were recoded as the release was."""
    if pair.own is None:
        ours, theirs = common_codes(pair.known, pair.released)
        theirs = np.where(np.isin(theirs, ours), theirs, -1)  # what nobody has tells nothing
    else:
        (known,) = recoded_alike([pair.original], pair.original, pair.protected, [pair.name])
        ours, theirs = common_codes(known.column(pair.name), pair.released)
    codes = np.arange(max(ours.max(initial=-1), theirs.max(initial=-1)) + 1)
    nodes = codes[:, None]
    return Paths(pair.name, ours, theirs, nodes, nodes, np.zeros(len(codes), np.int64))


def _sets(pair: _Pair) -> Part:
    """Compare sets by a table of all pairs of distinct ones; too many are equal or not."""
    from tacita.kernels.grouping import factorize

    (ours, first), (theirs, second) = (
        factorize(*comparable(column)) for column in (pair.known, pair.released)
    )
    if (len(first) + 1) * (len(second) + 1) > MOST_CELLS:
        return _flat(pair)
    known, released = (
        [set(map(str, row)) for row in column.take(pa.array(rows)).to_pylist()]
        for column, rows in ((pair.known, first), (pair.released, second))
    )
    table = np.zeros((len(second) + 1, len(first) + 1))
    table[:-1, -1] = 1.0
    table[:-1, :-1] = jaccard(released, known)
    ours, theirs = (np.where(c < 0, c.max(initial=-1) + 1, c) for c in (ours, theirs))
    return Sets(pair.name, ours, theirs, table)


def jaccard(ones: Sequence[set[str]], others: Sequence[set[str]]) -> Floats:
    """Return 1 - |intersection| / |union| of all pairs of sets; two empty sets are equal.

    >>> jaccard([{"a", "b"}], [{"a"}, set()])
    array([[0.5, 1. ]])
    """
    members = {member: place for place, member in enumerate(sorted(set().union(*ones, *others)))}
    left, right = (_indicators(sets, members) for sets in (ones, others))
    shared = left @ right.T
    union = left.sum(axis=1)[:, None] + right.sum(axis=1)[None, :] - shared
    return np.asarray(np.where(union > 0, 1 - shared / np.maximum(union, 1), 0.0))


def _indicators(sets: Sequence[set[str]], members: Mapping[str, int]) -> Floats:
    held = np.zeros((len(sets), len(members)))
    for row, held_by in enumerate(sets):
        held[row, [members[member] for member in held_by]] = 1
    return held
