"""Rank swapping: values exchanged with values that lie near."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import AttributeNames, Method
from tacita.microdata.masking.perturbing.numbers import BLANKS_STAY
from tacita.microdata.masking.swapping.exchange import exchanged, refuse_none
from tacita.microdata.masking.swapping.ranking import ORDERED, ascending, positions
from tacita.preserved import Statistic, always
from tacita.validity import Change

Places = np.ndarray[Any, np.dtype[np.int32]]
BLOCK = 2**16  # values that are looked for, or drawn, at a time


class RankSwap(Method):
    """Swap every value with a random one whose rank, or which itself, lies within p per cent.

    Each attribute for itself: its n values are sorted (equal ones in record order). From the lowest
    on, every value not yet swapped changes places with one of those above it not yet swapped, all
    equally likely, whose rank is higher by at most floor(p n / 100) (`of: records`), or that is
    larger by at most p (max - min) / 100 (`of: range`; of categories, the place among those that
    occur counts). By records, at most one value is left over; by range, so are those that find
    nobody near. Univariate distributions stay exact, correlations the better the smaller p is.

    When not to use it: with a p that somebody may learn; the true value of a record is then known
    to lie within p, and over several attributes that finds it (Nin, Herranz & Torra 2008). p stays
    internal, but that protects little: whoever knows several attributes can estimate it from the
    release (`rank_swap_intersection`). Attributes that must fit each other (parts and totals) no
    longer do.

    >>> import tacita as ta
    >>> medical = ta.example("medical")
    >>> swapped = medical.apply(ta.RankSwap("Temp", p=10, of="range"), seed=0)
    >>> swapped.column("Temp").to_pylist()
    [35.3, 37.4, 38.2, 37.7, 35.2, 38.1, 36.9, 40.1, 37.6, 39.8, 36.5]
    """

    applies_to: ClassVar = ORDERED
    keeps: ClassVar = (always(Statistic.DISTRIBUTIONS),)
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Moore, Controlled data-swapping techniques for masking public use microdata sets, "
        "U.S. Bureau of the Census, 1996 (after Greenberg 1987)"
    )
    missing: ClassVar = f"{BLANKS_STAY} The others are ranked and swapped among themselves."
    example: ClassVar = {"attributes": ["age", "income", "education"]}
    public: ClassVar = frozenset({"attributes", "of"})
    draws: ClassVar = True

    attributes: Annotated[AttributeNames, Field(description="The attributes to swap, each apart.")]
    _: KW_ONLY
    p: Annotated[
        float,
        Field(description="How far values move at most (per cent, above 0 to 100).", gt=0, le=100),
    ] = 15.0
    of: Annotated[
        Literal["records", "range"],
        Field(description="What p is a share of: the number of values, or their range."),
    ] = "records"

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with values swapped."""
        told = {}
        for name in self.attributes:
            source, told[name] = self._swap(data, name, rng)
            data = exchanged(data, [name], source)
        return data.noting(swapped=told)

    def _swap(self, data: Dataset, name: str, rng: np.random.Generator) -> tuple[Places, int]:
        """Return whose value every record gets, and how many records get another one's."""
        from tacita.kernels.pairing_ahead import pair_ahead

        order = ascending(data, name).astype(np.int32)
        if not len(order):
            return np.arange(len(data), dtype=np.int32), 0
        ahead = self._window(len(order)) if self.of == "records" else self._near(data, name, order)
        source = np.arange(len(data), dtype=np.int32)
        pairs = pair_ahead(order, ahead, _draws(len(order) // 2, rng), source)
        near = f"no two of {len(order):,} values of `{name}` lie within {self.p:g} per cent"
        refuse_none(self.name, pairs, f"{near} of their {self._what()}; raise `p`")
        return source, 2 * pairs

    def _what(self) -> str:
        return "number" if self.of == "records" else "range"

    def _window(self, size: int) -> Places:
        return np.array([int(Fraction(str(self.p)) * size / 100)], np.int32)

    def _near(self, data: Dataset, name: str, order: Places) -> Places:
        """Return how many values above each one in the order lie near enough."""
        at = positions(data, name)[order]
        at /= 4  # so that a double holds all sums
        far, ahead = self.p / 100 * (at[-1] - at[0]), np.empty_like(order)
        for start in range(0, len(at), BLOCK):
            above = np.searchsorted(at, at[start : start + BLOCK] + far, side="right")
            ahead[start : start + BLOCK] = above - np.arange(start + 1, start + 1 + len(above))
        return ahead


def _draws(size: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Draw uniform numbers, not all at a time: they would take as much room as the values."""
    for start in range(0, size, BLOCK):
        yield rng.random(min(BLOCK, size - start))
