"""Differentially private synthesis of adult's nine columns: how near, how fast.

The mean total variation of all 36 pairs of attributes (`pairs_mean` of `total_variation`, ages in
20 classes) between the original records and as many synthetic ones. Beside it: columns shuffled
independently of each other, which know no pair, a bootstrap, which knows all, and a plain MST. It
counts the eight pairs of one spanning tree: a third of the budget each for attributes, for choosing
the pairs by the exponential mechanism, and for counting them (McKenna, Miklau and Sheldon 2021).
Ages are declared from 1 to 100, and categories, by the hierarchies that come with the data.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

import tacita as ta
from measuring import clock
from tacita.mechanisms.private.accounting import rho_within
from tacita.microdata.synthesis.measuring_marginals.answers import Answers, Ledger
from tacita.microdata.synthesis.measuring_marginals.domain import Domain, Listed
from tacita.microdata.synthesis.measuring_marginals.fitting import fitted
from tacita.microdata.synthesis.measuring_marginals.joining import Joined
from tacita.microdata.synthesis.measuring_marginals.model import Model
from tacita.microdata.synthesis.private_marginals import Learned

ADULT = Path(__file__).parents[2] / "shared" / "data" / "adult"
AGES = (1, 100)


def adult() -> ta.Microdata:
    table = csv.read_csv(ADULT / "adult.csv", parse_options=csv.ParseOptions(delimiter=";"))
    return ta.read(table)


def categories(names: list[str]) -> dict[str, list[str]]:
    """Return the leaves of every hierarchy but that of ages."""
    return {
        name: [
            line.split(";")[0]
            for line in (ADULT / f"adult_hierarchy_{name}.csv").read_text().splitlines()
        ]
        for name in names
        if name != "age"
    }


def independent(data: ta.Microdata) -> ta.Microdata:
    rng = np.random.default_rng(0)
    shuffled = {
        name: data.column(name).take(pa.array(rng.permutation(len(data)))) for name in data.names
    }
    return ta.read(pa.table(shuffled))


def bootstrap(data: ta.Microdata) -> ta.Microdata:
    rows = np.random.default_rng(0).integers(0, len(data), len(data))
    return ta.read(data.table.take(pa.array(rows)))


def private(
    chosen: argparse.Namespace, epsilon: float, degree: int
) -> Callable[[ta.Microdata], ta.Microdata]:
    def made(data: ta.Microdata) -> ta.Microdata:
        method = ta.PrivateMarginals(
            epsilon=epsilon,
            delta=chosen.delta,
            bounds={"age": AGES},
            categories=categories(data.names),
            degree=degree,
            records=len(data),
        )
        return data.apply(method, seed=1)

    return made


def plain_mst(chosen: argparse.Namespace, epsilon: float) -> Callable[[ta.Microdata], ta.Microdata]:
    def made(data: ta.Microdata) -> ta.Microdata:
        known = categories(data.names)
        domain = Domain.of("plain_mst", data, data.names, {"age": AGES}, known, bins=100)
        ledger = Ledger(rho_within(epsilon, chosen.delta))
        third = ledger.budget / 3
        answers = Answers(domain.codes(data), domain.sizes, ledger)
        alone = [answers.measured((at,), third / len(data.names)) for at in range(len(data.names))]
        cells = (Listed(pa.array(range(size - 1)), ordered=False) for size in domain.sizes)
        joined = [Joined.of(one, noisy) for one, noisy in zip(cells, alone, strict=True)]
        answers = answers.regrouped([one.of_cell for one in joined])
        measured = [one.measured(noisy) for one, noisy in zip(joined, alone, strict=True)]
        pairs = _spanning(answers, fitted(Model.of(answers.sizes, {}), measured, 1000), third)
        measured += [answers.measured(pair, third / len(pairs)) for pair in pairs]
        model = fitted(Model.of(answers.sizes, {}), measured, 1000)
        rng = np.random.default_rng(1)
        drawn = Learned(model, joined, len(data)).drawn(len(data), rng)
        return ta.read(pa.table(domain.values(drawn, rng)))

    return made


def _spanning(answers: Answers, model: Model, budget: Fraction) -> list[tuple[int, int]]:
    """Choose the pairs of a spanning tree in which independent attributes are furthest off."""
    part = list(range(len(answers.sizes)))
    records = float(answers.measured((0,), budget / 100).counts.sum())
    found: list[tuple[int, int]] = []
    while len(found) < len(part) - 1:
        able = [
            pair for pair in combinations(range(len(part)), 2) if part[pair[0]] != part[pair[1]]
        ]
        expected = [model.marginal(pair) * records for pair in able]
        cost = budget * 99 / 100 / (len(part) - 1)
        left, right = able[answers.chosen(able, expected, [0.0] * len(able), cost)]
        found.append((left, right))
        part = [part[left] if one == part[right] else one for one in part]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delta", type=float, default=1e-9)
    chosen = parser.parse_args()
    data = adult()
    contenders = {
        "independent": independent,
        "bootstrap": bootstrap,
        "plain MST": plain_mst(chosen, 1.0),
        "epsilon 1": private(chosen, 1.0, 2),
        "epsilon 1, triples": private(chosen, 1.0, 3),
        "epsilon 10": private(chosen, 10.0, 2),
    }
    print(f"{'':<20}{'two-way TV':>12}{'CART-pMSE':>12}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}")
    for name, make in contenders.items():
        made: list[ta.Microdata] = []
        took = clock(lambda make=make, made=made: made.append(make(data)))
        near = ta.TotalVariation().measure(data, made[0]).figures["pairs_mean"]
        score = ta.Propensity(evaluators=["cart"]).measure(data, made[0]).figures["pmse_cart"]
        print(
            f"{name:<20}{near:>12.4f}{score:>12.4f}{took['wall']:>9.2f}{took['cpu']:>9.2f}"
            f"{took['peak_mb']:>9.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
