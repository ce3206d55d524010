"""Differentially private noise for every record's bounded values."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
from pydantic import model_validator

from tacita.data.dataset import Dataset, Guarantee
from tacita.mechanisms.secure_noise import (
    STEPS,
    Bounds,
    Epsilon,
    noised,
    off_grid,
    on_grid,
    refuse_bounds,
    refuse_mixed,
)
from tacita.method import Method
from tacita.microdata.masking.perturbing.numbers import NUMERIC
from tacita.preserved import Statistic, always
from tacita.validity import Change


class BoundedNoise(Method):
    """Add Laplace noise to every record's values so that they are epsilon-differentially private.

    An attribute with the bounds [a, b] moves by b - a at most when a record changes; of p
    attributes each value gets Laplace noise of scale p (b - a) / epsilon, epsilon / p for each.
    For any two values of a respondent and every release, the probabilities differ by a factor of
    exp(epsilon) at most: who the record is of may be known, and still the values are deniable.

    Values are clamped to the bounds, which must not come from the data, and so are the released
    numbers. Noise is OpenDP's discrete Laplace on whole numbers (values are rounded to 2^-20 of the
    range), drawn from the system's secure source: the seed does not matter and no run can be
    repeated; a million values take some ten seconds. The guarantee is about the attributes named
    here; the others are as they were.

    When not to use it: with an epsilon of 1 or so, single values are nearly noise; averages of
    groups need far less, see `private_microaggregation`. On files that were changed by looking at
    other records, where the guarantee would not hold, it is refused.

    >>> import tacita as ta
    >>> masked = ta.example("toy", 300).apply(ta.BoundedNoise({"age": (0, 120)}, epsilon=2))
    >>> masked.guarantees[0].epsilon, bool(masked.numbers("age").max() <= 120)
    (2.0, True)
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (always(Statistic.EPSILON),)
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Dwork, McSherry, Nissim & Smith, Calibrating noise to sensitivity in private data "
        "analysis, Proc. TCC 2006, pp. 265-284"
    )
    missing: ClassVar = (
        "A blank counts as the middle of the bounds and is filled, as it must not show who had one."
    )
    example: ClassVar = {"bounds": {"age": [0, 120]}, "epsilon": 1.0}
    public: ClassVar = frozenset({"bounds", "epsilon"})
    draws: ClassVar = True
    by_record: ClassVar = True
    repeatable: ClassVar = False

    bounds: Bounds
    _: KW_ONLY
    epsilon: Epsilon

    @model_validator(mode="after")
    def _are_bounds(self) -> Self:
        refuse_bounds(self.name, self.bounds)
        return self

    def named_attributes(self) -> list[str]:
        """Return the attributes that get noise."""
        return list(self.bounds)

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with private values."""
        refuse_mixed(self.name, data)
        share = self.epsilon / len(self.bounds)
        private = data.without_reasons(self.bounds)
        for name, bounds in self.bounds.items():
            steps = noised(on_grid(data.numbers(name), bounds).tolist(), STEPS, share)
            values = off_grid(np.array(steps, np.float64), bounds)
            nowhere = np.zeros(len(data), np.bool_)
            private = private.with_column(data.attribute(name), pa.array(values), nowhere)
        promised = Guarantee(self.name, tuple(self.bounds), self.epsilon)
        return replace(private, guarantees=(*data.guarantees, promised))
