from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.attacks.membership_inference import _area, _found, _interval
from tacita.errors import InputError

DISTANCES = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=12)


def numbers(values) -> ta.Microdata:
    return ta.read(pa.table({"x": np.asarray(values, float)}), roles={"x": "key"})


def measured(original, holdout, released, **said):
    return ta.MembershipInference(**said).measure(original.with_external(holdout=holdout), released)


def test_members_that_were_copied_are_known():
    found = measured(numbers([0, 10]), numbers([4, 16]), numbers([0, 10, 30]))
    assert found.value == found.figures["auc"] == 1
    assert found.figures["found_at_1_percent"] == 1
    assert found.interval.lower < 1 == found.interval.upper


def test_one_of_two_members():
    # Distances of the members 0 and 3, of the others 2 and 4: closer in three of four pairs.
    found = measured(numbers([0, 10]), numbers([2, 9]), numbers([0, 13]))
    assert found.figures["auc"] == Fraction(3, 4)
    assert found.value == Fraction(1, 2)


@given(DISTANCES, DISTANCES)
def test_the_area_counts_pairs(members, others):
    pairs = [(a < b) + Fraction(int(a == b), 2) for a in members for b in others]
    assert _area(np.array(members), np.array(others)) == sum(pairs) / len(pairs)


@given(DISTANCES, DISTANCES)
def test_members_are_found_within_the_false_alarms(members, others):
    found = _found(np.array(members), np.array(others))
    for share, name in ((0.01, "found_at_1_percent"), (0.1, "found_at_10_percent")):
        best = max(
            sum(a < limit for a in members)
            for limit in {*others, *members, np.inf}
            if sum(b < limit for b in others) <= share * len(others)
        )
        assert found[name] == Fraction(best, len(members))


def test_the_interval_is_that_of_newcombe():
    for area, m, n in ((0.8, 30, 40), (0.5, 200, 100), (1.0, 20, 20)):
        low, high = _interval(area, m, n)
        for bound in {low, high} - {1.0}:
            weight = (m + n) / 2 - 1
            spread = 1 + weight * ((1 - bound) / (2 - bound) + bound / (1 + bound))
            sd = np.sqrt(bound * (1 - bound) * spread / (m * n))
            assert abs(area - bound) == pytest.approx(1.959963984540054 * sd)
        assert low < area <= high


def test_the_interval_covers_guessing_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(400):
        low, high = _interval(float(_area(rng.random(40), rng.random(60))), 40, 60)
        inside += low <= 0.5 <= high
    assert 0.92 <= inside / 400 <= 0.98


def test_fresh_records_tell_no_members(toy):
    data, holdout, fresh = (ta.example("toy", 500, seed=seed) for seed in (1, 2, 3))
    found = measured(data, holdout, fresh)
    assert found.interval.lower == 0
    assert found.value < 0.1


def test_a_small_holdout_still_shows_copies():
    data, holdout = ta.example("toy", 2000), ta.example("toy", 50, seed=1)
    found = measured(data, holdout, data)
    assert found.value == 1
    assert found.interval.lower > 0.85


def test_it_needs_a_holdout_and_tells_its_sample(toy):
    with pytest.raises(InputError, match="needs a holdout"):
        ta.MembershipInference().measure(toy, toy)
    found = measured(toy, ta.example("toy", 300, seed=1), toy, sample=40)
    assert "40 of 300" in found.sentence
    nobody = toy.take(np.arange(0))
    assert measured(nobody, nobody, nobody).value is None
