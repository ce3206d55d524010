"""Rounding: every number becomes the nearest of some rounding points."""

from __future__ import annotations

from dataclasses import KW_ONLY
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, ClassVar, Self

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.errors import InputError, shown
from tacita.method import AttributeNames, Method
from tacita.microdata.masking.perturbing.numbers import BLANKS_STAY, NUMERIC
from tacita.preserved import Statistic, always
from tacita.validity import Change

LARGEST = 10**15  # up to here doubles tell whole numbers and their halves apart

Points = tuple[float, ...]


class RoundValues(Method):
    """Replace every number by the nearest multiple of a base, or by the nearest of given points.

    With a base b the rounding points are p_i = ib and the rounding sets [p_i - b/2, p_i + b/2), so
    that |x - x'| <= b/2 and halves go up: 2.5 becomes 3 and -2.5 becomes -2. With `points`
    p_1 < ... < p_r the sets meet halfway between them, or at `bounds`, and those of p_1 and p_r
    reach to both ends. A multiple is the double next to the decimal (0.3, not 3 times 0.1), and a
    half is one if it was written so (0.15 becomes 0.2). Whole numbers stay whole where all rounding
    points are.

    When not to use it: as the only protection. Who knows a value within b/2 finds its record, and
    extremes stay extremes. Weights, and shares that must add up, no longer do.

    >>> import tacita as ta
    >>> fever = ta.RoundValues("Temp", points=[36, 37, 38, 39])
    >>> ta.example("medical").apply(fever).column("Temp").to_pylist()[:4]
    [36.0, 38.0, 38.0, 37.0]
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (always(Statistic.ORDER),)
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = (
        "Willenborg & de Waal, Elements of Statistical Disclosure Control, Springer 2001, ch. 5"
    )
    missing: ClassVar = BLANKS_STAY
    example: ClassVar = {"attributes": ["income"], "base": 1000}
    by_record: ClassVar = True
    public: ClassVar = frozenset({"attributes", "base", "points", "bounds"})

    attributes: Annotated[AttributeNames, Field(description="The attributes to round: numbers.")]
    base: Annotated[
        float | None,
        Field(
            description="Round to multiples of it: a decimal (above 0) of up to 15 digits, zeros "
            "included.",
            gt=0,
        ),
    ] = None
    _: KW_ONLY
    points: Annotated[
        Points | None,
        Field(description="Round to these numbers, in ascending order.", min_length=1),
    ] = None
    bounds: Annotated[
        Points | None,
        Field(
            description="Where the rounding sets of `points` meet, one fewer than points (from a "
            "bound on, the next point is taken); by default halfway."
        ),
    ] = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.base is None) == (self.points is None):
            found = "none" if self.base is None else "both"
            raise ValueError(f"`round_values` needs one of `base` and `points`; found {found}.")
        if self.base is not None and max(Fraction(str(self.base)).as_integer_ratio()) > LARGEST:
            raise ValueError(
                "`base` of `round_values` must be a decimal of up to 15 digits, zeros included; "
                f"found {self.base!r}."
            )
        if self.points is not None and any(a >= b for a, b in pairwise(self.points)):
            raise ValueError(
                f"`points` of `round_values` must ascend; found {shown(list(self.points))}."
            )
        if self.bounds is not None and not self._bounds_lie_between():
            raise ValueError(
                "`bounds` of `round_values` are one fewer than `points`, each above its point and "
                f"up to the next; found {shown(list(self.bounds))} for "
                f"{shown(list(self.points or ()))}."
            )
        return self

    def _bounds_lie_between(self) -> bool:
        gaps, bounds = list(pairwise(self.points or ())), self.bounds or ()
        return len(gaps) == len(bounds) and all(
            low < bound <= high for (low, high), bound in zip(gaps, bounds, strict=True)
        )

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the attributes rounded."""
        for name in self.attributes:
            values = self._rounded(data, name)
            if self._is_whole() and pa.types.is_integer(data.column(name).type):
                values = values.cast(pa.int64())
            data = data.with_column(data.attribute(name), values)
        return data

    def _rounded(self, data: Dataset, name: str) -> pa.Array:
        """Return the multiples or points nearest to the values of an attribute, as doubles."""
        numbers, held = data.numbers(name), data.column(name)
        rounded = self._to_multiples(name, numbers) if self.base else self._to_points(numbers)
        return pa.array(rounded, mask=np.asarray(held.is_null()) if held.null_count else None)

    def _to_multiples(self, name: str, numbers: Floats) -> Floats:
        from tacita.kernels.rounding import to_multiples

        base = Fraction(str(self.base))
        rounded = to_multiples(numbers, base.numerator, base.denominator)
        if rounded is None:
            raise _far(name, numbers, base)
        return rounded

    def _to_points(self, numbers: Floats) -> Floats:
        from tacita.kernels.rounding import places_between

        points = self.points or ()
        bounds = self.bounds or [_middle(low, high) for low, high in pairwise(points)]
        place = places_between(numbers, np.array(bounds, np.float64))
        return np.array(points, np.float64)[place]

    def _is_whole(self) -> bool:
        """Tell whether all rounding points are whole numbers that doubles tell apart."""
        said = self.points or (self.base or 0.5,)
        return all(point.is_integer() and abs(point) <= LARGEST for point in said)


def _far(name: str, numbers: Floats, base: Fraction) -> InputError:
    """Say which number is so large that doubles skip multiples of the base, or nearly do."""
    from tacita.kernels.rounding import EXACT

    limit = EXACT / base.denominator
    row = int((np.abs(numbers) >= limit).argmax())
    return InputError(
        f"`round_values` tells multiples of {float(base):g} apart below {limit:.3g}; `{name}` is "
        f"{numbers[row]:g} in record {row + 1}. Take a larger `base`, or declare the number "
        "missing if it stands for none."
    ).about(name)


def _middle(low: float, high: float) -> float:
    """Return the double next to the middle of two decimals."""
    return float((Fraction(str(low)) + Fraction(str(high))) / 2)
