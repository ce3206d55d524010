"""Clamped moments: sums of whole numbers to which every record contributes a bounded amount."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import ceil, log2
from weakref import WeakKeyDictionary

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.queries.cells import QuerySet
from tacita.queries.computed import is_known, numbers_of
from tacita.queries.private.contributions import ONE_EACH, Contributions
from tacita.queries.public_classes import PublicClasses

MANY = 64  # query sets from which on they are added up together
FINE = 2**24  # parts of an attribute's range that values are rounded to
Bounds = tuple[float, float]


@dataclass(frozen=True)
class Moment:
    """A sum over records: of ones, of values, or of products of values less their middle.

    Args:
        factors: the attributes whose values are multiplied; none for a count.
        given: the attributes that must be known for a record to count.
        centred: whether values are taken less the middle of their bounds, in half their width.
        respondent: the identifier of respondents, if each of them counts once.

    >>> Moment(("pay",), ("pay",)).limits({"pay": (0.0, 600.0)})
    (0, 9830400)
    """

    factors: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    centred: bool = False
    respondent: str | None = None

    def unit(self, bounds: Mapping[str, Bounds]) -> float:
        """Return what one of the whole numbers stands for."""
        if not self.factors:
            return 1.0
        return 1.0 / FINE if self.centred else _unit(bounds[self.factors[0]])

    def limits(self, bounds: Mapping[str, Bounds]) -> tuple[int, int]:
        """Return the least and the most that a record contributes."""
        if not self.factors:
            return 0, 1
        if self.centred:
            is_square = len(self.factors) > 1 and len(set(self.factors)) == 1
            return 0 if is_square else -FINE, FINE
        low, high = (round(end / self.unit(bounds)) for end in bounds[self.factors[0]])
        return min(low, 0), max(high, 0)

    def of_records(self, data: PublicClasses, bounds: Mapping[str, Bounds]) -> Ints:
        """Return what every record contributes, in the order of the classes; a blank nothing."""
        known = np.ones(data.records, np.bool_)
        for name in self.given:
            known &= is_known(data, name)
        whole: Ints = np.rint(self._products(data, bounds)).astype(np.int64)
        return np.where(known, whole, 0)

    def _products(self, data: PublicClasses, bounds: Mapping[str, Bounds]) -> Floats:
        """Return the products, in units; a value beyond a bound counts as the bound."""
        found = np.ones(data.records)
        for name in self.factors:
            low, high = bounds[name]
            values = np.nan_to_num(np.clip(numbers_of(data, name), low, high))
            found *= (2 * values - low - high) / (high - low) if self.centred else values
        # Clamped again, since the products were rounded.
        return np.clip(found / self.unit(bounds), *self.limits(bounds))


def _unit(bounds: Bounds) -> float:
    """Return a power of two that divides whole numbers and is a small part of the bounds."""
    return float(2.0 ** ceil(log2(max(abs(bounds[0]), abs(bounds[1])) / FINE)))


class ClampedSums:
    """The moments of query sets, from sums over classes that are made once.

    Args:
        bounds: of each attribute the lowest and the highest value that counts.
        contributions: which records count.
    """

    def __init__(
        self, bounds: Mapping[str, Bounds], contributions: Contributions = ONE_EACH
    ) -> None:
        self._bounds = bounds
        self._contributions = contributions
        # By the data, since a query that was decided may be answered after the data changed.
        self._records: WeakKeyDictionary[PublicClasses, dict[Moment, Ints]] = WeakKeyDictionary()
        self._classes: WeakKeyDictionary[PublicClasses, dict[Moment, Ints]] = WeakKeyDictionary()

    def over(self, moment: Moment, members: QuerySet) -> int:
        """Return a moment of a query set, in its units."""
        if moment.respondent is not None:
            return self._respondents(moment.respondent, members)
        if moment == Moment() and self._contributions.respondent is None:
            return members.size
        if members.is_public:
            return int(self._of_classes(moment, members.data)[members.places].sum())
        return int(self._of_records(moment, members.data)[members.rows].sum())

    def over_each(self, moment: Moment, sets: Collection[QuerySet]) -> list[int]:
        """Return a moment of many query sets, in its units."""
        same = {one.data for one in sets if one.is_public}
        if len(sets) < MANY or len(same) != 1 or moment.respondent is not None:
            return [self.over(moment, one) for one in sets]
        if not all(one.is_public for one in sets):
            return [self.over(moment, one) for one in sets]
        (data,) = same
        places = [one.places for one in sets]
        ends = np.cumsum([one.size for one in places])
        added = np.append(0, np.cumsum(self._of_classes(moment, data)[np.concatenate(places)]))
        return list(map(int, np.diff(added[ends], prepend=0)))

    def _respondents(self, name: str, members: QuerySet) -> int:
        kept = self._contributions.kept(members.data)
        rows = members.rows if kept is None else members.rows[kept[members.rows]]
        return len(np.unique(members.data.respondents(name)[rows]))

    def _of_records(self, moment: Moment, data: PublicClasses) -> Ints:
        made = self._records.setdefault(data, {})
        if moment not in made:
            made[moment] = self._counting(moment, data)
        return made[moment]

    def _counting(self, moment: Moment, data: PublicClasses) -> Ints:
        """Return what every record contributes; nothing if it does not count."""
        found = moment.of_records(data, self._bounds)
        kept = self._contributions.kept(data)
        return found if kept is None else np.where(kept, found, 0)

    def _of_classes(self, moment: Moment, data: PublicClasses) -> Ints:
        made = self._classes.setdefault(data, {})
        if moment not in made:
            before = np.append(0, np.cumsum(self._counting(moment, data)))
            made[moment] = np.diff(before[data.starts])
        return made[moment]
