from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.mechanisms.cell_keys import perturbation_table
from tacita.tables.perturb.keying.keys import shifted_keys
from tacita.tables.perturb.keying.scaling import Noise, Scaling


@given(st.floats(0.01, 1), st.floats(0, 1), st.floats(1, 1e6), st.floats(1, 5))
def test_shares_are_continuous_and_tend_from_the_one_to_the_other(share, part, point, power):
    scaling = Scaling(share, part * share, point, power)
    before, at, after = scaling.of(point * np.array([1 - 1e-9, 1.0, 1 + 1e-9]))
    assert before == share
    assert at == pytest.approx(share)
    assert after == pytest.approx(share, rel=1e-6)
    far = scaling.of(np.array([1e15 * point]))[0]
    if power > 1.5:
        assert far == pytest.approx(part * share, rel=1e-4, abs=1e-6)


@given(st.lists(st.integers(0, 10**8 - 1), min_size=1))
def test_shifting_eight_digits_eight_times_gives_the_same_keys(units):
    keys = np.array(units) / 1e8
    shifted = keys
    for _ in range(8):
        shifted = shifted_keys(shifted, 8)
    assert shifted.tolist() == keys.tolist()
    texts = [f"{unit:08d}" for unit in units]
    once = [float(f"0.{text[1:]}{text[0]}") for text in texts]
    assert shifted_keys(keys, 8).tolist() == once


def test_a_key_that_rounds_to_1_stays_below_it():
    assert shifted_keys(np.array([1 - 1e-12]), 4)[0] == 0.9999


def test_the_separation_point_is_where_both_kinds_of_noise_deviate_alike():
    small = perturbation_table(5, 2.25, parts=2)
    noise = Noise((small,), np.zeros(1), small, Scaling(0.3), (1.0, 0.6, 0.4), 8, np.zeros(1))
    spread = np.sqrt(1 + 0.36 + 0.16)
    assert noise.separation * 0.3 * spread == pytest.approx(1.5)
