"""What a partition loses: the share of their domains that released keys stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from tacita.arithmetic import expm1, log1p, product
from tacita.data.classes import Floats
from tacita.microdata.anonymize.partitioning.partition import Partition
from tacita.microdata.anonymize.partitioning.scales import Scale

if TYPE_CHECKING:
    from tacita.kernels.box_cuts import Rulers

Measure = Literal["loss", "loss_arithmetic", "granularity"]


def losses(scales: Sequence[Scale], rulers: Rulers, partition: Partition) -> Floats:
    """Return the loss of every key, as `generalization_loss` tells it of the released data."""
    from tacita.kernels.box_cuts import widths

    found = np.zeros(len(scales))
    for column, scale in enumerate(scales):
        if scale.base == 1:  # the only value there could be tells nothing, released or not
            continue
        known = scale.codes != scale.blank
        values = np.bincount(partition.of_record[known] + 1, minlength=len(partition) + 1)
        low, high = partition.ends(scale.codes)
        lost = values[0] + product(widths(rulers, column, low, high), values[1:])
        found[column] = lost / max(values.sum(), 1)
    return found


def combined(scales: Sequence[Scale], each: Floats, measure: Measure) -> float:
    """Put the losses of the keys together as a measure does."""
    if measure == "granularity":
        return float(product(each, weights(scales, each, measure)))
    return float(each.mean() if measure == "loss_arithmetic" else expm1(log1p(each).mean()))


def weights(scales: Sequence[Scale], each: Floats, measure: Measure) -> Floats:
    """Return how much a change of the loss of each key counts in a measure, their sum being 1.

    Args:
        scales: the values of the keys.
        each: the losses of the keys from which they change.
        measure: the measure.
    """
    bases = np.array([scale.base for scale in scales])
    counts = 1 - bases if measure == "granularity" else 1.0 * (bases < 1)
    if measure == "loss":
        counts = counts / (1 + each)
    total = counts.sum()
    return counts / total if total else np.full(len(scales), 1 / len(scales))
