"""Query-set-size control: no answer about too few records, nor about all but too few."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.data.attribute import Kind
from tacita.method import ANY_KIND, Method
from tacita.queries.cells import Cell
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Statistic
from tacita.queries.updating import Update
from tacita.queries.watching import Watcher


class QuerySetSize(Method):
    """Answer only if k <= |S| <= N - k, for the query set S of N records; S may also be everybody.

    Both ends are needed: q(S) = q(everybody) - q(everybody but S). The whole file is answered,
    since anybody adds it up from two halves.

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
    missing: ClassVar[str] = "Records with a blank count like others."
    example: ClassVar[dict[str, int]] = {"k": 3}

    k: Annotated[int, Field(ge=1, description="The fewest records an answer may be about.")]
    _: KW_ONLY
    statistics: Annotated[
        tuple[Statistic, ...] | None,
        Field(description="The statistics it has a say about; by default all.", min_length=1),
    ] = None

    def watch(self, data: PublicClasses) -> Watcher:
        """Begin to guard some data."""
        return SizeWatcher(self, data.records)


class SizeWatcher:
    """Query-set-size control of one database; it has no memory."""

    simulatable = False

    def __init__(self, policy: QuerySetSize, records: int) -> None:
        k = policy.k
        self._k, self._statistics, self._records = k, policy.statistics, records
        self.guarantee = (
            f"No single answer is about fewer than {k} records, or about all but fewer than {k}; "
            "several answers together can be."
        )

    def covers(self, cell: Cell) -> bool:
        """Tell whether the statistic is one of those it has a say about."""
        return self._statistics is None or cell.asked.statistic in self._statistics

    def allows(self, cell: Cell) -> bool:
        """Tell whether the query set is neither too small nor too large."""
        size = cell.members.size
        return self._k <= size <= self._records - self._k or 0 < size == self._records

    def learn(self, cell: Cell) -> None:
        """Remember nothing."""

    def move(self, update: Update) -> None:
        """Go on after the data changed."""
        self._records = update.data.records
