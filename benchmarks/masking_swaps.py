"""Rank swapping against bare NumPy that draws, sorts and exchanges as much.

Four million records of one skewed continuous attribute. Ours is the whole step: ranking, pairing
each value with a free one at random, the exchange and the new data set. NumPy draws as many
numbers, sorts, and exchanges values with those as far ahead as drawn, without looking whether they
were exchanged before: what it gives is no rank swapping, but the same draws, sort and pass.
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
    data = ta.read(pa.table({"x": _values(chosen)}))
    method = ta.RankSwap("x", p=chosen.p)
    method.mask(data.take(np.arange(1000)), np.random.default_rng(0))  # the kernels are loaded
    return lambda: method.mask(data, np.random.default_rng(0))


def numpy(chosen: argparse.Namespace) -> Callable[[], object]:
    values, window = _values(chosen), int(chosen.records * chosen.p / 100)

    def swap() -> np.ndarray:
        draws = np.random.default_rng(0).random(len(values) // 2)
        order = np.argsort(values, kind="stable")
        ranked, low = values[order], np.arange(len(draws)) * 2
        high = np.minimum(low + 1 + (draws * window).astype(np.int64), len(values) - 1)
        ranked[low], ranked[high] = ranked[high], ranked[low]
        swapped = np.empty_like(values)
        swapped[order] = ranked
        return swapped

    return swap


def _values(chosen: argparse.Namespace) -> np.ndarray:
    return np.random.default_rng(1).lognormal(size=chosen.records)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=4_000_000)
    parser.add_argument("--p", type=float, default=15.0)
    parser.add_argument("--threads", type=int, default=1)
    race(__file__, {"tacita": tacita, "numpy": numpy}, parser, repeats=3)
