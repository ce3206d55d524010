"""Attacks that know the masking method against distance-based linkage, which does not.

First what they achieve: the share of records linked to their own respondent on every method and
amount of masking, of a numeric file (such as Census of the CASC project) or of generated records,
and the share of values guessed within a tenth of a standard deviation (after multiplicative noise,
of a tenth of themselves). Then what they cost on many records: the whole attack, which contains
the distance-based linkage of the same records, beside that linkage alone, one after the other.

    python attacks_on_perturbation.py [FILE.csv] [--records 100000]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import tacita as ta
from measuring import clock

Case = tuple[str, Any, Any]


def cases(names: list[str]) -> Iterator[Case]:
    """Give what is done to the attributes, and the attack that knows it."""
    yield from _averages(names)
    yield from _swaps(names)
    yield from _noises(names)


def _averages(names: list[str]) -> Iterator[Case]:
    for k in (3, 5, 10, 20):
        for together in (2, 3):
            masking = ta.Microaggregate(names, k=k, together=together)
            yield f"averages of {k}, {together} at a time", masking, ta.Unmicroaggregation(names)
    for k in (10, 30):
        masking = ta.Microaggregate(names, k=k, algorithm="optimal")
        yield f"averages of {k}, alone", masking, ta.Unmicroaggregation(names)
    masking = ta.Microaggregate(names, k=3)
    yield "averages of 3, all together", masking, ta.Unmicroaggregation(names)


def _swaps(names: list[str]) -> Iterator[Case]:
    for p in (2, 5, 10, 15, 20):
        masking = ta.RankSwap(names, p=p)
        yield f"ranks within {p} %", masking, ta.RankSwapIntersection(names, p=p)
        yield f"ranks within {p} %, p unknown", masking, ta.RankSwapIntersection(names)


def _noises(names: list[str]) -> Iterator[Case]:
    for alpha in (0.1, 0.5, 1.0):
        masking = ta.AddNoise(names, alpha=alpha)
        yield f"noise {alpha}", masking, ta.NoiseFiltering(names, alpha=alpha, width=0.1)
        masking = ta.AddNoise(names, alpha=alpha, kind="correlated")
        attack = ta.NoiseFiltering(names, kind="correlated", alpha=alpha, width=0.1)
        yield f"correlated noise {alpha}", masking, attack
        attack = ta.NoiseFiltering(
            names, kind="correlated", alpha=alpha, transformed=True, width=0.1
        )
        yield f"Kim's noise {alpha}", ta.KimNoise(names, alpha=alpha), attack
    for deviation in (0.05, 0.25, 0.5):
        masking = ta.MultiplyNoise(names, deviation=deviation)
        attack = ta.NoiseFiltering(names, kind="multiplicative", deviation=deviation, width=0.1)
        yield f"factors {deviation}", masking, attack


def achieved(data: Any, names: list[str]) -> None:
    """Print the shares of records linked and of values guessed."""
    print(f"\n{len(data):,} records, {len(names)} attributes known")
    print(f"{'masking':<30}{'naive':>8}{'attack':>8}{'ratio':>7}{'naive':>10}{'guess':>8}")
    for said, masking, attack in cases(names):
        found = attack.measure(data, data.apply(masking, seed=0))
        figures = found.figures
        line = f"{said:<30}{float(figures['naive_linkage']):>8.3f}{float(found.value):>8.3f}"
        line += f"{float(figures['ratio_to_naive_linkage'] or np.inf):>7.2f}"
        if "guessed" in figures:
            line += f"{float(figures['naive_guess']):>10.3f}{float(figures['guessed']):>8.3f}"
        print(line, flush=True)


def costs(records: int) -> None:
    """Print how long attacks take, beside distance-based linkage of the same records."""
    data = generated(records, 4)
    names = data.names
    chosen = [
        (
            "microaggregated",
            ta.Microaggregate(names, k=5, together=2),
            ta.Unmicroaggregation(names),
        ),
        ("swapped within 1 %", ta.RankSwap(names, p=1), ta.RankSwapIntersection(names, p=1)),
        ("swapped, p unknown", ta.RankSwap(names, p=1), ta.RankSwapIntersection(names)),
        (
            "correlated noise",
            ta.AddNoise(names, alpha=0.1, kind="correlated"),
            ta.NoiseFiltering(names, kind="correlated", alpha=0.1),
        ),
    ]
    few = data.take(np.arange(100))
    print(f"\n{records:,} records, 4 attributes; 10,000 linked, and all of them")
    print(f"{'':<22}{'linked':>9}{'wall s':>9}{'CPU s':>8}{'naive':>8}{'ratio':>7}{'peak MB':>9}")
    for said, masking, attack in chosen:
        safe = data.apply(masking, seed=0)
        attack.measure(few, few)  # the kernels are loaded
        for sample in (10_000, None):
            chosen_attack = type(attack)(**{**attack.parameters(), "sample": sample})
            naive = ta.DistanceLinkage(names, sample=sample)
            ours = clock(lambda: chosen_attack.measure(data, safe))  # noqa: B023
            other = clock(lambda: naive.measure(data, safe))  # noqa: B023
            linked = min(sample or records, records)
            print(
                f"{said:<22}{linked:>9,}{ours['wall']:>9.2f}{ours['cpu']:>8.2f}"
                f"{other['cpu']:>8.2f}{ours['cpu'] / other['cpu']:>7.1f}{ours['peak_mb']:>9.0f}",
                flush=True,
            )


def generated(records: int, width: int) -> Any:
    """Make skewed numbers that depend on each other."""
    rng = np.random.default_rng(0)
    values = np.exp(rng.normal(size=(records, 1)) + rng.normal(size=(records, width)))
    return ta.read(pa.table({f"x{j}": values[:, j] for j in range(width)}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", help="a CSV file of numbers")
    parser.add_argument("--records", type=int, default=100_000)
    given = parser.parse_args()
    if given.file:
        columns = ta.read(given.file).names
        source = ta.read(given.file, kinds=dict.fromkeys(columns, "continuous"))
    else:
        source = generated(1080, 13)
    for count in (4, 7, len(source.names)):
        achieved(source, source.names[:count])
    costs(given.records)
