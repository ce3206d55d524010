from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.balancing import balanced_signs

pytestmark = pytest.mark.numeric


def by_hand(starts, places, amounts, order, coins):
    sums, signs = {}, list(coins)
    for lot in order:
        entries = range(starts[lot], starts[lot + 1])
        pull = sum(sums.get(places[i], 0.0) * amounts[i] for i in entries)
        signs[lot] = int(-np.sign(pull)) if pull else coins[lot]
        for i in entries:
            sums[places[i]] = sums.get(places[i], 0.0) + signs[lot] * amounts[i]
    return signs


@given(st.integers(0, 2**32))
def test_against_plain_python(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, 12)
    starts = np.append(0, np.cumsum(counts))
    places, amounts = rng.integers(0, 3, starts[-1]), rng.integers(-5, 6, starts[-1]).astype(float)
    order, coins = rng.permutation(12), 2 * rng.integers(0, 2, 12) - 1
    found = balanced_signs(starts, places, amounts, order, coins)
    assert found.tolist() == by_hand(starts, places, amounts, order, coins)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40))
def test_the_sum_of_one_place_is_at_most_the_largest_amount(amounts):
    sizes = -np.sort(-np.array(amounts))
    n = len(sizes)
    signs = balanced_signs(np.arange(n + 1), np.zeros(n, int), sizes, np.arange(n), np.ones(n, int))
    assert abs((signs * sizes).sum()) <= sizes[0] * (1 + 1e-12)


def test_lots_that_do_not_fit_are_refused():
    one = np.zeros(1, int)
    with pytest.raises(ValueError, match="differ in number"):
        balanced_signs(np.array([0, 1]), one, np.ones(2), one, one)
