"""Order linkage: the intruder lays the released file beside one in the order of the source."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from tacita.data.attribute import Role
from tacita.data.classes import EquivalenceClasses, Ints
from tacita.data.content_order import group_numbers
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.method import ANY_KIND, AttributeName, AttributeNames, Method
from tacita.results import Measurement
from tacita.validity import OF_RESPONDENTS, Use

NEIGHBOURS = 2  # that a record has in a random order


class OrderLinkage(Method):
    """How many more respondents an intruder links by the order of the records than by chance.

    The intruder has a file of the respondents in the order of the source, forwards or backwards,
    and tries three ways: the i-th released record is taken for the i-th respondent; among records
    with the same key values, the i-th for the i-th respondent with these values; and a record whose
    neighbour is known for the neighbour of that respondent, which finds the pieces of a file that
    stayed together. Records that the release itself holds together, those of a household or of one
    person's history, are taken as one in the first and third way. If r of n are linked rightly,
    where a random order gives c, the risk of a way is

        (r - c) / (n - c), at least 0,

    times the share of records that it can be tried on (of those that are alone with their key
    values the order tells nothing more); the number is that of the best way. Masked values do not
    matter to an intruder who can walk along both files: a release in the order of its source has
    the risk 1.

    When not to use it: it tells nothing of files that the intruder cannot get in any order.

    >>> import tacita as ta
    >>> data = ta.example("toy", 200)
    >>> ta.OrderLinkage().measure(data, data).value
    Fraction(1, 1)
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.RELEASE
    reference: ClassVar = (
        "Hundepool et al., mu-ARGUS 4.0 user's manual, 2005 (records in random order)"
    )
    missing: ClassVar = "Missing and suppressed key values make a class of their own."
    public: ClassVar = frozenset({"keys"})

    keys: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default those with the role key."),
    ] = None

    together: Annotated[
        AttributeName | None,
        Field(
            description="The attribute that says which records stay together; by default the one "
            "with the role household."
        ),
    ] = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Walk along both files."""
        place = _among_alike(_ranks(paired_rows(original, protected)), protected)
        ways = {"position": _in_step(units := self._units(protected, place))}
        ways["neighbours"] = _side_by_side(units)
        if self.keys or protected.keys:
            ways["position among equals"] = _among_equals(place, protected.classes(self.keys))
        best = max(ways, key=lambda way: ways[way].risk)
        found = ways[best]
        return Measurement(
            self.name,
            self.family,
            found.risk if len(protected) else None,
            f"{found.right:,} of {found.tried:,} are linked by their {best}, where a random order "
            f"links about {float(found.by_chance):.3g}",
            parts={way: float(one.risk) for way, one in ways.items()},
            parameters=self.parameters(),
        )

    def _units(self, protected: Dataset, place: Ints) -> Ints:
        """Return where what stays together began in the source, in the order of the release."""
        named = self.together or next(iter(protected.with_role(Role.HOUSEHOLD)), None)
        if named is None:
            return place
        group = group_numbers(protected.column(named))
        began = np.full(int(group.max(initial=-1)) + 1, len(place))
        np.minimum.at(began, group, place)
        first = np.sort(np.unique(group, return_index=True)[1])
        return _ranks(began[group[first]])


class _Linked(NamedTuple):
    """How many records or households were linked rightly, and how many are by chance."""

    right: int
    tried: int
    by_chance: Fraction
    share: Fraction = Fraction(1)  # of all records that were tried

    @property
    def risk(self) -> Fraction:
        if self.by_chance >= self.tried:
            return Fraction(0)
        gain = (self.right - self.by_chance) / (self.tried - self.by_chance)
        return max(gain * self.share, Fraction(0))


def _among_equals(place: Ints, classes: EquivalenceClasses) -> _Linked:
    """Link the i-th record of every class to the i-th respondent of it, where there are several."""
    several = np.flatnonzero(classes.size_of_record > 1)
    found = _in_step(place[several], classes.of_record[several])
    return found._replace(share=Fraction(len(several), max(len(place), 1)))


def _among_alike(place: Ints, protected: Dataset) -> Ints:
    """Forget which is which among records that stand together and are alike in all values.

    To swap them would not change the file, so that no intruder learns anything from their order.
    """
    alike = protected.classes(protected.names).of_record
    run = np.cumsum(np.diff(alike, prepend=-1) != 0)
    drawn = np.lexsort((np.random.default_rng(0).random(len(place)), run))
    return place[drawn]


def _ranks(numbers: Ints) -> Ints:
    ranks: Ints = np.argsort(np.argsort(numbers, kind="stable"), kind="stable")
    return ranks


def _in_step(place: Ints, group: Ints | None = None) -> _Linked:
    """Link the i-th record of every group to the i-th respondent, from either end of the source.

    Args:
        place: where each released record stood among the sources of all of them.
        group: the number of its group, all one when left out; in each, one is linked by chance.
    """
    group = np.zeros(len(place), np.int64) if group is None else group
    released = np.lexsort((np.arange(len(place)), group))
    ends = (np.lexsort((place, group)), np.lexsort((-place, group)))
    right = max(int((released == source).sum()) for source in ends)
    return _Linked(right, len(place), Fraction(len(np.unique(group))))


def _side_by_side(place: Ints) -> _Linked:
    """Count the records that stand behind the one that they stood beside in the source."""
    right = int((np.abs(np.diff(place)) == 1).sum())
    tried = max(len(place) - 1, 0)
    chance = Fraction(NEIGHBOURS * tried, len(place)) if len(place) else Fraction(0)
    return _Linked(right, tried, chance)
