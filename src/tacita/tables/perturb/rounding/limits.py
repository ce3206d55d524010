"""What the search for a rounding may take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf

from tacita.solvers.integer import Effort


@dataclass(frozen=True)
class Limits:
    """What a search may take.

    Args:
        nodes: of a search tree, for each rung; None for as many as it takes.
        deadline: on the monotonic clock.
    """

    nodes: int | None = None
    deadline: float = inf

    def effort(self, nodes: int | None) -> Effort:
        """Return the time that is left, for a tree of some nodes."""
        return Effort(nodes, None if self.deadline == inf else self.left)

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return max(self.deadline - time.monotonic(), 0.0)

    @property
    def is_over(self) -> bool:
        """Whether the clock has run out."""
        return self.left == 0.0
