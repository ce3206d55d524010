"""Post-masking optimization: moments come back, the score never rises, what is equal stays so."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.release.comparing.score_card import Component, ScoreCard
from tacita.tradeoff.post_masking import PostMasking
from tacita.tradeoff.post_masking.affine import affine, bent
from tacita.tradeoff.post_masking.climbing import Aim, Climb, by_record, by_value
from tacita.tradeoff.post_masking.pair import Pair

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
    moved = affine(values, wanted.mean(axis=0), np.cov(wanted.T, bias=True))
    assert moved.mean(axis=0) == pytest.approx(wanted.mean(axis=0))
    assert np.cov(moved.T) == pytest.approx(np.cov(wanted.T), abs=1e-8)
    again = affine(moved, wanted.mean(axis=0), np.cov(wanted.T, bias=True))
    assert again == pytest.approx(moved, abs=1e-6)  # what fits is not moved


def test_third_and_fourth_moments_come_nearer():
    rng = np.random.default_rng(1)
    values, wanted = rng.normal(size=(400, 1)), rng.gamma(4, size=(400, 1))
    wanted = (wanted - wanted.mean()) / wanted.std()
    values = (values - values.mean()) / values.std()
    for power in (3, 4):
        gap, left = (
            abs((x**power).mean() - (wanted**power).mean())
            for x in (values, bent(values, wanted, 4))
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


METHODS = st.sampled_from(
    [
        ta.RankSwap(["wage", "earnings"], p=10),
        ta.RoundValues(["wage"], base=10_000),
        ta.Microaggregate(["wage", "earnings", "benefits"], k=4),
        ta.Microaggregate(list(SOME), k=3, together=2),
        ta.AddNoise(["wage"], alpha=2.0),
    ]
)
STARTS = st.sampled_from(["masked", "affine"])


def some_data(seed, records=60):
    whole = ta.example("census", records, seed=seed)
    return whole.without([name for name in whole.names if name not in SOME])


@settings(max_examples=12, deadline=None)
@given(METHODS, st.integers(0, 50), st.sampled_from([2, 3, 4]), STARTS)
def test_neither_score_nor_risk_nor_error_ever_rises(method, seed, order, start):
    data = some_data(seed)
    masked = data.apply(method, seed=seed)
    better = PostMasking(order=order, rounds=3, sweeps=20, start=start, by=QUICK, seed=seed)
    done = better.improve(data, masked)
    assert done.after.score <= done.before.score
    assert done.after.risk <= done.before.risk
    assert done.error_after <= done.error_before
    assert done.after.score == pytest.approx(QUICK.of(data, done.data).score)
    assert done.error_after == pytest.approx(
        plain_error(columns(data), columns(done.data), order), rel=1e-6, abs=1e-9
    )
    assert better.improve(data, masked).data.table.equals(done.data.table)


def plain_error(original, values, order):
    """Add up the squared relative differences of moments, each moment on its own."""
    unit = np.where(original.std(axis=0) > 0, original.std(axis=0), 1.0)
    before, after = ((x - original.mean(axis=0)) / unit for x in (original, values))
    total = 0.0
    for length in range(1, order + 1):
        for some in combinations_with_replacement(range(original.shape[1]), length):
            wanted, found = (x[:, some].prod(axis=1).mean() for x in (before, after))
            total += ((found - wanted) / (wanted if abs(wanted) >= 1e-3 else 1.0)) ** 2
    return total


def test_the_error_is_of_means_variances_and_correlations():
    rng = np.random.default_rng(5)
    original = rng.normal(size=(200, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]]) + 7
    moved = (original - original.mean(axis=0)) * [2.0, 1.0] + original.mean(axis=0)
    moved[:, 1] += 0.5 * original[:, 1].std()
    # Means differ by 0 and 0.5 deviations, squares by 300 and 25 %, the product by 100 %.
    assert Aim.of(original, 2).error(moved) == pytest.approx(0.25 + 9 + 0.0625 + 1)
    assert Aim.of(original, 2).error(original) == 0


def test_moments_near_zero_are_not_divided_by():
    original = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])  # uncorrelated
    values = original + np.array([[0.1, 0.0], [0.0, 0.0], [0.0, 0.0], [0.1, 0.0]])
    assert Aim.of(original, 2).error(values) == pytest.approx(plain_error(original, values, 2))
    constant = np.column_stack([original, np.full(4, 3.0)])
    assert np.isfinite(Aim.of(constant, 4).error(constant + 0.1))


def sides(seed, method, records=80):
    data = some_data(seed, records)
    pair = Pair.of(data, data.apply(method, seed=seed), SOME, None)
    return pair, Aim.of(pair.original, 2)


def in_intervals(pair, values):
    """Count for every value the widths of which the original value lies in the interval."""
    widths = np.arange(1, 11) / 100 * pair.original.std(axis=0, ddof=1)[:, None]
    return (np.abs(pair.original - values)[:, :, None] <= widths).sum(axis=2)


@settings(max_examples=10, deadline=None)
@given(METHODS, st.integers(0, 50), STARTS)
def test_a_climb_lowers_the_error_and_brings_no_value_into_more_intervals(method, seed, start):
    pair, aim = sides(seed, method)
    labels = by_value(pair.masked) if start == "masked" else by_record(pair.groups, len(SOME))
    climb = Climb(pair, aim, labels, np.random.default_rng(seed), 10)
    free = np.random.default_rng(seed).random(labels.max() + 1) < 0.7
    found = climb.climbed(pair.masked, free)
    assert aim.error(found) < aim.error(pair.masked)
    before, after = (
        np.bincount(labels.reshape(-1), in_intervals(pair, values).reshape(-1))
        for values in (pair.masked, found)
    )
    assert (after <= before).all()
    assert pair.intervals(found).sum() == after.sum()
    assert (found == pair.masked)[~free[labels]].all()
    assert (found == pair.as_released(found)).all()
    for label in range(labels.max() + 1):
        assert len(np.unique(found[labels == label])) == 1


@settings(max_examples=8, deadline=None)
@given(METHODS, st.integers(0, 50), st.floats(0.1, 1.0), STARTS)
def test_what_would_be_linked_is_put_back(method, seed, share, start):
    """Values on the way back to the original are linked more often, and must not be."""
    pair, aim = sides(seed, method)
    labels = by_value(pair.masked) if start == "masked" else by_record(pair.groups, len(SOME))
    means = [
        np.bincount(labels.reshape(-1), x.reshape(-1)) / np.bincount(labels.reshape(-1))
        for x in (pair.original, pair.masked)
    ]
    nearer = pair.as_released((share * means[0] + (1 - share) * means[1])[labels])
    climb = Climb(pair, aim, labels, np.random.default_rng(0), 1)
    most = pair.links(pair.masked).sum()
    found, back = climb.put_back(nearer, pair.masked, most)
    assert pair.links(found).sum() <= most + 1e-9
    assert (found == np.where(back[labels], pair.masked, nearer)).all()
    if pair.links(nearer).sum() > most + 1e-9:
        assert back.any()


def test_interval_counts_are_those_of_the_score():
    pair, _ = sides(3, ta.AddNoise(["wage", "earnings"], alpha=0.1))
    card = ta.Score(SOME).of(*pair.data)
    mean = pair.intervals(pair.masked).sum() / (len(pair.rows) * len(SOME) * 10)
    assert card.measures["ID"] == pytest.approx(100 * mean)


def test_both_starts_reach_the_moments_and_the_affine_one_comes_nearer():
    data = ta.example("census", 200)
    noisy = data.apply(ta.AddNoise(data.names, alpha=0.3), seed=2)
    masked, mapped = (
        PostMasking(start=start, by=QUICK).improve(data, noisy) for start in ("masked", "affine")
    )
    assert masked.error_before == mapped.error_before
    assert masked.error_after < masked.error_before / 100
    assert mapped.error_after < masked.error_after
    assert not masked.data.table.equals(mapped.data.table)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("order", [3, 4])
def test_moments_of_higher_order_are_approached(order, seed):
    data = some_data(1, 150)
    noisy = data.apply(ta.AddNoise(list(SOME), alpha=0.3), seed=seed)
    done = PostMasking(order=order, by=QUICK).improve(data, noisy)
    assert done.error_after < done.error_before / 2
    pair, found = Pair.of(data, noisy, SOME, None), {}
    labels = by_value(pair.masked)
    for highest in (2, order):
        aim = Aim.of(pair.original, highest)
        climb = Climb(pair, aim, labels, np.random.default_rng(0), 100)
        found[highest] = climb.climbed(pair.masked, np.ones(labels.max() + 1, np.bool_))
    assert aim.error(found[order]) < aim.error(pair.masked) / 100
    assert aim.error(found[order]) < aim.error(found[2]) / 100  # they do not come by themselves


def test_other_seeds_take_other_steps():
    data = some_data(4)
    noisy = data.apply(ta.AddNoise(list(SOME), alpha=0.5), seed=2)
    one, other = (PostMasking(by=QUICK, seed=seed).improve(data, noisy) for seed in (1, 2))
    assert not one.data.table.equals(other.data.table)


def test_equal_values_stay_equal_where_few_attributes_were_microaggregated_together():
    data = some_data(2, 90)
    masked = data.apply(ta.Microaggregate(list(SOME), k=5, together=2), seed=1)
    done = PostMasking(by=QUICK).improve(data, masked)
    assert done.changed > 0
    before, after = columns(masked), columns(done.data)
    for place in range(len(SOME)):
        pairs = np.unique(np.column_stack([before[:, place], after[:, place]]), axis=0)
        assert len(pairs) == len(np.unique(before[:, place]))
    for some in (SOME[:2], SOME[2:4]):
        assert ta.KAnonymity(5, keys=list(some)).check(done.data).holds


def test_whole_numbers_types_and_signs_are_kept():
    frame = pa.table(
        {
            "a": pa.array([120, 127, 90, 100], pa.int8()),
            "b": pa.array([0, 1, 250, 7], pa.uint8()),
            "c": [0.5, 0.0, 2.5, 1.0],
            "d": [-0.5, 0.0, 2.5, 1.0],
            "e": pa.array([-5, 3, -128, 127], pa.int8()),
        }
    )
    data = ta.read(frame, kinds=dict.fromkeys("abcde", "continuous"))
    pair = Pair.of(data, data, tuple("abc"), None)
    moved = np.array([[200.0, 300.0, -1.0], [-9.0, -9.0, 0.3], [99.6, 3.4, 9.9], [1.0, 2.0, 3.0]])
    kept = [[127.0, 255.0, 0.0], [0.0, 0.0, 0.3], [100.0, 3.0, 9.9], [1.0, 2.0, 3.0]]
    assert pair.as_released(moved).tolist() == kept
    assert columns(pair.with_numbers(moved))[:, :3].tolist() == kept
    pair = Pair.of(data, data, ("d", "e"), None)
    assert pair.as_released(np.array([[-9.5, -300.0]])).tolist() == [[-9.5, -128.0]]
    huge = ta.read(pa.table({"a": [2**62, 1, 2]}), kinds={"a": "continuous"})
    pair = Pair.of(huge, huge, ("a",), None)
    assert pair.with_numbers(np.full((3, 1), 1e30)).numbers("a").min() > 2**62


def test_zeros_stay_zero_and_others_move():
    rng = np.random.default_rng(0)
    original = np.where(rng.random((90, 2)) < 0.3, 0.0, rng.lognormal(0, 1, (90, 2)))
    masked = np.where(original > 0, original * rng.lognormal(0, 0.5, (90, 2)), 0.0)
    data, released = (
        ta.read(pa.table(dict(zip("ab", x.T, strict=True)))) for x in (original, masked)
    )
    pair = Pair.of(*ta.pair(data, released, "position"), ("a", "b"), None)
    labels = by_value(pair.masked)
    climb = Climb(pair, Aim.of(pair.original, 2), labels, rng, 20)
    found = climb.climbed(pair.masked, np.ones(labels.max() + 1, np.bool_))
    assert (found[masked == 0] == 0).all()
    assert (found != masked)[masked > 0].mean() > 0.5


class Cautious:
    """A score that falls with any change, of which the risk rises."""

    axes = ("risk", "loss")

    def __init__(self, masked):
        self.masked = masked

    def of(self, original, protected):
        changed = not protected.table.equals(self.masked.table)
        return ScoreCard(
            (
                Component("risk", "risk", float(changed), 1.0, (), "changed"),
                Component("loss", "loss", 0.0 if changed else 100.0, 1.0, (), "not changed"),
            )
        )


@pytest.mark.parametrize("start", ["masked", "affine"])
def test_a_lower_score_does_not_pay_for_a_higher_risk(start):
    data = some_data(4)
    noisy = data.apply(ta.AddNoise(list(SOME), alpha=0.5), seed=2)
    done = PostMasking(by=Cautious(noisy), start=start).improve(data, noisy)
    assert done.data.table.equals(noisy.table)
    assert (done.changed, done.error_after) == (0, done.error_before)
    assert done.after.risk == done.before.risk == 0


def test_synthetic_records_are_brought_to_the_moments_too():
    whole = some_data(6, 160)
    data = whole.take(np.arange(100)).with_external(holdout=whole.take(np.arange(100, 160)))
    made = data.apply(ta.Cholesky(), seed=3)
    with pytest.raises(ta.TacitaError, match="come from nobody"):
        PostMasking().improve(data, made)
    for start in ("masked", "affine"):
        by = ta.CustomScore(["closest_records"], ["covariances"])
        done = PostMasking(by=by, order=3, start=start).improve(data, made)
        assert done.after.risk <= done.before.risk
        assert done.error_after <= done.error_before
    assert done.data.is_synthetic


def test_too_many_moments_are_told():
    with pytest.raises(ta.TacitaError, match="635,375 moments up to order 4"):
        Aim.of(np.random.default_rng(0).normal(size=(70, 60)), 4)


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
    assert f"{done.error_before:.4g} -> {done.error_after:.4g}" in repr(done).splitlines()[1]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"order": 5}, "order"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": "x"}, "rounds"),
        ({"sweeps": 0}, "sweeps"),
        ({"seed": -1}, "seed"),
        ({"seed": True}, "seed"),
        ({"start": "original"}, "start"),
        ({"attributes": ["zip"]}, "numbers"),
    ],
)
def test_mistakes_are_told(options, told):
    data = ta.example("toy", 40)
    with pytest.raises(ta.TacitaError, match=told):
        PostMasking(**options).improve(data, data)
