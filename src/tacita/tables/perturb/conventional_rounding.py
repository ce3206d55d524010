"""Conventional rounding: every cell by itself, to the nearest multiple of a base."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from tacita.mechanisms.rounding import multiples
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.perturb.rounding.cells import Base, not_adding_up, parted_cells
from tacita.tables.perturb.rounding.knowing import known_values
from tacita.tables.system import System


class ConventionalRounding(Method):
    """Round every cell to the nearest multiple of a base.

    A value v becomes b floor(v / b + 1/2): of two multiples that are equally near, the larger one.
    No rounding to multiples of b is closer to the true values.

    Cells that must be published are rounded like all others.

    When not to use it: to protect. Small counts are rounded to 0 or hidden by less than half a
    base, and since totals are not the sums of their parts, what is missing tells of the parts. It
    is there to be compared with `controlled_rounding`.

    >>> from tacita.tables.ready import grid_table
    >>> table = grid_table("t", {"x": [10, 21], "y": [33, 40]}, ["u", "v"])
    >>> found = ConventionalRounding(5).perturb(table.system(), np.random.default_rng())
    >>> found.value
    array([105.,  45.,  60.,  30.,  10.,  20.,  75.,  35.,  40.])
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Willenborg, L. and de Waal, T. (2001). Elements of Statistical Disclosure Control. "
        "Lecture Notes in Statistics 155, Springer."
    )
    missing: ClassVar[str] = "The value of every cell must be known."
    example: ClassVar[dict[str, Any]] = {"base": 5}
    public: ClassVar[frozenset[str]] = frozenset({"base"})

    base: Base

    def perturb(self, system: System, rng: np.random.Generator) -> Perturbation:  # noqa: ARG002
        """Round every cell by itself."""
        value = multiples(parted_cells(system, self.base).nearest, self.base)
        loss = float(np.abs(value - system.cells.value).sum())
        known = known_values(value, self.base, way="nearest", decimals=system.decimals)
        rounded = Perturbation(
            system, value, loss, loss, is_optimal=True, lower=known.lower, upper=known.upper
        )
        return replace(rounded, remarks=not_adding_up(rounded))
