"""Cell-key perturbation of ten million cells against drawing as many uniform numbers in NumPy.

    python benchmarks/cell_keys.py [--cells 10000000] [--kind counts]

Ours adds noise to a system whose cells have keys and, for magnitudes, two largest contributions.
The other side copies the values and draws one uniform number a cell: less than any perturbation
must do. The bound is 10 seconds for ten million cells.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from measuring import race

Work = Callable[[], object]


def by_us(given: argparse.Namespace) -> Work:
    from scipy.sparse import csr_array

    from tacita.tables.cells import Cells
    from tacita.tables.perturb.cell_key_counts import CellKeyCounts
    from tacita.tables.perturb.cell_key_magnitudes import CellKeyMagnitudes
    from tacita.tables.system import System

    rng = np.random.default_rng(0)
    n = given.cells
    largest = -np.sort(-rng.lognormal(5, 2, (n, 2)), axis=1)
    is_count = given.kind == "counts"
    values = rng.poisson(4, n).astype(float) if is_count else largest.sum(axis=1) * 1.5
    cells = Cells.of(values, cell_key=rng.random(n), largest=largest[:, : 0 if is_count else 2])
    system = System(cells, csr_array((0, n), dtype=np.int64), np.zeros(0))
    method = (
        CellKeyCounts(5, variance=3.0)
        if is_count
        else CellKeyMagnitudes(0.1, fading=(0.5,), flex_point=1000.0, large_share=0.02)
    )
    return lambda: method.perturb(system, rng)


def by_numpy(given: argparse.Namespace) -> Work:
    rng = np.random.default_rng(0)
    values = rng.poisson(4, given.cells).astype(float)
    return lambda: (values.copy(), rng.random(given.cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cells", type=int, default=10_000_000)
    parser.add_argument("--kind", choices=["counts", "magnitudes"], default="counts")
    race(str(Path(__file__)), {"ours": by_us, "copy and uniform": by_numpy}, parser, repeats=3)


if __name__ == "__main__":
    main()
