"""How often somebody may ask: a token bucket for every user and one for all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

MOST = 10_000  # callers to remember before those who rest are forgotten
EVERYBODY = ""


class Rates:
    """Token buckets: each fills at its rate up to one second's worth (at least one request).

    A request takes one from the caller's bucket and one from everybody's, or from neither.

    Args:
        rate: the requests of one caller in a second.
        rate_of_all: the requests of all callers in a second.
        clock: what tells the time in seconds.

    >>> rates = Rates(2, 100, clock=lambda: 0.0)
    >>> [rates.take("ana") for _ in range(3)], rates.take("bo")
    ([0.0, 0.0, 0.5], 0.0)
    """

    def __init__(
        self, rate: float, rate_of_all: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._rate_of_all = rate, rate_of_all
        self._clock = clock
        self._lock = Lock()
        self._buckets: dict[str, tuple[float, float]] = {}  # what was left, and when

    def take(self, caller: str) -> float:
        """Take one request of a caller; return 0, or the seconds to wait where none is left."""
        with self._lock:
            now = self._clock()
            wait = self._wait(caller, now)
            if wait == 0:
                for bucket in (caller, EVERYBODY):
                    self._buckets[bucket] = (self._left(bucket, now) - 1, now)
                self._forget(now)
            return wait

    def wait(self, caller: str) -> float:
        """Return the seconds until a caller may go on, and take nothing."""
        with self._lock:
            return self._wait(caller, self._clock())

    def _wait(self, caller: str, now: float) -> float:
        buckets = (caller, EVERYBODY)
        return max(0.0, *((1 - self._left(one, now)) / self._rate_of(one) for one in buckets))

    def _left(self, caller: str, now: float) -> float:
        rate = self._rate_of(caller)
        full = max(1.0, rate)
        left, since = self._buckets.get(caller, (full, now))
        return min(full, left + (now - since) * rate)

    def _rate_of(self, caller: str) -> float:
        return self._rate if caller != EVERYBODY else self._rate_of_all

    def _forget(self, now: float) -> None:
        """Drop full buckets, which are as good as none, once there are many."""
        if len(self._buckets) > MOST:
            self._buckets = {
                caller: bucket
                for caller, bucket in self._buckets.items()
                if self._left(caller, now) < max(1.0, self._rate_of(caller))
            }
