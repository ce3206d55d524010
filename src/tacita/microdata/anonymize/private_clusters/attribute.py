"""What the kinds of attributes have in common: an order of records, and values of clusters."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from tacita.data.classes import Ints
from tacita.mechanisms.secure_noise import STEPS


class Clusters(NamedTuple):
    """Clusters of records that follow each other in an order.

    Args:
        labels: the cluster of every record, from 0.
        alone: whether the order is that of a single attribute, so that clusters only pass the
            values next to their edges on.
    """

    labels: Ints
    alone: bool

    @property
    def sizes(self) -> Ints:
        """How many records each cluster has."""
        return np.bincount(self.labels)


class ClusteredAttribute(Protocol):
    """An attribute of the records that are clustered."""

    @property
    def places(self) -> Ints:
        """A whole number from 0 to STEPS for every record, by which records are ordered."""

    @property
    def ties(self) -> Ints:
        """A number for every record that tells different values in the same place apart."""

    def private_values(self, clusters: Clusters, epsilon: Fraction) -> pa.Array:
        """Return a value for every cluster, with a privacy loss of epsilon for all together."""


def spread_out(positions: Ints, last: int) -> Ints:
    """Return positions from 0 to the last one as whole numbers from 0 to STEPS."""
    scaled: Ints = positions * STEPS // max(last, 1)
    return scaled
