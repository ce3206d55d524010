"""Decision: which pairs are links, by Fellegi and Sunter's rule, and who is linked to whom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import InputError
from tacita.microdata.risk.linking.comparison import Collapsed, Comparison, Patterns
from tacita.microdata.risk.linking.links import Links

SCALE = 2**20  # weights are whole multiples of 1/SCALE, so that sums and ties are exact
LOWEST = int(np.iinfo(np.int64).min)
MOST_PAIRS = 5_000_000  # that are assigned one to one

Assignment = Literal["likeliest", "best", "greedy", "optimal"]


@dataclass(frozen=True)
class Thresholds:
    """The weights from which on a pair is a link (t2) and up to which it is a non-link (t1).

    Scaled to whole numbers; None where no weight is high (or low) enough.
    """

    t1: int | None
    t2: int | None

    def sorted_out(self, weights: Ints) -> Ints:
        """Return 2 for a link, 0 for a non-link, 1 for a pair that a clerk has to look at."""
        decided = np.ones(len(weights), np.int64)
        if self.t1 is not None:
            decided[weights <= self.t1] = 0
        if self.t2 is not None:
            decided[weights >= self.t2] = 2
        return decided


def scaled(weight: float) -> int:
    """Return a weight as a whole number.

    >>> scaled(1.5)
    1572864
    """
    return round(weight * SCALE)


def optimal_thresholds(
    weights: Ints, matches: Floats, others: Floats, false_links: float, false_non_links: float
) -> Thresholds:
    """Return the thresholds that leave the least to the clerk at given numbers of errors.

    The pairs of highest weight are links as long as no more non-matches are expected among them
    than may be; those of lowest weight are non-links likewise (Fellegi & Sunter 1969, theorem 1,
    without randomizing between two patterns).

    >>> weights = np.array([-2, 0, 3])
    >>> optimal_thresholds(weights, np.array([0.0, 1, 9]), np.array([90.0, 9, 1]), 1, 0.5)
    Thresholds(t1=-2, t2=3)

    Args:
        weights: the weight of each pattern.
        matches: how many matches are expected to have it.
        others: how many non-matches are.
        false_links: how many non-matches may be links.
        false_non_links: how many matches may be non-links.
    """
    t2 = _last_allowed(-weights, others, false_links)
    if t2 is None:
        return Thresholds(_last_allowed(weights, matches, false_non_links), None)
    # Where the two rates leave nothing to the clerk, what can be a link is one.
    below = weights < -t2
    return Thresholds(_last_allowed(weights[below], matches[below], false_non_links), -t2)


def _last_allowed(ascending: Ints, errors: Floats, allowed: float) -> int | None:
    """Return the last value up to which the errors sum to no more than is allowed."""
    values, place = np.unique(ascending, return_inverse=True)
    reached = np.cumsum(np.bincount(place, errors, len(values)))
    kept = values[reached <= allowed]
    return int(kept[-1]) if len(kept) else None


@dataclass(frozen=True, eq=False)
class Weighed:
    """Compared records with the weights of their pairs.

    Args:
        compared: the records.
        patterns: the patterns of their pairs.
        values: the weight of each level of each attribute, scaled to whole numbers.
        own: the known record that each released record comes from.
    """

    compared: Comparison
    patterns: Patterns
    values: Ints
    own: Ints

    @cached_property
    def weights(self) -> Ints:
        """The weight of each pattern."""
        columns = np.arange(len(self.values))
        return np.asarray(self.values[columns, self.patterns.levels].sum(axis=1))

    @cached_property
    def own_weights(self) -> tuple[Ints, Mask]:
        """The weight of each released record with its own, and whether the two were compared."""
        return self.compared.weights_of_pairs(self.own, self.values)


def best_links(weighed: Weighed, records: int) -> Links:
    """Link every record to the known record of highest weight, or to one of several at random.

    Args:
        weighed: the records.
        records: how many released records there are, compared or not.
    """
    compared, patterns = weighed.compared, weighed.patterns
    rows = len(compared.released.counts)
    reached = weighed.weights[patterns.pattern]
    best = np.full(rows, LOWEST)
    np.maximum.at(best, patterns.row, reached)
    tied = reached == best[patterns.row]
    ties = np.bincount(patterns.row[tied], patterns.known[tied], rows).astype(np.int64)
    mine = compared.released.of_record
    weight, met = weighed.own_weights
    right = met & (weight == best[mine])
    return Links(right.astype(np.int64), np.where(right, ties[mine], 1), records)


def one_to_one(
    weighed: Weighed, records: int, t1: int | None, how: Assignment, rng: np.random.Generator
) -> Links:
    """Link every record to at most one known record, and no known record twice.

    Non-links are never linked. Records that look the same are linked in any order; pairs of equal
    weight are served in random order.

    Args:
        weighed: the records.
        records: how many released records there are, compared or not.
        t1: the weight up to which pairs are non-links.
        how: pair by pair from the highest weight down, or with the highest sum of
            weights above `t1`.
        rng: where the order of equal pairs is drawn from.
    """
    row, other, weight = _candidates(weighed, LOWEST if t1 is None else t1 + 1)
    # A link is worth what it weighs above a non-link.
    gain = weight - (weight.min(initial=0) - 1 if t1 is None else t1)
    return assigned(weighed.compared, weighed.own, row, other, gain, records, how, rng)


def assigned(
    compared: Collapsed,
    own: Ints,
    row: Ints,
    other: Ints,
    gain: Ints,
    records: int,
    how: Assignment,
    rng: np.random.Generator,
) -> Links:
    """Link records one to one along some pairs of combinations.

    Args:
        compared: the records.
        own: the known record that each released record comes from.
        row: the released combination of each pair.
        other: the known one.
        gain: what a link is worth.
        records: how many released records there are, compared or not.
        how: pair by pair from the highest gain down, or with the highest sum of gains.
        rng: where the order of equal pairs is drawn from.
    """
    solved = _greedily if how == "greedy" else _optimally
    given = solved(row, other, gain, compared.released.counts, compared.known.counts, rng)
    return Links(*_shared_out(compared, own, row, other, given), records)


def _candidates(weighed: Weighed, least: int) -> tuple[Ints, Ints, Ints]:
    refuse_too_many(int(weighed.patterns.pairs[weighed.weights >= least].sum()))
    return weighed.compared.pairs_from(weighed.values, least)


def refuse_too_many(pairs: int) -> None:
    """Refuse to choose one-to-one links among more pairs than can be held."""
    if pairs > MOST_PAIRS:
        raise InputError(
            f"One-to-one links are chosen among at most {MOST_PAIRS:,} pairs that are not "
            f"non-links; found {pairs:,}. Raise `t1`, name blocking attributes or a smaller sample."
        )


def _greedily(
    row: Ints, other: Ints, gain: Ints, left: Ints, right: Ints, rng: np.random.Generator
) -> Ints:
    """Serve the pairs from the highest gain down."""
    from tacita.kernels.agreement import assign

    order = np.lexsort((rng.random(len(row)), -gain))
    given = np.empty(len(row), np.int64)
    given[order] = assign(row[order], other[order], left, right)
    return given


def _optimally(
    row: Ints, other: Ints, gain: Ints, left: Ints, right: Ints, rng: np.random.Generator
) -> Ints:
    """Solve the assignment problem on single records; not to be linked is always possible."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    if not len(row):
        return np.zeros(0, np.int64)
    pair, one, two = _single_records(row, other, left, right)
    records, known = int(left.sum()), int(right.sum())
    # Among equal sums the solver prefers low numbers, which must not tell who belongs together.
    two = rng.permutation(known)[two]
    alone = np.arange(records)
    places = (np.append(one, alone), np.append(two, known + alone))
    shape = (records, known + records)
    dear = float(gain.max() + 1)
    costs = csr_array((np.append(dear - gain[pair], np.full(records, dear)), places), shape=shape)
    pairs = csr_array((np.append(pair + 1, np.zeros(records, np.int64)), places), shape=shape)
    linked = pairs[min_weight_full_bipartite_matching(costs)]
    return np.bincount(linked[linked > 0] - 1, minlength=len(row))


def _single_records(row: Ints, other: Ints, left: Ints, right: Ints) -> tuple[Ints, Ints, Ints]:
    """Write out pairs of combinations as pairs of records: the pair they are of, and both."""
    sizes = left[row] * right[other]
    pair = np.repeat(np.arange(len(row)), sizes)
    place = np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    wide = right[other][pair]
    one = (np.cumsum(left) - left)[row][pair] + place // wide
    two = (np.cumsum(right) - right)[other][pair] + place % wide
    return pair, one, two


def _shared_out(
    compared: Collapsed, own: Ints, row: Ints, other: Ints, given: Ints
) -> tuple[Ints, Ints]:
    """Share out the links of combinations among the records that look the same."""
    released, known = compared.released, compared.known
    wide = len(known.counts)
    mine, theirs = released.of_record, known.of_record[own]
    keys, wanted = row * wide + other, mine * wide + theirs
    order = np.argsort(keys)
    place = np.searchsorted(keys, wanted, sorter=order)
    # Behind all pairs stands one without links, for those whose own pair is not among them.
    found = np.append(order, len(keys))[place]
    right = np.append(given, 0)[found] * (np.append(keys, -1)[found] == wanted)
    return right, released.counts[mine] * known.counts[theirs]
