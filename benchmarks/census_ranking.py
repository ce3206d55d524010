"""Masking methods ranked by the score of Domingo-Ferrer and Torra on the CASC file `Census`.

1,080 records of 13 numeric attributes, 98 methods with their parameters. Two intruders, since the
text leaves open what the intruder knows: one who knows all 13 attributes (intervals of standard
deviations), and one who knows the first 1 to 7 of them (intervals of ranks). Then rank swapping
over some seeds, to tell p from luck, and microaggregation of other attributes three at a time.
Prints the rankings with wall and CPU seconds and peak memory.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import tacita as ta
from measuring import clock
from tacita.release.comparing.score_card import Scoring

CENSUS = Path(__file__).parents[2] / "shared" / "data" / "casc" / "Census.csv"
INTRUDERS = {
    "knows all 13 attributes, intervals of deviations": ta.Score(),
    "knows the first 1 to 7, intervals of ranks": ta.Score(numbers=range(1, 8), intervals="ranks"),
}
CORRELATED = [
    *("AGI", "FEDTAX", "TAXINC", "PEARNVAL", "WSALVAL", "ERNVAL", "PTOTVAL", "FICA", "STATETAX"),
    *("POTHVAL", "INTVAL", "EMCONTRB", "AFNLWGT"),
]
SIZES = [3, 4, 5, 6, 7, 8, 9, 10]
GRIDS: list[dict[str, dict[str, object]]] = [
    {"rank_swap": {"p": list(range(1, 21))}},
    {"microaggregate": {"together": 1, "k": SIZES}},
    {"microaggregate": {"together": 2, "k": SIZES}},
    {"microaggregate": {"together": 3, "k": SIZES}},
    {"microaggregate": {"together": 4, "k": SIZES}},
    {"microaggregate": {"together": 6, "k": SIZES}},
    {"microaggregate": {"k": SIZES}},
    {"add_noise": {"alpha": [0.01, 0.02, 0.05, 0.1, 0.15, 0.2]}},
    {"add_noise": {"kind": "correlated", "alpha": [0.01, 0.05, 0.1, 0.2]}},
    {"multiply_noise": {"deviation": [0.05, 0.1, 0.15, 0.2, 0.25, 0.3]}},
    {"round_values": {"base": [100, 500, 1000, 5000]}},
    {"compress": {"quality": [20, 40, 60, 80, 90, 95]}},
    {"resample": {"samples": [2, 3, 5]}},
    {"shuffle": {}},
]


def main() -> None:
    """Rank, print, and write the map where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=CENSUS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=5, help="of the look at rank swapping alone")
    parser.add_argument("--groupings", type=int, default=4, help="by chance, three at a time")
    parser.add_argument("--top", type=int, default=25)
    parser.add_argument("--out", type=Path, help="a folder for the maps (.html and .csv)")
    chosen = parser.parse_args()
    census = ta.read(chosen.data)
    ta.risk_utility_map(census.take(np.arange(50)), GRIDS[:2], seed=0)  # the kernels are loaded
    for name in INTRUDERS:
        took = clock(lambda name=name: _ranked(census, name, chosen))
        print(f"{took['wall']:.1f} s wall, {took['cpu']:.1f} s CPU, peak {took['peak_mb']:.0f} MB")
    for name, by in INTRUDERS.items() if chosen.seeds > 1 else ():
        _over_seeds(census, name, by, chosen.seeds)
    _groupings(census, chosen.groupings, chosen.seed)


def _ranked(census: ta.Microdata, name: str, chosen: argparse.Namespace) -> None:
    found = ta.risk_utility_map(census, GRIDS, by=INTRUDERS[name], seed=chosen.seed)
    print(f"\nThe intruder {name}: {len(found)} ranked, {len(found.skipped)} skipped")
    print(f"{'':<5}{'':<36}{'score':>8}{'IL':>8}{'DLD':>8}{'PLD':>8}{'ID':>8}")
    first = {}
    for place, trial in enumerate(found.ranking, 1):
        best = first.setdefault(trial.line, place) == place
        if place <= chosen.top or best:
            numbers = (trial.score or 0.0, *trial.measures.values())
            told = "".join(f"{number:>8.2f}" for number in numbers)
            print(f"{place:<5}{trial.label():<36}{told}{'  best of its line' if best else ''}")
    if chosen.out is not None:
        chosen.out.mkdir(parents=True, exist_ok=True)
        word = "all" if name.startswith("knows all") else "some"
        for suffix in ("html", "csv", "svg"):
            found.write(chosen.out / f"census_{word}.{suffix}")


def _over_seeds(census: ta.Microdata, name: str, by: Scoring, seeds: int) -> None:
    grid = {"rank_swap": {"p": list(range(10, 21))}}
    maps = [ta.risk_utility_map(census, grid, by=by, seed=seed) for seed in range(seeds)]
    scores = np.array([[trial.score for trial in found.trials] for found in maps])
    print(
        f"\nRank swapping, mean score of {seeds} seeds (and their deviation); the intruder {name}"
    )
    for trial, mean, spread in zip(
        maps[0].trials, scores.mean(axis=0), scores.std(axis=0, ddof=1), strict=True
    ):
        print(f"  {trial.label():<20}{mean:>8.2f}  ({spread:.2f})")


def _groupings(census: ta.Microdata, number: int, seed: int) -> None:
    """Take three attributes at a time in other ways than the order of the file."""
    rng = np.random.default_rng(0)
    names = census.names
    ways = {"in the order of the file": names, "most correlated together": CORRELATED}
    for place in range(number):
        ways[f"by chance, {place + 1}"] = [str(name) for name in rng.permutation(names)]
    for name, by in INTRUDERS.items():
        print(f"\nMicroaggregation three at a time, k = 10; the intruder {name}")
        for way, order in ways.items():
            grid = {"microaggregate": {"attributes": order, "together": 3, "k": [10]}}
            (trial,) = ta.risk_utility_map(census, grid, by=by, seed=seed).trials
            told = "".join(f"{number:>8.2f}" for number in (trial.score, *trial.measures.values()))
            print(f"  {way:<28}{told}")


if __name__ == "__main__":
    main()
