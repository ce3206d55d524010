from __future__ import annotations

import numpy as np
import pytest

import tacita as ta

R_BEFORE, R_AFTER = 1 / 2, 5 / np.sqrt(28)


def test_three_records_by_hand(by_hand):
    found = ta.Eigenvalues().measure(*by_hand)
    gap = R_AFTER - R_BEFORE
    assert found.value == pytest.approx(2 * gap / 2)
    assert found.figures["eigen"] == pytest.approx(gap / (1 + R_BEFORE) + gap / (1 - R_BEFORE))
    assert found.figures["il_correl"] == pytest.approx(0, abs=1e-12), "both diagonals are even"


def test_the_figures_of_sdcmicro_on_tarragona(tarragona):
    found = ta.Eigenvalues().measure(*(ta.read(table) for table in tarragona))
    assert found.figures["eigen"] == pytest.approx(2.2911198190327853, rel=1e-10)
    assert found.figures["il_correl"] == pytest.approx(0.10004966783235932, rel=1e-10)


def test_collinear_attributes_leave_the_unstable_figures_undefined(data):
    rng = np.random.default_rng(0)
    x = rng.normal(0, 1, (50, 3))
    x[:, 2] = x[:, 0] + x[:, 1]
    found = ta.Eigenvalues().measure(data(x), data(x + rng.normal(0, 0.1, x.shape)))
    assert found.figures == {"eigen": None, "il_correl": None}
    assert 0 < found.value < 0.5


def test_what_is_left_out_takes_its_variance_along(data):
    rng = np.random.default_rng(1)
    original = data(rng.normal(0, 1, (100, 4)))
    assert ta.Eigenvalues().measure(original, original.apply(ta.Drop("d"))).value > 0.2
    assert ta.Eigenvalues().measure(original, original).value == 0


def test_attributes_that_vary_now_add_to_the_variance(data):
    rng = np.random.default_rng(0)
    after = rng.normal(0, 1, (50, 4))
    before = np.where(np.arange(4) == 0, after, 1.0)
    assert ta.Eigenvalues().measure(data(before), data(after)).value > 2
