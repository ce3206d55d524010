from __future__ import annotations

import numpy as np
import pytest

from tacita.microdata.masking.partitions.scaling import scaled

COLUMNS = [np.array([1.0, 2.0, 6.0, np.nan]), np.array([-1e300, 1e300, 0.0, 0.0])]


def test_standard_deviations_are_one_about_a_mean_of_zero():
    found = scaled(COLUMNS, "standardize")
    assert np.nanmean(found, axis=0) == pytest.approx([0, 0], abs=1e-15)
    assert np.nanstd(found, axis=0, ddof=1) == pytest.approx([1, 1])
    assert np.isnan(found).tolist() == [[False, False]] * 3 + [[True, False]]


def test_ranges_are_one():
    found = scaled(COLUMNS, "range")
    assert np.nanmax(found, axis=0) - np.nanmin(found, axis=0) == pytest.approx([1, 1])


def test_without_a_scale_proportions_stay():
    found = scaled(COLUMNS, "none")
    assert np.abs(found[:, 1]).max() < 1
    assert found[1, 0] == 2 * found[0, 0]
    small = scaled([np.array([1.0, 3.0]), np.array([5.0, 5.0])], "none")
    assert small.tolist() == [[0.125, 0.625], [0.375, 0.625]]


@pytest.mark.parametrize("scale", ["standardize", "range"])
def test_constants_and_blanks(scale):
    found = scaled([np.full(3, 0.1), np.full(3, np.nan), np.array([2.0, np.nan, np.nan])], scale)
    assert found[:, 0].tolist() == [0, 0, 0]
    assert np.isnan(found[:, 1]).all()
    assert found[0, 2] == 0
