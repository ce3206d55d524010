"""Nearest records: exact search among all the records that an intruder knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacita.arithmetic import power
from tacita.data.classes import Floats, Ints, Mask
from tacita.microdata.risk.linking.distances import Part, Paths, Ranges, Sets

if TYPE_CHECKING:
    from tacita.kernels.nearest import Forest, Questions, Terms

# Distances that differ by less, relatively, differ by rounding only. Rounding errs by some 1e-15
# in each difference; that two different distances lie closer than this is not seen in data.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Metric:
    """How the distances in single attributes make one: (sum of weight * distance^power)^(1/power).

    Args:
        power: 1 or 2.
        scales: by which differences are divided, for every attribute of numbers.
        weights: how much each attribute counts; 1 where nothing is said.
        divisor: by which the sum is divided in the end.
    """

    power: int
    scales: Mapping[str, float]
    weights: Mapping[str, float]
    divisor: float = 1.0

    def weight(self, part: Part) -> float:
        """Return how much an attribute counts."""
        return self.weights.get(part.name, 1.0)

    def rate(self, part: Ranges) -> float:
        """Return by what differences are multiplied before they are raised to the power."""
        return float(self.weight(part) ** (1 / self.power) / self.scales[part.name])

    def distance(self, sums: Floats) -> Floats:
        """Return the distances that sums of terms stand for."""
        return np.asarray((sums if self.power == 1 else np.sqrt(sums)) / self.divisor)

    def limit(self, sums: Floats) -> Floats:
        """Return up to which sum a distance counts as equal."""
        return sums * (1 + self.power * TOLERANCE)


@dataclass(frozen=True, eq=False)
class Search:
    """Released records, as questions to a forest of what the intruder knows.

    Known records that agree in everything are one point (a place in the forest), and released
    records that agree in everything are one question.

    Args:
        metric: how distances are made.
        place: the place of every known record.
        members: the known records, those of one place together, in the order of the places.
        starts: for every place, where its members begin; behind them the number of records.
        question: the question of every released record.
    """

    metric: Metric
    terms: Terms
    forest: Forest
    place: Ints
    members: Ints
    starts: Ints
    questions: Questions
    question: Ints

    @classmethod
    def of(cls, parts: Sequence[Part], metric: Metric, own: Ints) -> Search:
        """Prepare the search among known records.

        Args:
            parts: the attributes.
            metric: how distances are made.
            own: for every released record the known record it comes from; where to look first.
        """
        from tacita.kernels.grouping import group

        # Few categories first: where one of them is too far, many trees are.
        parts = sorted(parts, key=lambda part: len(getattr(part, "ancestors", ())))
        terms = _terms(parts, metric)
        known, asked = group(*_known_columns(parts)), group(_released_columns(parts))
        forest, order, tree = _planted(parts, known.first, terms)
        place = _inverse(order)[known.ids]
        # Questions that look at the same nodes follow each other: these stay in the cache.
        turn = np.argsort(place[own[asked.first]], kind="stable")
        first = asked.first[turn]
        return cls(
            metric,
            terms,
            forest,
            place,
            np.argsort(place, kind="stable"),
            np.append(0, np.cumsum(known.counts[order])),
            _questions(parts, first, tree[known.ids[own[first]]]),
            _inverse(turn)[asked.ids],
        )

    @property
    def sizes(self) -> Ints:
        """The number of known records at every place."""
        return np.diff(self.starts)

    def nearest(self, count: int) -> tuple[Ints, Floats]:
        """Return the nearest places of every question, and the sums of terms, ascending."""
        from tacita.kernels.nearest import nearest

        return nearest(self.forest, self.questions, self.terms, count)

    def sums(self, asked: Ints, places: Ints) -> Floats:
        """Return the sum of terms of each of some questions to a place."""
        from tacita.kernels.nearest import sums_between

        return sums_between(self.forest, self.questions, self.terms, asked, places)

    def within(self, asked: Ints, limits: Floats) -> Ints:
        """Count the known records whose terms sum to at most a limit for each of some questions."""
        from tacita.kernels.nearest import Questions, count_within

        chosen = Questions._make(part[asked] for part in self.questions)
        return count_within(self.forest, chosen, self.terms, limits, self.sizes)


# -- arrays for the kernels ----------------------------------------------------------------------


def _planted(parts: Sequence[Part], rows: Ints, terms: Terms) -> tuple[Forest, Ints, Ints]:
    """Put distinct known records into a forest; returns its order and the tree of each record."""
    from tacita.kernels.grouping import group
    from tacita.kernels.nearest import plant

    numbers = [part.known[rows] for part in _ranges(parts)]
    points = np.column_stack([np.empty((len(rows), 0)), *numbers])
    labels = _known_labels(parts, rows)
    trees = group([*labels.T, *np.isnan(points).T], records=len(points))
    # Labels that begin alike stand beside each other.
    branches = labels[trees.first]
    turn = np.lexsort((np.arange(len(branches)), *branches.T[::-1]))
    tree = _inverse(turn)[trees.ids]
    return *plant(points, tree, branches[turn], terms.path_starts), tree


def _inverse(order: Ints) -> Ints:
    """Return the place of everything that was put in an order."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


def _ranges(parts: Sequence[Part]) -> list[Ranges]:
    return [part for part in parts if isinstance(part, Ranges)]


def _paths(parts: Sequence[Part]) -> list[Paths]:
    return [part for part in parts if isinstance(part, Paths)]


def _sets(parts: Sequence[Part]) -> list[Sets]:
    return [part for part in parts if isinstance(part, Sets)]


def _bits(numbers: Floats) -> Ints:
    """Return integers that are equal just where the numbers are; the two zeros are one."""
    return np.ascontiguousarray(numbers + 0.0).view(np.int64)


def _known_columns(parts: Sequence[Part]) -> tuple[list[Ints], list[Mask | None]]:
    """Return what tells known records apart, and where it is not blank."""
    columns: list[Ints] = []
    valid: list[Mask | None] = []
    for part in parts:
        if isinstance(part, Ranges):
            there = ~np.isnan(part.known)
            columns.append(_bits(np.where(there, part.known, 0.0)))
            valid.append(there)
        else:
            columns.append(part.known)
            valid.append(None)
    return columns, valid


def _released_columns(parts: Sequence[Part]) -> list[Ints]:
    """Return what tells released records apart."""
    columns = []
    for part in parts:
        if isinstance(part, Ranges):
            columns += [_bits(part.low), _bits(part.high)]
        else:
            columns.append(part.released)
    return columns


def _known_labels(parts: Sequence[Part], rows: Ints) -> Ints:
    """Return the codes of paths, -1 throughout a blank one, and the columns in tables."""
    labels = [np.empty((len(rows), 0), np.int64)]
    for path in _paths(parts):
        blank = np.full((1, path.ancestors.shape[1]), -1)
        labels.append(np.vstack([path.ancestors, blank])[path.known[rows]])
    labels += [part.known[rows, None] for part in _sets(parts)]
    return np.ascontiguousarray(np.hstack(labels))


def _questions(parts: Sequence[Part], rows: Ints, hints: Ints) -> Questions:
    from tacita.kernels.nearest import Questions

    ranges, labels = _ranges(parts), [np.empty((len(rows), 0), np.int64)]
    low, high = (
        np.column_stack([np.empty((len(rows), 0)), *(end[rows] for end in ends)])
        for ends in ([part.low for part in ranges], [part.high for part in ranges])
    )
    levels = [np.empty((len(rows), 0), np.int64)]
    for path in _paths(parts):
        height = path.ancestors.shape[1]
        blank = np.full((1, height), -1)
        labels.append(np.vstack([path.labels, blank])[path.released[rows]])
        # A blank says nothing: its level is beyond the root, where the term is 0.
        levels.append(np.append(path.levels, height + 1)[path.released[rows], None])
    labels += [part.released[rows, None] for part in _sets(parts)]
    whole, of_path = (np.ascontiguousarray(np.hstack(columns)) for columns in (labels, levels))
    return Questions(low, high, whole, of_path, hints)


def _terms(parts: Sequence[Part], metric: Metric) -> Terms:
    from tacita.kernels.nearest import Terms

    ranges, paths, sets = _ranges(parts), _paths(parts), _sets(parts)
    rates = np.array([metric.rate(part) for part in ranges])
    with np.errstate(over="ignore"):  # so far apart that the distance is infinite
        unknown = power(np.array([_farthest(part) for part in ranges]) * rates, metric.power)
    heights = [part.ancestors.shape[1] for part in paths]
    path_terms = np.zeros((len(paths), max(heights, default=0) + 2))
    for row, (part, height) in enumerate(zip(paths, heights, strict=True)):
        climbed = np.arange(height + 1) / height
        path_terms[row, : height + 1] = metric.weight(part) * power(climbed, metric.power)
    tables = np.zeros((len(sets), max((part.table.size for part in sets), default=0)))
    for row, table in enumerate(sets):
        cells = metric.weight(table) * power(table.table.ravel(), metric.power)
        tables[row, : cells.size] = cells
    return Terms(
        metric.power,
        rates,
        unknown,
        np.append(0, np.cumsum(heights, dtype=np.int64)),
        path_terms,
        np.array([part.table.shape[1] for part in sets], np.int64),
        tables,
    )


def _farthest(part: Ranges) -> float:
    """Return how far apart two known values can be: so far is a blank from every value."""
    if np.isnan(part.known).all():
        return 1.0
    return float(np.nanmax(part.known) - np.nanmin(part.known)) or 1.0
