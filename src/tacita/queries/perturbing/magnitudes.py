"""Keyed noise of sums, in shares of their largest contributions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.mechanisms.cell_keys import largest_noise
from tacita.queries.answering import true_value
from tacita.queries.cells import Cell
from tacita.queries.perturbing.contributions import Contributions
from tacita.queries.perturbing.keys import RecordKeys
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked


class KeyedSums:
    """Sums of one database, with noise on the largest contributions.

    Args:
        data: the records.
        keys: their keys.
        magnitudes: the share of the largest, the second largest contribution and so on.
        spread: how far a share varies from set to set.
    """

    def __init__(
        self, data: PublicClasses, keys: RecordKeys, magnitudes: Sequence[float], spread: float
    ) -> None:
        self._data, self._keys = data, keys
        self._magnitudes, self._spread = np.array(magnitudes), spread
        self._contributions: dict[Asked, Contributions] = {}

    def noisy(self, cell: Cell) -> float | int | None:
        """Return a noisy sum; None where everybody knows that the set is empty."""
        if not cell.members.places.size:
            return None
        contributions = self._of(cell.asked)
        chosen = self._keys.of_classes(cell.members)
        sizes, keys = contributions.largest(cell.members, len(self._magnitudes))
        if not sizes.size:  # an exact 0 would tell that nobody contributes
            sizes, keys = np.zeros(1), np.array([chosen], np.uint64)
        sizes[0] = max(sizes[0], contributions.usual)
        sets = (contributions.of(cell.members).set_key, chosen)
        # Of a public attribute everybody knows which way a record goes: others need their own way.
        about = str(cell.asked.attribute)
        noise = largest_noise(
            sizes,
            self._magnitudes[: len(sizes)],
            [self._keys.uniform(f"direction {about}", int(key)) for key in keys],
            [self._varied(about, place, sets) for place in range(len(sizes))],
        )
        return contributions.rounded(float((true_value(cell) or 0) + noise))

    def _varied(self, about: str, place: int, sets: tuple[int, int]) -> float:
        """Return by how much a share varies: a part for those who contribute, one for all chosen.

        Records without a contribution change the second part, so that nobody can tell by equal
        answers who they are, and not the first, so that adding them does not average it away.
        """
        parts = zip(("contributing", "chosen"), sets, strict=True)
        drawn = [self._keys.uniform(f"{part} {place} {about}", key) for part, key in parts]
        return self._spread * (sum(drawn) - 1)

    def _of(self, asked: Asked) -> Contributions:
        if asked not in self._contributions:
            self._contributions[asked] = Contributions(asked, self._data, self._keys)
        return self._contributions[asked]
