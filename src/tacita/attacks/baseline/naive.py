"""Naive intruders: they link by distance and take released values for true ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.microdata.risk.distance_linkage import DistanceLinkage
from tacita.results import Number


def linked_naively(
    original: Dataset, protected: Dataset, names: Sequence[str], rows: Ints
) -> Fraction | None:
    """Return the share of some released records that distance-based linkage links rightly."""
    found = DistanceLinkage(attributes=tuple(names), sample=None).measure(
        original, protected.take(rows)
    )
    return None if found.value is None else Fraction(found.value)


def beside_naive(
    what: str, attacked: Fraction | None, naive: Fraction | None
) -> dict[str, Number | None]:
    """Return what a naive intruder achieves, and how many times as much the attack does.

    >>> beside_naive("linkage", Fraction(1, 2), Fraction(1, 8))
    {'naive_linkage': Fraction(1, 8), 'ratio_to_naive_linkage': Fraction(4, 1)}
    """
    ratio = attacked / naive if attacked is not None and naive else None
    return {f"naive_{what}": naive, f"ratio_to_naive_{what}": ratio}
