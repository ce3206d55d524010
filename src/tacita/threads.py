"""How many threads work; never what they find."""

from __future__ import annotations

import os

_chosen: int | None = None


def use_threads(count: int | None) -> None:
    """Let this many threads work; None for one a core. Results never depend on it."""
    import numba
    import pyarrow as pa

    global _chosen  # noqa: PLW0603 - the number of threads is the process's
    _chosen = count
    cores = os.cpu_count() or 1
    numba.set_num_threads(min(count or cores, _most_threads()))
    pa.set_cpu_count(count or cores)
    pa.set_io_thread_count(max(count or cores, 1))


def _most_threads() -> int:
    """Return how many threads numba was started with: fewer than cores in a narrow container."""
    import numba

    return int(getattr(numba.config, "NUMBA_NUM_THREADS"))  # noqa: B009 - numba sets it late


def threads() -> int:
    """Return how many threads work."""
    return _chosen or os.cpu_count() or 1
