"""Query-set-overlap control: answered query sets share few records."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Mask
from tacita.method import ANY_KIND, Method
from tacita.queries.cells import Cell
from tacita.queries.leverage import contributing, is_even_sum, is_of_public
from tacita.queries.public_classes import PublicClasses
from tacita.queries.updating import FRESH, Update
from tacita.queries.watching import Watcher


class QuerySetOverlap(Method):
    """Answer only about sets of k records or more that share at most r with each answered one.

    Who knows l values beforehand needs at least 1 + (k - 1 - l) / r answers to isolate one more; it
    bounds the number of answers and nothing beyond. That holds of sums in which all records of a
    set count alike, so that of confidential attributes only counts, sums and means without weights
    are answered: a slope beside a mean can tell the value of who has an unusual public number. The
    k records are those with a value. A set that was answered is answered again. Sets that a
    confidential attribute names are refused.

    When not to use it: for tables with margins, since a total shares all records of its parts; for
    more than a few questions.

    >>> import tacita as ta
    >>> from tacita.queries.cells import QuerySet
    >>> from tacita.queries.statistic import Asked, Statistic
    >>> data = PublicClasses.of(ta.example("toy"), "toy")
    >>> everybody = Cell(Asked(Statistic.COUNT), QuerySet(data, data.sizes > 0))
    >>> watcher = QuerySetOverlap(3, 1).watch(data)
    >>> watcher.learn(everybody)
    >>> most = Cell(Asked(Statistic.COUNT), QuerySet(data, data.sizes.cumsum() > 1))
    >>> watcher.allows(everybody), watcher.allows(most)
    (True, False)
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Dobkin, D., Jones, A. K. and Lipton, R. J. (1979). Secure databases: protection against "
        "user inference. ACM TODS 4(1), 97-106."
    )
    missing: ClassVar[str] = (
        "Who has no value counts as known: k records with one are needed where it is asked for."
    )
    example: ClassVar[dict[str, int]] = {"k": 3, "r": 1}

    k: Annotated[int, Field(ge=1, description="The fewest records an answer may be about.")]
    r: Annotated[int, Field(ge=0, description="The most records two answered sets may share.")]

    def watch(self, data: PublicClasses) -> Watcher:
        """Begin a history without answers."""
        return OverlapWatcher(self, data)


class OverlapWatcher:
    """Overlap control of one database: the sets that were answered, each once."""

    simulatable = True

    def __init__(self, policy: QuerySetOverlap, data: PublicClasses) -> None:
        self._k, self._r, self._data = policy.k, policy.r, data
        self._answered: dict[bytes, Mask] = {}
        self._earlier: list[Mask] = []  # what is left of sets that were answered from older data
        self.guarantee = (
            f"Answers are counts, sums and means of {policy.k} records with a value or more, and "
            f"two different sets share at most {policy.r}; {_enough(policy.k, policy.r)}"
        )

    def covers(self, cell: Cell) -> bool:  # noqa: ARG002 - every cell has a query set
        """Have a say about every cell."""
        return True

    def allows(self, cell: Cell) -> bool:
        """Tell whether the set is large enough and shares little with each answered one."""
        members = cell.members
        if not members.is_public or min(members.size, contributing(cell)) < self._k:
            return False
        if not (is_of_public(cell) or is_even_sum(cell)):
            return False
        classes = members.classes
        if np.packbits(classes).tobytes() in self._answered:
            return True
        sizes = self._data.sizes
        others = (*self._earlier, *self._answered.values())
        return all(int(sizes[classes & one].sum()) <= self._r for one in others)

    def learn(self, cell: Cell) -> None:
        """Remember the set."""
        classes = cell.members.classes
        self._answered.setdefault(np.packbits(classes).tobytes(), classes)

    def move(self, update: Update) -> None:
        """Go on after the data changed: answered sets have the records that are still there.

        None of them counts as answered any more: asked again, it may have a record less, or one
        with another value, and the two answers would tell it.
        """
        stayed = update.records != FRESH
        before = np.where(stayed, update.records, 0)
        answered = (*self._earlier, *self._answered.values())
        self._earlier = [stayed & one[before] for one in answered]
        self._data = update.data
        self._answered = {}


def _enough(k: int, r: int) -> str:
    """Say how many answers can tell a value."""
    if k == 1:
        return "one answer can tell a value."
    if r == 0:
        return "as they share nothing, several tell no more than each."
    return f"{1 + -(-(k - 1) // r)} answers or more together can tell a value."
