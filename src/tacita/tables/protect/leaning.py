"""Which levels lean on which cells: those that move when a level is reached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tacita.data.classes import Ints


class Leaning:
    """For each level the cells that move when it is reached, and for each cell such levels.

    Args:
        leans_on: for each level the cells that move when it is reached.
        cells: how many cells there are.
    """

    def __init__(self, leans_on: Sequence[Ints], cells: int) -> None:
        self.leans_on = list(leans_on)
        self._levels: list[set[int]] = [set() for _ in range(cells)]
        for level, moved in enumerate(self.leans_on):
            for cell in moved.tolist():
                self._levels[cell].add(level)

    def on(self, cells: Iterable[int]) -> list[int]:
        """Return the levels that lean on some of the cells."""
        found: set[int] = set()
        return sorted(found.union(*(self._levels[cell] for cell in cells)))

    def only(self, levels: Sequence[int]) -> Ints:
        """Return the cells on which some of the levels lean and no other."""
        asked = set(levels)
        cells = set[int]().union(*(self.leans_on[level].tolist() for level in asked))
        return np.array([cell for cell in sorted(cells) if self._levels[cell] <= asked], np.int64)

    def lean(self, level: int, cells: Ints) -> None:
        """Let a level lean on other cells than before."""
        for cell in self.leans_on[level].tolist():
            self._levels[cell].discard(level)
        for cell in cells.tolist():
            self._levels[cell].add(level)
        self.leans_on[level] = cells
