"""Averages of clusters, with Laplace noise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints
from tacita.mechanisms.secure_noise import STEPS, noised, off_grid, on_grid
from tacita.microdata.anonymize.private_clusters.attribute import Clusters


@dataclass(frozen=True, eq=False)
class ClusteredNumbers:
    """Numbers between bounds.

    Args:
        places: the numbers, rounded to 2^-20 of their range.
        bounds: the lowest and highest possible number.
    """

    places: Ints
    bounds: tuple[float, float]

    @classmethod
    def of(cls, values: Floats, bounds: tuple[float, float]) -> ClusteredNumbers:
        """Round numbers; a blank counts as the middle, one beyond a bound as the bound."""
        return cls(on_grid(values, bounds), bounds)

    @property
    def ties(self) -> Ints:
        """Numbers in the same place are equal."""
        return np.zeros_like(self.places)

    def private_values(self, clusters: Clusters, epsilon: Fraction) -> pa.Array:
        """Return the noisy average of every cluster.

        A sum moves by the range where a record of its cluster is replaced. Alone, all sums together
        move by the range: what one cluster passes on, the next one takes.
        """
        sums = np.bincount(clusters.labels, self.places).astype(np.int64)  # exact: far below 2^53
        together = 1 if clusters.alone else len(sums)
        noisy = noised(sums.tolist(), STEPS * together, float(epsilon))
        return pa.array(off_grid(np.array(noisy) / clusters.sizes, self.bounds))
