from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tacita.mechanisms.secure_noise import STEPS, noised, off_grid, on_grid


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20), st.floats(-50, 0), st.floats(1, 50))
def test_values_come_back_from_the_grid_within_half_a_step(values, low, high):
    found = off_grid(on_grid(np.array(values), (low, high)).astype(float), (low, high))
    wanted = np.clip(values, low, high)
    assert np.all(np.abs(found - wanted) <= (high - low) / STEPS)


def test_a_blank_is_the_middle():
    assert on_grid(np.array([np.nan, 0.0, 8.0]), (0.0, 8.0)).tolist() == [STEPS // 2, 0, STEPS]


def test_noise_has_the_scale_of_sensitivity_by_epsilon(chance):
    found = np.array(noised([0] * 6000, STEPS, 0.5)) / STEPS
    assert chance.allows(stats.gamma(6000, scale=2), np.abs(found).sum())  # of exponential numbers
    assert chance.allows_counts([(found < 0).sum(), (found > 0).sum()], [0.5, 0.5])
