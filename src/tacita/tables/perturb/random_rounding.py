"""Random rounding: every cell by itself, without bias."""

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


class RandomRounding(Method):
    """Round every cell at random to one of the two multiples of a base around it, without bias.

    A value with the rest r over a multiple of the base b goes up with probability r / b and down
    with 1 - r / b, independently of all others: its mean is the value and its variance r (b - r).
    Multiples of b stay. The probabilities are exact; a cell that several linked tables share is
    drawn once.

    Cells that must be published are rounded like all others.

    When not to use it: where totals must be the sums of their parts (`controlled_rounding`), and
    where the same cell is published again with another seed: the mean of many draws is the truth.
    A total that is drawn apart from its parts narrows down what they can be.

    >>> from tacita.tables.ready import grid_table
    >>> table = grid_table("t", {"x": [10, 21], "y": [33, 40]}, ["u", "v"])
    >>> found = RandomRounding(5).perturb(table.system(), np.random.default_rng(1))
    >>> bool((found.value % 5 == 0).all()), bool((abs(found.change) < 5).all())
    (True, True)
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Nargundkar, M. S. and Saveland, W. (1972). Random rounding to prevent statistical "
        "disclosures. Proceedings of the Social Statistics Section, American Statistical "
        "Association, 382-385."
    )
    missing: ClassVar[str] = "The value of every cell must be known."
    example: ClassVar[dict[str, Any]] = {"base": 5}
    public: ClassVar[frozenset[str]] = frozenset({"base"})
    draws: ClassVar[bool] = True

    base: Base

    def perturb(self, system: System, rng: np.random.Generator) -> Perturbation:
        """Round every cell by itself."""
        value = multiples(parted_cells(system, self.base).at_random(rng), self.base)
        loss = float(np.abs(value - system.cells.value).sum())
        known = known_values(value, self.base, decimals=system.decimals)
        rounded = Perturbation(system, value, loss, lower=known.lower, upper=known.upper)
        return replace(rounded, remarks=not_adding_up(rounded))
