"""Discrepancies between what is computed on original and on protected data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tacita.data.classes import Floats, Mask
from tacita.method import Method
from tacita.results import Measurement, listed

MOST = 1e150


class Discrepancy(NamedTuple):
    """The three ways to say how far two vectors or matrices are apart; None where undefined."""

    mean_square_error: float | None
    mean_absolute_error: float | None
    mean_variation: float | None


def discrepancy(before: Floats, after: Floats, weights: Floats | None = None) -> Discrepancy:
    """Compare components: errors where both are known, variation where the original is.

    >>> discrepancy(np.array([4.0, 2.0]), np.array([5.0, np.nan]))._asdict()
    {'mean_square_error': 1.0, 'mean_absolute_error': 1.0, 'mean_variation': 0.625}

    Args:
        before: the components on the original data; NaN where undefined, and then left out.
        after: those on the protected data; NaN where they cannot be computed any more.
        weights: how much each component counts.
    """
    gap, known = np.abs(before - after), ~np.isnan(before)
    both = ~np.isnan(gap)
    return Discrepancy(
        _mean(gap**2, both, weights),
        _mean(gap, both, weights),
        _mean(variations(before, after), known, weights),
    )


def variations(before: Floats, after: Floats) -> Floats:
    """Return |before - after| / |before| of components.

    Where before is 0 it is 0 if after is 0 as well and 1 if not; where after cannot be computed it
    is 1; where before cannot, NaN. More than 1e150 is taken for that, so that it can be added up.

    >>> variations(np.array([4.0, 0, 0, 2]), np.array([5.0, 0, 3, np.nan]))
    array([0.25, 0.  , 1.  , 1.  ])
    """
    found = np.where(before == after, 0.0, 1.0)
    with np.errstate(over="ignore"):  # of numbers next to 0
        np.divide(
            np.abs(before - after),
            np.abs(before),
            out=found,
            where=(before != 0) & ~np.isnan(before) & ~np.isnan(after),
        )
    found[np.isnan(before)] = np.nan
    return np.minimum(found, MOST)


def _mean(values: Floats, chosen: Mask, weights: Floats | None) -> float | None:
    if not chosen.any():
        return None
    if weights is None:
        return float(values[chosen].mean())
    return float((values[chosen] * weights[chosen]).sum() / weights[chosen].sum())


def measured(
    method: Method,
    found: Discrepancy,
    value: float | None,
    sentence: str,
    parts: Mapping[str, float | None],
) -> Measurement:
    """Return the measurement of a discrepancy."""
    return Measurement(
        method.name,
        method.family,
        value,
        sentence,
        parts,
        parameters=method.parameters(),
        figures=found._asdict(),
    )


def by_name(names: Sequence[str], values: Floats) -> dict[str, float | None]:
    """Return values by their names; None where there is none."""
    return {
        name: None if np.isnan(value) else float(value)
        for name, value in zip(names, values, strict=True)
    }


def told_lost(lost: Sequence[str]) -> str:
    """Say which attributes cannot be compared any more."""
    return f"; left out or no longer numbers: {listed(lost)}" if lost else ""
