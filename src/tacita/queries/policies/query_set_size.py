"""Query-set-size control: no answer about too few records, nor about all but too few."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.data.attribute import Kind
from tacita.method import ANY_KIND, Method
from tacita.queries.cells import Cell
from tacita.queries.leverage import (
    SINGLE_VALUES,
    contributing,
    contributing_of_all,
    is_of_public,
    largest_share,
)
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import OF_TWO, Statistic
from tacita.queries.updating import Update
from tacita.queries.watching import Watcher


class QuerySetSize(Method):
    """Answer only if k <= |S| <= N - k, for the query set S of N records; S may also be everybody.

    Both ends are needed: q(S) = q(everybody) - q(everybody but S). The whole file is answered if
    it has k records, since anybody adds it up from two halves.

    Of a confidential attribute, S and N are the records with a value. Extremes and quantiles, which
    are values of single records, are refused, and so are a slope, a covariance, a correlation with
    a public attribute z and a weighted sum of which one record carries more than a k-th part: with
    c(i) = z(i) - mean(z), or the weight, max |c(i)| <= sum |c(i)| / k. (Of a thousand incomes, the
    slope on the number of children is nearly that of the one person with twelve.)

    When not to use it alone: a tracker, found with a few counts, gets every answer that this policy
    refuses, for any k up to N / 2. `Audit` guarantees something. A set that a confidential
    attribute names is counted, too, and then a refusal tells something about the data.
    `statistics` narrows what the policy has a say about, for other policies to answer the rest.

    >>> import tacita as ta
    >>> import numpy as np
    >>> from tacita.queries.cells import QuerySet
    >>> from tacita.queries.statistic import Asked, Statistic
    >>> data = PublicClasses.of(ta.example("toy"), "toy")
    >>> def count(classes):
    ...     return Cell(Asked(Statistic.COUNT), QuerySet(data, classes))
    >>> watcher = QuerySetSize(3).watch(data)
    >>> everybody = data.sizes > 0
    >>> watcher.allows(count(everybody)), watcher.allows(count(~everybody))
    (True, False)
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Denning, D. E., Denning, P. J. and Schwartz, M. D. (1979). The tracker: a threat to "
        "statistical database security. ACM TODS 4(1), 76-96."
    )
    missing: ClassVar[str] = (
        "Records whose value is blank do not count where it is asked for; in `count(*)` they do."
    )
    example: ClassVar[dict[str, int]] = {"k": 3}

    k: Annotated[int, Field(ge=1, description="The fewest records an answer may be about.")]
    _: KW_ONLY
    statistics: Annotated[
        tuple[Statistic, ...] | None,
        Field(description="The statistics it has a say about; by default all.", min_length=1),
    ] = None

    def watch(self, data: PublicClasses) -> Watcher:  # noqa: ARG002 - a cell brings its data
        """Begin to guard some data."""
        return SizeWatcher(self)


class SizeWatcher:
    """Query-set-size control of one database; it has no memory."""

    simulatable = False

    def __init__(self, policy: QuerySetSize) -> None:
        k = policy.k
        self._k, self._statistics = k, policy.statistics
        self.guarantee = (
            f"No single answer is about fewer than {k} records with a value, or about all but "
            f"fewer than {k}, and weights and public numbers give none of them more than one part "
            f"in {k} of it; several answers together can tell a value."
        )

    def covers(self, cell: Cell) -> bool:
        """Tell whether the statistic is one of those it has a say about."""
        return self._statistics is None or cell.asked.statistic in self._statistics

    def allows(self, cell: Cell) -> bool:
        """Tell whether an answer is about enough records, and rests on none of them."""
        if is_of_public(cell):
            return self._is_between(cell.members.size, cell.members.data.records)
        if not self._is_between(contributing(cell), contributing_of_all(cell)):
            return False
        asked = cell.asked
        if asked.statistic in SINGLE_VALUES:
            return False
        even = not asked.weighted and asked.statistic not in OF_TWO
        return even or largest_share(cell) * self._k <= 1

    def _is_between(self, size: int, most: int) -> bool:
        return self._k <= size and (size <= most - self._k or size == most)

    def learn(self, cell: Cell) -> None:
        """Remember nothing."""

    def move(self, update: Update) -> None:
        """Go on after the data changed: a cell brings its data."""
