from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.univariate_partition import best_runs

pytestmark = pytest.mark.numeric


def squares(values: np.ndarray) -> float:
    return float(np.square(values - values.mean()).sum())


def least_squares(values: np.ndarray, k: int) -> float:
    """Try every cut into runs of at least k, of whatever length."""

    @cache
    def of_first(count: int) -> float:
        if count == 0:
            return 0.0
        return min(
            (of_first(cut) + squares(values[cut:count]) for cut in range(count - k + 1)),
            default=np.inf,
        )

    return of_first(len(values))


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=14), st.integers(2, 5))
def test_no_cut_is_better(values, k):
    ordered = np.sort(np.array(values, np.float64))
    runs = best_runs(ordered, k)
    if len(ordered) < k:
        assert not runs.any()
        return
    sizes = np.bincount(runs)
    assert k <= sizes.min()
    assert sizes.max() <= 2 * k - 1
    assert (np.diff(runs) >= 0).all()
    reached = sum(squares(ordered[runs == run]) for run in range(len(sizes)))
    assert reached == pytest.approx(least_squares(ordered, k), abs=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_equal_numbers_cost_nothing_however_cut(k):
    sizes = np.bincount(best_runs(np.full(10, 0.1), k))
    assert k <= sizes.min()
    assert sizes.max() <= max(2 * k - 1, 1)


def test_an_offset_costs_no_digit():
    values = np.sort(np.random.default_rng(0).integers(0, 2**12, 500)) / 2**12
    assert (best_runs(values + 2.0**40, 4) == best_runs(values, 4)).all()


def test_few_numbers_are_one_run():
    assert best_runs(np.array([]), 3).tolist() == []
    assert best_runs(np.array([1.0, 50.0]), 3).tolist() == [0, 0]
    assert best_runs(np.array([1.0, 2.0, 50.0, 51.0, 99.0]), 3).tolist() == [0] * 5
