"""Controlled random rounding: multiples of a base that add up, drawn without bias."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tacita.data.classes import Ints
from tacita.errors import InputError
from tacita.mechanisms.rounding import Parted, multiples
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.tables.network import Network, network_of
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.perturb.rounding.cells import Base
from tacita.tables.perturb.rounding.cycles import rounded_at_random
from tacita.tables.perturb.rounding.knowing import known_values
from tacita.tables.perturb.rounding.problem import RoundingProblem, problem_of
from tacita.tables.system import System


class ControlledRandomRounding(Method):
    """Round a two-way table at random so that totals add up and no cell has a bias.

    Every cell goes to one of the two multiples of the base around it, multiples stay, every total
    is the sum of its parts, and the mean of every published value over all draws is the true one:

        P(a_i = k b + b) = r / b,   P(a_i = k b) = 1 - r / b   for   v_i = k b + r.

    The cells that are no multiples are moved round cycles of the table, by random amounts of mean
    0, until all are. The chances are exact.

    When not to use it: for tables of more than two attributes or two hierarchies, of which there
    may be no such rounding, and where the smallest change matters more than an unbiased one
    (`controlled_rounding`). The mean of many draws is the truth: draw once.

    >>> from tacita.tables.ready import grid_table
    >>> table = grid_table("t", {"x": [11, 21], "y": [31, 41]}, ["u", "v"])
    >>> found = ControlledRandomRounding(5).perturb(table.system(), np.random.default_rng(1))
    >>> found.is_additive, bool((abs(found.change) < 5).all())
    (True, True)
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Cox, L. H. (1987). A constructive procedure for unbiased controlled rounding. Journal of "
        "the American Statistical Association 82(398), 520-524."
    )
    missing: ClassVar[str] = "The value of every cell must be known."
    example: ClassVar[dict[str, Any]] = {"base": 5}
    public: ClassVar[frozenset[str]] = frozenset({"base"})
    draws: ClassVar[bool] = True

    base: Base

    def perturb(self, system: System, rng: np.random.Generator) -> Perturbation:
        """Draw a rounding that adds up.

        Raises:
            InputError: the table has more than two attributes or more than one hierarchy, or its
                values are no decimals.
        """
        problem = problem_of(system, self.base, "equal")
        steps = _drawn(problem, rng)
        value = multiples(problem.parted.below + steps, self.base)
        known = known_values(value, self.base, decimals=system.decimals)
        loss = problem.loss(steps)
        return Perturbation(system, value, loss, lower=known.lower, upper=known.upper)


def _drawn(problem: RoundingProblem, rng: np.random.Generator) -> Ints:
    """Draw which cells are rounded up."""
    network = network_of(problem.relations)
    if network is None:
        raise InputError(
            "`controlled_random_rounding` rounds tables of two attributes of which at most one has "
            "a hierarchy; the relations of this table are not of that kind. Use "
            "`controlled_rounding`."
        )
    if not _is_balanced(network, problem.parted):
        raise InputError(
            "`controlled_random_rounding` needs values that add up exactly, with nine decimals at "
            "most; round them to fewer digits, or use `controlled_rounding`."
        )
    return rounded_at_random(network, problem.parted.rest, problem.parted.units, rng)


def _is_balanced(network: Network, cells: Parted) -> bool:
    """Tell whether what flows through every node is a whole number of bases."""
    through = np.zeros(network.nodes, np.int64)
    np.add.at(through, network.head, cells.rest)
    np.subtract.at(through, network.tail, cells.rest)
    return not (through % cells.units).any()
