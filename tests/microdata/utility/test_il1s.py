from __future__ import annotations

import numpy as np
import pytest

import tacita as ta

BEFORE = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 3.0]])


def test_three_records_by_hand(by_hand):
    found = ta.IL1s().measure(*by_hand)
    assert found.figures["il1s"] == pytest.approx(6 / np.sqrt(2)), "both deviations are 1"
    assert found.value == pytest.approx(1 / np.sqrt(2))
    assert found.figures["il1"] == pytest.approx(100 * (3 / 3 + 3 / 3))
    assert found.figures["il_variables"] == pytest.approx(2 * 2 / np.pi * np.arctan(3) / 6)
    assert found.figures["max_abs_change"] == 3


def test_the_figures_of_sdcmicro_on_tarragona(tarragona):
    found = ta.IL1s().measure(*ta.pair(*(ta.read(table) for table in tarragona), by="position"))
    assert found.figures == pytest.approx(
        {
            "il1": 4663318.9090792704,
            "il1s": 609.36417407766726,
            "il_variables": 0.99945515633153759,
            "max_abs_change": 377036.83659566613,
        },
        rel=1e-12,
    )
    assert found.value == pytest.approx(609.36417407766726 / (834 * 13), rel=1e-12)


def test_blanks_constants_and_lost_attributes_count_one(data):
    before = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [np.nan, 5.0]])
    after = before.copy()
    after[0, 0], after[1, 1] = np.nan, 6.0
    found = ta.IL1s().measure(*ta.pair(data(before), data(after), "position"))
    assert found.parts == pytest.approx({"a": 1 / 3, "b": 1 / 4})
    original = data(BEFORE)
    gone = ta.IL1s().measure(original, original.apply(ta.Drop("a")))
    assert gone.parts == {"a": 1.0, "b": 0.0}


def test_the_figure_of_sdcmicro_depends_on_units_and_ours_does_not(data, by_hand):
    large, small = (
        ta.IL1s().measure(
            *ta.pair(*(data(d.numbers("a")[:, None] * unit) for d in by_hand), by="position")
        )
        for unit in (1e6, 1e-6)
    )
    assert large.value == pytest.approx(small.value)
    assert large.figures["il_variables"] > 0.3
    assert small.figures["il_variables"] < 1e-5


def test_values_of_records_left_out_count_one(data):
    original = data(BEFORE)
    assert ta.IL1s().measure(original, original.take(np.array([0, 2]))).value == pytest.approx(
        1 / 3
    )
    assert ta.IL1s().measure(original, original.take(np.arange(0))).value == 1
