"""The time that an adjustment may take, over all its steps."""

from __future__ import annotations

import time
from math import inf


class Clock:
    """Counts down, and remembers which steps it cut short.

    Args:
        time_limit: the seconds that are left from now on; None for as long as it takes.

    >>> clock = Clock()
    >>> clock.seconds, clock.is_up, clock.cut_short
    (None, False, [])
    """

    def __init__(self, time_limit: float | None = None) -> None:
        self._end = inf if time_limit is None else time.monotonic() + time_limit
        self.cut_short: list[str] = []

    def part(self, share: float) -> Clock:
        """Return a clock for a share of the seconds that are left; both note what they cut."""
        other = Clock(None if self.seconds is None else share * self.seconds)
        other.cut_short = self.cut_short
        return other

    @property
    def seconds(self) -> float | None:
        """The seconds that are left, if they are counted."""
        return None if self._end == inf else max(self._end - time.monotonic(), 0.0)

    @property
    def is_up(self) -> bool:
        """Whether no time is left."""
        return self.seconds == 0.0

    def cut(self, step: str) -> None:
        """Note that a step was not finished."""
        if step not in self.cut_short:
            self.cut_short.append(step)
