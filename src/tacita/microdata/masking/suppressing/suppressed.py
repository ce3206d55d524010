"""What a local suppression gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tacita.data.dataset import Dataset
from tacita.results import counted, show


@dataclass(frozen=True, eq=False, repr=False)
class Suppressed:
    """Data with suppressed values, what that cost, and what it must cost at least.

    Args:
        data: the data.
        values: how many values of each attribute were suppressed.
        cost: their number, or the sum of their importance.
        bound: what no suppression costs less than (at these levels).
        is_reproducible: whether the same data give the same result; not where a clock ended the
            search.
        levels: the levels that attributes were recoded to before.
        warning: what to know before the data are used.
    """

    data: Dataset
    values: Mapping[str, int]
    cost: float
    bound: float
    is_reproducible: bool = True
    levels: Mapping[str, int] = field(default_factory=dict)
    warning: str | None = None

    @property
    def is_optimal(self) -> bool:
        """Whether no suppression costs less."""
        return self.bound >= self.cost

    @property
    def gap(self) -> float:
        """By how much the cost is above the bound, as a share of the cost."""
        return (self.cost - self.bound) / self.cost if self.cost else 0.0

    def __repr__(self) -> str:
        least = "the least possible" if self.is_optimal else f"at least {show(self.bound)}"
        lines = [
            f"{counted(sum(self.values.values()), 'suppressed value')}, cost {show(self.cost)}"
        ]
        lines[0] += f" ({least}{'' if self.is_optimal else f', gap {100 * self.gap:.2g} %'})"
        width = max(map(len, self.values), default=0)
        lines += [f"  {name:<{width}}  {number:,}" for name, number in self.values.items()]
        lines += [f"  {name} recoded to level {level}" for name, level in self.levels.items()]
        return "\n".join(lines + ([] if self.warning is None else [self.warning]))

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in plain types."""
        told: dict[str, Any] = {
            "suppressed_values": dict(self.values),
            "cost": self.cost,
            "bound": self.bound,
            "optimal": self.is_optimal,
            "reproducible": self.is_reproducible,
        }
        if self.levels:
            told["levels"] = dict(self.levels)
        return told if self.warning is None else {**told, "warning": self.warning}
