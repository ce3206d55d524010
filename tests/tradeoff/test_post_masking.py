"""Post-masking optimization: the score never rises, moments come back, groups stay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.tradeoff.post_masking import PostMasking, _affine, _bent

SHARED = Path(__file__).parents[3] / "shared"
QUICK = ta.Score(weights={"IL": 4.0, "DLD": 2.0, "PLD": 0.0, "ID": 2.0})

SOME = ("total_income", "wage", "earnings", "federal_tax", "benefits")


def columns(data):
    return np.column_stack([data.numbers(name) for name in data.names])


@given(st.integers(0, 1000))
@settings(max_examples=25)
def test_the_affine_map_gives_mean_and_covariances(seed):
    rng = np.random.default_rng(seed)
    values, wanted = (rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3)) for _ in range(2))
    assume(np.linalg.cond(np.cov(wanted.T)) < 1e5)  # squared, it leaves digits to compare
    moved = _affine(values, wanted.mean(axis=0), np.cov(wanted.T, bias=True))
    assert moved.mean(axis=0) == pytest.approx(wanted.mean(axis=0))
    assert np.cov(moved.T) == pytest.approx(np.cov(wanted.T), abs=1e-8)
    again = _affine(moved, wanted.mean(axis=0), np.cov(wanted.T, bias=True))
    assert again == pytest.approx(moved, abs=1e-6)  # what fits is not moved


def test_third_and_fourth_moments_come_nearer():
    rng = np.random.default_rng(1)
    values, wanted = rng.normal(size=(400, 1)), rng.gamma(4, size=(400, 1))
    wanted = (wanted - wanted.mean()) / wanted.std()
    values = (values - values.mean()) / values.std()
    for power in (3, 4):
        gap, left = (
            abs((x**power).mean() - (wanted**power).mean())
            for x in (values, _bent(values, wanted, 4))
        )
        assert left < gap / 2


@pytest.mark.parametrize("alpha", [0.1, 0.5])
def test_noise_on_generated_data_gets_a_strictly_lower_score(alpha):
    data = ta.example("census", 100)
    noisy = data.apply(ta.AddNoise(data.names, alpha=alpha), seed=3)
    done = PostMasking(by=QUICK).improve(data, noisy)
    assert done.after.score < done.before.score
    assert done.after.risk <= done.before.risk
    assert done.after.score == pytest.approx(QUICK.of(data, done.data).score)
    original, masked, after = map(columns, (data, noisy, done.data))
    assert np.abs(np.cov(after.T) / np.cov(original.T) - 1).mean() < (
        np.abs(np.cov(masked.T) / np.cov(original.T) - 1).mean()
    )


def test_noise_on_census_gets_a_strictly_lower_score():
    file = SHARED / "data" / "casc" / "Census.csv"
    if not file.exists():
        pytest.skip("the reference data are not here")
    data = ta.read(file)
    noisy = data.apply(ta.AddNoise(data.names, alpha=0.2), seed=1)
    done = PostMasking(by=QUICK, rounds=3).improve(data, noisy)
    assert done.after.score < done.before.score
    assert done.after.risk <= done.before.risk


@settings(max_examples=5, deadline=None)
@given(
    st.sampled_from(
        [
            ta.RankSwap(["wage", "earnings"], p=10),
            ta.RoundValues(["wage"], base=10_000),
            ta.Microaggregate(["wage", "earnings", "benefits"], k=4),
            ta.AddNoise(["wage"], alpha=2.0),
        ]
    ),
    st.integers(0, 50),
    st.sampled_from([2, 3, 4]),
)
def test_the_score_never_rises(method, seed, order):
    whole = ta.example("census", 60, seed=seed)
    data = whole.without([name for name in whole.names if name not in SOME])
    done = PostMasking(order=order, rounds=3, by=QUICK).improve(data, data.apply(method, seed=seed))
    assert done.after.score <= done.before.score
    assert done.after.risk <= done.before.risk


def test_microaggregated_data_keep_their_groups_and_whole_numbers_stay_whole():
    data = ta.example("census", 80)
    masked = data.apply(ta.Microaggregate(data.names, k=5, representative="random"), seed=2)
    done = PostMasking(by=QUICK).improve(data, masked)
    assert ta.KAnonymity(5, keys=data.names).check(done.data).holds
    assert [done.data.column(name).type for name in data.names] == [
        masked.column(name).type for name in data.names
    ]


def test_blanks_and_other_attributes_stay():
    data = ta.example("toy", 80)
    noisy = data.apply(ta.AddNoise(["age", "income"], alpha=0.5), seed=1)
    done = PostMasking(["age", "income"], by=ta.Score(["age", "income"])).improve(data, noisy)
    for name in noisy.names:
        assert done.data.column(name).null_count == noisy.column(name).null_count
    assert done.data.column("disease").equals(noisy.column("disease"))
    assert "score" in repr(done)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"order": 5}, "order"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": "x"}, "rounds"),
        ({"attributes": ["zip"]}, "numbers"),
    ],
)
def test_mistakes_are_told(options, told):
    data = ta.example("toy", 40)
    with pytest.raises(ta.TacitaError, match=told):
        PostMasking(**options).improve(data, data)
