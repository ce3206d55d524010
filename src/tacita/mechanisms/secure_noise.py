"""Differentially private noise for bounded attributes, from a cryptographically secure source.

Values are rounded to whole numbers between their bounds, and the noise is a whole number too: that
of doubles would leave traces of the value it was added to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Annotated

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import ProtectionError, load_extra

STEPS = 2**20  # parts of an attribute's range that values are rounded to
ROUNDING = 1 + 1e-9  # by which scales are raised, so that no rounding costs privacy

Bounds = Annotated[
    dict[str, tuple[float, float]],
    Field(
        description="The attributes to release, each with its lowest and highest possible "
        "value, known without looking at the data.",
        min_length=1,
    ),
]
Epsilon = Annotated[
    float, Field(description="The privacy loss of all attributes together (above 0).", gt=0)
]


def refuse_bounds(method: str, bounds: Mapping[str, tuple[float, float]]) -> None:
    """Raise unless all bounds are a lowest and a higher value."""
    for name, (low, high) in bounds.items():
        if not (low < high and isfinite(high - low)):
            raise ValueError(
                f"`bounds` of `{method}` needs a lowest and a higher value for `{name}`; "
                f"found {low:g} and {high:g}."
            )


def refuse_mixed(method: str, data: Dataset) -> None:
    """Refuse data in which a record may tell of others: noise for one would not be enough.

    Raises:
        ProtectionError: a masking step looked at more than one record at a time.
    """
    if data.mixed_by is not None and not data.guarantees:
        raise ProtectionError(
            f"`{method}` guarantees nothing after `{data.mixed_by}`, which looked at "
            "more than one record at a time; mask with it first."
        )


def on_grid(values: Floats, bounds: tuple[float, float]) -> Ints:
    """Return values as whole numbers from 0 at the lower to STEPS at the upper bound.

    A value beyond a bound counts as the bound, a blank (NaN) as the middle.
    """
    low, high = bounds
    values = np.clip(values, low, high)
    share = np.where(np.isnan(values), 0.5, (values - low) / (high - low))
    whole: Ints = np.rint(share * STEPS).astype(np.int64)
    return whole


def off_grid(steps: Floats, bounds: tuple[float, float]) -> Floats:
    """Return what numbers on the grid stand for, none of it beyond the bounds.

    >>> off_grid(np.array([-5.0, STEPS / 4]), (0.0, 8.0))
    array([0., 2.])
    """
    low, high = bounds
    return np.clip(low + steps / STEPS * (high - low), low, high)


def noised(numbers: Sequence[int], sensitivity: int, epsilon: float) -> list[int]:
    """Add Laplace noise to whole numbers that all together move by a sensitivity at most."""
    dp = load_extra("opendp.prelude", "privacy")
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    scale = sensitivity / epsilon * ROUNDING
    noise = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=scale)
    found: list[int] = noise(list(numbers))
    return found
