"""What an intruder achieves who picks one of the F records that share a respondent's key values."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from tacita.data.classes import Ints
from tacita.results import Number, exactly

Sizes = np.ndarray[Any, Any]  # whole numbers, or doubles where they are estimates
Threshold = Annotated[
    float, Field(description="Records with a higher risk than this are at risk.", ge=0, le=1)
]


FIGURES = (
    "average",
    "highest",
    "lowest",
    "share_highest",
    "share_lowest",
    "records_at_risk",
    "share_at_risk",
)


def risk_figures(sizes: Sizes, threshold: float) -> dict[str, Number | None]:
    """Summarize the risks 1/F of records, exactly where the sizes F are whole numbers.

    >>> found = risk_figures(np.array([1, 2, 2]), 0.5)
    >>> [str(found[name]) for name in ("highest", "average", "share_lowest", "share_at_risk")]
    ['1', '2/3', '2/3', '1/3']
    """
    records = len(sizes)
    values, often = np.unique(sizes, return_counts=True)
    if not records:
        return dict.fromkeys(FIGURES)
    at_risk = int(often[values < _bound(values, threshold)].sum())
    found = (
        _average(values, often),
        _reciprocal(values[0]),
        _reciprocal(values[-1]),
        Fraction(int(often[0]), records),
        Fraction(int(often[-1]), records),
        at_risk,
        Fraction(at_risk, records),
    )
    return dict(zip(FIGURES, found, strict=True))


def _bound(sizes: Sizes, threshold: float) -> float:
    """Return the size below which 1/F is above a threshold, as the decimal that was written."""
    if threshold == 0:
        return math.inf
    bound = 1 / exactly(threshold)
    return math.ceil(bound) if sizes.dtype.kind == "i" else float(bound)


def _reciprocal(size: np.int64 | np.float64) -> Number:
    return Fraction(1, int(size)) if isinstance(size, np.integer) else float(1 / size)


def _average(values: Sizes, often: Ints) -> Number:
    if values.dtype.kind != "i":
        return math.fsum(often / values) / int(often.sum())
    # There are few different sizes, so that the exact sum is quick.
    parts = (Fraction(int(n), int(size)) for size, n in zip(values, often, strict=True))
    return sum(parts, Fraction(0)) / int(often.sum())
