"""Sequential trees: what a model keeps, what may be asked of it, and what it never does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.synthesis.making.copies import copies

SHARED = Path(__file__).parents[4] / "shared"


@pytest.fixture(scope="module")
def related():
    """Two thousand records: b follows a, income follows both and is blank where b is z."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 2000)
    b = np.where(rng.random(2000) < 0.9, a, rng.integers(0, 3, 2000))
    income = np.round(1000.0 * a + 300 * b + rng.normal(0, 50, 2000), 2)
    blank = (b == 2) & (rng.random(2000) < 0.5)
    return ta.read(
        pa.table(
            {
                "a": np.array(["low", "mid", "top"])[a],
                "b": np.array(["x", "y", "z"])[b],
                "income": pa.array(income, mask=blank),
            }
        ),
        roles={"income": "confidential"},
    )


def shares(data, *names):
    frame = data.to_pandas()
    return frame.groupby(list(names)).size() / len(frame)


def test_keeps_the_distribution_of_categories_given_others(related):
    made = related.apply(ta.SequentialTrees(records=20_000, copies="report"), seed=1)
    assert len(made) == 20_000
    before, after = shares(related, "a", "b"), shares(made, "a", "b")
    assert (before - after).abs().max() < 0.012


def test_keeps_means_and_blanks_given_others(related):
    made = related.apply(ta.SequentialTrees(records=20_000, copies="report"), seed=1).to_pandas()
    before = related.to_pandas().groupby("b").income
    after = made.groupby("b").income
    assert (before.mean() - after.mean()).abs().max() < 15
    assert (
        before.apply(lambda one: one.isna().mean())
        .sub(after.apply(lambda one: one.isna().mean()))
        .abs()
        .max()
        < 0.02
    )


def test_rare_numbers_are_not_those_of_respondents(related):
    smoothed = related.apply(ta.SequentialTrees(), seed=1)
    kept = related.apply(ta.SequentialTrees(smoothing="none", copies="report"), seed=1)
    held = set(related.column("income").to_pylist())
    shared = [
        np.mean([value in held for value in data.column("income").drop_null().to_pylist()])
        for data in (smoothed, kept)
    ]
    assert shared[0] < 0.2
    assert shared[1] == 1
    known = smoothed.numbers("income")
    assert np.nanmin(known) >= np.nanmin(related.numbers("income"))
    assert np.allclose(known, np.round(known, 2), equal_nan=True)


def test_no_record_is_a_copy_of_one_respondent(related):
    columns = ["a", "b", "income"]
    made = related.apply(ta.SequentialTrees(smoothing="none"), seed=1)
    assert not copies(related, {name: made.column(name) for name in columns}).any()
    assert made.notes["copies_found"] > 0


def test_rules_hold_in_every_record(related):
    rules = ["a = 'low' -> b = 'x'", "income < 3000", "b = 'z' -> income is not blank"]
    made = related.apply(ta.SequentialTrees(rules=rules), seed=1).to_pandas()
    assert (made[made.a == "low"].b == "x").all()
    assert not (made.income >= 3000).any()
    assert made[made.b == "z"].income.notna().all()


def test_weights_count_and_are_shared(related):
    weights = np.where(np.asarray(related.column("a").to_numpy(False)) == "top", 9.0, 1.0)
    data = ta.read(related.to_arrow().append_column("w", pa.array(weights)), roles={"w": "weight"})
    made = data.apply(ta.SequentialTrees(["a"], records=8000, copies="report"), seed=1)
    expected = weights[weights > 1].sum() / weights.sum()
    assert abs(shares(made, "a")["top"] - expected) < 0.02
    assert np.isclose(made.weight.sum(), weights.sum())


def test_large_leaves_know_nothing_of_the_others(related):
    """A tree that cannot divide draws from all records: attributes become independent."""
    made = related.apply(ta.SequentialTrees(leaf=1500, records=9000, copies="report"), seed=1)
    after = shares(made, "a", "b")
    product = after.groupby("a").sum().iloc[0] * after.groupby("b").sum().iloc[0]
    assert abs(after[("low", "x")] - product) < 0.015


def test_the_order_of_visits_is_a_choice(related):
    one, other = (
        related.apply(ta.SequentialTrees(visit=visit), seed=1).fingerprint()
        for visit in (None, ["income"])
    )
    assert one != other
    same = related.apply(ta.SequentialTrees(visit=["a", "b"]), seed=1).fingerprint()
    assert same == one
    with pytest.raises(ParameterError, match="`visit` of `sequential_trees` names `b`"):
        related.apply(ta.SequentialTrees(["a"], visit=["b"]))


def test_proper_synthesis_varies_more(related):
    """The share of a category varies by the model's uncertainty besides that of drawing."""
    small = related.take(np.arange(0, 2000, 10))

    def spread(proper):
        made = [
            shares(
                small.apply(
                    ta.SequentialTrees(["a"], proper=proper, records=2000, copies="report"),
                    seed=seed,
                ),
                "a",
            )["top"]
            for seed in range(40)
        ]
        return np.std(made)

    assert spread(True) > 1.8 * spread(False)


def test_identifiers_and_households_are_not_synthesized():
    toy = ta.example("toy", 60)
    made = toy.apply(ta.SequentialTrees(), seed=1)
    assert {"id", "household"}.isdisjoint(made.names)
    with pytest.raises(InputError, match="`id` is the identifier"):
        toy.apply(ta.SequentialTrees(["id", "age"]))


def test_measures_that_pair_records_refuse_and_others_compare_distributions(related):
    made = related.apply(ta.SequentialTrees(), seed=1)
    with pytest.raises(InputError, match="come from nobody"):
        ta.DistanceLinkage(["income"]).measure(related, made)
    assert ta.TotalVariation().measure(related, made).value < 0.05


@pytest.mark.skipif(
    not (SHARED / "data" / "adult").exists(), reason="the reference data are not here"
)
def test_adult_is_kept_and_not_learnt_by_heart():
    """Two-way total variation at most 0.035; records no closer than those of a holdout."""
    adult = ta.read(SHARED / "data" / "adult" / "adult.csv", kinds={"age": "continuous"})
    made = adult.apply(ta.SequentialTrees(), seed=1)
    assert ta.TotalVariation().measure(adult, made).figures["pairs_mean"] < 0.025
    rows = np.random.default_rng(0).permutation(len(adult))[:12_000]
    learnt, holdout = adult.take(np.sort(rows[:6000])), adult.take(np.sort(rows[6000:]))
    made = learnt.apply(ta.SequentialTrees(), seed=1)
    closeness = ta.ClosestRecords().measure(learnt.with_external(holdout=holdout), made)
    assert closeness.interval.lower == 0
