"""Answers on a grid of ticks, so that the time they take tells little.

How long a decision takes may depend on what it decides. With ticks an answer leaves a whole number
of ticks after its question was read. The grid starts with the question, not with the clock: on a
grid of the clock, somebody who chooses when to ask could measure the work as finely as he likes.
The number of ticks still leaks, so a tick should be longer than nearly every decision.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


def until_tick(worked: float, tick: float) -> float:
    """Return the seconds from the end of some work to the next tick.

    >>> until_tick(0.03, 0.25), until_tick(0.25, 0.25), until_tick(0.75, 0.5)
    (0.22, 0.0, 0.25)
    >>> until_tick(0.03, 0)
    0.0
    """
    return max(0.0, math.ceil(worked / tick) * tick - worked) if tick else 0.0


@asynccontextmanager
async def on_ticks(tick: float) -> AsyncIterator[None]:
    """Let a block end at a tick, however it ends."""
    begun = time.monotonic()
    try:
        yield
    finally:
        rest = until_tick(time.monotonic() - begun, tick)
        if rest > 0:
            await asyncio.sleep(rest)
