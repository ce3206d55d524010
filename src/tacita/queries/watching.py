"""What a policy becomes once it guards data: something that remembers, allows and refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from tacita.queries.answer import Released
from tacita.queries.cells import Cell
from tacita.queries.key_sets import KeySets
from tacita.queries.language.naming import Permitted
from tacita.queries.private.spending import Spending
from tacita.queries.public_classes import PublicClasses
from tacita.queries.updating import Update


class Watcher(Protocol):
    """A policy at work on one database, over all users.

    The guard asks `allows` of every policy that covers a cell, and only if all of them allow it
    calls `learn` of those, so that a policy knows all that was answered of what it covers. One cell
    follows the other, also within one query: a later cell is judged with the earlier ones known.

    Attributes:
        guarantee: what holds of the answers, in a sentence.
        simulatable: whether refusals depend on nothing but what everybody knows.
    """

    guarantee: str
    simulatable: bool

    def covers(self, cell: Cell) -> bool:
        """Tell whether the policy has a say about such a cell."""

    def allows(self, cell: Cell) -> bool:
        """Tell whether the cell may be answered; nothing is remembered."""

    def learn(self, cell: Cell) -> None:
        """Remember that the cell was answered, or published elsewhere; twice is as good as once."""

    def move(self, update: Update) -> None:
        """Go on with the history after the data changed."""


@runtime_checkable
class Recalling(Protocol):
    """What a watcher has besides if it takes up a long history faster than cell by cell."""

    def learn_all(self, cells: Sequence[Cell]) -> None:
        """Remember that cells were answered; the same as `learn` of one after the other."""


@runtime_checkable
class Answering(Protocol):
    """What a watcher has besides if its policy says what the answer is: noisy, or an interval.

    Of those that cover a cell the first one answers it; where there is none the answer is exact.
    The guard takes the cost of all cells of a query that a policy answers at once, writes it into
    the ledger, and only then lets the policy answer: what fails is paid all the same.
    """

    def debit(self, cells: Sequence[Cell], user: str) -> Mapping[str, Any] | None:
        """Take what answering costs, and return it as the ledger shall have it.

        Nothing is taken and None returned if there is not enough left; what costs nothing costs {}.
        """

    def charge(self, cost: Mapping[str, Any], user: str) -> None:
        """Take again what the ledger says was taken before."""

    def release(self, cells: Sequence[Cell]) -> Sequence[Released]:
        """Answer cells that were paid for, in their order."""

    def explain(self, cells: Sequence[Cell], user: str) -> Mapping[str, Any]:
        """Tell what answering would cost and how exact it would be, from what is public."""

    def left(self, user: str) -> Mapping[str, float]:
        """Return what is left of the budgets that a user's questions are paid from."""


@runtime_checkable
class Private(Answering, Protocol):
    """A policy that answers about respondents whose records it counts, from a budget.

    Attributes:
        permitted: what queries may name where it alone has a say.
        keys: the values that records may be grouped by, which nothing of the data is seen from.
    """

    permitted: Permitted
    keys: KeySets

    def use_key(self, key: bytes) -> None:
        """Choose the records that count by a key, the same at every opening."""

    def refuse_data(self, data: PublicClasses) -> None:
        """Raise where it cannot go on with other data."""

    def at(self, spending: Spending | None) -> Answering:
        """Return the same policy, with the same budget, as it answers for another price."""

    def price(
        self, queries: Sequence[tuple[Sequence[Cell], Spending | None]], user: str
    ) -> Mapping[str, Any]:
        """Tell what several queries would cost together, and whether there is enough left."""

    def evidence(self) -> Mapping[str, Any]:
        """Tell what those who keep the data may know, and nobody else."""


def learn_all(watchers: Iterable[Watcher], cells: Sequence[Cell]) -> None:
    """Tell policies of all cells that were answered and that they cover, in their order."""
    for one in watchers:
        covered = [cell for cell in cells if one.covers(cell)]
        if isinstance(one, Recalling):
            one.learn_all(covered)
        else:
            for cell in covered:
                one.learn(cell)
