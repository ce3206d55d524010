"""Exact auditing of ten thousand sums over a million records with at most five thousand atoms.

`mix`: what analysts ask: single cells, ranges of an age, unions of regions, all but some, and their
combinations; classes are of very different sizes, hundreds of them of one record. `halves`: the
worst there is: five thousand records of which nobody is like another, and random halves of them,
until as many are answered as can be. A decision is judging and, if it is answered, remembering.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

import tacita as ta
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.policies.audit import Audit
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked, Statistic

REGIONS, AGES, SECTORS = 20, 50, 5
ROLES = {"region": "key", "age": "key", "sector": "key", "salary": "confidential"}


def mixed_data(records: int, rng: np.random.Generator) -> PublicClasses:
    """Return records of skewed regions, ages and sectors."""
    columns = {
        "region": rng.geometric(0.35, records).clip(max=REGIONS) - 1,
        "age": rng.binomial(AGES - 1, rng.beta(2, 2, records)),
        "sector": rng.geometric(0.6, records).clip(max=SECTORS) - 1,
        "salary": rng.integers(1000, 9000, records),
    }
    return PublicClasses.of(ta.read(pa.table(columns), roles=ROLES), "firms")


def single_data(records: int) -> PublicClasses:
    numbers = np.arange(records)
    table = pa.table({"number": numbers, "salary": numbers})
    roles = {"number": "key", "salary": "confidential"}
    return PublicClasses.of(ta.read(table, roles=roles), "firms")


def mixed_sets(data: PublicClasses, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Return sets of classes as predicates on one to three attributes name them."""
    values = {
        name: np.asarray(column.of_classes().to_numpy(zero_copy_only=False))
        for name, column in data.columns.items()
    }
    while True:
        chosen = np.ones(len(data), bool)
        names = rng.permutation(list(values))[: rng.integers(1, 4)]
        for name in names:
            chosen &= predicate(values[name], rng)
        if chosen.any():
            yield chosen


def predicate(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    low, high = np.sort(rng.integers(0, values.max() + 1, 2))
    some = rng.integers(0, values.max() + 1, 3)
    kinds = (
        values == low,
        (values >= low) & (values <= high),
        np.isin(values, some),
        values != low,
    )
    return kinds[rng.integers(len(kinds))]


def halves(data: PublicClasses, rng: np.random.Generator) -> Iterator[np.ndarray]:
    while True:
        yield rng.permutation(len(data)) < len(data) // 2


def audit(name: str, data: PublicClasses, sets: Iterator[np.ndarray], queries: int) -> None:
    """Ask, and print what the decisions took."""
    watcher = Audit().watch(data)
    asked = Asked(Statistic.SUM, "salary")
    times, refused = np.empty((queries, 2)), 0  # wall and CPU seconds
    for number in range(queries):
        cell = Cell(asked, QuerySet(data, next(sets)))
        begun = np.array([time.perf_counter(), time.process_time()])
        allowed = watcher.allows(cell)
        if allowed:
            watcher.learn(cell)
        times[number] = np.array([time.perf_counter(), time.process_time()]) - begun
        refused += not allowed
    (history,) = watcher._histories.values()  # noqa: SLF001
    shares = 1000 * np.quantile(times, (0.5, 0.95, 1), axis=0).T
    print(
        f"{name:<8}{data.records:>10,}{len(data):>9,}{(data.sizes == 1).sum():>9,}"
        f"{len(history.atoms):>8,}{history.space.rank:>8,}{refused:>9,}"
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:>9.0f}"
    )
    for clock, total, (p50, p95, most) in zip(
        ("wall", "CPU"), times.sum(axis=0), shares, strict=True
    ):
        print(
            f"  {clock:<6} p50 {p50:.2f} ms, p95 {p95:.2f} ms, max {most:.2f} ms, all {total:.1f} s"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--atoms", type=int, default=5_000)
    options = parser.parse_args()
    from tacita.kernels import residues

    residues.warm_up()
    print(
        f"{'':<8}{'records':>10}{'classes':>9}{'of one':>9}{'atoms':>8}{'rank':>8}{'refused':>9}"
        f"{'peak MB':>9}"
    )
    generator = np.random.default_rng(0)
    mixed = mixed_data(options.records, generator)
    audit("mix", mixed, mixed_sets(mixed, generator), options.queries)
    alone = single_data(options.atoms)
    audit("halves", alone, halves(alone, generator), options.queries)
