"""Multivariate rounding: whole records become the nearest of some points."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError, shown
from tacita.method import AttributeName, Method
from tacita.microdata.comparing.nearness import spread_of
from tacita.microdata.masking.partitions.scaling import Scale
from tacita.microdata.masking.perturbing.numbers import NUMERIC, numbers_of, with_numbers
from tacita.validity import Change


class RoundRecords(Method):
    """Replace the values of several attributes together by the nearest of given rounding points.

    A record x becomes the point p whose distance sum_j ((x_j - p_j) / s_j)^2 is the least, of
    equally near ones the first. The unit s_j is the attribute's standard deviation, its range, or
    1 (`scale`); an attribute that is the same in all records plays no part in the distance. On a
    grid, the points that several values of each attribute make, this is the same as `round_values`
    of each attribute to its own, but where an attribute is the same in all records or a value lies
    halfway between two points.

    When not to use it: with points that are averages of few records; `microaggregate` makes points
    of which each stands for many. Who knows the points knows the region a record comes from.

    >>> import tacita as ta
    >>> typical = ta.RoundRecords({"Chol": [180, 200, 290], "Temp": [36.5, 38, 39.5]})
    >>> ta.example("medical").apply(typical).table.select(["Chol", "Temp"]).to_pylist()[0]
    {'Chol': 180.0, 'Temp': 36.5}
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = (
        "Willenborg & de Waal, Elements of Statistical Disclosure Control, Springer 2001, ch. 5"
    )
    missing: ClassVar = (
        "Blanks stay; the known values of a record become those of the point nearest in them."
    )
    example: ClassVar = {"points": {"age": [20, 50, 80], "income": [8000, 20000, 15000]}}
    public: ClassVar = frozenset({"points", "scale"})

    points: Annotated[
        Mapping[AttributeName, Annotated[tuple[float, ...], Field(min_length=1)]],
        Field(
            description="The rounding points: for each attribute its value at every point, "
            "`{age: [20, 50], income: [8000, 20000]}` for two of them.",
            min_length=1,
        ),
    ]
    _: KW_ONLY
    scale: Annotated[
        Scale,
        Field(description="The unit of distances: standard deviations, ranges or as they are."),
    ] = "standardize"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        counts = {name: len(values) for name, values in self.points.items()}
        if len(set(counts.values())) > 1:
            raise ValueError(
                "`points` of `round_records` needs as many values of every attribute; found "
                f"{shown(counts)}."
            )
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the attributes rounded together."""
        names, points = list(self.points), np.column_stack(list(self.points.values()))
        nearest = self._nearest(numbers_of(data, names), points)
        return with_numbers(data, names, points[nearest])

    def _nearest(self, numbers: Floats, points: Floats) -> Ints:
        """Return the number of the point nearest to every record."""
        from tacita.kernels.closest import closest

        units = np.array([_unit(column, self.scale) for column in numbers.T])
        counts = units > 0
        # Squares of very large and very small units have no double; a power of two loses no digit.
        units, powers = np.frexp(units[counts])
        with np.errstate(over="ignore"):
            rows = (np.ldexp(some[:, counts], -powers) for some in (numbers, points))
            records, others = ((some, np.zeros((len(some), 0), np.int64)) for some in rows)
        _, places = closest(records, others, units)  # a blank adds the same to all
        if places.min(initial=0) < 0:
            raise InputError(
                f"Record {int(places.argmin()) + 1} lies so far from all `points` of "
                "`round_records` that doubles hold no distance; correct its numbers."
            )
        return places


def _unit(column: Floats, scale: Scale) -> float:
    """Return the unit in which an attribute's differences count; 0 if they do not."""
    if scale == "none":
        return 1.0
    known = column[~np.isnan(column)]
    if scale == "standardize":
        return spread_of(known)
    return min(2 * float(np.ptp(known / 2)), sys.float_info.max) if len(known) else 0.0
