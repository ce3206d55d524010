"""Linking 10,000 released records to 10,000 known ones of 7 numbers by learned weights.

Generated heavy-tailed, correlated numbers, one of them often 0, rank swapped, microaggregated three
attributes at a time, and with noise; all pairs are compared, and links are one to one among each
record's likeliest 50 candidates. Distance and rank linkage stand beside it and, where it is
installed, splink with the same graded levels (the difference of ranks; u from all pairs alike, m by
expectation-maximization in blocks of neighbours), which lists the pairs that it compares and
therefore gets 1,000 records. splink is no dependency: `pip install splink`.
"""

from __future__ import annotations

import argparse
import importlib.util

import numpy as np
import pyarrow as pa

from measuring import clock

NAMES = tuple("abcdefg")
LIMITS = (0.0, 0.01, 0.03, 0.06, 0.15)


def numbers(n: int, seed: int = 0) -> pa.Table:
    """Return heavy-tailed numbers that depend on one another."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    columns = {name: np.exp(0.8 * common + rng.normal(size=n)) for name in NAMES}
    columns["g"][rng.random(n) < 0.4] = 0
    return pa.table(columns)


def main() -> None:
    import tacita as ta
    from tacita.kernels.graded import warm_up

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--splink-records", type=int, default=1_000)
    chosen = parser.parse_args()
    warm_up()  # the kernels are loaded, as in any running program
    maskings = {
        "rank swap, p = 5": ta.RankSwap(NAMES, p=5),
        "microaggregation, 3 by 3, k = 3": ta.Microaggregate(NAMES, together=3, k=3),
        "noise, alpha = 0.05": ta.AddNoise(NAMES, alpha=0.05),
    }
    methods = {
        "learned, likeliest": ta.ProbabilisticLinkage(sample=None),
        "learned, optimal": ta.ProbabilisticLinkage(sample=None, assignment="optimal"),
        "classical": ta.ProbabilisticLinkage(sample=1_000, model="classical"),
        "distance": ta.DistanceLinkage(sample=None),
        "rank": ta.RankLinkage(sample=None),
    }
    roles = dict.fromkeys(NAMES, "key")
    data = ta.read(numbers(chosen.records), roles=roles)
    print(f"{'':<54}{'linked':>8}{'wall s':>8}{'CPU s':>8}{'peak MB':>9}")
    for masking, step in maskings.items():
        masked = data.apply(step, seed=1)
        for name, method in methods.items():
            found = []
            took = clock(
                lambda method=method, masked=masked, into=found: into.append(
                    method.measure(data, masked)
                )
            )
            _row(f"{masking}: {name}", float(found[0].value), took)
        if importlib.util.find_spec("splink"):
            some = np.arange(min(chosen.splink_records, chosen.records))
            few = data.take(some)
            less = few.apply(step, seed=1)
            for name in ("splink", "learned, likeliest"):
                found = []
                took = clock(
                    lambda name=name, few=few, less=less, into=found: into.append(
                        _by_splink(few, less)
                        if name == "splink"
                        else methods[name].measure(few, less).value
                    )
                )
                _row(f"{masking}, {len(few):,} records: {name}", float(found[0]), took)


def _row(name: str, share: float, took: dict[str, float]) -> None:
    print(
        f"{name:<54}{share:>8.1%}{took['wall']:>8.1f}{took['cpu']:>8.1f}{took['peak_mb']:>9.0f}",
        flush=True,
    )


def _by_splink(data: object, masked: object) -> float:
    """Link every released record to the pair of highest weight that splink finds."""
    import pandas as pd
    import splink.comparison_level_library as cll
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on
    from splink.comparison_library import CustomComparison

    frames = []
    for side in (data, masked):
        columns = {name: pd.Series(side.numbers(name)).rank(pct=True) for name in NAMES}  # type: ignore[attr-defined]
        frames.append(pd.DataFrame({**columns, "unique_id": range(len(side)), "all": 1}))  # type: ignore[arg-type]
    comparisons = [
        CustomComparison(
            output_column_name=name,
            comparison_levels=[
                cll.NullLevel(name),
                *(
                    cll.CustomLevel(f"abs({name}_l - {name}_r) <= {limit + 1e-9}")
                    for limit in LIMITS
                ),
                cll.ElseLevel(),
            ],
        )
        for name in NAMES
    ]
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=comparisons,
        blocking_rules_to_generate_predictions=[block_on("all")],
        probability_two_random_records_match=1 / len(frames[0]),
        retain_intermediate_calculation_columns=False,
    )
    linker = Linker(frames, settings, DuckDBAPI(), set_up_basic_logging=False)
    linker.training.estimate_u_using_random_sampling(1e7, seed=0)
    linker.training.estimate_parameters_using_expectation_maximisation(
        block_on("all"), fix_probability_two_random_records_match=True
    )
    pairs = linker.inference.predict().as_pandas_dataframe()
    weights = np.full((len(frames[1]), len(frames[0])), -np.inf)
    weights[pairs["unique_id_r"], pairs["unique_id_l"]] = pairs["match_weight"]
    best = weights >= weights.max(axis=1, keepdims=True) - 1e-9
    return float((np.diag(best) / best.sum(axis=1)).mean())


if __name__ == "__main__":
    main()
