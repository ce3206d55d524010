"""The parts of a query: what has to be measured with noise, and how far one respondent moves it.

All cells of one grouping are about different records. A respondent is in one of them, so that the
noise for one cell is enough for all: a part is one moment, or one quantile, of all cells of one
grouping. The cost of a query is split evenly over its parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from math import sqrt
from typing import Any

from tacita.mechanisms.private.mechanisms import Sensitivity
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.computed import bounded_names
from tacita.queries.private.estimates import ADDITIVE, moments_of
from tacita.queries.private.moments import Bounds, Moment
from tacita.queries.private.ranks import Rank
from tacita.queries.statistic import Asked, Statistic


class Groups(dict[tuple[Any, ...], QuerySet]):
    """The query sets of a grouping, by its groups.

    Attributes:
        is_secret: whether nobody declared the groups, so that their number tells.
        number: how many groups the grouping has, whatever is answered of them.
    """

    is_secret = False
    number = 1

    @property
    def several(self) -> bool:
        """Whether a respondent may leave one group for another."""
        return self.is_secret or self.number > 1


RECORDS = Moment()  # their number

Part = tuple[Moment | Rank, tuple[int, ...]]  # what is measured, and the grouping it is of


class Neighbours(StrEnum):
    """Which data sets answers shall hardly tell apart."""

    CHANGE_ONE = "change_one"
    ADD_REMOVE = "add_remove"


@cache
def measured(asked: Asked) -> tuple[Moment | Rank, ...]:
    """Return what a statistic is computed from; nothing if it has no private form."""
    if asked.weighted:
        return ()
    if asked.statistic in ADDITIVE:
        return moments_of(asked)
    fraction = asked.fraction
    if asked.statistic is Statistic.QUANTILE and fraction is not None and 0 < fraction < 1:
        return (Rank(str(asked.attribute), fraction),)
    return ()


def bounded(asked: Asked) -> frozenset[str]:
    """Return the attributes that a statistic needs the bounds of.

    >>> bounded(Asked(Statistic.COUNT, "salary")), bounded(Asked(Statistic.SUM, "salary"))
    (frozenset(), frozenset({'salary'}))
    """
    if asked.statistic in {Statistic.COUNT, Statistic.RESPONDENTS}:
        return frozenset()
    names = [name for name in (asked.attribute, asked.other) if name is not None]
    return frozenset().union(*map(bounded_names, names))


def parts_of(cells: Sequence[Cell], deciding: Moment = RECORDS) -> dict[Part, Groups]:
    """Return the parts of a query with their query sets; what several statistics need is one.

    Args:
        cells: the cells of the query.
        deciding: what decides which groups are shown that nobody declared; it is measured of them
            whether it is asked for or not.
    """
    parts: dict[Part, Groups] = {}
    found: dict[tuple[Asked, tuple[int, ...], bool], list[Groups]] = {}
    for cell in cells:
        own = found.get((cell.asked, cell.of, cell.is_secret))
        if own is None:
            whats = measured(cell.asked)
            whats = (deciding, *whats) if cell.is_secret else whats
            own = [parts.setdefault((what, cell.of), Groups()) for what in whats]
            for groups in own:
                groups.is_secret, groups.number = cell.is_secret, cell.groups
            found[cell.asked, cell.of, cell.is_secret] = own
        for groups in own:
            groups[cell.group] = cell.members
    return parts


def sensitivity(
    what: Moment | Rank,
    several: bool,
    bounds: Mapping[str, Bounds],
    neighbours: Neighbours,
    records: int,
) -> Sensitivity:
    """Return how far one respondent moves a part.

    A record contributes c with low <= 0 <= c <= high or low <= c <= 0, and nothing to a set that it
    is not in. Added or removed it moves one cell by max(-low, high). Changed, it moves one cell by
    high - low, or leaves one cell for another. A respondent, counted once, is in as many cells as
    it has records.

    >>> sensitivity(Moment(), True, {}, Neighbours.CHANGE_ONE, 1).sum
    2
    >>> sensitivity(Moment(), True, {}, Neighbours.ADD_REMOVE, 1).sum
    1

    Args:
        what: what is measured.
        several: whether in more than one cell.
        bounds: the bounds of the attributes.
        neighbours: what a respondent can do.
        records: how many records a respondent has at most.
    """
    if isinstance(what, Moment) and what.respondent is not None:
        many = records * (1 + (neighbours is Neighbours.CHANGE_ONE)) if several else 1
        return Sensitivity(many, sqrt(many))
    low, high = what.limits() if isinstance(what, Rank) else what.limits(bounds)
    most = max(-low, high)
    if neighbours is Neighbours.ADD_REMOVE:
        return Sensitivity(records * most, float(records * most))
    if not several:
        return Sensitivity(records * (high - low), float(records * (high - low)))
    # 2 most >= high - low, but not so its root.
    return Sensitivity(records * 2 * most, records * max(high - low, sqrt(2) * most))
