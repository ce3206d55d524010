"""What answered maxima determine: Kenthapadi, Mishra and Nissim's audit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.queries.auditing.atoms import Atoms, Chosen


@dataclass(frozen=True, eq=False)
class Maxima:
    """Answered maxima, and who may have them.

    Args:
        answers: the maxima.
        witnesses: of each answer the number of records that may have it.
        inside: how many of these are in the query set asked for now.
        shared: whether records that an insider knows may have it as well.
        distinct: whether it is taken for granted that no two values are equal.
    """

    answers: Floats
    witnesses: Ints
    inside: Ints
    shared: Mask
    distinct: bool


class MaximumHistory:
    """The sets whose maxima were answered.

    A record is at most the least answer of its sets. It may have the answer of a set if nothing is
    known of it that is lower; these are the witnesses of the answer, and an answer with one witness
    is a value disclosed. The next answer is not looked at: a set is refused if any answer that fits
    the earlier ones would leave some answer with fewer than k witnesses.

    Nobody says whether values can be equal. If they can, each answered set has witnesses of its
    own; if they cannot, sets with equal answers share one witness, in all of them. A set is refused
    if it tells too much in either world.

    Args:
        sizes: of every class the number of records that are not known anyway.
        k: the least number of witnesses.
        insiders: of every class whether an insider knows its records; by default those of which
            none counts.

    >>> history = MaximumHistory(np.array([1, 1, 1]), k=2)
    >>> history.learn(np.array([True, True, True]), 9.0)
    >>> history.allows(np.array([True, True, False]))  # a lower answer would tell of the third
    False
    """

    def __init__(self, sizes: Ints, k: int, insiders: Mask | None = None) -> None:
        self.atoms = Atoms(sizes)
        self.k = k
        self._insiders: Mask = sizes == 0 if insiders is None else insiders
        self._sets: Mask = np.zeros((0, 1), bool)
        self._answers: Floats = np.zeros(0)
        self._shared: Mask = np.zeros(0, bool)

    def allows(self, classes: Chosen) -> bool:
        """Tell whether no answer to a set can leave an answer with fewer than k witnesses."""
        inside = self.atoms.cut(classes).inside
        bounds = np.where(self._sets, self._answers[:, None], np.inf).min(axis=0, initial=np.inf)
        shared = self._knows(classes)
        return not any(
            self._tells(past, left, own, shared)
            for past in self._worlds(inside, bounds)
            for left, own in _tried(past, inside, bounds)
        )

    def learn(self, classes: Chosen, answer: float) -> None:
        """Remember the maximum of a set."""
        parents = self.atoms.split(classes)
        self._sets = np.hstack([self._sets, self._sets[:, parents]])
        members = self.atoms.cut(classes).whole
        again = ((self._sets == members).all(axis=1) & (self._answers == answer)).any()
        if again or not members.any():
            return
        self._sets = np.vstack([self._sets, members])
        self._answers = np.append(self._answers, answer)
        self._shared = np.append(self._shared, self._knows(classes))

    def move(self, came_from: Ints, sizes: Ints, insiders: Mask | None = None) -> None:
        """Go on with other classes after the data changed; see `Atoms.move`."""
        self.atoms.move(came_from, sizes)
        self._insiders = sizes == 0 if insiders is None else insiders
        self._sets = np.hstack([self._sets, np.zeros((len(self._sets), 1), bool)])

    def _knows(self, classes: Chosen) -> bool:
        """Tell whether an insider knows records of a set."""
        return bool(self._insiders[classes].any())

    def _worlds(self, inside: Ints, bounds: Floats) -> Iterator[Maxima]:
        """Return the answers as they look where values can be equal, and where they cannot."""
        answers, sets, shared = self._answers, self._sets, self._shared
        sizes = self.atoms.sizes
        may = sets & (bounds == answers[:, None])
        yield Maxima(answers, may @ sizes, may @ inside, shared, distinct=False)
        once, first, which = np.unique(answers, return_index=True, return_inverse=True)
        may, shared = may[first], shared[first]
        np.logical_and.at(may, which, sets)
        np.logical_and.at(shared, which, self._shared)
        yield Maxima(once, may @ sizes, may @ inside, shared, distinct=True)

    def _tells(self, past: Maxima, left: Ints, own: int, shared: bool) -> bool:
        """Tell whether an answer fits the earlier ones and leaves too few witnesses somewhere.

        Args:
            past: the earlier answers.
            left: the witnesses that it leaves them.
            own: its own witnesses.
            shared: whether an insider knows records that may have it as well.
        """
        fits = bool(((left > 0) | past.shared).all()) and (own > 0 or shared)
        few = (left < past.witnesses) & (left > 0) & (left < self.k)
        return fits and (bool(few.any()) or 0 < own < self.k)


def _tried(past: Maxima, inside: Ints, bounds: Floats) -> Iterator[tuple[Ints, int]]:
    """Try every answer: of each whether it is one of the earlier, next below it, or above all.

    Returns:
        the witnesses left to the earlier answers, and those of the new one.
    """
    outside = past.witnesses - past.inside
    for value in np.append(np.unique(past.answers), np.inf):
        own = int(inside[bounds >= value].sum())
        yield np.where(past.answers >= value, outside, past.witnesses), own
        left, equal = np.where(past.answers > value, outside, past.witnesses), past.answers == value
        if past.distinct and equal.any():
            yield np.where(equal, past.inside, left), int(past.inside[equal][0])
        elif equal.any():
            yield left, own
