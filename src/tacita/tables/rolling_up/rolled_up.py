"""What a roll-up gives back: the coarser table, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tacita.results import counted, show
from tacita.tables.protect.suppression import Suppression
from tacita.tables.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class RolledUp:
    """A table with coarser categories, and how far that is from the least recoding.

    Args:
        table: the table with only the codes that are kept, judged as before.
        recoding: for each attribute that was rolled up, the leaves that are left out and the code
            that stands for each of them now.
        loss: what the cells come to that a reader sees no more, left out or suppressed.
        share: the same as a share of all cells (0 to 1).
        bound: what no roll-up, and no combination, can lose less than.
        is_optimal: whether none loses less; of weights that are no decimals, whether none loses
            less by more than a thousand-millionth of all of them.
        candidates: how many ways of rolling up there are.
        suppression: how what stayed sensitive was protected, if it was.
        remarks: what a person must know of how it went, each a sentence.
    """

    table: Table
    recoding: Mapping[str, Mapping[str, str]]
    loss: float
    share: float
    bound: float
    is_optimal: bool
    candidates: int
    suppression: Suppression | None = None
    remarks: tuple[str, ...] = field(default=())

    @property
    def gap(self) -> float:
        """By how much the loss is above the bound, as a share of the loss."""
        return max(self.loss - self.bound, 0.0) / self.loss if self.loss else 0.0

    def __repr__(self) -> str:
        least = "the least possible" if self.is_optimal else f"at least {show(self.bound)}"
        ways = counted(self.candidates, "way")
        told = [f"{self.table!r}, loss {show(self.loss)} ({self.share:.1%}; {least} of {ways})"]
        told += [f"  {name}: {self.told(name)}" for name in self.recoding]
        return "\n".join((*told, *self.remarks))

    def told(self, name: str) -> str:
        """Say into which codes an attribute was rolled up."""
        into = dict.fromkeys(self.recoding[name].values())
        dimension = next(one for one in self.table.dimensions if one.name == name)
        if len(dimension) == 1:
            return "only the total is left"
        return f"{counted(len(self.recoding[name]), 'code')} into {', '.join(into)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the roll-up in plain types."""
        return {
            "cells": len(self.table),
            "recoding": {name: dict(codes) for name, codes in self.recoding.items()},
            "loss": self.loss,
            "share": self.share,
            "bound": self.bound,
            "gap": self.gap,
            "optimal": self.is_optimal,
            "candidates": self.candidates,
            "suppression": None if self.suppression is None else self.suppression.to_dict(),
            "remarks": list(self.remarks),
        }
