"""Learned linkage beside distance and rank linkage, over the grid of `census_ranking.py`.

Every record of the 98 masked files is linked by an intruder who knows all 13 attributes, and by
those who know the first 1 to 7 of them. For each masking: the shares that the linkages find, what
the learned one claims, and by how many standard errors it is above the better of the other two:
with d_i the difference of the probabilities that record i is linked rightly, sum d_i / sqrt(sum
d_i^2), which is McNemar's statistic where nothing is tied. Behind them how many of all comparisons
fall behind the bound that all of them together keep with 95 % (Bonferroni), were the linkages
equally good.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np

import tacita as ta
from census_ranking import CENSUS, GRIDS
from measuring import clock
from tacita.data.dataset import Dataset
from tacita.release.comparing.grid import candidates

METHODS = {
    "learned": ta.ProbabilisticLinkage,
    "distance": ta.DistanceLinkage,
    "rank": ta.RankLinkage,
}
CONFIDENCE = 0.95
FIRST = range(1, 8)


@dataclass(frozen=True)
class Compared:
    """What the linkages find in one masked file, record by record."""

    label: str
    known: str
    right: dict[str, np.ndarray]
    claimed: float

    def statistic(self, other: str) -> float:
        """Return by how many standard errors learned linkage is above another."""
        apart = self.right["learned"] - self.right[other]
        return float(apart.sum() / max(np.sqrt((apart**2).sum()), 1e-300))

    @property
    def lowest(self) -> float:
        return min(self.statistic(other) for other in ("distance", "rank"))


def main() -> None:
    """Link, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=CENSUS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="maskings whose label has this in it")
    parser.add_argument("--known", choices=["all", "some", "both"], default="both")
    parser.add_argument("--out", type=Path, help="a .csv file for every comparison")
    chosen = parser.parse_args()
    census = ta.read(chosen.data)
    masked = [
        (one.label(), census.apply(*one.methods, seed=chosen.seed))
        for one in candidates(GRIDS, census)
        if chosen.only in one.label()
    ]
    found: list[Compared] = []
    print(
        f"{'':<40}{'known':<14}{'learned':>9}{'claimed':>9}{'distance':>9}{'rank':>9}{'apart':>8}"
    )
    took = clock(lambda: found.extend(_over(census, masked, chosen.known)))
    _tell(found)
    if chosen.out is not None:
        _write(found, chosen.out)
    print(f"{took['cpu']:.0f} s CPU, peak {took['peak_mb']:.0f} MB")


def _over(census: Dataset, masked: Sequence[tuple[str, Dataset]], known: str) -> list[Compared]:
    found = []
    for label, data in masked:
        if known in ("all", "both"):
            found.append(_row(_linked(census, data, label, "all", census.names)))
        if known in ("some", "both"):
            each = [
                _linked(census, data, label, f"first {number}", census.names[:number])
                for number in FIRST
            ]
            mean = {name: np.mean([one.right[name] for one in each], axis=0) for name in METHODS}
            claimed = float(np.mean([one.claimed for one in each]))
            found += [*each, _row(Compared(label, "first 1 to 7", mean, claimed))]
    return found


def _linked(
    census: Dataset, data: Dataset, label: str, known: str, names: Sequence[str]
) -> Compared:
    found = {
        name: method(names, sample=None).measure(census, data)  # type: ignore[call-arg]
        for name, method in METHODS.items()
    }
    right = {name: np.asarray(one.per_record, float) for name, one in found.items()}
    return Compared(label, known, right, float(found["learned"].figures["claimed"]))  # type: ignore[arg-type]


def _row(one: Compared) -> Compared:
    shares = {name: one.right[name].mean() for name in METHODS}
    print(
        f"{one.label:<40}{one.known:<14}{shares['learned']:>9.3f}{one.claimed:>9.3f}"
        f"{shares['distance']:>9.3f}{shares['rank']:>9.3f}{one.lowest:>8.1f}",
        flush=True,
    )
    return one


def _tell(found: Sequence[Compared]) -> None:
    single = [(one, other) for one in found for other in ("distance", "rank")]
    bound = NormalDist().inv_cdf((1 - CONFIDENCE) / len(single))
    behind = [(one, other) for one, other in single if one.statistic(other) < bound]
    print(f"\n{len(single)} comparisons, {len(behind)} of them below {bound:.2f} standard errors:")
    for one, other in sorted(behind, key=lambda pair: pair[0].statistic(pair[1])):
        print(
            f"  {one.label}, {one.known}: {one.right['learned'].mean():.3f} of learned, "
            f"{one.right[other].mean():.3f} of {other} linkage ({one.statistic(other):.1f})"
        )


def _write(found: Sequence[Compared], path: Path) -> None:
    with path.open("w", newline="") as into:
        rows = csv.writer(into)
        rows.writerow(["masking", "known", *METHODS, "claimed", "distance_z", "rank_z"])
        for one in found:
            shares = [f"{one.right[name].mean():.4f}" for name in METHODS]
            apart = [f"{one.statistic(other):.2f}" for other in ("distance", "rank")]
            rows.writerow([one.label, one.known, *shares, f"{one.claimed:.4f}", *apart])


if __name__ == "__main__":
    main()
