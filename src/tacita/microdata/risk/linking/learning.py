"""Learned linkage: what the levels of graded comparisons tell, fitted to the files themselves.

A released record y comes from one known record x, by masking attribute by attribute: the likelihood
of y given x is the product, over the attributes, of m(level) / measure(level, x). Which x is
unknown, so m is fitted by expectation-maximization (Dempster, Laird & Rubin, JRSS B 39(1):1-38,
1977). How the attributes of x depend on one another does not enter, since x is given. Where errors
depend on one another, the differences of all numbers are weighed as one (`differences.py`), if the
released records are then likelier. The one-to-one constraint holds in either case: in the
expectation step nobody is linked more often than he can be, by scaling rows and columns in
turn (Sinkhorn, Annals of Mathematical Statistics 35(2):876-879, 1964), which also gives the
probability of each link. Where an attribute has two scales, the one that tells more about who is
who (the bound of van den Oord, Li & Vinyals, arXiv:1807.03748, 2018, on mutual information) counts.

Only the likeliest candidates of each record are looked at: a search over all pairs finds them under
the weights so far, the weights are fitted to them, and the search is repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tacita.arithmetic import exp, log
from tacita.data.classes import Floats, Ints, Mask
from tacita.microdata.risk.linking.blocking import Blocks
from tacita.microdata.risk.linking.comparison import Collapsed
from tacita.microdata.risk.linking.decision import (
    SCALE,
    Assignment,
    assigned,
    refuse_too_many,
)
from tacita.microdata.risk.linking.differences import Differences, Numbers
from tacita.microdata.risk.linking.graded import Graded, Scale
from tacita.microdata.risk.linking.links import Links

if TYPE_CHECKING:
    from tacita.kernels.graded import Lines, Nearest, Points, Runs

CANDIDATES = 50  # of each record
SEARCHES = 5
FIRST = 2  # searches by differences taken as one, after which they must be better than levels
LAST = 10  # candidates that stand for those beyond
STEPS = 25  # of expectation-maximization after each search
SCALINGS = 40  # of rows and columns in each step
CHANGE = 1e-3  # of the links, in shares of the records: less ends the steps
STEEPNESS = 20.0  # of the weights to begin with: e-fold from a twentieth of the pairs to the next
PRIOR = 1.0  # records that are like the beginning
VALUES = "values"  # the scale of distances
NUMERIC = ("ranks", VALUES)  # scales on which attributes are alike
FEWEST = 8  # records whose links are not mutual: with fewer no other way is looked for
ERRORS = 2.0  # standard errors by which another way must be better
TIE = 1e-6  # of the logarithm of probabilities
LEAST = 1e-300
REACHED = 1e-9


@dataclass(frozen=True, eq=False)
class Weighing:
    """What the levels tell.

    Args:
        m: for each attribute and scale the probability of each level among matches.
        chosen: for each attribute the scale that counts; None where all count in part.
        together: how the differences of numbers are weighed as one, instead of their levels.
    """

    m: Sequence[Sequence[Floats]]
    chosen: Sequence[int] | None = None
    together: Differences | None = None

    @property
    def places(self) -> Sequence[int]:
        """The attributes whose levels do not count, since their differences are weighed as one."""
        return () if self.together is None else self.together.numbers.places

    def share(self, attribute: int, scale: int) -> float:
        """Return how much a scale counts."""
        if attribute in self.places:
            return 0.0
        if self.chosen is None:
            return 1 / len(self.m[attribute])
        return float(self.chosen[attribute] == scale)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of combinations of released and known records, those of one released one together.

    Args:
        row: the released combination of each pair, ascending.
        other: the known one.
        linked: how often each pair is linked (a sum of probabilities).
        probability: that a record of the first is linked to a given record of the second.
        tail: for each released combination, the share of likelihood beyond its candidates.
        ties: how many known records are as likely as the best, as far as levels tell.
        best: the highest weight of each released combination.
        held: how many known records the candidates of each released combination are.
    """

    row: Ints
    other: Ints
    weight: Floats
    linked: Floats
    probability: Floats
    tail: Floats
    ties: Ints
    best: Floats
    held: Ints


@dataclass(frozen=True, eq=False)
class Learning:
    """Compared records and the weights that were learned from them."""

    attributes: Sequence[Graded]
    compared: Collapsed
    weighing: Weighing
    found: Candidates

    def weights(self, row: Ints, other: Ints) -> Floats:
        """Return the natural logarithm of the likelihood ratio of pairs of combinations."""
        pairs = _Pairs.of(self.attributes, self.compared, row, other, self.weighing.places)
        return pairs.weights(self.weighing)

    def likeliest(self, own: Ints, records: int) -> tuple[Links, Floats]:
        """Link every record to its likeliest known one, nobody being linked twice.

        Returns the links, and for each record the probability that its link is right.

        Args:
            own: the known record that each linked record comes from.
            records: how many released records there are, linked or not.
        """
        row, other = self.found.row, self.found.other
        rows, known = len(self.compared.released.counts), self.compared.known
        best = np.full(rows, -1.0)
        np.maximum.at(best, row, self.found.probability)
        tied = self.found.probability >= best[row] * (1 - TIE)
        ties = np.bincount(row[tied], known.counts[other[tied]], rows).astype(np.int64)
        mine, theirs = self.compared.released.of_record, known.of_record[own]
        wide = len(known.counts)
        right = np.isin(mine * wide + theirs, (row * wide + other)[tied])
        # Where more are equally likely than there are candidates, all of them are guesses.
        many = (self.found.ties > ties) & (ties >= self.found.held)
        crowded = many[mine]
        if crowded.any():
            weight, met = self._own_weights(mine, theirs)
            right = np.where(crowded, met & (weight >= self.found.best[mine] - TIE), right)
            ties = np.where(many, self.found.ties, ties)
        guesses = np.where(right, ties[mine], 1)
        return Links(right.astype(np.int64), guesses, records), np.maximum(best, 0.0)[mine]

    def best(self, own: Ints, records: int) -> Links:
        """Link every record to the known one of highest weight, or to one of several at random."""
        mine = self.compared.released.of_record
        weight, met = self._own_weights(mine, self.compared.known.of_record[own])
        right = met & (weight >= self.found.best[mine] - TIE)
        return Links(right.astype(np.int64), np.where(right, self.found.ties[mine], 1), records)

    def one_to_one(
        self, own: Ints, records: int, how: Assignment, rng: np.random.Generator
    ) -> Links:
        """Link pair by pair from the highest weight down, or with the highest sum of weights."""
        row, other = self.found.row, self.found.other
        released, known = self.compared.released, self.compared.known
        refuse_too_many(int((released.counts[row] * known.counts[other]).sum()))
        gain = np.round(self.found.weight * SCALE).astype(np.int64)
        gain -= gain.min(initial=0) - 1
        return assigned(self.compared, own, row, other, gain, records, how, rng)

    def _own_weights(self, mine: Ints, theirs: Ints) -> tuple[Floats, Mask]:
        released, known = self.compared.released, self.compared.known
        blocks = released.blocks[mine]
        met = ((blocks == known.blocks[theirs]) & (blocks >= 0)).any(axis=1)
        return self.weights(mine, theirs), met


def learned(attributes: Sequence[Graded], passes: Sequence[Blocks]) -> Learning:
    """Fit the weights and find the likeliest known records of every released one.

    Args:
        attributes: the attributes, graded.
        passes: who is compared with whom.
    """
    compared = Collapsed(attributes, passes)
    if len(attributes) == 1 and attributes[0].numbers is not None:
        return _alone(attributes[0], compared)
    found = _alternated(attributes, compared, _begun(attributes), SEARCHES)
    numbers = Numbers.of(attributes, compared)
    if len(numbers.places) <= 1 or not len(found.found.row):
        return found
    if _unsettled(found) < FEWEST:  # nothing could be told from chance
        return found
    shaped = _together(found, numbers, FIRST, is_shaped=True)
    if not _by_likelihood(found, shaped):
        return found
    shaped = _alternated(attributes, compared, shaped.weighing, FIRST)
    round_ = _together(found, numbers, FIRST, is_shaped=False)
    return round_ if _by_mutual_links(shaped, round_) else shaped


def _alone(each: Graded, compared: Collapsed) -> Learning:
    """Link by one attribute of numbers, on the scale on which more of its links are mutual.

    Nothing is learned: any spread of differences explains one attribute, on which nobody is told
    from those around him by another. The smallest differences are taken for the likeliest, e-fold
    from one record to the next.
    """
    found = []
    for scale in each.scales:
        measure = log(np.where(scale.frequency > 0, scale.frequency, 1.0))[:, None]
        attributes = [replace(each, scales=[replace(scale, log_measure=measure)])]
        weighing = _begun(attributes, max(STEEPNESS, float(compared.known.counts.sum())))
        near = _search(attributes, compared, weighing)
        told = near.weight - _total(near, compared.known.counts)[near.row]
        each_one = exp(told)
        linked = each_one * compared.known.counts[near.other]
        near = replace(near, linked=linked, probability=each_one)
        found.append(Learning(attributes, compared, weighing, near))
    return min(found, key=_unsettled)


def _together(found: Learning, numbers: Numbers, searches: int, *, is_shaped: bool) -> Learning:
    """Learn how the differences of numbers come about as one, from links that were found."""
    near = found.found
    together = Differences.of(numbers, near.row, near.other, near.linked, is_shaped=is_shaped)
    weighing = replace(found.weighing, together=together)
    return _alternated(found.attributes, found.compared, weighing, searches)


def _alternated(
    attributes: Sequence[Graded], compared: Collapsed, weighing: Weighing, searches: int
) -> Learning:
    """Search for candidates, learn from them, and search again until nothing changes."""
    for number in range(searches):
        near = _search(attributes, compared, weighing)
        pairs = _Pairs.of(attributes, compared, near.row, near.other, weighing.places)
        linked = pairs.linked(near.weight, near.tail)
        if number == searches - 1:
            break
        if not number:  # what lies beyond is told by weights that were learned only
            near = replace(near, tail=np.zeros(len(near.tail)))
        fitted, steps = _fitted(pairs, near, weighing)
        if number and steps == 1:  # another search would find the same
            break
        weighing = fitted
    each = linked / pairs.sizes / pairs.counts
    return Learning(attributes, compared, weighing, replace(near, linked=linked, probability=each))


# -- the choice -----------------------------------------------------------------------------------


def _by_likelihood(one: Learning, other: Learning) -> bool:
    """Tell whether the released records are likelier under the other, by more than chance.

    Nothing of who is who is needed: a released record comes from any of the known ones (the test of
    models that are not nested is that of Vuong, Econometrica 57(2):307-333, 1989).
    """
    gained = _likelihood(other) - _likelihood(one)
    counts = one.compared.released.counts
    mean = (counts * gained).sum() / counts.sum()
    chance = np.sqrt((counts * (gained - mean) ** 2).sum())
    return bool(mean * counts.sum() > ERRORS * chance)


def _likelihood(one: Learning) -> Floats:
    """Return for each released combination the log of its likelihood, up to a constant.

    It is relative to that of its attributes alone, as the weights of levels are; of numbers that
    are weighed as one it is the density of each that their levels of distance give.
    """
    total = _total(one.found, one.compared.known.counts)
    codes, offsets = one.compared.released.codes, one.compared.offsets
    for place in one.weighing.places:
        each = one.attributes[place]
        for scale, m in zip(each.scales, one.weighing.m[place], strict=True):
            if scale.name == VALUES:
                alone = _norm(scale, m) - log(2.0)  # a ring has two sides
                total -= alone[codes[:, place] - offsets[place]]
    return total


def _total(near: Candidates, sizes: Ints) -> Floats:
    """Return the log of the sum of e^weight over all known records."""
    likely = sizes[near.other] * exp(near.weight - near.best[near.row])
    mass = np.bincount(near.row, likely, len(near.best))
    return np.asarray(near.best + log(np.maximum(mass * (1 + near.tail), LEAST)))


def _by_mutual_links(one: Learning, other: Learning) -> bool:
    """Tell whether more of the likeliest pairs of the other are mutual, by more than chance.

    Where both measure distances, the better one finds more pairs that are each other's nearest,
    however sure of themselves both are (Conneau et al., Word translation without parallel data,
    ICLR 2018, choose models likewise). Against levels this would speak for distances as such.
    """
    counts = one.compared.released.counts
    gained = _mutual(other) - _mutual(one)
    chance = np.sqrt((counts * gained**2).sum())
    return bool((counts * gained).sum() > ERRORS * chance)


def _unsettled(one: Learning) -> float:
    """Return how many released records are not the likeliest of their likeliest."""
    counts = one.compared.released.counts
    return float((counts * (1 - _mutual(one))).sum())


def _mutual(one: Learning) -> Floats:
    """Return, for each released combination, which share of its likeliest it is the likeliest of.

    As many known records as the combination has released ones are its likeliest.
    """
    near, compared = one.found, one.compared
    counts, sizes = compared.released.counts, compared.known.counts
    order = np.lexsort((near.other, -near.weight, near.row))
    row, other, weight = near.row[order], near.other[order], near.weight[order]
    before = np.cumsum(sizes[other]) - sizes[other]
    begun = before[np.searchsorted(row, np.arange(len(counts)), "left").clip(max=len(row) - 1)]
    taken = np.clip(counts[row] - (before - begun[row]), 0, sizes[other])
    told = weight - _total(near, sizes)[row]
    most = np.full(len(sizes), -np.inf)
    np.maximum.at(most, other, told)
    first = told >= most[other] - TIE
    rivals = np.bincount(other[first], minlength=len(sizes))
    shared = np.where(first, taken / np.maximum(rivals[other], 1), 0.0)
    return np.bincount(row, shared, len(counts)) / counts


def _begun(attributes: Sequence[Graded], steepness: float = STEEPNESS) -> Weighing:
    """Begin with levels that tell the more, the fewer pairs reach them."""
    return Weighing([[_prior(scale, steepness) for scale in each.scales] for each in attributes])


def _prior(scale: Scale, steepness: float = STEEPNESS) -> Floats:
    reached = np.cumsum(scale.frequency)
    first = reached[scale.frequency > 0].min(initial=1.0)
    begun = scale.frequency * exp(-steepness * (reached - first))
    return np.asarray(begun / max(begun.sum(), LEAST))


# -- the search -----------------------------------------------------------------------------------


def _search(attributes: Sequence[Graded], compared: Collapsed, weighing: Weighing) -> Candidates:
    """Find the candidates of every released combination, pass by pass."""
    from tacita.kernels.graded import nearest

    runs, lines = _laid_out(attributes, weighing)
    parts = []
    for place in range(len(compared.passes)):
        ours, spans, others, order = compared.in_pass(place)
        sizes = compared.known.counts[order]
        points = _points(weighing, len(ours.codes), order)
        near = nearest(ours, spans, others, sizes, runs, lines, points, CANDIDATES, TIE)
        parts.append((near, order))
    return _gathered(parts, compared.known.counts)


def _points(weighing: Weighing, rows: int, order: Ints) -> Points:
    from tacita.kernels.graded import Points

    if weighing.together is None:
        return Points(np.empty((rows, 0)), np.empty((len(order), 0)), np.empty(0), np.empty(0))
    points = weighing.together.points
    return points._replace(others=points.others[order])


def _gathered(parts: Sequence[tuple[Nearest, Ints]], sizes: Ints) -> Candidates:
    rows = len(parts[0][0].ties)
    found = [np.nonzero(near.others >= 0) for near, _ in parts]
    row = np.concatenate([where[0] for where in found])
    other = np.concatenate(
        [order[near.others[where]] for (near, order), where in zip(parts, found, strict=True)]
    )
    weight = np.concatenate(
        [near.sums[where] for (near, _), where in zip(parts, found, strict=True)]
    )
    turn = np.argsort(row, kind="stable")
    best = np.max([near.sums[:, 0] for near, _ in parts], axis=0)
    ties = np.sum(
        [np.where(near.sums[:, 0] >= best - TIE, near.ties, 0) for near, _ in parts], axis=0
    )
    with np.errstate(invalid="ignore"):  # a record that meets nobody
        totals = np.nan_to_num([exp(near.total - best) for near, _ in parts])
    row, other, weight = row[turn], other[turn], weight[turn]
    held = np.bincount(row, sizes[other] * exp(weight - best[row]), rows)
    tail = np.maximum(totals.sum(axis=0) / np.maximum(held, LEAST) - 1, 0.0)
    none = np.zeros(len(row))
    tail = np.where(tail > REACHED, tail, 0.0)
    among = np.bincount(row, sizes[other], rows).astype(np.int64)
    return Candidates(row, other, weight, none, none, tail, ties, best, among)


def _laid_out(attributes: Sequence[Graded], weighing: Weighing) -> tuple[Runs, Lines]:
    """Put the runs and weights of the scales that count behind one another."""
    from tacita.kernels.graded import Lines, Runs

    offsets = np.append(0, np.cumsum([each.size + 1 for each in attributes]))
    columns, first, at, widths = [], [], [], []
    weights, shifts, starts, ends, levels = [], [], [np.zeros(1, np.int64)], [], []
    begun = codes = laid = 0
    for place, each in enumerate(attributes):
        for number, scale in enumerate(each.scales):
            share = weighing.share(place, number)
            if not share:
                continue
            m = weighing.m[place][number]
            table = share * (_logarithm(m)[:, None] - scale.log_measure)
            columns.append(place)
            first.append(codes)
            at.append(begun)
            widths.append(table.shape[1])
            weights.append(table.ravel())
            shifts.append(share * _norm(scale, m))
            starts.append(laid + scale.runs.starts[1:])
            ends.append(scale.runs.ends)
            levels.append(scale.runs.levels)
            begun += table.size
            codes += len(scale.runs.starts) - 1
            laid += len(scale.runs.ends)
    none = np.empty(0, np.int32)
    runs = Runs(
        np.concatenate(starts), np.concatenate([*ends, none]), np.concatenate([*levels, none])
    )
    lines = Lines(
        offsets,
        np.array(columns, np.int64),
        np.array(first, np.int64),
        np.array(at, np.int64),
        np.array(widths, np.int64),
        np.concatenate([*weights, np.empty(0)]),
        np.concatenate([*shifts, np.empty(0)]),
    )
    return runs, lines


def _logarithm(m: Floats) -> Floats:
    return np.asarray(log(np.maximum(m, LEAST)))


def _norm(scale: Scale, m: Floats) -> Floats:
    """Return, for each released code, the logarithm of the mean of m / measure over the known."""
    return np.asarray(log(np.maximum((scale.room * m).sum(axis=1), LEAST)))


# -- the fit --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Levels:
    """The levels of the pairs without a blank on one scale, and what they tell apart from m."""

    scale: Scale
    levels: Ints
    measure: Floats
    code: Ints
    there: Mask

    def ratio(self, m: Floats) -> Floats:
        """Return the logarithm of the likelihood ratio of all pairs; a blank tells nothing."""
        found = np.zeros(len(self.there))
        shift = _norm(self.scale, m)[self.code]
        found[self.there] = _logarithm(m)[self.levels] - self.measure - shift
        return found

    def fitted(self, linked: Floats, begun: Floats) -> Floats:
        """Return m from the expected links: per room, a higher level never has more of them."""
        from scipy.optimize import isotonic_regression

        size = len(begun)
        counts = np.bincount(self.levels, linked[self.there], size) + PRIOR * begun
        room = self.scale.mean_measure
        there = room > 0
        m = np.zeros(size)
        density = counts[there] / room[there]
        m[there] = isotonic_regression(density, weights=room[there], increasing=False).x
        m[there] *= room[there]
        return np.asarray(m / max(m.sum(), LEAST))


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of combinations with their levels on all scales.

    Args:
        row: the released combination of each pair, ascending.
        other: the known one.
        sizes: how many records the released one of each pair has.
        counts: how many the known one has.
        capacity: how many links each known combination can have.
        demand: how many records each released combination has.
        levels: for each attribute and scale; none where levels do not count.
    """

    row: Ints
    other: Ints
    sizes: Ints
    counts: Ints
    capacity: Floats
    demand: Ints
    levels: Sequence[Sequence[_Levels]]

    @cached_property
    def is_last(self) -> Mask:
        """Which pairs are the last candidates of their released combination."""
        behind = np.searchsorted(self.row, self.row, "right")
        return np.asarray(behind - np.arange(len(self.row)) <= LAST)

    @classmethod
    def of(
        cls,
        attributes: Sequence[Graded],
        compared: Collapsed,
        row: Ints,
        other: Ints,
        ungraded: Sequence[int] = (),
    ) -> _Pairs:
        """Grade some pairs by all attributes but those whose levels do not count."""
        released, known = compared.released, compared.known
        offsets = np.append(0, np.cumsum([each.size + 1 for each in attributes]))
        # Where more records were released than are known, everybody may be linked more often.
        times = max(1.0, released.counts.sum() / max(known.counts.sum(), 1))
        return cls(
            row,
            other,
            released.counts[row],
            known.counts[other],
            known.counts * times,
            released.counts,
            [
                []
                if place in ungraded
                else _graded_pairs(
                    each,
                    released.codes[row, place] - offsets[place],
                    known.codes[other, place] - offsets[place],
                )
                for place, each in enumerate(attributes)
            ],
        )

    def ratios(self, ms: Sequence[Sequence[Floats]]) -> list[list[Floats]]:
        """Return the logarithms of the likelihood ratios, attribute by attribute."""
        return [
            [scale.ratio(m) for scale, m in zip(scales, each, strict=False)]
            for scales, each in zip(self.levels, ms, strict=True)
        ]

    def weights(self, weighing: Weighing) -> Floats:
        """Return the weight of each pair."""
        return self.summed(self.ratios(weighing.m), weighing)

    def summed(self, ratios: Sequence[Sequence[Floats]], weighing: Weighing) -> Floats:
        """Add up what the attributes tell on the scales that count."""
        total = np.zeros(len(self.row))
        for place, scales in enumerate(ratios):
            for number, told in enumerate(scales):
                total += weighing.share(place, number) * told
        if weighing.together is not None:
            total += weighing.together.weights(self.row, self.other)
        return total

    def linked(self, weights: Floats, tail: Floats) -> Floats:
        """Return how often each pair is linked where nobody can be linked more often than he is.

        Args:
            weights: the weights of the pairs.
            tail: for each released combination, how likely its match is beyond the candidates, as
                a multiple of how likely it is among them.
        """
        rows = len(self.demand)
        best = np.full(rows, -np.inf)
        np.maximum.at(best, self.row, weights)
        likely = self.counts * exp(weights - best[self.row])
        beyond = tail * np.bincount(self.row, likely, rows)
        room = np.ones(len(self.capacity))
        for _ in range(SCALINGS):
            of_row = np.bincount(self.row, likely * room[self.other], rows) + beyond
            linked = likely * (self.demand / np.maximum(of_row, LEAST))[self.row]
            taken = np.bincount(self.other, linked, len(room))
            room = np.minimum(1.0, self.capacity / np.maximum(taken, LEAST))
        of_row = np.bincount(self.row, likely * room[self.other], rows) + beyond
        demanded = (self.demand / np.maximum(of_row, LEAST))[self.row]
        return np.asarray(likely * room[self.other] * demanded)

    def with_tail(self, linked: Floats) -> Floats:
        """Count the matches that lie beyond the candidates as if they were like the last ones."""
        missing = np.maximum(self.demand - np.bincount(self.row, linked, len(self.demand)), 0.0)
        last = np.maximum(np.bincount(self.row[self.is_last], minlength=len(self.demand)), 1)
        return linked + np.where(self.is_last, (missing / last)[self.row], 0.0)


def _graded_pairs(each: Graded, codes: Ints, others: Ints) -> list[_Levels]:
    from tacita.kernels.graded import levels_between

    there = (codes < each.size) & (others < each.size)
    code, other = codes[there].astype(np.int64), others[there].astype(np.int64)
    parts = []
    for scale in each.scales:
        levels = levels_between(scale.runs, code, other).astype(np.int64)
        table = scale.log_measure
        measure = table[levels, other if table.shape[1] > 1 else 0]
        parts.append(_Levels(scale, levels, measure, code, there))
    return parts


def _pooled(scales: Sequence[Sequence[Scale]], m: Sequence[Sequence[Floats]]) -> list[list[Floats]]:
    """Take what a level tells half from the attribute itself and half from all of one scale.

    A masking mostly treats attributes alike, and what is learned from few matches, some of them
    wrong, varies more than what is true.
    """
    sums: dict[tuple[str, float], Floats] = {}
    for each, ms in zip(scales, m, strict=True):
        for scale, mine in zip(each, ms, strict=True):
            for key, part in zip(
                _keys(scale), zip(mine, scale.mean_measure, strict=True), strict=True
            ):
                sums[key] = sums.get(key, np.zeros(2)) + part
    pooled = []
    for each, ms in zip(scales, m, strict=True):
        found = []
        for scale, mine in zip(each, ms, strict=True):
            density = [sums[key][0] / max(sums[key][1], LEAST) for key in _keys(scale)]
            every = np.array(density) * scale.mean_measure
            found.append(mine / 2 + every / max(every.sum(), LEAST) / 2)
        pooled.append(found)
    return pooled


def _keys(scale: Scale) -> list[tuple[str, float]]:
    """Name the levels of a scale: those of numbers are the same for all attributes."""
    name = scale.name if scale.name in NUMERIC else f"{scale.name} of {id(scale)}"
    return [(name, round(float(limit), 12)) for limit in (*scale.limits, np.inf)]


def _fitted(pairs: _Pairs, near: Candidates, weighing: Weighing) -> tuple[Weighing, int]:
    """Alternate between the links that are expected and the levels that they have.

    Returns the weighing, and after how many steps the links stayed the same.
    """
    graded = [place for place, scales in enumerate(pairs.levels) if scales]
    scales = [[level.scale for level in pairs.levels[place]] for place in graded]
    linked = pairs.linked(near.weight, near.tail)
    records = max(int(pairs.demand.sum()), 1)
    steps = 0
    while steps < STEPS:
        steps += 1
        expected = pairs.with_tail(linked)
        found = [
            [level.fitted(expected, _prior(level.scale)) for level in pairs.levels[place]]
            for place in graded
        ]
        m, chosen = list(weighing.m), list(weighing.chosen or [0] * len(pairs.levels))
        for place, each in zip(graded, _pooled(scales, found), strict=True):
            m[place] = each
        ratios = pairs.ratios(m)
        for place in graded:
            chosen[place] = int(np.argmax([float((linked * part).sum()) for part in ratios[place]]))
        together = weighing.together
        if together is not None:
            together = together.fitted(pairs.row, pairs.other, linked)
        weighing = Weighing(m, chosen, together)
        before, linked = linked, pairs.linked(pairs.summed(ratios, weighing), near.tail)
        if np.abs(linked - before).sum() < CHANGE * records:
            break
    return weighing, steps
