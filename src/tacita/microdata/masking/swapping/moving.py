"""Moving households between areas, in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.microdata.masking.swapping.households import Homes
from tacita.microdata.masking.swapping.pairing import paired_apart


@dataclass(frozen=True, eq=False)
class Moves:
    """Households that change places; it fills as moves are asked for.

    Args:
        profile: what households must have in common to change places.
        areas: for each level, from coarse to fine, the area of every household.
        can_move: whose areas are known.
        partner: the household that each changes places with; itself if it stays.
        rng: where chance comes from.
    """

    profile: Ints
    areas: list[Ints]
    can_move: Mask
    partner: Ints
    rng: np.random.Generator

    @classmethod
    def of(
        cls, homes: Homes, levels: int, similar: Sequence[str], rng: np.random.Generator
    ) -> Moves:
        """Let every household stay, to begin with."""
        areas = [homes.codes(level) for level in range(levels)]
        return cls(homes.profiles(similar), areas, homes.complete, np.arange(len(homes)), rng)

    @property
    def stays(self) -> Mask:
        """Which households stay where they are."""
        return np.asarray(self.partner == np.arange(len(self.partner)))

    @property
    def swapped(self) -> int:
        """How many households change places."""
        return int(np.count_nonzero(~self.stays))

    def away(self, level: int, urgent: Mask) -> None:
        """Move households to another area of a level, if they can, in the same one above it."""
        for inside in self._cells(level):
            ones, twos = self._pairs(inside, level, urgent)
            some = urgent[ones] | urgent[twos]
            self._exchange(ones[some], twos[some])

    def some(self, pairs: int) -> None:
        """Move further households between areas of the finest level until so many pairs moved."""
        level, nobody = len(self.areas) - 1, np.zeros(len(self.profile), np.bool_)
        for inside in self._cells(level):
            ones, twos = self._pairs(inside, level, nobody)
            chosen = self.rng.permutation(len(ones))[: max(0, pairs - self.swapped // 2)]
            self._exchange(ones[chosen], twos[chosen])

    def _cells(self, level: int) -> list[list[Ints]]:
        """Return what partners agree on: at first the area above too, then the profile only."""
        anywhere = [[self.profile]]
        return [[self.profile, self.areas[level - 1]], *anywhere] if level else anywhere

    def _pairs(self, inside: list[Ints], level: int, urgent: Mask) -> tuple[Ints, Ints]:
        from tacita.kernels.grouping import group

        free = np.flatnonzero(self.stays & self.can_move)
        cells = group([part[free] for part in inside]).ids
        ones, twos = paired_apart(cells, self.areas[level][free], urgent[free], self.rng)
        return free[ones], free[twos]

    def _exchange(self, ones: Ints, twos: Ints) -> None:
        self.partner[ones], self.partner[twos] = twos, ones
