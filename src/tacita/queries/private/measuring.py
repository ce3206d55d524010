"""Measuring with noise: from cells that were paid for to released numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import hypot, prod, sqrt
from typing import Any

import numpy as np

from tacita.data.classes import Floats
from tacita.mechanisms.private.mechanisms import Mechanism, Sensitivity
from tacita.mechanisms.private.thresholds import threshold
from tacita.queries.answer import Released
from tacita.queries.cells import Cell
from tacita.queries.many_objects import without_search_for_cycles
from tacita.queries.private.contributions import Contributions
from tacita.queries.private.enclosing import enclosed
from tacita.queries.private.estimates import estimated
from tacita.queries.private.margins import Group, Noisy, Of, consistent
from tacita.queries.private.moments import Bounds, ClampedSums, Moment
from tacita.queries.private.parts import (
    Groups,
    Neighbours,
    Part,
    measured,
    parts_of,
    sensitivity,
)
from tacita.queries.private.ranks import Rank, candidates_between
from tacita.queries.statistic import Asked, Statistic

NOTHING = Fraction(0)
UNTOLD = Released(None, is_untold=True)


@dataclass(frozen=True, eq=False)
class NoisyMoment:
    """A moment with noise, in all groupings of a query.

    Args:
        values: the numbers, by grouping and group, in units.
        deviations: the standard deviation of the noise in each grouping, in units.
        unit: what one unit stands for.
    """

    values: Noisy
    deviations: Mapping[Of, float]
    unit: float

    def at(self, cells: Sequence[Cell]) -> Floats:
        """Return the numbers of some cells."""
        return np.array([self.values[cell.of][cell.group] for cell in cells]) * self.unit

    def spread(self, cells: Sequence[Cell]) -> Floats:
        """Return the standard deviations of some cells."""
        return np.array([self.deviations[cell.of] for cell in cells]) * self.unit


@dataclass(frozen=True, eq=False)
class Measuring:
    """What stands between the data and whoever asks.

    Args:
        bounds: the bounds of the attributes.
        mechanism: where noise comes from.
        neighbours: what a respondent can do.
        contributions: which records count, and how many of a respondent at most.
        steps: the steps between the candidates of a quantile.
        name: the policy that answers.
    """

    bounds: Mapping[str, Bounds]
    mechanism: Mechanism
    neighbours: Neighbours
    contributions: Contributions
    steps: int
    name: str

    @cached_property
    def sums(self) -> ClampedSums:
        """The clamped sums of the classes."""
        return ClampedSums(self.bounds, self.contributions)

    def released(
        self, cells: Sequence[Cell], cost: Fraction, delta: Fraction = NOTHING
    ) -> list[Released]:
        """Answer cells, all of which have a private form, at a cost for them together.

        Args:
            cells: what is asked for.
            cost: the loss of all of them.
            delta: the chance that a confidential group of one respondent is shown.
        """
        with without_search_for_cycles(len(cells)):
            return self._released(cells, cost, delta)

    def _released(self, cells: Sequence[Cell], cost: Fraction, delta: Fraction) -> list[Released]:
        parts = self._parts(cells)
        each = cost / len(parts)
        moments = self._moments(parts, each)
        shown = self._shown(parts, moments, each, delta)
        found: dict[int, Released] = {}
        for asked in dict.fromkeys(cell.asked for cell in cells):
            own = {
                place: cell
                for place, cell in enumerate(cells)
                if cell.asked == asked and (not cell.is_secret or (cell.of, cell.group) in shown)
            }
            if asked.statistic is Statistic.QUANTILE:
                made = self._quantiles(asked, list(own.values()), parts, each)
            else:
                made = self._statistics(asked, list(own.values()), moments)
            found |= dict(zip(own, made, strict=True))
        return [found.get(place, UNTOLD) for place in range(len(cells))]

    # -- groups that nobody declared -------------------------------------------------------------

    @property
    def _deciding(self) -> Moment:
        """The number that decides which are shown: of respondents, where they are known."""
        return Moment(respondent=self.contributions.respondent)

    def _parts(self, cells: Sequence[Cell]) -> dict[Part, Groups]:
        return parts_of(cells, self._deciding)

    def threshold(self, cells: Sequence[Cell], cost: Fraction, delta: Fraction) -> int | None:
        """Return the noisy number from which on groups are shown that nobody declared."""
        parts = self._parts(cells)
        return max(self._thresholds(parts, cost / len(parts), delta).values(), default=None)

    def _thresholds(
        self, parts: Mapping[Part, Groups], cost: Fraction, delta: Fraction
    ) -> dict[Of, int]:
        """Return the threshold of every grouping by values that nobody declared."""
        deciding = self._deciding
        secret = [of for (what, of), sets in parts.items() if sets.is_secret and what == deciding]
        if not secret:
            return {}
        scale = self.mechanism.scale(self._sensitivity(deciding, True), cost)
        each = float(delta) / len(secret)
        most, respondents = self.contributions.most, deciding.respondent is not None
        least = threshold(self.mechanism, scale, most, each, respondents=respondents)
        return dict.fromkeys(secret, least)

    def _shown(
        self,
        parts: Mapping[Part, Groups],
        moments: Mapping[Moment, NoisyMoment],
        cost: Fraction,
        delta: Fraction,
    ) -> set[tuple[Of, Group]]:
        """Return the groups that are shown: with noise, enough respondents are in them.

        A group in which no record counts has no noise that could show it.
        """
        deciding = self._deciding
        return {
            (of, group)
            for of, least in self._thresholds(parts, cost, delta).items()
            for group, members in parts[deciding, of].items()
            if moments[deciding].values[of][group] >= least and self.sums.over(deciding, members)
        }

    # -- what is told beforehand -----------------------------------------------------------------

    def errors(self, cells: Sequence[Cell], cost: Fraction) -> dict[str, Any]:
        """Tell how far what is measured for each statistic is from the truth, 95 times in 100."""
        parts = self._parts(cells)
        told: dict[str, Any] = {}
        for asked in dict.fromkeys(cell.asked for cell in cells):
            for what in measured(asked):
                error = max(
                    self._error(part, groups.several, cost / len(parts))
                    for part, groups in parts.items()
                    if part[0] == what
                )
                told[f"error of {_said(asked, what)}"] = error
        return told

    def _error(self, part: Part, several: bool, cost: Fraction) -> float:
        what = part[0]
        moved = self._sensitivity(what, several)
        if isinstance(what, Rank):
            missed = self.mechanism.missed(self.steps + 1, moved, cost / 2)
            return missed / what.ratio.denominator
        spread = self.mechanism.deviation(self.mechanism.scale(moved, cost))
        half = prod((high - low) / 2 for low, high in map(self.bounds.__getitem__, what.factors))
        unit = what.unit(self.bounds) * (half if what.centred else 1)
        return self.mechanism.reach * spread * unit

    def _sensitivity(self, what: Moment | Rank, several: bool) -> Sensitivity:
        most = self.contributions.most
        return sensitivity(what, several, self.bounds, self.neighbours, most)

    # -- moments ---------------------------------------------------------------------------------

    def _moments(self, parts: Mapping[Part, Groups], cost: Fraction) -> dict[Moment, NoisyMoment]:
        """Measure every moment once, in all its groupings."""
        moments: dict[Moment, dict[Of, Groups]] = {}
        for (what, of), groups in parts.items():
            if isinstance(what, Moment):
                moments.setdefault(what, {})[of] = groups
        return {what: self._moment(what, groups, cost) for what, groups in moments.items()}

    def _moment(self, what: Moment, groups: Mapping[Of, Groups], cost: Fraction) -> NoisyMoment:
        scales = {
            of: self.mechanism.scale(self._sensitivity(what, sets.several), cost)
            for of, sets in groups.items()
        }
        noisy = {
            of: dict(zip(sets, self._noised(what, sets, scales[of]), strict=True))
            for of, sets in groups.items()
        }
        # A margin is the sum of numbers that were rounded: so much is added to its noise.
        added = consistent(noisy, groups, scales) if _adds_up(what, groups) else noisy
        rounded = 0 if added is noisy else max(map(len, noisy.values())) / 6
        spread = {
            of: hypot(self.mechanism.deviation(scale), sqrt(rounded / len(noisy[of])))
            for of, scale in scales.items()
        }
        return NoisyMoment(added, spread, what.unit(self.bounds))

    def _noised(self, what: Moment, sets: Groups, scale: float) -> list[int]:
        return self.mechanism.noised(self.sums.over_each(what, sets.values()), scale)

    def _statistics(
        self, asked: Asked, cells: Sequence[Cell], noisy: Mapping[Moment, NoisyMoment]
    ) -> list[Released]:
        own = [noisy[what] for what in measured(asked) if isinstance(what, Moment)]
        ends = estimated(
            asked,
            [one.at(cells) for one in own],
            [one.spread(cells) for one in own],
            self.bounds,
            self.mechanism.reach,
        )
        return [
            Released(_plain(value), low, high, self.name)
            for value, low, high in zip(*(end.tolist() for end in ends), strict=True)
        ]

    # -- quantiles -------------------------------------------------------------------------------

    def _quantiles(
        self, asked: Asked, cells: Sequence[Cell], parts: Mapping[Part, Groups], cost: Fraction
    ) -> list[Released]:
        (rank,) = measured(asked)
        if not isinstance(rank, Rank):
            raise TypeError(asked.statistic)
        candidates = candidates_between(self.bounds[rank.attribute], self.steps)
        half = cost / 2
        made: dict[int, Released] = {}
        for of in dict.fromkeys(cell.of for cell in cells):
            own = {
                place: self._values(rank, cell) for place, cell in enumerate(cells) if cell.of == of
            }
            moved = self._sensitivity(rank, parts[rank, of].several)
            within = enclosed(rank, list(own.values()), candidates, self.mechanism, moved, half)
            for (place, values), (low, high) in zip(own.items(), within, strict=True):
                chosen = self.mechanism.chosen(rank.scores(values, candidates), moved, half)
                value = min(max(float(candidates[chosen]), low), high)
                made[place] = Released(value, low, high, self.name)
        return [made[place] for place in range(len(cells))]

    def _values(self, rank: Rank, cell: Cell) -> Floats:
        return rank.values(cell.members, self.contributions.kept(cell.members.data))


def _adds_up(what: Moment, groups: Mapping[Of, Groups]) -> bool:
    """Tell whether margins are sums: not of respondents, nor where groups may not be shown."""
    return what.respondent is None and not any(sets.is_secret for sets in groups.values())


def _plain(value: float) -> float | int:
    return int(value) if value.is_integer() else value


def _said(asked: Asked, what: Moment | Rank) -> str:
    """Return what an error is of: the statistic, or the part of it that is measured."""
    if isinstance(what, Rank):
        return f"{asked}, in ranks"
    if len(measured(asked)) == 1:
        return str(asked)
    return f"{asked}, its {'sum of ' + ' * '.join(what.factors) if what.factors else 'count'}"
