"""Compile every kernel for the types in use, so that nobody waits at the first run."""

from __future__ import annotations

import pkgutil
import sys
import time
from importlib import import_module
from types import ModuleType

from numba.extending import is_jitted

from tacita import kernels


def modules() -> list[ModuleType]:
    """Import every module of the layer."""
    names = [found.name for found in pkgutil.iter_modules(kernels.__path__)]
    return [import_module(f"{kernels.__name__}.{name}") for name in names if name != "__main__"]


def kernels_of(module: ModuleType) -> list[object]:
    """List the compiled functions that a module defines itself."""
    return [v for v in vars(module).values() if is_jitted(v) and v.__module__ == module.__name__]


def main() -> None:
    """Warm up the modules and say how many kernels are ready."""
    started = time.perf_counter()
    found = modules()
    for module in found:
        getattr(module, "warm_up", lambda: None)()
    ready = sum(len(kernels_of(module)) for module in found)
    sys.stdout.write(f"{ready} kernels ready in {time.perf_counter() - started:.1f} s\n")


if __name__ == "__main__":
    main()
