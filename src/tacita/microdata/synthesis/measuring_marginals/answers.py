"""Private answers about confidential records: noisy counts, and choices of what to count next.

This is the only place where private synthesis looks at records. Neighbouring data sets are those of
which one has a record more: it moves one cell of every marginal, by 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, prod, ulp
from typing import Any

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.errors import ProtectionError
from tacita.mechanisms.private.mechanisms import Gaussian, Sensitivity
from tacita.microdata.synthesis.measuring_marginals.fitting import Measured
from tacita.microdata.synthesis.measuring_marginals.junction_tree import Clique

GRID = 1024  # parts of a record in which scores are whole numbers
ONE_RECORD = Sensitivity(1, 1.0)
ONE_SCORE = Sensitivity(GRID, float(GRID))


@dataclass
class Ledger:
    """What was paid of a budget of concentrated privacy, exactly.

    Args:
        budget: rho, of all answers together.
        entries: the answers, with what each cost.
    """

    budget: Fraction
    entries: list[dict[str, Any]] = field(default_factory=list)
    spent: Fraction = Fraction(0)

    @property
    def left(self) -> Fraction:
        """What is not spent yet."""
        return self.budget - self.spent

    def pay(self, cost: Fraction, **what: Any) -> None:
        """Pay for an answer before it is given.

        Raises:
            ProtectionError: there is not enough left.
        """
        if cost <= 0 or cost > self.left:
            raise ProtectionError(
                f"An answer that costs rho = {float(cost):g} cannot be given: "
                f"{float(self.left):g} of the budget are left."
            )
        self.spent += cost
        self.entries.append({**what, "rho": float(cost)})

    def told(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the accounts for the evidence, with the names of attributes."""
        answers = [
            {**one, "measured": [names[at] for at in one["measured"]]} if "measured" in one else one
            for one in self.entries
        ]
        return {"rho": float(self.budget), "spent": float(self.spent), "answers": answers}


def adds_up(told: Mapping[str, Any]) -> bool:
    """Tell whether the answers of an account cost what it says, and no more than its budget.

    Every number of an account is the double nearest to an exact one, so that the exact one lies
    within half a unit of its last place. Answers that add up do so within these halves, counted in
    fractions: no rounding of an honest account is refused, and nothing beyond it is passed.

    >>> adds_up({"rho": 1.0, "spent": 0.3, "answers": [{"rho": 0.1}, {"rho": 0.2}]})
    True
    >>> adds_up({"rho": 1.0, "spent": 0.3, "answers": [{"rho": 0.1}, {"rho": 0.2000000000000002}]})
    False
    """
    costs, spent = [one["rho"] for one in told["answers"]], told["spent"]
    if not all(0 < cost < inf for cost in costs) or not 0 <= spent <= told["rho"]:
        return False
    off = abs(sum(map(Fraction, costs)) - Fraction(spent))
    return off <= sum(map(_half_unit, [*costs, spent]))


def _half_unit(number: float) -> Fraction:
    """Return how far the number may be that a double is the nearest of."""
    return Fraction(ulp(number)) / 2


class Answers:
    """Gives private answers about records, each paid from a ledger.

    Args:
        codes: the records, one column an attribute, as numbers of cells.
        sizes: how many cells each attribute has.
        ledger: what answers are paid from.
    """

    def __init__(self, codes: Ints, sizes: Sequence[int], ledger: Ledger) -> None:
        self._codes = codes
        self._counted: dict[Clique, Ints] = {}
        self.sizes = tuple(sizes)
        self.ledger = ledger

    def regrouped(self, groups: Sequence[Ints]) -> Answers:
        """Return answers about joined cells, from the same ledger.

        Args:
            groups: for every attribute, the group of each cell.
        """
        codes = [of_cell[cells] for of_cell, cells in zip(groups, self._codes.T, strict=True)]
        sizes = [int(of_cell.max()) + 1 for of_cell in groups]
        return Answers(np.column_stack(codes), sizes, self.ledger)

    def measured(self, attributes: Clique, cost: Fraction) -> Measured:
        """Return the counts of a marginal with Gaussian noise of variance 1 / (2 cost)."""
        noise = Gaussian()
        scale = noise.scale(ONE_RECORD, cost)
        self.ledger.pay(cost, measured=list(attributes), scale=scale)
        counts = self._counts(attributes)
        noisy = np.array(noise.noised(counts.ravel().tolist(), scale), np.float64)
        return Measured(attributes, noisy.reshape(counts.shape), np.full(counts.shape, scale**2))

    def chosen(
        self,
        candidates: Sequence[Clique],
        expected: Sequence[Floats],
        handicaps: Sequence[float],
        cost: Fraction,
    ) -> int:
        """Choose a marginal of which a model is far off, by the exponential mechanism.

        The score is the sum of |count - expected| over the cells, less a handicap, in whole parts
        of a record. Expected counts are rounded first, so that a record more moves it by one
        record at most, exactly.

        Args:
            candidates: the marginals to choose from.
            expected: the counts that the model expects, for each.
            handicaps: what is taken off, for each.
            cost: the loss.
        """
        self.ledger.pay(cost, chosen_of=len(candidates))
        scores = [
            self._missed(one, counts) - round(handicap * GRID)
            for one, counts, handicap in zip(candidates, expected, handicaps, strict=True)
        ]
        return Gaussian().chosen(scores, ONE_SCORE, cost)

    def _missed(self, attributes: Clique, expected: Floats) -> int:
        whole = np.rint(expected * GRID).astype(np.int64)
        return int(np.abs(self._counts(attributes) * GRID - whole).sum())

    def _counts(self, attributes: Clique) -> Ints:
        """Count the records in every cell of a marginal."""
        if attributes not in self._counted:
            sizes = [self.sizes[one] for one in attributes]
            cells = np.ravel_multi_index(tuple(self._codes[:, one] for one in attributes), sizes)
            counts = np.bincount(cells, minlength=prod(sizes))
            self._counted[attributes] = counts.reshape(sizes)
        return self._counted[attributes]
