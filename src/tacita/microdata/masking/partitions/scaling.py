"""Scaling: attributes brought to one unit, so that a distance does not depend on theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from tacita.data.classes import Floats

Scale = Literal["standardize", "range", "none"]


def scaled(columns: Sequence[Floats], scale: Scale) -> Floats:
    """Return records by attributes in one unit; blanks stay NaN.

    Attributes are divided by their standard deviation about their mean (`standardize`), by their
    range (`range`), or all by the same power of two (`none`), which changes no comparison.
    A constant attribute becomes 0.

    >>> scaled([np.array([1.0, 3.0]), np.array([5.0, 5.0])], "range")
    array([[-0.5,  0. ],
           [ 0.5,  0. ]])
    """
    exponents = [_exponent(column) for column in columns]
    if scale == "none":
        return np.column_stack([np.ldexp(column, -max(exponents)) for column in columns])
    # Squares of the largest numbers have no double; a power of two costs no digit.
    parts = zip(columns, exponents, strict=True)
    return np.column_stack([_in_one_unit(np.ldexp(x, -power), scale) for x, power in parts])


def _exponent(column: Floats) -> int:
    """Return the power of two above all absolute values."""
    largest = float(np.max(np.abs(column), where=~np.isnan(column), initial=0.0))
    return int(np.frexp(largest)[1])


def _in_one_unit(column: Floats, scale: Scale) -> Floats:
    from tacita.kernels.moments import moments

    known = column[~np.isnan(column)]
    if not len(known) or known.min() == known.max():
        return np.where(np.isnan(column), np.nan, 0.0)
    found = moments([known])
    spread = np.sqrt(found.covariance[0, 0]) if scale == "standardize" else np.ptp(known)
    return np.asarray((column - found.means[0]) / spread)
