"""What a policy becomes once it guards data: something that remembers, allows and refuses."""

from __future__ import annotations

from typing import Protocol

from tacita.queries.cells import Cell
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
        """Remember that the cell was answered, or published elsewhere."""

    def move(self, update: Update) -> None:
        """Go on with the history after the data changed."""
