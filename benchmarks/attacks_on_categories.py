"""Attacks that know the algorithm beside intruders who do not, on the same targets.

Generated files are masked by the method that each attack aims at. The naive intruder links by
distance, takes released values for true ones, guesses the most frequent value, reads frequencies
off the class, or has the last release only. Times are those of the attack with the naive intruder
it is compared to; the peak is that of the whole process.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import tacita as ta
from measuring import clock
from tacita.attacks.minimality import Minimality
from tacita.attacks.pram_inversion import PramInversion
from tacita.attacks.rounding_reconstruction import RoundingReconstruction
from tacita.attacks.several_releases import SeveralReleases
from tacita.attacks.suppression_reconstruction import SuppressionReconstruction

KEYS = ["education", "zip", "region", "disease"]


class Trial(NamedTuple):
    """An attack on masked data, and the figure that tells what the naive intruder achieves."""

    masked: str
    attack: Any
    original: Any
    protected: Any
    naive: str
    share: str | None = None  # the figure that is compared with it; the number itself if None


def pram(records: int) -> Iterator[Trial]:
    """Complete records, and all, of which blanks are linked with blanks besides."""
    every = ta.example("toy", records)
    blank = np.any([np.asarray(every.column(name).is_null()) for name in KEYS], axis=0)
    for which, data in (("complete", every.take(np.flatnonzero(~blank))), ("all", every)):
        safe, matrices = data, {}
        for seed, (name, kept) in enumerate({"education": 0.3, "zip": 0.9, "region": 0.5}.items()):
            safe = safe.apply(ta.Pram(name, minimum_diagonal=kept), seed=seed)
            matrices[name] = safe.notes["matrices"][name][0]["matrix"]
        known = PramInversion(KEYS, matrices=matrices, sample=10_000)
        yield Trial(f"PRAM, links, {which}", known, data, safe, "naive_linkage")
        yield Trial(f"PRAM, categories, {which}", known, data, safe, "naive_guess", "guessed")


def rounding(records: int) -> Iterator[Trial]:
    rng = np.random.default_rng(0)
    parts = {name: rng.lognormal(6, 1, records).round() for name in "abc"}
    data = ta.read(pa.table({**parts, "total": sum(parts.values())}))
    for base in (10, 100):
        safe = data.apply(ta.RoundValues(["a", "b", "c"], base=base))
        attack = RoundingReconstruction()
        yield Trial(f"rounded to {base}, total kept", attack, data, safe, "naive_guess")
        safe = safe.apply(ta.RoundValues("total", base=base))
        yield Trial(f"rounded to {base}, total too", attack, data, safe, "naive_guess")


def suppression(records: int) -> Iterator[Trial]:
    # A date of birth would give the age away.
    data = ta.example("toy", records).without(["born"]).apply(ta.Generalize("age", level=2))
    keys = ["age", "zip", "education", "disease"]
    for k in (3, 10):
        safe = data.apply(ta.LocalSuppression(k, keys, search="fast"))
        attack = SuppressionReconstruction(keys, k=k)
        yield Trial(f"suppressed for k = {k}", attack, data, safe, "naive_guess")


def minimal(records: int) -> Iterator[Trial]:
    for most in (2, 3):
        zips, values = _towns(records, most, np.random.default_rng(most))
        coarse = _where_needed(zips, values, most)
        data, safe = (_patients(places, values) for places in (zips, coarse))
        attack = Minimality(most, sensitive=["HIV"])
        yield Trial(f"at most 1/{most}, by towns", attack, data, safe, "naive_breach")


def _patients(zips: list[str], values: list[str]) -> ta.Microdata:
    return ta.read(
        pa.table({"zip": zips, "disease": values}),
        roles={"zip": "key", "disease": "confidential"},
        hierarchies={"zip": {"prefix": len(zips[0])}},
    )


def _towns(records: int, most: int, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Towns of one small and two larger postal codes that keep the model as a whole."""
    zips: list[str] = []
    values: list[str] = []
    town = 0
    while len(zips) < records:
        sizes = rng.integers(1, 3), *rng.integers(4, 8, 2)
        drawn = rng.choice(["HIV", "flu"], sum(sizes), p=[0.12, 0.88]).tolist()
        if most * drawn.count("HIV") <= len(drawn):
            zips += [f"{town:05d}{part}" for part, size in enumerate(sizes) for _ in range(size)]
            values += drawn
            town += 1
    return zips, values


def _where_needed(zips: list[str], values: list[str], most: int) -> list[str]:
    """Leave out the last digit in towns of which a postal code breaks the model."""
    found: dict[str, list[str]] = {}
    for place, value in zip(zips, values, strict=True):
        found.setdefault(place, []).append(value)
    broken = {p[:-1] for p, held in found.items() if most * held.count("HIV") > len(held)}
    return [f"{place[:-1]}*" if place[:-1] in broken else place for place in zips]


def several(records: int) -> Iterator[Trial]:
    data = ta.example("toy", records)
    one = data.apply(ta.Generalize("age", level=3)).apply(ta.Generalize("zip", level=1))
    other = data.apply(ta.Generalize("age", level=1)).apply(ta.Generalize("zip", level=5))
    noisy = [data.apply(ta.AddNoise(["income", "age"], alpha=0.3), seed=s) for s in range(4)]
    for aligned in (False, True):
        order = "one order" if aligned else "shuffled"
        learn = SeveralReleases([one], keys=["age", "zip", "education"], aligned=aligned)
        yield Trial(f"2 generalized, {order}", learn, data, other, "naive_one_release")
        linked = SeveralReleases(
            noisy[1:], keys=["income", "age", "zip"], aim="reidentify", aligned=aligned
        )
        yield Trial(f"4 with noise, {order}", linked, data, noisy[0], "naive_one_release")


TRIALS: tuple[Callable[[int], Iterator[Trial]], ...] = (
    pram,
    rounding,
    suppression,
    minimal,
    several,
)


def show(trial: Trial) -> None:
    """Run an attack and print what it achieves beside the naive intruder."""
    found: list[Any] = []
    spent = clock(lambda: found.append(trial.attack.measure(trial.original, trial.protected)))
    measured = found[0]
    share = measured.value if trial.share is None else measured.figures[trial.share]
    naive = measured.figures[trial.naive]
    ratio = f"{float(share / naive):>8.2f}" if naive else f"{'-':>8}"
    print(
        f"{trial.attack.name:<28}{trial.masked:<28}{float(share):>8.4f}{float(naive):>8.4f}{ratio}"
        f"{spent['wall']:>9.2f}{spent['cpu']:>9.2f}{spent['peak_mb']:>9.0f}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=2_000)
    chosen = parser.parse_args()
    print(
        f"{'attack':<28}{'masked':<28}{'attack':>8}{'naive':>8}{'ratio':>8}"
        f"{'wall s':>9}{'CPU s':>9}{'peak MB':>9}"
    )
    for make in TRIALS:
        for trial in make(100):  # the kernels are loaded
            trial.attack.measure(trial.original, trial.protected)
        for trial in make(chosen.records):
            show(trial)
