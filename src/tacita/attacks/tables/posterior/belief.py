"""What an intruder believes of one suppressed count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log2, sqrt

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.results import Interval, Number

BATCHES = 25  # of a walk, whose means tell how far it can be trusted
NORMAL = 1.96  # two-sided 95 % quantile


@dataclass(frozen=True, eq=False)
class Belief:
    """The posterior distribution of one suppressed count.

    Args:
        place: the cell's place in the system.
        least: the least count with a chance.
        chances: the probability of the least count, of one more, and so on.
        error: the standard error of the largest of them, 0 where the distribution is exact.
        draws: how many independent draws the walk was worth; None where there was none, or where
            it always met the same count.
    """

    place: int
    least: int
    chances: Sequence[Number]
    error: float = 0.0
    draws: float | None = None

    @property
    def best(self) -> int:
        """The most probable count; the least of those that are equally probable."""
        return self.least + max(range(len(self.chances)), key=lambda i: (self.chances[i], -i))

    @property
    def chance(self) -> Number:
        """The probability of the most probable count."""
        return self.of(self.best)

    def of(self, count: int) -> Number:
        """Return the probability of a count."""
        number = count - self.least
        return self.chances[number] if 0 <= number < len(self.chances) else Fraction(0)

    @property
    def is_exact(self) -> bool:
        """Whether the probabilities were counted, not estimated."""
        return isinstance(self.chance, Fraction)

    @property
    def interval(self) -> Interval | None:
        """Where the probability of the most probable count lies, if it was estimated."""
        if not self.error:
            return None
        chance, half = float(self.chance), NORMAL * self.error
        return Interval(max(0.0, chance - half), min(1.0, chance + half))

    @property
    def entropy(self) -> float:
        """What is still not known of the count, in bits."""
        return -sum(float(c) * log2(c) for c in self.chances if c > 0) + 0.0


def observed(place: int, counts: Ints) -> Belief:
    """Return the distribution of the counts that a walk met, with its error by batch means."""
    least = int(counts.min())
    chances = np.bincount(counts - least) / len(counts)
    best = int(np.argmax(chances))
    is_best: Mask = counts == least + best
    batches = np.array_split(is_best, BATCHES)
    error = float(np.std([batch.mean() for batch in batches], ddof=1)) / sqrt(BATCHES)
    chance = float(chances[best])
    draws = chance * (1 - chance) / error**2 if error else None
    return Belief(place, least, chances.tolist(), error, draws)
