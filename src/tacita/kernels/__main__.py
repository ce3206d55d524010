"""Compile every kernel for the types in use, so that nobody waits at the first run."""

from __future__ import annotations

import sys
import time

from tacita.kernels.warming import warm_all


def main() -> None:
    """Warm up the modules and say how many kernels are ready."""
    started = time.perf_counter()
    ready = warm_all()
    sys.stdout.write(f"{ready} kernels ready in {time.perf_counter() - started:.1f} s\n")


if __name__ == "__main__":
    main()
