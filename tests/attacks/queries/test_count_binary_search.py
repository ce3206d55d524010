from __future__ import annotations

import pytest

import tacita as ta


@pytest.mark.parametrize("precision", [1, 1000])
def test_counts_enclose_the_value(guard, victim, precision):
    outcome = ta.CountBinarySearch(precision=precision).attack(guard(ta.Unprotected()), victim)
    assert outcome.right
    assert 0 < outcome.upper - outcome.lower <= precision


def test_a_tracker_hides_small_counts(guard, victim):
    outcome = ta.CountBinarySearch().attack(guard(ta.QuerySetSize(3)), victim)
    assert outcome.right
    assert outcome.refused > 0


def test_values_below_the_bound_are_not_found(guard, victim):
    outcome = ta.CountBinarySearch(lower=200000).attack(guard(ta.Unprotected()), victim)
    assert outcome.lower is None


def test_negative_bounds_work(guard, victim):
    assert ta.CountBinarySearch(lower=-500000).attack(guard(ta.Unprotected()), victim).right


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.CountBinarySearch())
