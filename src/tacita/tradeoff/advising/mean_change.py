"""Mean change: what any masking costs, values moved and values coarsened alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tacita.data.attribute import Kind
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.microdata.comparing.coverage import Coverage, coverage
from tacita.microdata.comparing.features import shared

MEASURED = frozenset({Kind.CONTINUOUS, Kind.DATE})
ROOT_TWO = np.sqrt(2)


class Loss(NamedTuple):
    """An information loss, in all and by attribute."""

    value: float
    parts: Mapping[str, float]


def mean_change(original: Dataset, protected: Dataset) -> Loss:
    """Return how far values moved on average, between 0 (not at all) and 1 (lost).

    It compares methods of all sorts with each other, so it has one scale for them. A released
    number x', or a range of them in which every number is as likely, is |x - x'| / (sqrt(2) S) off,
    S being the standard deviation of the original values: as far as two respondents typically lie
    apart is 1, and nothing counts more. A released category that may stand for a of |D| counts
    (a - 1) / (|D| - 1) if the original is among them; if not, 1 or, in an order, the steps to it
    over |D| - 1. What was blanked, or left out with its record, counts 1. Attributes count alike.

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> mean_change(data, data).value
    0.0
    """
    parts = {name: _change(original, protected, name) for name in shared([original])}
    return Loss(float(np.mean(list(parts.values()))) if parts else 0.0, parts)


def _change(original: Dataset, protected: Dataset, name: str) -> float:
    if name not in protected.attributes:
        return 1.0
    if _is_untouched(original, protected, name):
        return 0.0
    cover = coverage(original, protected, name)
    kind = original.attribute(name).kind
    moved = _distance(cover) if kind in MEASURED and cover.is_number else _steps(cover, kind)
    blank = np.asarray(protected.column(name).is_null())
    there = ~np.isnan(cover.own)
    values = max(int(np.count_nonzero(~np.isnan(cover.known))), int(np.count_nonzero(there)))
    kept = float(np.where(blank, 1.0, moved)[there].sum())
    return (kept + values - int(np.count_nonzero(there))) / max(values, 1)


def _is_untouched(original: Dataset, protected: Dataset, name: str) -> bool:
    """Tell what no step has touched, which most attributes are, without comparing values."""
    return len(original) == len(protected) and (
        original.table.column(name) is protected.table.column(name)
        or original.table.column(name).equals(protected.table.column(name))
    )


def _distance(cover: Coverage) -> Floats:
    """Return the expected |x - u| of u anywhere in the released range, over sqrt(2) S, up to 1."""
    known = cover.known[~np.isnan(cover.known)]
    # As shares of the largest value, so that squares of the largest doubles are numbers.
    unit = max(map(abs, cover.limits)) or 1.0
    spread = float((known / unit).std()) * ROOT_TWO
    low, high, own = (
        side / unit
        for side in (cover.lower[cover.of_record], cover.upper[cover.of_record], cover.own)
    )
    below, above, width = own - low, high - own, high - low
    outside = np.maximum(np.abs(own - low / 2 - high / 2), 0.0)
    inside = (below**2 + above**2) / (2 * np.where(width > 0, width, 1.0))
    off = np.where((below > 0) & (above > 0), inside, outside)
    if spread == 0:
        return np.where(off == 0, 0.0, 1.0)
    return np.asarray(np.minimum(off / spread, 1.0))


def _steps(cover: Coverage, kind: Kind) -> Floats:
    """Return the share of the domain that a category may stand for, and 1 for a wrong one."""
    others = max(cover.size - 1, 1)
    within = np.minimum((cover.leaves - 1) / others, 1.0)
    wrong = np.ones(len(cover.own))
    if kind is Kind.ORDINAL:
        low, high = cover.lower[cover.of_record], cover.upper[cover.of_record]
        gap = np.maximum(low - cover.own, cover.own - high)
        wrong = np.clip(np.nan_to_num(gap) / others, 0.0, 1.0)
    return np.where(cover.holds, within, wrong)
