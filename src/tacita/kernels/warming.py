"""Compile kernels ahead, so that nobody waits at the first run."""

from __future__ import annotations

import multiprocessing
import pkgutil
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module

from numba.extending import is_jitted

from tacita import kernels


def warm(name: str) -> int:
    """Compile the kernels of a module for the types in use; return how many it defines itself."""
    module = import_module(f"{kernels.__name__}.{name}")
    getattr(module, "warm_up", lambda: None)()
    own = [
        one for one in vars(module).values() if is_jitted(one) and one.__module__ == module.__name__
    ]
    return len(own)


def warm_all() -> int:
    """Compile the kernels of every module, as many modules at once as there are cores.

    Compiling holds the GIL, so that processes do it and not threads.
    """
    names = [found.name for found in pkgutil.iter_modules(kernels.__path__)]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        return sum(pool.map(warm, [name for name in names if name != "__main__"]))
