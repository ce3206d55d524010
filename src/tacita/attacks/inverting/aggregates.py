"""Microaggregated files: what was grouped together, near which groups values lie, and bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.microdata.risk.linking.distances import Ranges
from tacita.microdata.risk.linking.nearest_records import Metric, Search

NEAREST = 10  # groups of several attributes that a record may belong to
SOFT = 0.02  # of the farthest of these: how far a record may lie off without being less likely
POWER = 4  # with which the likelihood of a group falls with its distance
SLACK = 1e-9  # of the size of a number: what is nearer was only lost by computing


@dataclass(frozen=True, eq=False)
class Block:
    """Attributes that were microaggregated together.

    Args:
        places: those of them that the intruder knows, by their places among all attributes.
        is_alone: whether the block is of one attribute, whose groups then are runs of its values.
    """

    places: tuple[int, ...]
    is_alone: bool


def smallest_class(columns: Sequence[Floats]) -> int:
    """Return how many of the records without a blank share the rarest combination; 0 of none.

    >>> smallest_class([np.array([1.0, 1.0, 1.0, 2.0, 2.0, np.nan])])
    2
    """
    from tacita.kernels.grouping import group

    there = ~np.isnan(np.array(columns)).any(axis=0)
    counts = group([_bits(column[there]) for column in columns]).counts
    return int(counts.min(initial=np.iinfo(np.int64).max)) if len(counts) else 0


def smallest_group(released: Sequence[Floats]) -> int:
    """Return the size of the smallest group of equal values; 2 where no attribute has groups."""
    sizes = [smallest_class([column]) for column in released]
    return min((size for size in sizes if size > 1), default=2)


def blocks_of(released: Sequence[Floats], k: int, known: int) -> list[Block]:
    """Find which attributes were grouped together: those that have groups of k in common.

    A constant one has them with every other, and stays alone.

    Args:
        released: the released values of every attribute.
        k: the smallest size of a group.
        known: how many of the attributes, the first ones, the intruder knows.
    """
    known_values = (column[~np.isnan(column)] for column in released)
    varying = [place for place, values in enumerate(known_values) if len(np.unique(values)) > 1]
    together = [[place] for place in range(known) if place not in varying]
    constant = len(together)
    for place in varying:
        for block in together[constant:]:
            if smallest_class([released[other] for other in (place, *block)]) >= k:
                block.append(place)
                break
        else:
            together.append([place])
    return [
        Block(tuple(place for place in block if place < known), len(block) == 1)
        for block in together
        if block[0] < known
    ]


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of a block, and in which of them every respondent may be.

    Args:
        count: the number of groups.
        of_record: the group of every released record; -1 where all is blank.
        near: respondents by places: the groups that a respondent may be in; -1 for none.
        chances: how likely each of these is.
    """

    count: int
    of_record: Ints
    near: Ints
    chances: Floats


def groups_of(block: Block, parts: Sequence[Ranges], scales: Floats) -> Groups:
    """Find the groups of a block, and those that respondents may be in."""
    chosen = [parts[place] for place in block.places]
    find = _runs if block.is_alone else _clusters
    return find(chosen, scales[list(block.places)])


def _runs(parts: Sequence[Ranges], scales: Floats) -> Groups:
    """Take the groups of one attribute: a value is between their averages, or equals one."""
    released, known = parts[0].released, parts[0].known
    averages = np.unique(released[~np.isnan(released)])
    count = len(averages)
    below = np.searchsorted(averages, known, "left") - 1
    above = np.searchsorted(averages, known, "right")
    near = np.column_stack([below, np.where(above - below > 1, below + 1, -1), above])
    near[(near >= count) | np.isnan(known)[:, None]] = -1
    with np.errstate(over="ignore"):  # what lies farther apart than a double tells is far
        away = np.abs(known[:, None] - np.append(averages, np.nan)[near]) / scales
    of_record = np.where(np.isnan(released), -1, np.searchsorted(averages, released))
    return Groups(count, of_record, near, _chances(np.where(near < 0, inf, away)))


def _clusters(parts: Sequence[Ranges], scales: Floats) -> Groups:
    """Take groups of several attributes: a respondent is in one of the nearest."""
    from tacita.kernels.grouping import group

    columns = [part.released for part in parts]
    there = [~np.isnan(column) for column in columns]
    found = group([_bits(np.nan_to_num(column)) for column in columns], there)
    centres = [
        Ranges(
            part.name,
            column[found.first],
            np.where(np.isnan(part.known), -inf, part.known),
            np.where(np.isnan(part.known), inf, part.known),
        )
        for part, column in zip(parts, columns, strict=True)
    ]
    metric = Metric(2, dict(zip([part.name for part in parts], scales, strict=True)), {})
    search = Search.of(centres, metric, np.zeros(len(parts[0].known), np.int64))
    places, sums = search.nearest(min(NEAREST, len(found.first)))
    near = np.where(places < 0, -1, search.members[search.starts[places]])[search.question]
    away = metric.distance(sums)[search.question]
    of_record = np.where(np.any(there, axis=0), found.ids, -1)
    return Groups(len(found.first), of_record, near, _chances(away))


def _chances(away: Floats) -> Floats:
    """Return how likely respondents are to be in groups at some distances, none of them at inf."""
    near = np.isfinite(away)
    farthest = np.max(away, axis=1, initial=0.0, where=near, keepdims=True)
    softened = np.where(near, away, 0.0) + np.where(farthest > 0, SOFT * farthest, 1.0)
    closest = np.min(softened, axis=1, initial=inf, where=near, keepdims=True)
    weights = np.where(near, closest / softened, 0.0) ** POWER
    return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), SLACK))


def bounds_of(released: Floats) -> tuple[Floats, Floats]:
    """Return between what the true values lie behind averages of runs of them; NaN for a blank.

    A run does not reach beyond the averages of its neighbours: l <= x <= u. And as the n values of
    a run add up to n times their average m, x <= n m - (n - 1) l and x >= n m - (n - 1) u. Nothing
    bounds the first run from below and the last one from above but that.

    >>> low, high = bounds_of(np.array([1.0, 1.0, 4.0, 4.0, 6.0, 6.0]))
    >>> low.round(6).tolist()
    [-2.0, -2.0, 2.0, 2.0, 4.0, 4.0]
    >>> high.round(6).tolist()
    [4.0, 4.0, 6.0, 6.0, 8.0, 8.0]
    """
    averages, place, counts = np.unique(released, return_inverse=True, return_counts=True)
    padded = np.concatenate([[-inf], averages[~np.isnan(averages)], [inf]])
    size = len(padded) - 2
    lower, upper, middle, others = padded[:size], padded[2:], averages[:size], counts[:size] - 1
    with np.errstate(invalid="ignore", over="ignore"):  # 0 times infinity, of a run of one value
        ends = np.fmax(lower, middle - others * (upper - middle))
        far_ends = np.fmin(upper, middle + others * (middle - lower))
    slack = SLACK * np.maximum(np.abs(middle), 1.0)
    low, high = np.append(ends - slack, np.nan), np.append(far_ends + slack, np.nan)
    at = np.where(np.isnan(released), size, np.minimum(place, size))
    return low[at], high[at]


def _bits(numbers: Floats) -> Ints:
    """Return integers that are equal just where the numbers are; the two zeros are one."""
    return np.ascontiguousarray(numbers + 0.0).view(np.int64)
