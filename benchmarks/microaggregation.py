"""MDAV in a tree against the plain loop over all records, and how it grows.

    python benchmarks/microaggregation.py [--all]

The plain loop runs through all remaining records for each centroid, farthest record and group, in
the order of n^2 / k; both must find the same groups. Then come hospital discharges with nine keys,
standardized, at k = 5, in growing numbers; with --all as many as a year has in California.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numba
import numpy as np

from measuring import clock, show

SMALL = 100_000, 5, 3  # records, attributes, k
GROWING = 250_000, 500_000, 1_000_000
ALL = 3_985_166
K = 5


# -- the plain loop -------------------------------------------------------------------------------


@numba.njit
def square(a: np.ndarray, b: np.ndarray) -> float:
    total = 0.0
    for j in range(a.size):
        total += (a[j] - b[j]) * (a[j] - b[j])
    return total


@numba.njit
def farthest(points: np.ndarray, left: int, place: np.ndarray) -> int:
    best, at = -1.0, -1
    for i in range(left):
        gap = square(points[i], place)
        if gap > best:
            best, at = gap, i
    return at


@numba.njit
def nearest(points: np.ndarray, left: int, seed: np.ndarray, k: int) -> np.ndarray:
    gaps, places = np.full(k, np.inf), np.zeros(k, np.int64)
    for i in range(left):
        gap, at = square(points[i], seed), k - 1
        if gap < gaps[at]:
            while at and gap < gaps[at - 1]:
                gaps[at], places[at] = gaps[at - 1], places[at - 1]
                at -= 1
            gaps[at], places[at] = gap, i
    return places


@numba.njit
def mean(points: np.ndarray, left: int) -> np.ndarray:
    total = np.zeros(points.shape[1])
    for i in range(left):
        for j in range(total.size):
            total[j] += points[i, j]
    return total / left


@numba.njit
def plain_mdav(given: np.ndarray, k: int) -> np.ndarray:
    """Form groups by looking at all records that are left; they stay side by side in memory."""
    points, records, left = given.copy(), np.arange(len(given)), len(given)
    labels, groups = np.full(left, -1), 0
    while left >= 2 * k:
        seed, pair = points[farthest(points, left, mean(points, left))].copy(), left >= 3 * k
        for second in range(1 + pair):
            if second:
                seed = points[farthest(points, left, seed)].copy()
            for place in np.sort(nearest(points, left, seed, k))[::-1]:
                labels[records[place]] = groups
                left -= 1
                points[place], records[place] = points[left], records[left]
            groups += 1
    labels[records[:left]] = groups
    return labels


# -- the contenders -------------------------------------------------------------------------------


def normal() -> np.ndarray:
    """Draw continuous records, without ties."""
    return np.random.default_rng(0).normal(size=SMALL[:2])


def patients(records: int) -> np.ndarray:
    """Generate the nine keys of hospital discharges as standardized numbers."""
    import tacita as ta

    data = ta.example("patients", records)
    keys = [name for name in data.names if name not in ("charge", "diag_p")]
    frame = data.to_arrow().select(keys)
    values = np.column_stack([column.cast("int64").to_numpy() for column in frame.columns])
    return np.asarray((values - values.mean(axis=0)) / values.std(axis=0, ddof=1))


def in_a_tree(points: np.ndarray, k: int) -> tuple[dict[str, float], bytes]:
    from tacita.kernels.mdav import mdav, warm_up

    warm_up()
    return timed(lambda: mdav(points, k))


def tree() -> tuple[dict[str, float], bytes]:
    return in_a_tree(normal(), SMALL[2])


def loop() -> tuple[dict[str, float], bytes]:
    plain_mdav(np.arange(8.0)[:, None], 2)  # compiled
    points = normal()
    return timed(lambda: plain_mdav(points, SMALL[2]))


def growing(records: int) -> tuple[dict[str, float], bytes]:
    return in_a_tree(patients(records), K)


def timed(work: Callable[[], np.ndarray]) -> tuple[dict[str, float], bytes]:
    """Return what some work costs, and the groups it found."""
    found: list[np.ndarray] = []
    cost = clock(lambda: found.append(work()))
    return cost, found[0].tobytes()


def alone(work: Callable[..., tuple[dict[str, float], bytes]], *given: int):
    """Run some work in a process of its own, so that its peak memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *given).result()


# -- the page that is printed ---------------------------------------------------------------------


def compare() -> None:
    records, attributes, k = SMALL
    print(f"{records:,} records, {attributes} attributes, k = {k}")
    ours, plain = alone(tree), alone(loop)
    assert ours[1] == plain[1], "the groups differ"
    show({"tree": ours[0], "plain loop": plain[0]})
    print(f"the plain loop takes {plain[0]['cpu'] / ours[0]['cpu']:.1f} times as long\n")


def grow(sizes: tuple[int, ...]) -> None:
    print(f"hospital discharges, 9 keys, k = {K}")
    print(f"{'records':<16}{'wall s':>10}{'CPU s':>10}{'peak MB':>10}{'exponent':>10}")
    before: tuple[int, float] | None = None
    for size in sizes:
        row = alone(growing, size)[0]
        cells = f"{size:<16,}{row['wall']:>10.2f}{row['cpu']:>10.2f}{row['peak_mb']:>10.0f}"
        exponent = before and math.log(row["cpu"] / before[1]) / math.log(size / before[0])
        print(cells + (f"{exponent:>10.2f}" if exponent else ""), flush=True)
        before = before or (size, row["cpu"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--all", action="store_true", help=f"also {ALL:,} hospital discharges")
    chosen = parser.parse_args()
    compare()
    grow((*GROWING, ALL) if chosen.all else GROWING)
