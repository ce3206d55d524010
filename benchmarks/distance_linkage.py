"""Distance-based linkage of every record against a bare k-d tree.

A hundred thousand records of five continuous attributes, masked by noise. Ours is the whole
measure: reading the columns, standardizing, the search, ties, the table of links and the interval.
The other side builds scipy's k-d tree over the standardized values and asks for the two nearest.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from measuring import race


def tacita(chosen: argparse.Namespace) -> Callable[[], object]:
    import pyarrow as pa

    import tacita as ta

    ta.use_threads(chosen.threads)
    original, masked = (
        ta.read(pa.table({f"x{j}": values[:, j] for j in range(values.shape[1])}))
        for values in _values(chosen)
    )
    measure = ta.DistanceLinkage(attributes=original.names, sample=None).measure
    measure(original.take(np.arange(9)), masked.take(np.arange(9)))  # the kernels are loaded
    return lambda: measure(original, masked)


def scipy(chosen: argparse.Namespace) -> Callable[[], object]:
    from scipy.spatial import cKDTree

    original, masked = _values(chosen)
    scale = original.std(axis=0, ddof=1)
    return lambda: cKDTree(original / scale).query(masked / scale, k=2, workers=chosen.threads)


def _values(chosen: argparse.Namespace) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    original = rng.normal(size=(chosen.records, chosen.attributes))
    return original, original + chosen.noise * rng.normal(size=original.shape)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--attributes", type=int, default=5)
    parser.add_argument("--noise", type=float, default=0.3)
    parser.add_argument("--threads", type=int, default=1)
    race(__file__, {"tacita": tacita, "scipy": scipy}, parser, repeats=3)
