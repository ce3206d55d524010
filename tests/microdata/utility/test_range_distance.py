from __future__ import annotations

from math import sqrt

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta


def measured(original, released, **more):
    data = ta.read(pa.table(original), roles=dict.fromkeys(original, "key"), **more)
    masked = ta.read(pa.table(released), roles=dict.fromkeys(released, "key"))
    return ta.RangeDistance().measure(*ta.pair(data, masked, "position"))


def test_the_far_end_of_the_range_counts():
    """Ages and stays of the first cluster of Table S6 (with the age range [35-52]), by hand."""
    ages, stays = [42, 35, 52], [33, 47, 13]
    found = measured(
        {"age": ages, "stay": stays}, {"age": ["[35-52]"] * 3, "stay": ["[13-47]"] * 3}
    )
    spread = np.std(ages), np.std(stays)
    far = [(10, 20), (17, 34), (17, 34)]
    each = [sqrt((a / spread[0]) ** 2 + (s / spread[1]) ** 2) for a, s in far]
    assert found.value == pytest.approx(sum(each) / (3 * 2))
    assert found.per_record == pytest.approx(np.array(each) / 2)
    assert found.parts["age"] == pytest.approx((10 + 17 + 17) / 3 / spread[0])
    assert found.figures["relative"] == pytest.approx(1)


def test_the_whole_printed_table():
    """Tables S2 and S6: every key, categories by their place, postal codes as numbers."""
    data, safe = ta.example("discharges"), ta.example("discharges_3_anonymous")
    codes = {
        "Age": ([42, 35, 52, 70, 57, 61], (35, 52), (57, 70)),
        "Gender": ([1, 1, 1, 0, 1, 1], (1, 1), (0, 1)),
        "Ethnicity": ([1, 1, 1, 0, 1, 1], (1, 1), (0, 1)),
        "Race": ([1, 1, 0, 1, 1, 1], (0, 1), (1, 1)),
        "Zip code": ([93722, 93611, 93561, 93560, 93555, 93551], (93561, 93722), (93551, 93560)),
        "County": ([0, 0, 1, 1, 1, 2], (0, 1), (1, 2)),
        "Length of stay": ([33, 47, 13, 1, 2, 2], (13, 47), (1, 2)),
    }
    squares = np.zeros(6)
    for own, first, second in codes.values():
        ranges = [first] * 3 + [second] * 3
        far = [max(abs(x - low), abs(high - x)) for x, (low, high) in zip(own, ranges, strict=True)]
        squares += (np.array(far) / np.std(own)) ** 2
    found = ta.RangeDistance(list(codes)).measure(*ta.pair(data, safe, "position"))
    assert found.value == pytest.approx(np.sqrt(squares).sum() / (6 * len(codes)))


def test_a_blank_and_a_record_left_out_reach_the_limits_of_the_domain():
    data = ta.read(pa.table({"x": [0, 4, 10]}), roles={"x": "key"})
    blank = ta.read(pa.table({"x": ["0", "*", "10"]}), roles={"x": "key"})
    expected = 6 / np.std([0, 4, 10]) / 3
    assert ta.RangeDistance().measure(*ta.pair(data, blank, "position")).value == pytest.approx(
        expected
    )
    left_out = data.take(np.array([0, 2]))
    assert ta.RangeDistance().measure(data, left_out).value == pytest.approx(expected)


def test_an_exact_value_is_as_far_as_it_moved():
    found = measured({"x": [0, 10]}, {"x": [1, 10]})
    assert found.value == pytest.approx(1 / 5 / 2)


def test_a_constant_key_is_never_off():
    assert measured({"x": [3, 3]}, {"x": [None, "*"]}).value == 0


@pytest.mark.parametrize("unit", [1e-320, 1e155, 1e300, 1.7e307])
def test_the_unit_does_not_matter(unit):
    numbers = np.array([-10.0, 1.0, 2.0, 10.0])
    expected = measured({"a": numbers}, {"a": ["*", "1", "2", "10"]}).value
    released = ["*", *(repr(float(number)) for number in numbers[1:] * unit)]
    assert measured({"a": numbers * unit}, {"a": released}).value == pytest.approx(
        expected, rel=1e-3
    )
