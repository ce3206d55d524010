"""Sums of weights that do not depend on the order in which they are added.

A sum of floats depends on its order, and an engine adds in the order in which its threads come by.
Each weight is therefore cut into three whole numbers: what stands before the point, the next 30
bits, and the 30 after them. Whole numbers add up to the same in any order, and the three sums are
joined at the end. Bits beyond the 60th after the point are dropped; a weight of 1/256 or more has
none of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.errors import InputError

HIGHEST = 2**31  # of one weight, so that the sums over 2^32 records fit 64 bits
STEP = 2**30


def sum_weights(ids: Ints, weights: Floats, groups: int) -> Floats:
    """Add up the weights of each group.

    >>> sum_weights(np.array([0, 1, 0]), np.array([0.1, 2.5, 0.2]), 2)
    array([0.3, 2.5])
    """
    whole, high, low = (_added(ids, part, groups) for part in _cut(weights))
    return whole + (high / STEP + low / (STEP * STEP))


def _cut(weights: Floats) -> tuple[Floats, Floats, Floats]:
    whole = np.floor(weights)
    rest = (weights - whole) * STEP
    high = np.floor(rest)
    return whole, high, np.floor((rest - high) * STEP)


def _added(ids: Ints, part: Floats, groups: int) -> Floats:
    sums = np.zeros(groups, np.int64)
    np.add.at(sums, ids, part.astype(np.int64))
    return sums.astype(np.float64)


def weight_sum_sql(weight: str) -> str:
    """Return the same sum as SQL, for a column that is named as the engine names it."""
    number = f"CAST({weight} AS DOUBLE)"
    rest = f"({number} - floor({number})) * {STEP}"
    cut = (f"floor({number})", f"floor({rest})", f"floor(({rest} - floor({rest})) * {STEP})")
    sums = (f"CAST(CAST(sum(CAST({part} AS BIGINT)) AS BIGINT) AS DOUBLE)" for part in cut)
    whole, high, low = sums
    return f"{whole} + ({high} / {STEP} + {low} / {STEP * STEP})"


def wrong_weight_sql(weight: str) -> str:
    """Return the condition, as SQL, that a weight cannot be used."""
    # Parquet's statistics leave out what is not a number: with a comparison alone, an engine may
    # pass over the part of a file in which it stands.
    nan = f"isnan(CAST({weight} AS DOUBLE))"
    return f"{nan} OR {weight} IS NULL OR NOT ({weight} > 0 AND {weight} <= {HIGHEST})"


def refuse_weight(name: str, value: Any) -> None:
    """Refuse a weight that cannot be used."""
    found = "blank" if value is None else "not a number" if np.isnan(value) else f"{value:g}"
    raise InputError(
        f"Sampling weights must be above 0 and at most {HIGHEST:,}; `{name}` is {found} in some "
        "records."
    ).about(name)
