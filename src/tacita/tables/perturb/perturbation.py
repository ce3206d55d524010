"""What a perturbation gives back: the values that are published instead of the true ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.results import counted, show
from tacita.tables.system import System, not_adding_up


@dataclass(frozen=True, eq=False, repr=False)
class Perturbation:
    """The values that are published instead of the true ones, and how far they are from them.

    Args:
        system: the true cells with their statuses and levels, and their relations.
        value: what is published of each cell, in the order of the system's cells; NaN where nothing
            but an interval is.
        loss: what the method minimizes, summed over the cells (units of the method, 0 or more).
        bound: what no admissible perturbation can lose less than; None where none is known.
        is_optimal: whether none loses less, but for a millionth of the loss.
        is_reproducible: whether the same input and seed give the same values; not where a clock
            stopped the search.
        lower: the least that a reader who knows the method knows each true value to be: where an
            interval is published its lower end, else what rounding or bounded noise leaves for it;
            `upper` the most. None where the published value bounds nothing.
        remarks: what a person must know of how it went, each a sentence.
    """

    system: System
    value: Floats
    loss: float
    bound: float | None = None
    is_optimal: bool = False
    is_reproducible: bool = True
    lower: Floats | None = None
    upper: Floats | None = None
    remarks: tuple[str, ...] = ()

    @cached_property
    def change(self) -> Floats:
        """By how much each published value differs from the true one."""
        return self.value - self.system.cells.value

    @cached_property
    def not_additive(self) -> Ints:
        """The relations that the published values do not fulfil, by their rows."""
        return not_adding_up(self.system.relations, self.value, self.system.rhs)

    @property
    def is_interval(self) -> Mask:
        """Which cells are published as nothing but an interval."""
        interval: Mask = np.isnan(self.value)
        return interval

    @property
    def is_additive(self) -> bool:
        """Whether all published totals are the sums of their parts."""
        return not self.not_additive.size

    @property
    def gap(self) -> float | None:
        """By how much the loss is above the bound, as a share of the loss."""
        if self.bound is None:
            return None
        return max(self.loss - self.bound, 0.0) / self.loss if self.loss else 0.0

    def __repr__(self) -> str:
        changed = int((np.nan_to_num(self.change) != 0).sum())
        intervals = int(self.is_interval.sum())
        off = self.not_additive.size
        added = "all totals add up" if not off else f"{counted(off, 'total')} not the sum of parts"
        wide = f", {intervals:,} published as intervals" if intervals else ""
        told = f"{counted(changed, 'cell')} changed{wide}, loss {show(self.loss)} ({self._least})"
        return "\n".join((f"{told}, {added}", *self.remarks))

    @property
    def _least(self) -> str:
        if self.is_optimal:
            return "the least possible"
        if self.gap is None:
            return "without a lower bound"
        return f"at least {show(self.bound)}, gap {self.gap:.1%}"

    def to_dict(self) -> dict[str, Any]:
        """Return the perturbation in plain types."""
        change = np.abs(np.nan_to_num(self.change))
        return {
            "changed": int((change > 0).sum()),
            "intervals": int(self.is_interval.sum()),
            "mean_change": float(change.mean()) if len(change) else 0.0,
            "largest_change": float(change.max(initial=0.0)),
            "not_additive": int(self.not_additive.size),
            "loss": self.loss,
            "bound": self.bound,
            "gap": self.gap,
            "optimal": self.is_optimal,
            "reproducible": self.is_reproducible,
            "remarks": list(self.remarks),
        }
