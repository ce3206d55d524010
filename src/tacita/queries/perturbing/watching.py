"""A policy that perturbs answers, at work on one database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Annotated, Any, Protocol

from pydantic import Field

from tacita.queries.answer import Released
from tacita.queries.cells import Cell
from tacita.queries.leverage import is_of_public
from tacita.queries.public_classes import PublicClasses
from tacita.queries.updating import Update

ConfidentialSets = Annotated[
    bool,
    Field(
        description="Whether conditions may name confidential attributes. Two answers that are the "
        "same then tell that a condition makes no difference."
    ),
]


class Perturbation(Protocol):
    """How a policy makes answers differ from the truth.

    Attributes:
        guarantee: what holds of the answers, in a sentence.
        confidential_sets: whether query sets may be named by confidential attributes.
    """

    guarantee: str
    confidential_sets: bool

    def covers(self, cell: Cell) -> bool:
        """Tell whether it has a say about a statistic; what it cannot perturb it refuses."""

    def perturbs(self, cell: Cell) -> bool:
        """Tell whether it is a statistic that can be perturbed."""

    def released(self, cell: Cell) -> Released:
        """Return the perturbed answer."""

    def told(self) -> Mapping[str, Any]:
        """Return how far answers are from the truth, in what everybody may know."""

    def move(self, data: PublicClasses) -> None:
        """Go on with other data."""


class PerturbingWatcher:
    """Answers at no cost; refuses what it cannot perturb and what confidential attributes name.

    Args:
        perturbation: what is done to the answers.
    """

    simulatable = True

    def __init__(self, perturbation: Perturbation) -> None:
        self._perturbation = perturbation
        self._now: PublicClasses | None = None  # the data, once they have changed
        self._before = perturbation
        self.guarantee = perturbation.guarantee

    def covers(self, cell: Cell) -> bool:
        """Tell whether it is told with noise, or tells of confidential values without.

        What is left to others would be exact, and an exact answer tells what noise hides.
        """
        return self._perturbation.perturbs(cell) or (
            self._perturbation.covers(cell) and not is_of_public(cell)
        )

    def allows(self, cell: Cell) -> bool:
        """Tell whether the statistic can be perturbed and the set be named as it is."""
        may_be_named = cell.members.is_public or self._perturbation.confidential_sets
        return may_be_named and self._perturbation.perturbs(cell)

    def learn(self, cell: Cell) -> None:
        """Remember nothing: the noise belongs to the records, not to the history."""

    def move(self, update: Update) -> None:
        """Go on after the data changed; records that stayed keep their keys.

        What was done before stays at hand for questions that were decided before and are answered
        after.
        """
        moved = copy(self._perturbation)
        moved.move(update.data)
        self._before, self._now, self._perturbation = self._perturbation, update.data, moved

    def debit(self, cells: Sequence[Cell], user: str) -> Mapping[str, Any]:  # noqa: ARG002
        """Take nothing."""
        return {}

    def charge(self, cost: Mapping[str, Any], user: str) -> None:
        """Take nothing again."""

    def release(self, cells: Sequence[Cell]) -> list[Released]:
        """Return the perturbed answers."""
        return [self._of(cell.members.data).released(cell) for cell in cells]

    def explain(self, cells: Sequence[Cell], user: str) -> Mapping[str, Any]:  # noqa: ARG002
        """Tell how far answers are from the truth."""
        return self._perturbation.told()

    def left(self, user: str) -> Mapping[str, float]:  # noqa: ARG002 - nobody has a budget
        """Return no budget."""
        return {}

    def _of(self, data: PublicClasses) -> Perturbation:
        return self._perturbation if self._now in {None, data} else self._before
