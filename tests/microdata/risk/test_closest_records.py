from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError


def numbers(values) -> ta.Microdata:
    return ta.read(pa.table({"x": np.asarray(values, float)}), roles={"x": "key"})


def measured(original, holdout, released, **said):
    return ta.ClosestRecords(**said).measure(original.with_external(holdout=holdout), released)


def test_ties_count_as_a_half():
    found = measured(numbers([0, 10]), numbers([4, 16]), numbers([1, 2, 13, 15]))
    # Nearer to 0 than to 4, as near, as near, nearer to 16.
    assert found.figures["share_nearer"] == Fraction(1, 2)
    assert found.value == 0


def test_copies_are_closest_to_themselves(toy):
    found = measured(toy, ta.example("toy", 300, seed=1), toy)
    assert found.value == 1
    assert found.figures["copies"] == 1
    assert found.figures["median_to_original"] == 0 < found.figures["median_to_holdout"]


@pytest.mark.parametrize("others", [400, 100])
def test_fresh_records_are_as_close_to_both(others):
    # Persons of one household are alike: a shuffle puts them on all sides.
    persons = ta.example("toy", 20_000)
    order = np.random.default_rng(1).permutation(20_000)
    ends = (0, 400, 400 + others, 1500)
    data, holdout, fresh = (persons.take(order[a:b]) for a, b in pairwise(ends))
    found = measured(data, holdout, fresh)
    assert found.figures["expected_share"] == Fraction(400, 400 + others)
    assert found.interval.lower == 0
    assert found.value < 0.2


def test_the_interval_covers_no_risk_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    covered = [
        measured(*(numbers(rng.normal(size=size)) for size in (80, 40, 400))).interval.lower == 0
        for _ in range(200)
    ]
    assert np.mean(covered) >= 0.95


def test_half_copied_records_show_whatever_the_size_of_the_holdout():
    rng = np.random.default_rng(4)
    data, fresh = rng.normal(size=1000), rng.normal(size=500)
    released = numbers(np.concatenate([data[:500], fresh]))
    for others in (1000, 200):
        found = measured(numbers(data), numbers(rng.normal(size=others)), released)
        assert float(found.value) == pytest.approx(0.5, abs=0.12)
        assert found.interval.lower < found.value < found.interval.upper


def test_distances_are_those_of_all_pairs(toy):
    data, other, fresh = (ta.example("toy", 60, seed=seed) for seed in (1, 2, 3))
    names = ["age", "income", "disease", "zip"]
    found = measured(data, other, fresh, attributes=names)

    def column(which, name):
        return np.array(which.column(name).to_pylist(), object)

    def distances(ours, theirs):
        total = np.zeros((60, 60))
        for name in ("age", "income"):
            every = np.concatenate([one.numbers(name) for one in (data, other, fresh)])
            a, b = (one.numbers(name) / np.nanstd(every, ddof=1) for one in (ours, theirs))
            gone = np.isnan(a)[:, None] + 0.0 + np.isnan(b)[None]
            apart = np.nan_to_num(a[:, None] - b[None]) ** 2
            total += np.where(gone == 0, apart, np.where(gone == 2, 0, 1))
        for name in ("disease", "zip"):
            total += column(ours, name)[:, None] != column(theirs, name)[None]
        return np.sqrt(total.min(1))

    near, far = distances(fresh, data), distances(fresh, other)
    assert found.figures["median_to_original"] == pytest.approx(np.median(near))
    assert found.figures["fifth_percentile_to_holdout"] == pytest.approx(np.quantile(far, 0.05))
    assert found.figures["share_nearer"] == Fraction(
        int(2 * (near < far).sum() + (near == far).sum()), 120
    )


def test_a_generalized_release_is_compared_in_its_own_terms():
    data, holdout = ta.example("toy", 200), ta.example("toy", 200, seed=1)
    masked = data.apply(ta.Generalize("zip", level=2), seed=0).apply(
        ta.Recode("age", width=10), seed=0
    )
    found = measured(data, holdout, masked)
    assert found.value == 1
    assert found.figures["copies"] == 1


def test_it_needs_a_holdout_and_tells_its_sample(toy):
    with pytest.raises(InputError, match="needs a holdout"):
        ta.ClosestRecords().measure(toy, toy)
    found = measured(toy, ta.example("toy", 300, seed=1), toy, sample=40)
    assert "40 of 300" in found.sentence


def test_without_strangers_nothing_is_known(toy):
    beside = toy.with_external(holdout=ta.example("toy", 10).take(np.arange(0)))
    assert ta.ClosestRecords().measure(beside, toy).value is None
