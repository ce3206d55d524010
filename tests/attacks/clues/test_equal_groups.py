"""The bound of the chance that no value is rare, beside simulations of it."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.attacks.clues.equal_groups import no_rare_one


def test_by_hand() -> None:
    # Two values seen three times each: X has the mean 3 given X > 0, so the rate r solves
    # r = 3 (1 - e^-r), which is 2.8214; P(X = 1 or 2 | X > 0) = e^-r (r + r^2/2) / (1 - e^-r).
    rate = 2.82144
    rare = np.exp(-rate) * (rate + rate**2 / 2) / (1 - np.exp(-rate))
    assert no_rare_one(np.array([3, 3])) == pytest.approx((1 - rare) ** 2, rel=1e-4)


def test_what_is_no_clue() -> None:
    assert no_rare_one(np.array([], np.int64)) == 1
    assert no_rare_one(np.array([1, 5, 9])) == 1
    assert no_rare_one(np.array([1, 1, 1])) == 1
    assert no_rare_one(np.array([5000, 4000])) == pytest.approx(1)


@pytest.mark.parametrize("uneven", [0.0, 1.0])
def test_it_is_no_smaller_than_what_happens(uneven: float) -> None:
    """Records that come at random have no rare value at most as often as the bound says."""
    rng = np.random.default_rng(5)
    values, records, tried = 30, 150, 4000
    weights = rng.gamma(4.0, size=values) ** uneven
    counts = rng.multinomial(records, weights / weights.sum(), size=tried)
    for smallest in (2, 3):
        happened = np.mean([one[one > 0].min() >= smallest for one in counts])
        bounds = [no_rare_one(one[one > 0]) for one in counts if one[one > 0].min() == smallest]
        if bounds:
            assert happened <= np.mean(bounds) + 3 * np.sqrt(happened / tried)
