"""What a roll-up has to solve: which cells weigh how much, and which must go or stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.decimals import decimals_of, in_units
from tacita.errors import InputError, ParameterError, did_you_mean, shown
from tacita.tables.protect.problem import Cost
from tacita.tables.rolling_up.cuts import Cut, Cuts, Recoding
from tacita.tables.status import Status
from tacita.tables.table import Table

SAME = 1e-9  # of all weights that are no decimals: losses nearer than that are the same
FINEST_UNITS = 2**40  # of all weights together, where they are no decimals that a solver can add up


@dataclass(frozen=True, eq=False)
class Task:
    """A judged table to roll up.

    Args:
        table: the table.
        cuts: the ways to cut each dimension.
        weights: what each cell counts.
        remaining: how many sensitive cells may be left.
    """

    table: Table
    cuts: tuple[Cuts, ...]
    weights: Floats
    remaining: int = 0

    @classmethod
    def of(cls, table: Table, loss: Cost, allowed: Mapping[str, Recoding]) -> Task:
        """Make the task of a judged table, with no sensitive cell left.

        Raises:
            InputError: the table was protected before.
            ParameterError: `loss` or `allowed` say what there is not.
        """
        if (table.cells.status == Status.SECONDARY).any():
            raise InputError(
                f"`{table.name}` has secondary suppressions, which protect the cells as they are; "
                "roll the table up before it is protected."
            )
        _check_allowed(table, allowed)
        cuts = tuple(Cuts(d, allowed.get(d.name, "cut")) for d in table.dimensions)
        return cls(table, cuts, _weights(table, loss))

    @cached_property
    def total(self) -> float:
        """What all cells weigh."""
        return float(self.weights.sum())

    @cached_property
    def units(self) -> tuple[Ints, float]:
        """The weights as whole numbers that are no larger, and the unit that they are told in."""
        if self._decimals is not None:
            return in_units(self.weights, self._decimals), 10.0**-self._decimals
        unit = self.total / FINEST_UNITS
        return np.floor(self.weights / unit).astype(np.int64), unit

    @cached_property
    def _decimals(self) -> int | None:
        """The decimals of the weights, if they have so few that a solver can add them up."""
        decimals = decimals_of(self.weights)
        fits = decimals is not None and self.total * 10**decimals < FINEST_UNITS
        return decimals if fits else None

    def is_least(self, loss: float, bound: float) -> bool:
        """Tell whether a loss is the least above a bound, where weights are no decimals nearly."""
        # Losses of weights that are decimals differ by a unit at least.
        room = SAME * self.total if self._decimals is None else self.units[1] / 2
        return loss <= bound + room

    @cached_property
    def must_stay(self) -> Mask:
        """Which cells must be published."""
        stays: Mask = self.table.cells.status == Status.PUBLISHED
        return stays

    def rows(self, cuts: Sequence[Cut]) -> Mask:
        """Tell which cells are left."""
        kept = [ways.kept(cut) for ways, cut in zip(self.cuts, cuts, strict=True)]
        return self.rows_of(kept)

    def rows_of(self, kept: Sequence[Mask]) -> Mask:
        """Tell which cells lie on kept codes only."""
        left = np.ones(len(self.table), bool)
        for axis, codes in enumerate(kept):
            left &= codes[self.table.places[:, axis]]
        return left

    def loss(self, left: Mask) -> float:
        """Return what the cells weigh that a reader does not see."""
        return float(self.weights[~left].sum())

    def is_met(self, left: Mask) -> bool:
        """Tell whether no more sensitive cells are left than may be, and all that must stay."""
        sensitive = int((self.table.cells.sensitive & left).sum())
        return sensitive <= self.remaining and bool(left[self.must_stay].all())


def _check_allowed(table: Table, allowed: Mapping[str, Recoding]) -> None:
    names = [dimension.name for dimension in table.dimensions]
    for name, word in allowed.items():
        if name not in names:
            raise ParameterError(
                f"`allowed` names `{name}`, which does not span `{table.name}`."
                f"{did_you_mean(name, names)}"
            )
        if word not in get_args(Recoding):
            raise ParameterError(
                f"`allowed` of `{name}` is {', '.join(get_args(Recoding)[:-1])} or "
                f"{get_args(Recoding)[-1]}; found {shown(word)}."
            )


def _weights(table: Table, loss: Cost) -> Floats:
    cells = table.cells
    known = {
        "value": np.abs(cells.value),
        "count": np.ones(len(cells)),
        "contributors": cells.contributors,
        "cost": cells.cost,
    }
    if loss not in known:
        raise ParameterError(f"`loss` is {', '.join(known)}; found {shown(loss)}.")
    if np.isnan(known[loss]).any():
        raise ParameterError(
            f"The {loss} of some cells is not known; choose another `loss` ({', '.join(known)})."
        )
    return known[loss]
