from __future__ import annotations

import numpy as np
import pytest

import tacita as ta
from tacita.errors import InputError

BEFORE = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 3.0]])


def test_three_records_by_hand(by_hand):
    found = ta.Values().measure(*by_hand)
    assert found.value == found.figures["mean_variation"] == pytest.approx(1 / 3)
    assert found.figures["mean_absolute_error"] == pytest.approx(1)
    assert found.figures["mean_square_error"] == pytest.approx(3)
    assert found.parts == pytest.approx({"a": 1 / 3, "b": 1 / 3})
    assert found.per_record.tolist() == [0, 0, 1]


def test_weights_act_like_repeated_records(data, by_hand):
    before, after = by_hand
    times = [3, 1, 2]
    weights = np.array(times, float)
    weighted = ta.Values().measure(
        *ta.pair(*(data(_values(d), weights) for d in (before, after)), by="position")
    )
    repeated = ta.Values().measure(
        *ta.pair(
            *(data(np.repeat(_values(d), times, axis=0)) for d in (before, after)), by="position"
        )
    )
    assert weighted.figures == pytest.approx(repeated.figures)


def _values(found: ta.Microdata) -> np.ndarray:
    return np.column_stack([found.numbers(name) for name in ("a", "b")])


def test_zero_blanked_and_missing_values(data):
    before = np.array([[0.0], [0.0], [4.0], [np.nan]])
    after = np.array([[0.0], [7.0], [np.nan], [3.0]])
    found = ta.Values().measure(*ta.pair(data(before), data(after), "position"))
    assert found.value == pytest.approx(2 / 3), "0 is still 0, 0 is 7 now, 4 was blanked"
    assert found.figures["mean_absolute_error"] == pytest.approx(3.5)
    assert found.per_record.tolist() == [0, 1, 1, 0]


def test_attributes_left_out_count_as_changed_throughout(data):
    original = data(BEFORE)
    found = ta.Values().measure(original, original.apply(ta.Drop("b")))
    assert found.parts == {"a": 0.0, "b": 1.0}
    assert found.value == 0.5
    assert "b" in found.sentence


def test_records_are_compared_with_those_they_come_from(data):
    original = data(BEFORE)
    assert ta.Values().measure(original, original.take(np.array([2, 0, 1]))).value == 0


def test_values_of_records_left_out_count_as_changed(data):
    original = data(BEFORE, np.array([1.0, 2.0, 5.0]))
    found = ta.Values().measure(original, original.take(np.array([2, 0])))
    assert found.value == pytest.approx(2 / 8), "of a weight of 8, 2 was left out"
    assert found.parts == pytest.approx({"a": 2 / 8, "b": 2 / 8})
    assert found.figures["mean_absolute_error"] == 0
    nobody = ta.Values().measure(original, original.take(np.arange(0)))
    assert nobody.value == 1
    assert nobody.figures["mean_absolute_error"] is None


def test_changes_of_numbers_next_to_0_can_be_added_up(data):
    before, after = np.array([[5e-324], [1.0]]), np.array([[1.0], [1.0]])
    found = ta.Values().measure(*ta.pair(data(before), data(after), "position"))
    assert found.value == pytest.approx(1e150 / 2)


@pytest.mark.parametrize("unit", [1e300, 1e155, 1e-300])
@pytest.mark.parametrize(
    "measure",
    [
        ta.Values(),
        ta.Means(),
        ta.Variances(),
        ta.Covariances(),
        ta.MeanInformationLoss(),
        ta.ProbabilisticInformationLoss(),
        ta.IL1s(),
        ta.AnalyticalValidity(),
        ta.RegressionOverlap("a"),
    ],
    ids=lambda measure: measure.name,
)
def test_numbers_whose_squares_are_none_are_refused(data, measure, unit):
    with pytest.raises(InputError, match="another unit"):
        measure.measure(*ta.pair(data(BEFORE * unit), data(BEFORE), "position"))


def test_records_that_belong_to_nobody_are_refused(data):
    with pytest.raises(InputError, match="belong together"):
        ta.Values().measure(data(BEFORE), data(BEFORE[:2]))


def test_does_not_depend_on_units(data, by_hand):
    found = ta.Values().measure(*ta.pair(*(data(_values(d) * 1e6) for d in by_hand), by="position"))
    assert found.value == pytest.approx(ta.Values().measure(*by_hand).value)
