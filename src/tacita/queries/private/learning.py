"""Bounds that are learned from the data, privately, where nobody knows them beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tacita.data.classes import Floats
from tacita.mechanisms.private.mechanisms import first_above
from tacita.queries.private.contributions import ONE_EACH, Contributions
from tacita.queries.private.moments import Bounds
from tacita.queries.public_classes import PublicClasses

POWERS = range(-10, 41)  # of two: from a thousandth to a trillion
WITHIN, OF = 19, 20  # the share of records that bounds are wanted around, on each side


def learned_bounds(
    data: PublicClasses, name: str, epsilon: Fraction, contributions: Contributions = ONE_EACH
) -> Bounds:
    """Return bounds, 0 or powers of two, that some 95 % of the records keep on either side.

    The lowest and the highest are each the first of growing candidates that enough records keep,
    with noise in the threshold and in the counts. A blank keeps all.

    Args:
        data: the classes.
        name: the attribute.
        epsilon: the loss, half of it for each end.
        contributions: which records count, and how many of a respondent at most.
    """
    kept, records = contributions.kept(data), contributions.most
    values = data.numbers(name) if kept is None else data.numbers(name)[kept]
    sizes = [2.0**power for power in POWERS]
    high = _first(values, sizes, epsilon / 2, records)
    low = _first(-values, [0.0, *sizes], epsilon / 2, records)
    return 0.0 - low, high


def _first(values: Floats, candidates: Sequence[float], epsilon: Fraction, records: int) -> float:
    """Return the first candidate that enough values do not exceed; the last if none is."""
    known = np.sort(values[~np.isnan(values)])
    beyond = known.size - np.searchsorted(known, candidates, "right")
    # OF times those within, less WITHIN times all: a record moves it by OF at most.
    over = (OF - WITHIN) * values.size - OF * beyond.astype(np.int64)
    place = first_above(over.tolist(), OF * records, epsilon)
    return candidates[-1 if place is None else place]
