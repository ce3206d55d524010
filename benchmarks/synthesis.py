"""Generators of synthetic records on adult's nine attributes, and a copula of a million records.

Every generator makes as many records as there are. `total variation` is the mean over all pairs of
attributes; `pmse` is that of one fixed tree (leaves of 50 records, categories as 0/1 columns) that
tells synthetic from original records. Independent columns and a bootstrap sample show what the
numbers mean. `nearer` is the share of synthetic records, made of one half of the data, that lie
closer to a record of that half than to one of the other (a half each is what a holdout has), and
`copies` the share that equal a record of their half, beside that of the other half's own records.

Without the data set, pass a file of the same kind with `--data`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa

import tacita as ta
from measuring import clock
from tacita.data.dataset import Dataset
from tacita.microdata.synthesis.making.records import synthetic

ADULT = Path(__file__).parents[2] / "shared" / "data" / "adult" / "adult.csv"
LEAF = 50
Make = Callable[[Dataset, np.random.Generator], Dataset]


def independent(data: Dataset, rng: np.random.Generator) -> Dataset:
    """Draw every attribute apart."""
    size = len(data)
    columns = {name: data.column(name).take(pa.array(rng.permutation(size))) for name in data.names}
    return synthetic(data, columns, size)


def bootstrap(data: Dataset, rng: np.random.Generator) -> Dataset:
    """Draw records with replacement."""
    rows = pa.array(rng.integers(len(data), size=len(data)))
    return synthetic(data, {name: data.column(name).take(rows) for name in data.names}, len(data))


def pmse(original: Dataset, made: Dataset) -> float:
    """Return how well the fixed tree tells the two apart: 0 not at all, 1/4 always."""
    import pandas as pd
    from sklearn.tree import DecisionTreeClassifier

    frames = pd.concat([original.to_pandas(), made.to_pandas()], ignore_index=True)
    features = pd.get_dummies(frames).to_numpy(np.float32)
    labels = np.repeat([0, 1], [len(original), len(made)])
    tree = DecisionTreeClassifier(min_samples_leaf=LEAF, random_state=0).fit(features, labels)
    return float(np.square(tree.predict_proba(features)[:, 1] - labels.mean()).mean())


def compared(name: str, data: Dataset, make: Make) -> None:
    """Print what a generator costs, keeps and repeats."""
    made: list[Dataset] = []
    make(data.take(np.arange(200)), np.random.default_rng(0))  # the kernels are loaded
    spent = clock(lambda: made.append(make(data, np.random.default_rng(1))))
    apart = ta.TotalVariation().measure(data, made[0]).figures["pairs_mean"]
    rows = np.random.default_rng(5).permutation(len(data))
    learnt, other = (data.take(np.sort(half)) for half in np.array_split(rows, 2))
    learnt = learnt.with_external(holdout=other)
    close = ta.ClosestRecords().measure(learnt, make(learnt, np.random.default_rng(2))).figures
    of_holdout = ta.ClosestRecords().measure(learnt, other).figures["copies"]
    sys.stdout.write(
        f"{name:<18} wall {spent['wall']:6.2f} s  CPU {spent['cpu']:6.2f} s  peak "
        f"{spent['peak_mb']:5.0f} MB  total variation {float(apart):.4f}  pmse "
        f"{pmse(data, made[0]):.4f}  nearer {float(close['share_nearer']):.3f}  copies "
        f"{float(close['copies']):.3f} (holdout {float(of_holdout):.3f})\n"
    )


def million(records: int) -> None:
    """Print what a copula of ten attributes of all kinds costs."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(records, 10)) + rng.normal(size=(records, 1))
    columns = {f"x{place}": z[:, place] for place in range(4)}
    columns |= {f"e{place}": np.round(np.exp(z[:, place]), 2) for place in range(4, 7)}
    columns["count"] = np.floor(np.exp(z[:, 7]))
    columns["grade"] = np.array(list("abcdef"))[np.clip(z[:, 8] + 3, 0, 5).astype(np.int64)]
    columns["flag"] = np.where(z[:, 9] > 1, "yes", "no")
    data = ta.read(pa.table(columns))
    method = ta.GaussianCopula()
    method.mask(data.take(np.arange(200)), rng)  # the kernels are loaded
    spent = clock(lambda: method.mask(data, rng))
    sys.stdout.write(
        f"Gaussian copula of {records:,} x 10: wall {spent['wall']:.1f} s  CPU {spent['cpu']:.1f} s"
        f"  peak {spent['peak_mb']:,.0f} MB\n"
    )


def main() -> None:
    """Run both sides."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ADULT)
    parser.add_argument("--records", type=int, default=1_000_000)
    chosen = parser.parse_args()
    if chosen.data.exists():
        data = ta.read(chosen.data, kinds={"age": "continuous"})
        compared("independent", data, independent)
        compared("bootstrap", data, bootstrap)
        for method in (ta.SequentialTrees(), ta.BayesianNetwork(), ta.GaussianCopula()):
            compared(method.name, data, method.mask)
    million(chosen.records)


if __name__ == "__main__":
    main()
