"""PRAM of four million records against NumPy doing the same draws.

Ours is the whole method: coding the categories, the matrix, the draws and the released column. The
other side codes the column with Arrow, draws for each category in turn by inverting its cumulative
probabilities, and takes the released values; with `--bare` it is given the codes and only draws.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from measuring import race

KEPT = 0.8


def tacita(chosen: argparse.Namespace) -> Callable[[], object]:
    import tacita as ta

    data = ta.read(pa.table({"x": _column(chosen)}))
    method = ta.Pram("x", minimum_diagonal=KEPT, invariant=chosen.invariant)
    method.mask(data.take(np.arange(1000)), np.random.default_rng(0))  # the kernels are loaded
    return lambda: method.mask(data, np.random.default_rng(1))


def numpy(chosen: argparse.Namespace) -> Callable[[], object]:
    column = _column(chosen)
    if chosen.bare:
        codes = np.asarray(pc.dictionary_encode(column).indices)
        return lambda: _drawn(codes, chosen.categories)
    return lambda: _released(column)


def _released(column: pa.Array) -> pa.Array:
    coded = pc.dictionary_encode(column)
    drawn = _drawn(np.asarray(coded.indices), len(coded.dictionary))
    return coded.dictionary.take(pa.array(drawn))


def _drawn(codes: np.ndarray, categories: int) -> np.ndarray:
    matrix = np.full((categories, categories), (1 - KEPT) / (categories - 1))
    np.fill_diagonal(matrix, KEPT)
    rng, released = np.random.default_rng(1), np.empty_like(codes)
    for code, row in enumerate(np.cumsum(matrix, axis=1)):
        there = np.flatnonzero(codes == code)
        released[there] = np.searchsorted(row[:-1], rng.random(len(there)), side="right")
    return released


def _column(chosen: argparse.Namespace) -> pa.Array:
    rng = np.random.default_rng(0)
    words = pa.array([f"category {code:03d}" for code in range(chosen.categories)])
    return words.take(pa.array(rng.integers(0, chosen.categories, chosen.records)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=4_000_000)
    parser.add_argument("--categories", type=int, default=8)
    parser.add_argument("--invariant", action="store_true")
    parser.add_argument("--bare", action="store_true")
    race(__file__, {"tacita": tacita, "numpy": numpy}, parser, repeats=3)
