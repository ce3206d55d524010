"""What is looked for, and how hard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from tacita.solvers.integer import Effort

Matching = Literal["strict", "one_sided", "symmetric"]
Depth = Literal["fast", "thorough", "proven"]
Keys = tuple[int, ...]
NO_LIMIT = Effort()


@dataclass(frozen=True)
class Search:
    """What is looked for, and how hard.

    Args:
        matching: which records count as sharing a combination.
        subsets: how many keys are combined at most; None for all of them at once.
        depth: whether integer programs are solved, and whether however large they are.
        effort: when the search ends.
    """

    matching: Matching = "strict"
    subsets: int | None = None
    depth: Depth = "thorough"
    effort: Effort = NO_LIMIT

    @property
    def is_one_sided(self) -> bool:
        """Whether records may be released within others' cells."""
        return self.matching == "one_sided"

    def sets(self, keys: int) -> list[Keys]:
        """Return the sets of keys whose combinations must be frequent; they imply smaller ones."""
        size = keys if self.subsets is None else min(self.subsets, keys)
        return list(combinations(range(keys), size))

    def after(self, seconds: float) -> Search:
        """Return what is left of the search after some seconds."""
        if self.effort.seconds is None:
            return self
        return replace(self, effort=replace(self.effort, seconds=self.effort.seconds - seconds))
