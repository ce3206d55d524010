"""Noise for four million records against NumPy doing the same draws.

Ours is the whole method: reading the columns, moments, draws, and new columns with their blanks.
The other side has the values in arrays, and for `add` computes the standard deviations, draws as
many normal numbers and adds them; for `correlated` it draws from the covariances by a Cholesky
factor, for `multiply` it multiplies by as many lognormal numbers.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from measuring import race

ALPHA = 0.1


def tacita(chosen: argparse.Namespace) -> Callable[[], object]:
    import pyarrow as pa

    import tacita as ta

    ta.use_threads(chosen.threads)
    names = [f"x{j}" for j in range(chosen.attributes)]
    data = ta.read(pa.table(dict(zip(names, _values(chosen), strict=True))))
    method = {
        "add": ta.AddNoise(names, alpha=ALPHA),
        "correlated": ta.AddNoise(names, alpha=ALPHA, kind="correlated"),
        "multiply": ta.MultiplyNoise(names, deviation=ALPHA),
    }[chosen.noise]
    method.mask(data.take(np.arange(9)), np.random.default_rng(0))  # the kernels are loaded
    return lambda: method.mask(data, np.random.default_rng(0))


def numpy(chosen: argparse.Namespace) -> Callable[[], object]:
    work = {"add": _add, "correlated": _correlated, "multiply": _multiply}[chosen.noise]
    values = _values(chosen)
    return lambda: work(values, np.random.default_rng(0))


def _add(columns: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    return [x + rng.normal(0, np.sqrt(ALPHA) * x.std(), len(x)) for x in columns]


def _correlated(columns: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    factor = np.linalg.cholesky(ALPHA * np.cov(columns))
    return columns + factor @ rng.standard_normal(columns.shape)


def _multiply(columns: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    return [x * rng.lognormal(-(ALPHA**2) / 2, ALPHA, len(x)) for x in columns]


def _values(chosen: argparse.Namespace) -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.normal(50, 10, (chosen.attributes, chosen.records))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=4_000_000)
    parser.add_argument("--attributes", type=int, default=5)
    parser.add_argument("--noise", choices=["add", "correlated", "multiply"], default="add")
    parser.add_argument("--threads", type=int, default=1)
    race(__file__, {"tacita": tacita, "numpy": numpy}, parser, repeats=5)
