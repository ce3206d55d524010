"""How kernels are compiled and how they are spread over threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Scalar = TypeVar("Scalar", bound=np.generic)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call, keep it on disk, and run it without the GIL."""
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # nothing can be kept: neither beside the source nor at home may we write
        compiled = numba.njit(nogil=True)(function)
    return cast("Callable[P, R]", compiled)


def kernel_of(function: Callable[P, R], *called: Callable[..., Any]) -> Callable[P, R]:
    """Compile a function with those that it calls, where all of them also run as they are.

    Args:
        function: what is compiled, at its first call.
        called: the functions of its module that it calls; they call none of each other.
    """
    known = {**function.__globals__, **{each.__name__: kernel(each) for each in called}}
    return kernel(FunctionType(function.__code__, known, function.__name__))


def frozen(array: npt.NDArray[Any], dtype: type[Scalar] | None = None) -> npt.NDArray[Scalar]:
    """See an array as contiguous, in native byte order and read-only; copy it only if it must be.

    A kernel is compiled once for each type of its arguments, and to numba a read-only array (what
    Arrow hands out) is another type than a writable one: frozen inputs compile once.
    """
    wanted = np.dtype(array.dtype if dtype is None else dtype).newbyteorder("=")
    view: npt.NDArray[Any] = np.ascontiguousarray(array, dtype=wanted).view()
    view.flags.writeable = False
    return view


def thread_count(threads: int | None, size: int, grain: int) -> int:
    """Choose the number of threads: by default as numba is set, never more than grains of work.

    >>> thread_count(4, 1_000_000, 1000), thread_count(4, 1999, 1000)
    (4, 1)
    """
    if size < 2 * grain:
        return 1
    wanted: int = numba.get_num_threads() if threads is None else threads
    return max(1, min(wanted, size // grain))


def spread(task: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """Run a task on every item; the results come in the order of the items.

    Plain threads instead of numba's ``prange``: kernels run without the GIL, so they are as fast,
    several callers may spread at the same time, and nothing is compiled twice.

    >>> spread(abs, [-1, 2, -3], threads=2)
    [1, 2, 3]
    """
    if threads <= 1 or len(items) <= 1:
        return [task(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(task, items))


def cut(size: int, parts: int) -> list[slice]:
    """Cut ``range(size)`` into consecutive slices of nearly equal length.

    >>> cut(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    edges = [size * part // parts for part in range(parts + 1)]
    return [slice(start, stop) for start, stop in pairwise(edges)]
