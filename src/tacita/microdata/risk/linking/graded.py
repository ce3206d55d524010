"""Graded comparison: how far a released value is from a known one, in levels chosen from the data.

A *scale* of an attribute grades pairs of values: by the distance of their ranks, by the distance of
the values themselves, by the steps up a hierarchy, by Jaccard's distance of sets, or as equal or
not. Numbers are graded on two scales, of which the linkage chooses. Every scale has a *measure*,
which says how much room a level has: the share of released values that lie at this level from a
known one, so that agreement on a rare value tells more, or the width of a ring of distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacita.arithmetic import log, power
from tacita.data.classes import Floats, Ints, Mask
from tacita.microdata.comparing.nearness import spread_of
from tacita.microdata.risk.linking.agreement import Agreement
from tacita.microdata.risk.linking.distances import BELOW, Part, Paths, Ranges, Sets

if TYPE_CHECKING:
    from tacita.kernels.graded import Runs

MOST_LEVELS = 48
MOST_VALUES = 2**17  # known values up to which the room of a level is counted for each of them
BASE = 2**15  # released values from which it is counted
LIMITS_OF_SETS = (0.0, 0.25, 0.5, 0.75, 0.999)
SLACK = 1e-12  # of ranks: rounding puts nobody on another level


@dataclass(frozen=True, eq=False)
class Scale:
    """One way to grade the pairs of values of an attribute.

    Args:
        name: what is graded.
        limits: the greatest distance of each level but the last.
        runs: for each released code, the runs of known codes of one level.
        log_measure: the logarithm of the room of each level; for each known code, or for all.
        room: for each released code and level, the mean over known records of 1 / measure there.
        frequency: the share of all pairs at each level.
        mean_measure: the mean measure of each level; 0 where no pair has it.
    """

    name: str
    limits: Floats
    runs: Runs
    log_measure: Floats
    room: Floats
    frequency: Floats
    mean_measure: Floats


@dataclass(frozen=True, eq=False)
class Graded:
    """An attribute in both files as codes, and the scales on which they are compared.

    Args:
        name: the attribute.
        known: the code of every known value; -1 for a blank.
        released: the code of every linked released value; -1 for a blank.
        size: more than the highest code of both.
        scales: at least one.
        numbers: what the codes of known and of released values stand for, in standard deviations
            of the known ones; None where they are no numbers, or where some are blank.
    """

    name: str
    known: Ints
    released: Ints
    size: int
    scales: Sequence[Scale]
    numbers: tuple[Floats, Floats] | None = None


def graded(part: Part, rows: Ints) -> Graded:
    """Grade an attribute of which all released values are given, for some released records."""
    if isinstance(part, Ranges):
        return _of_ranges(part, rows)
    if isinstance(part, Paths):
        return _of_paths(part, rows)
    return _of_sets(part, rows)


def graded_words(name: str, words: Agreement) -> Graded:
    """Grade texts that are equal, similar, or neither."""
    known, released = words.known, words.released
    starts, ends, levels = [0], [], []
    for code in range(words.size):
        spans = [
            (low, high, 1)
            for low, high in zip(
                words.lows[words.starts[code] : words.starts[code + 1]].tolist(),
                words.highs[words.starts[code] : words.starts[code + 1]].tolist(),
                strict=True,
            )
            if low != code
        ]
        at = 0
        for low, high, level in sorted([*spans, (code, code + 1, 0)]):
            ends += [low, high]
            levels += [2, level]
            at = high
        ends.append(max(words.size, at))
        levels.append(2)
        starts.append(len(ends))
    runs = _runs(np.array(starts), np.array(ends), np.array(levels))
    scale = _counted("similarity", np.array([0.0, 1.0]), runs, 3, _Counts.of(known, released))
    return Graded(name, known, released, words.size, [scale])


# -- numbers, days, places in an order ------------------------------------------------------------


def _of_ranges(part: Ranges, rows: Ints) -> Graded:
    values, known = _coded(part.known, ~np.isnan(part.known))
    blank = np.isinf(part.low) & np.isinf(part.high)
    ends, codes = np.unique(
        np.column_stack([part.low, part.high])[~blank], axis=0, return_inverse=True
    )
    released = np.full(len(blank), -1)
    released[~blank] = codes.ravel()
    counts = _Counts.of(known, released)
    # Released values that are not linked only say how common values are: some of them do.
    asked = np.unique(released[rows])
    asked = asked[asked >= 0]
    stretched = np.unique(np.linspace(0, max(len(ends) - 1, 0), BASE).astype(int))
    base = np.arange(len(ends)) if len(ends) <= BASE else np.union1d(asked, stretched)
    kept = np.full(len(ends) + 1, -1)
    kept[base] = np.arange(len(base))
    chosen = counts.among(base)
    lines = _Line(values, ends[base, 0], ends[base, 1])
    scales = [_by_ranks(lines, ends, counts, chosen)] if len(base) and len(values) else []
    if scales and part.length is None:
        scales.append(_by_values(part, lines, chosen))
    size = max(len(values), len(base), 1)
    numbers = None
    if part.is_exact and len(values) > 1 and not (blank.any() or (known < 0).any()):
        unit = spread_of(part.known, None) or 1.0
        numbers = (values / unit, ends[base, 0] / unit)
    return Graded(part.name, known, kept[released[rows]], size, scales or [_nothing(size)], numbers)


def _nothing(size: int) -> Scale:
    """Return the scale of an attribute that has no values on one side."""
    runs = _runs(np.arange(size + 1), np.full(size, size), np.zeros(size, np.int64))
    one = np.ones(1)
    return Scale("nothing", np.empty(0), runs, np.zeros((1, 1)), np.ones((size, 1)), one, one)


@dataclass(frozen=True, eq=False)
class _Counts:
    """How many known and released records have each code."""

    known: Ints
    released: Ints

    @classmethod
    def of(cls, known: Ints, released: Ints) -> _Counts:
        return cls(*(np.bincount(side[side >= 0]) for side in (known, released)))

    def among(self, codes: Ints) -> _Counts:
        return _Counts(self.known, self.released[codes])


@dataclass(frozen=True, eq=False)
class _Line:
    """The distinct known values, ascending, and the ends of released ranges."""

    values: Floats
    low: Floats
    high: Floats

    def around(self, at: Floats, low: Floats, high: Floats, limits: Floats) -> Runs:
        """Cut the known values into runs by their distance from ranges.

        Args:
            at: where each known value lies.
            low: where each range begins.
            high: where it ends.
            limits: the greatest distance of each level but the last; 0 for what lies inside.
        """
        begin = np.searchsorted(self.values, self.low, "left")
        behind = np.maximum(np.searchsorted(self.values, self.high, "right"), begin)
        nothing = begin == behind
        begin[nothing] = behind[nothing] = np.searchsorted(at, low[nothing], "left")
        # What lies inside is the nearest level, wherever the distances put it.
        below, above = [], []
        for limit in limits:
            if limit:
                found = np.searchsorted(at, low - limit - SLACK, "left")
                begin = np.minimum(found, begin)
                behind = np.maximum(np.searchsorted(at, high + limit + SLACK, "right"), behind)
            below.append(begin)
            above.append(behind)
        last = np.full(len(low), len(self.values))
        ends = np.column_stack([*below[::-1], *above, last])
        inward = np.arange(len(limits), 0, -1)
        levels = np.tile([*inward, *np.arange(len(limits) + 1)], len(low))
        starts = np.arange(len(low) + 1) * ends.shape[1]
        return _runs(starts, ends.ravel(), levels)


def _by_ranks(lines: _Line, ends: Floats, every: _Counts, counts: _Counts) -> Scale:
    """Grade by the difference of relative ranks, equal values apart.

    Released numbers have ranks among the released ones, ranges reach over ranks of known values.
    """
    at = _ranks(every.known, np.arange(len(every.known)))
    if (ends[:, 0] == ends[:, 1]).all():
        ranks = _ranks(every.released, np.arange(len(every.released)))
        low = high = ranks[np.searchsorted(ends[:, 0], lines.low)]
    else:
        begun = np.append(0, np.cumsum(every.known)) / every.known.sum()
        low = begun[np.searchsorted(lines.values, lines.low, "left")]
        high = begun[np.searchsorted(lines.values, lines.high, "right")]
        high = np.maximum(low, high)
    least = 0.5 / max(every.known.sum(), 1)
    levels = min(int(np.ceil(np.log2(1 / max(least, 1 / BASE)) * 4)), MOST_LEVELS)
    limits = np.append(0.0, power(2.0, -np.arange(1, levels + 1)[::-1] / 4))
    runs = lines.around(at, low, high, limits)
    return _counted("ranks", limits, runs, len(limits) + 1, counts)


def _by_values(part: Ranges, lines: _Line, counts: _Counts) -> Scale:
    """Grade by the difference of values in standard deviations; a level is as wide as its ring."""
    unit = spread_of(part.known, None) or 1.0
    at, low, high = (side / unit for side in (lines.values, lines.low, lines.high))
    top = max(float(at[-1] - low.min()), float(high.max() - at[0]), SLACK)
    least = min(max(_resolution(at, low, high, counts.released), SLACK), top / 4)
    # Powers of one number, so that attributes have limits in common.
    highest = int(np.floor(np.log2(top) * 4 - SLACK))
    lowest = max(int(np.floor(np.log2(least) * 4)), highest - MOST_LEVELS)
    limits = power(2.0, np.arange(lowest, highest + 1) / 4)
    widths = np.diff(np.concatenate([[0.0], limits, [top]]))
    runs = lines.around(at, low, high, limits)
    return _wide("values", limits, runs, widths, counts)


def _resolution(at: Floats, low: Floats, high: Floats, counts: Ints) -> float:
    """Return the median distance of a released range to the nearest known value outside it."""
    padded = np.concatenate([[-np.inf], at, [np.inf]])
    below = low - padded[np.searchsorted(at, low, "left")]
    above = padded[np.searchsorted(at, high, "right") + 1] - high
    order = np.argsort(np.minimum(below, above), kind="stable")
    middle = np.searchsorted(np.cumsum(counts[order]), counts.sum() / 2)
    found = np.minimum(below, above)[order[min(middle, len(order) - 1)]]
    return float(found) if np.isfinite(found) else 0.0


def _ranks(counts: Ints, codes: Ints) -> Floats:
    """Return the mean relative rank of each ascending code."""
    behind = np.cumsum(counts)
    return np.asarray((behind - counts / 2) / max(behind[-1], 1))[codes]


def _coded(values: Floats, there: Mask) -> tuple[Floats, Ints]:
    distinct, codes = np.unique(values[there], return_inverse=True)
    placed = np.full(len(values), -1)
    placed[there] = codes
    return distinct, placed


# -- categories and sets --------------------------------------------------------------------------


def _of_paths(part: Paths, rows: Ints) -> Graded:
    """Grade by the steps up from the released label to the first ancestor that both share."""
    # Leaves in the order of the tree: what shares an ancestor stands together.
    if np.array_equal(part.ancestors, part.labels):  # no tree: both sides have the same codes
        part = _by_frequency(part)
    order = np.lexsort(part.ancestors.T) if part.ancestors.size else np.empty(0, np.int64)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    known = np.append(place, -1)[part.known]
    height, leaves = part.ancestors.shape[1], part.ancestors[order]
    asked = np.arange(len(part.levels))
    begins, behinds = [], []
    for level in range(height):
        column = leaves[:, level]
        nodes, first = np.unique(column, return_index=True)
        last = len(column) - np.unique(column[::-1], return_index=True)[1]
        wanted = part.labels[:, level]
        index = np.minimum(np.searchsorted(nodes, wanted), max(len(nodes) - 1, 0))
        met = (nodes[index] == wanted) & (wanted != BELOW) if len(nodes) else asked < 0
        begins.append(np.where(met, first[index] if len(nodes) else 0, -1))
        behinds.append(np.where(met, last[index] if len(nodes) else 0, -1))
    runs = _nested(np.array(begins), np.array(behinds), part.levels, len(leaves))
    counts = _Counts.of(known, part.released)
    size = max(len(leaves), len(part.levels), 1)
    limits = np.arange(height, dtype=np.float64)
    scale = _counted("steps" if height > 1 else "agreement", limits, runs, height + 1, counts)
    return Graded(part.name, known, part.released[rows], size, [scale])


def _by_frequency(part: Paths) -> Paths:
    """Give values codes by how common they are, not by who comes first."""
    size = len(part.levels)
    counts = [np.bincount(side[side >= 0], minlength=size) for side in (part.known, part.released)]
    order = np.lexsort(counts)
    codes = np.append(np.argsort(order, kind="stable"), -1)
    return replace(part, known=codes[part.known], released=codes[part.released])


def _nested(begins: Ints, behinds: Ints, levels: Ints, leaves: int) -> Runs:
    """Cut leaves into runs: inside the label, inside its parent, and so on."""
    height, labels = begins.shape
    starts, ends, grades = [0], [], []
    for label in range(labels):
        inner: list[tuple[int, int, int]] = []
        for at in range(int(levels[label]), height):
            if begins[at, label] >= 0:
                low, high = int(begins[at, label]), int(behinds[at, label])
                step = at - int(levels[label])
                inner = (
                    [(low, inner[0][0], step), *inner, (inner[-1][1], high, step)]
                    if inner
                    else [(low, high, step)]
                )
        first, last = (inner[0][0], inner[-1][1]) if inner else (0, 0)
        covers = height if levels[label] < height else 0  # the root covers everything
        whole = [(0, first, covers), *inner, (last, leaves, covers)]
        ends += [end for _, end, _ in whole]
        grades += [grade for _, _, grade in whole]
        starts.append(len(ends))
    return _runs(np.array(starts), np.array(ends), np.array(grades))


def _of_sets(part: Sets, rows: Ints) -> Graded:
    """Grade by Jaccard's distance."""
    table = part.table[:-1, :-1]
    grades = np.searchsorted(np.array(LIMITS_OF_SETS), table - SLACK, "left")
    last = np.ones((len(grades), 1), np.bool_)
    changes = np.hstack([grades[:, 1:] != grades[:, :-1], last])
    row, column = np.nonzero(changes)
    starts = np.append(0, np.cumsum(np.bincount(row, minlength=len(grades))))
    runs = _runs(starts, column + 1, grades[row, column])
    blanks = (table.shape[1], table.shape[0])
    known, released = (
        np.where(codes == blank, -1, codes)
        for codes, blank in zip((part.known, part.released), blanks, strict=True)
    )
    limits = np.array(LIMITS_OF_SETS)
    scale = _counted("sets", limits, runs, len(limits) + 1, _Counts.of(known, released))
    return Graded(part.name, known, released[rows], max(*table.shape, 1), [scale])


# -- rooms of levels ------------------------------------------------------------------------------


def _runs(starts: Ints, ends: Ints, levels: Ints) -> Runs:
    from tacita.kernels.graded import Runs

    return Runs(starts.astype(np.int64), ends.astype(np.int32), levels.astype(np.int32))


def _begins(runs: Runs) -> Ints:
    begins = np.append(0, runs.ends[:-1]).astype(np.int64)
    begins[runs.starts[:-1][np.diff(runs.starts) > 0]] = 0
    return begins


def _shares(runs: Runs, levels: int, counts: _Counts) -> tuple[Floats, Floats]:
    """Return the share of known records in each run, and of all pairs at each level."""
    total = max(counts.known.sum(), 1)
    reached = np.append(0, np.cumsum(counts.known))
    size = len(counts.known)
    shares = (
        reached[np.minimum(runs.ends, size)] - reached[np.minimum(_begins(runs), size)]
    ) / total
    weights = _padded(counts.released, len(runs.starts) - 1) / max(counts.released.sum(), 1)
    of_run = np.repeat(weights, np.diff(runs.starts))
    return np.asarray(shares), np.bincount(runs.levels, shares * of_run, levels).astype(float)


def _padded(counts: Ints, size: int) -> Ints:
    return np.append(counts, np.zeros(max(size - len(counts), 0), np.int64))[:size]


def _by_code(runs: Runs, levels: int, of_run: Floats) -> Floats:
    code = np.repeat(np.arange(len(runs.starts) - 1), np.diff(runs.starts))
    cells = np.bincount(code * levels + runs.levels, of_run, (len(runs.starts) - 1) * levels)
    return np.asarray(cells.reshape(-1, levels), np.float64)


def _wide(name: str, limits: Floats, runs: Runs, widths: Floats, counts: _Counts) -> Scale:
    """Return a scale on which the room of a level is the same for all values."""
    shares, frequency = _shares(runs, len(widths), counts)
    room = _by_code(runs, len(widths), shares / widths[runs.levels])
    mean = np.where(frequency > 0, widths, 0.0)
    return Scale(name, limits, runs, log(widths)[:, None], room, frequency, mean)


def _counted(name: str, limits: Floats, runs: Runs, levels: int, counts: _Counts) -> Scale:
    """Return a scale on which the room of a level is the share of released values there."""
    _, frequency = _shares(runs, levels, counts)
    size, total = len(counts.known), max(counts.released.sum(), 1)
    if not size or not len(counts.released):
        return _nothing(max(size, len(runs.starts) - 1))
    if size > MOST_VALUES:
        return _wide(name, limits, runs, np.maximum(frequency, 0.5 / total), counts)
    weights = np.repeat(_padded(counts.released, len(runs.starts) - 1), np.diff(runs.starts))
    cells = levels * (size + 1)
    entered, left = (
        np.bincount(runs.levels * (size + 1) + np.minimum(edge, size), weights, cells)
        for edge in (_begins(runs), runs.ends)
    )
    inside = np.cumsum((entered - left).reshape(levels, size + 1), axis=1)[:, :size]
    # A level at which a known value has no released one is as rare as half a record.
    measure = np.maximum(inside, 0.5) / total
    reached = np.zeros((levels, size + 1))
    np.cumsum(counts.known / measure / max(counts.known.sum(), 1), axis=1, out=reached[:, 1:])
    ends, begins = np.minimum(runs.ends, size), np.minimum(_begins(runs), size)
    room = _by_code(runs, levels, reached[runs.levels, ends] - reached[runs.levels, begins])
    return Scale(name, limits, runs, log(measure), room, frequency, frequency)
