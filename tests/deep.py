"""Explore every law with far more examples than the suite draws, at random, in changed places.

Half of the examples are drawn on the machine as it is, half on a plain processor (no vector
extensions in NumPy, Arrow and compiled kernels, other dense products) with one thread, each half
with a hash seed of its own. A law that fails is named with the command that tries it again.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
from math import ceil
from pathlib import Path

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

HALVES = 2
NO_TESTS = 5  # pytest's exit code where nothing was chosen


def plain_processor() -> dict[str, str]:
    """Return the variables that switch off what processors differ in."""
    extensions = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(extensions),
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_NUM_THREADS": "1",
        "OPENBLAS_CORETYPE": "Prescott",
        "OPENBLAS_NUM_THREADS": "1",
        "ARROW_USER_SIMD_LEVEL": "NONE",
    }


def main() -> int:
    """Run both halves; return 0 if no law failed."""
    said = argparse.ArgumentParser(description=__doc__)
    said.add_argument("--times", type=float, default=20, help="of the examples of every law")
    said.add_argument("--numeric", type=int, default=10_000, help="examples of laws of numbers")
    said.add_argument("--seed", type=int, default=secrets.randbits(32))
    said.add_argument("laws", nargs="*", default=["tests"], help="files or tests; all by default")
    options = said.parse_args()
    print(f"seed {options.seed}", flush=True)  # noqa: T201 - a person repeats the run with it
    failed = 0
    for half, changed in enumerate(({}, plain_processor())):
        seed = options.seed + half
        command = [
            *(sys.executable, "-m", "pytest", "-m", "law", "-p", "no:cacheprovider"),
            *("--numprocesses", "auto", "--dist", "worksteal"),
            *("--times", str(options.times / HALVES)),
            *("--numeric", str(ceil(options.numeric / HALVES))),
            *(f"--hypothesis-seed={seed}", *options.laws),
        ]
        variables = os.environ | {"PYTHONHASHSEED": str(seed % 2**32)} | changed
        done = subprocess.run(command, env=variables, cwd=Path(__file__).parents[1], check=False)
        failed += done.returncode not in (0, NO_TESTS)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
