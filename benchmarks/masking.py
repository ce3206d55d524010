"""Masking of four million records against NumPy doing the same draws, sorts and passes.

Ours is the whole step: from a data set, through moments, draws, ranks and codes, to a data set with
new columns and their blanks. NumPy starts from arrays of numbers (of categories: from an Arrow
column, which it codes) and ends with arrays; it swaps ranks without looking whether a value was
swapped before, which is no rank swapping but the same draws, sort and pass. Both take turns in one
process. Memory is by how much the peak of a process of its own grows, result included, over the
masked columns as they were or as they became, whichever is the larger. The bounds to keep are 1.5
times NumPy, and 3 times the columns.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from measuring import clock

REPEATS = 7
ALPHA = 0.1
KEPT = 0.8
BREAKS = np.array([5_000.0, 10_000.0, 20_000.0, 40_000.0, 80_000.0])
POINTS = np.array([5_000.0, 15_000.0, 30_000.0, 60_000.0, 120_000.0])
MIDDLES = (POINTS[1:] + POINTS[:-1]) / 2
WIDTH = 20_000
GROUPS = {"low": ["a", "b", "c"], "high": ["d", "e", "f", "g"]}
Columns = list[np.ndarray]


class Case(NamedTuple):
    """A method with its parameters, what it masks, and NumPy's way."""

    method: str
    parameters: dict[str, Any]
    columns: Callable[[int], list[pa.Array]]
    numpy: Callable[[list[Any]], object]
    kind: str | None = None

    @property
    def one(self) -> bool:
        """Whether the method takes one attribute, by its name."""
        return self.method == "Recode"


def cases() -> dict[str, Case]:
    """Return what is measured, by name."""
    invariant = {"minimum_diagonal": KEPT, "invariant": True}
    by_range = {"of": "range"}
    return {
        "noise": Case("AddNoise", {"alpha": ALPHA}, normal, added),
        "noise, correlated": Case(
            "AddNoise", {"alpha": ALPHA, "kind": "correlated"}, normal, correlated
        ),
        "noise, times": Case("MultiplyNoise", {"deviation": ALPHA}, normal, multiplied),
        "round, base": Case("RoundValues", {"base": 0.05}, amounts, rounded),
        "round, points": Case("RoundValues", {"points": POINTS.tolist()}, amounts, to_points),
        "recode, breaks": Case("Recode", {"breaks": BREAKS.tolist()}, amounts, at_breaks),
        "recode, width": Case("Recode", {"width": WIDTH}, amounts, evenly),
        "recode, classes": Case("Recode", {"classes": 5}, amounts, by_classes),
        "recode, quantiles": Case("Recode", {"quantiles": 5}, amounts, by_quantiles),
        "recode, groups": Case("Recode", {"groups": GROUPS}, letters, merged),
        "pram, 8": Case("Pram", {"minimum_diagonal": KEPT}, words(8), drawn),
        "pram, 8, invariant": Case("Pram", invariant, words(8), drawn),
        "pram, 100": Case("Pram", {"minimum_diagonal": KEPT}, words(100), drawn),
        "swap, records": Case("RankSwap", {"p": 15}, amounts, swapped(0.15)),
        "swap, range 5 %": Case("RankSwap", {"p": 5, **by_range}, amounts, swapped(0.05)),
        "swap, range 90 %": Case("RankSwap", {"p": 90, **by_range}, amounts, swapped(0.9)),
        "swap, integers": Case("RankSwap", {"p": 15}, whole, swapped(0.15)),
        "swap, ordinal": Case("RankSwap", {"p": 15}, grades, swapped(0.15), "ordinal"),
        "swap, ordinal range": Case(
            "RankSwap", {"p": 15, **by_range}, grades, swapped(0.15), "ordinal"
        ),
    }


def normal(records: int) -> list[pa.Array]:
    rng = np.random.default_rng(1)
    return [pa.array(rng.normal(50, 10, records)) for _ in range(5)]


def amounts(records: int) -> list[pa.Array]:
    return [pa.array(np.random.default_rng(1).lognormal(9.5, 0.7, records))]


def whole(records: int) -> list[pa.Array]:
    return [pc.cast(pc.floor(amounts(records)[0]), pa.int64())]


def grades(records: int) -> list[pa.Array]:
    return [pa.array(np.random.default_rng(1).integers(0, 50, records))]


def letters(records: int) -> list[pa.Array]:
    return _named(records, list("abcdefghij"))


def words(categories: int) -> Callable[[int], list[pa.Array]]:
    names = [f"category {code:03d}" for code in range(categories)]
    return lambda records: _named(records, names)


def _named(records: int, names: list[str]) -> list[pa.Array]:
    codes = np.random.default_rng(0).integers(0, len(names), records)
    return [pa.array(names).take(pa.array(codes))]


def added(columns: Columns) -> Columns:
    rng = np.random.default_rng(0)
    return [x + rng.normal(0, np.sqrt(ALPHA) * x.std(), len(x)) for x in columns]


def correlated(columns: Columns) -> np.ndarray:
    factor = np.linalg.cholesky(ALPHA * np.cov(columns))
    noise = np.random.default_rng(0).standard_normal((len(columns), len(columns[0])))
    return np.array(columns) + factor @ noise


def multiplied(columns: Columns) -> Columns:
    rng = np.random.default_rng(0)
    return [x * rng.lognormal(-(ALPHA**2) / 2, ALPHA, len(x)) for x in columns]


def rounded(columns: Columns) -> Columns:
    return [np.floor(x / 0.05 + 0.5) * 0.05 for x in columns]


def to_points(columns: Columns) -> Columns:
    return [POINTS[np.searchsorted(MIDDLES, x, side="right")] for x in columns]


def at_breaks(columns: Columns) -> Columns:
    return [_cut(x, BREAKS) for x in columns]


def _cut(values: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    inner = [f"[{low:g},{high:g})" for low, high in pairwise(bounds)]
    names = np.array([f"<{bounds[0]:g}", *inner, f">={bounds[-1]:g}"])
    return names[np.searchsorted(bounds, values, side="right")]


def evenly(columns: Columns) -> Columns:
    return [_evenly(x) for x in columns]


def _evenly(values: np.ndarray) -> np.ndarray:
    steps = np.floor(values / WIDTH).astype(np.int64)
    lows = np.arange(steps.min(), steps.max() + 1)
    names = np.array([f"[{low * WIDTH},{(low + 1) * WIDTH})" for low in lows])
    return names[steps - lows[0]]


def by_quantiles(columns: Columns) -> Columns:
    return [_cut(x, np.sort(x)[np.arange(1, 5) * len(x) // 5]) for x in columns]


def by_classes(columns: Columns) -> Columns:
    steps = np.arange(1, 5) / 5
    return [_cut(x, x.min() + steps * (x.max() - x.min())) for x in columns]


def merged(columns: Columns) -> Columns:
    for new, old in GROUPS.items():
        columns = [np.where(np.isin(x, old), new, x) for x in columns]
    return columns


def drawn(columns: list[pa.Array]) -> list[pa.Array]:
    released = []
    for column in columns:
        coded = pc.dictionary_encode(column)
        codes = _drawn(np.asarray(coded.indices), len(coded.dictionary))
        released.append(coded.dictionary.take(pa.array(codes)))
    return released


def _drawn(codes: np.ndarray, categories: int) -> np.ndarray:
    """Draw for each category in turn, by inverting its cumulated probabilities."""
    matrix = np.full((categories, categories), (1 - KEPT) / (categories - 1))
    np.fill_diagonal(matrix, KEPT)
    rng, released = np.random.default_rng(1), np.empty_like(codes)
    for code, row in enumerate(np.cumsum(matrix, axis=1)):
        there = np.flatnonzero(codes == code)
        released[there] = np.searchsorted(row[:-1], rng.random(len(there)), side="right")
    return released


def swapped(share: float) -> Callable[[Columns], Columns]:
    return lambda columns: [_swapped(x, share) for x in columns]


def _swapped(values: np.ndarray, share: float) -> np.ndarray:
    draws = np.random.default_rng(0).random(len(values) // 2)
    order = np.argsort(values, kind="stable")
    ranked, low = values[order], np.arange(len(draws)) * 2
    ahead = low + 1 + (draws * share * len(values)).astype(np.int64)
    high = np.minimum(ahead, len(values) - 1)
    ranked[low], ranked[high] = ranked[high], ranked[low]
    swapped = np.empty_like(values)
    swapped[order] = ranked
    return swapped


def sides(case: Case, chosen: argparse.Namespace) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return our work and NumPy's."""
    import tacita as ta

    ta.use_threads(chosen.threads)
    columns = case.columns(chosen.records)
    names = [f"x{j}" for j in range(len(columns))]
    kinds = dict.fromkeys(names, case.kind) if case.kind else {}
    data = ta.read(pa.table(dict(zip(names, columns, strict=True))), kinds=kinds)
    method = getattr(ta, case.method)(names[0] if case.one else names, **case.parameters)
    method.mask(data.take(np.arange(1000)), np.random.default_rng(0))  # the kernels are loaded
    is_text = pa.types.is_string(columns[0].type)
    if case.one and is_text:
        arrays: list[Any] = [np.array(column.to_pylist()) for column in columns]
    else:
        arrays = columns if is_text else [column.to_numpy() for column in columns]
    return lambda: method.mask(data, np.random.default_rng(0)), lambda: case.numpy(arrays)


def in_turns(case: Case, chosen: argparse.Namespace) -> dict[str, float]:
    work = dict(zip(("tacita", "numpy"), sides(case, chosen), strict=True))
    taken: dict[str, list[dict[str, float]]] = {side: [] for side in work}
    for turn in range(REPEATS + 1):
        for side, run in work.items():
            gc.collect()
            clocked = clock(run)
            if turn:
                taken[side].append(clocked)
    return {
        f"{side} {what}": min(row[what] for row in rows)
        for side, rows in taken.items()
        for what in ("wall", "cpu")
    }


def memory(case: Case, chosen: argparse.Namespace) -> dict[str, float]:
    """Return by how much the peak grows, over the size of the columns."""
    before = sum(column.nbytes for column in case.columns(chosen.records))
    work, _ = sides(case, chosen)
    gc.collect()
    pa.default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)  # what was freed and not given back would be used unseen
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    held = peak()
    after = sum(column.nbytes for column in work().table.columns)
    return {"memory": (peak() - held) / max(before, after)}


def peak() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def alone(case: str, what: str) -> dict[str, float]:
    command = [sys.executable, __file__, *sys.argv[1:], "--case", case, "--what", what]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return row


def show(names: list[str]) -> None:
    heads = ("wall s", "NumPy", "ratio", "CPU s", "NumPy", "ratio", "memory")
    print(f"{'':<20}" + "".join(f"{head:>9}" for head in heads))
    for name in names:
        row = alone(name, "time") | alone(name, "memory")
        wall, cpu = (
            [row[f"{side} {what}"] for side in ("tacita", "numpy")] for what in ("wall", "cpu")
        )
        shown = (*wall, wall[0] / wall[1], *cpu, cpu[0] / cpu[1], row["memory"])
        print(f"{name:<20}" + "".join(f"{number:>9.3f}" for number in shown), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=4_000_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", choices=cases(), action="append")
    parser.add_argument("--case", choices=cases(), help=argparse.SUPPRESS)
    parser.add_argument("--what", choices=("time", "memory"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.case:
        measured = in_turns if given.what == "time" else memory
        print(json.dumps(measured(cases()[given.case], given)))
    else:
        show(given.only or list(cases()))
