"""Auditing of how narrowly sums and public bounds enclose the values."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.errors import InputError, ParameterError
from tacita.method import AttributeName, Method
from tacita.queries.auditing.intervals import IntervalHistory
from tacita.queries.auditing.unknowns import refuse_other_than_numbers
from tacita.queries.cells import Cell
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Statistic
from tacita.queries.updating import Update
from tacita.queries.watching import Watcher

SUMS = frozenset({Statistic.SUM, Statistic.AVG})


class AuditIntervals(Method):
    """Refuse a sum that, with the earlier ones and public bounds, encloses a value too narrowly.

    Everybody knows lower <= x <= upper. With the answered sums A x = b, a record can be anything
    from min x to max x over all x that fulfil both: two linear programs for each atom (records that
    no answered set tells apart). An answer is refused if it leaves any record an interval narrower
    than `width`.

    The decision depends on the answer, so a refusal tells something: it is not simulatable. Use it
    where bounds matter more than that, beside `Audit`, which decides without looking at values.

    Means count as sums. Counts of the attribute tell nothing here, because it is taken for known
    where it is blank; all else that is asked of it is refused, as are weighted sums.

    When not to use it: with thousands of atoms, since every decision solves two programs for each.

    >>> import tacita as ta
    >>> from tacita.queries.cells import QuerySet
    >>> from tacita.queries.statistic import Asked
    >>> data = PublicClasses.of(ta.example("toy"), "toy")
    >>> policy = AuditIntervals("income", lower=0, upper=1_000_000, width=20_000)
    >>> total = Cell(Asked(Statistic.SUM, "income"), QuerySet(data, data.sizes > 0))
    >>> policy.watch(data).allows(total)
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Li, Y., Wang, L., Wang, X. S. and Jajodia, S. (2002). Auditing interval-based inference. "
        "Advanced Information Systems Engineering (CAiSE), LNCS 2348, 553-567."
    )
    missing: ClassVar[str] = "Blanks are taken for known: they add nothing and protect nobody."
    example: ClassVar[dict[str, object]] = {
        "attribute": "income",
        "lower": 0,
        "upper": 1_000_000,
        "width": 1000,
    }

    attribute: Annotated[AttributeName, Field(description="The confidential attribute.")]
    _: KW_ONLY
    lower: Annotated[float, Field(description="What everybody knows that no value is below.")]
    upper: Annotated[float, Field(description="What everybody knows that no value is above.")]
    width: Annotated[float, Field(description="The least width of every record's interval.", gt=0)]

    def watch(self, data: PublicClasses) -> Watcher:
        """Begin a history without answers."""
        if self.width >= self.upper - self.lower:
            raise ParameterError(
                f"`width` of `{self.name}` should be below the distance of the bounds, "
                f"{self.upper - self.lower:g}; found {self.width:g}."
            )
        refuse_other_than_numbers(self.name, data, [self.attribute])
        return IntervalsWatcher(self, data)


class IntervalsWatcher:
    """The audit of one attribute of one database."""

    simulatable = False

    def __init__(self, policy: AuditIntervals, data: PublicClasses) -> None:
        self._policy = policy
        sizes, self._sums = self._seen(data)
        width = policy.width / (policy.upper - policy.lower)
        self._history = IntervalHistory(sizes, width)
        self.guarantee = (
            f"From all sums and means of {policy.attribute} ever answered and its public bounds, "
            f"no value can be enclosed more narrowly than {policy.width:g}; but a refusal may tell "
            "something (not simulatable)."
        )

    def covers(self, cell: Cell) -> bool:
        """Tell whether the attribute is asked for, or may be what names the query set."""
        named = (cell.asked.attribute, cell.asked.other)
        return not cell.members.is_public or self._policy.attribute in named

    def allows(self, cell: Cell) -> bool:
        """Tell whether every record's interval stays wide enough."""
        if cell.asked.statistic is Statistic.COUNT and cell.members.is_public:
            return not cell.asked.weighted
        places = cell.members.places
        return self._is_sum(cell) and self._history.allows(places, self._sums[places].sum())

    def learn(self, cell: Cell) -> None:
        """Remember the set and its sum."""
        if self._is_sum(cell):
            places = cell.members.places
            self._history.learn(places, self._sums[places].sum())

    def move(self, update: Update) -> None:
        """Go on after the data changed."""
        sizes, self._sums = self._seen(update.data)
        self._history.move(update.values[self._policy.attribute], sizes)

    def _is_sum(self, cell: Cell) -> bool:
        asked = cell.asked
        one = asked.attribute == self._policy.attribute and asked.statistic in SUMS
        return one and not asked.weighted and cell.members.is_public

    def _seen(self, data: PublicClasses) -> tuple[Ints, Floats]:
        """Return of every class how many values an insider does not know, and their sum as shares.

        Shares are 0 at the lower bound and 1 at the upper.
        """
        policy, values = self._policy, data.numbers(self._policy.attribute)
        there = ~np.isnan(values)
        shares = (values[there] - policy.lower) / (policy.upper - policy.lower)
        if ((shares < 0) | (shares > 1)).any():
            raise InputError(
                f"Some values of `{policy.attribute}` are outside its bounds {policy.lower:g} and "
                f"{policy.upper:g}; give bounds that hold."
            ).about(policy.attribute)
        of_value = data.of_record[there]
        sizes = np.bincount(of_value, minlength=len(data))
        sums = np.bincount(of_value, shares, minlength=len(data))
        return np.where(data.known, 0, sizes), np.where(data.known, 0, sums)
