"""A pause of Python's search for cycles, while many objects are made that have none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

MANY = 10_000  # objects from which on the search takes longer than making them
_LOCK = Lock()
_pausing: list[bool] = []  # of everybody who pauses it whether it ran before


@contextmanager
def without_search_for_cycles(objects: int) -> Iterator[None]:
    """Make many objects without a search for cycles in between, which looks at all there are.

    Args:
        objects: how many are made; few need no pause.
    """
    if objects < MANY:
        yield
        return
    with _LOCK:
        _pausing.append(gc.isenabled() or any(_pausing))
        gc.disable()
    try:
        yield
    finally:
        with _LOCK:
            if _pausing.pop() and not _pausing:
                gc.enable()
