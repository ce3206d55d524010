from __future__ import annotations

import numpy as np
import pyarrow as pa

import tacita as ta
from tacita.microdata.masking.ranges.hulls import ascending_axis, released_as_ranges
from tacita.microdata.masking.ranges.line import Line


def lines_of(**columns):
    data = ta.read(pa.table(columns), roles=dict.fromkeys(columns, "key"))
    return data, [Line.of(data, name) for name in columns]


def test_the_axis_is_the_squared_standardized_distance_to_zeros():
    rng = np.random.default_rng(0)
    numbers = rng.normal(3, 5, (50, 3)).round(2)
    _, lines = lines_of(**{name: numbers[:, j] for j, name in enumerate("abc")})
    expected = ((numbers / numbers.std(axis=0)) ** 2).sum(axis=1)
    assert np.allclose(ascending_axis(lines, 50), expected)


def test_an_attribute_with_one_value_and_the_largest_numbers_do_no_harm():
    _, lines = lines_of(a=[5, 5, 5], b=[1e300, -1e300, 2e300])
    axis = ascending_axis(lines, 3)
    assert np.isfinite(axis).all()
    assert axis[0] == axis[1] < axis[2]


def test_dates_count_from_the_first_one_on():
    days = pa.array([19_000, 19_010, 19_020], pa.int32()).cast(pa.date32())
    _, lines = lines_of(a=days)
    assert np.allclose(ascending_axis(lines, 3), [0.0, 1.5, 6.0])


def test_records_with_blanks_come_last_and_alike_ones_together():
    _, lines = lines_of(a=[9, None, 1, None, 2], b=[9, 9, 1, 1, None])
    assert np.argsort(ascending_axis(lines, 5)).tolist() == [2, 0, 4, 3, 1]


def test_a_cluster_with_a_blank_is_blank_and_suppressed_only_where_a_value_was():
    data, lines = lines_of(a=[1, None, 3, 4], b=[1, 1, 2, 2])
    out = released_as_ranges(data, lines, np.array([0, 0, 1, 1]), 2)
    assert out.column("a").to_pylist() == [None, None, "[3;4]", "[3;4]"]
    assert out.suppressed_in("a").tolist() == [True, False, False, False]
    assert out.column("b").to_pylist() == [1, 1, 2, 2]


def test_why_values_are_missing_is_not_told_any_more():
    data, lines = lines_of(a=[1, 2], b=[1, 1])
    out = released_as_ranges(data, lines, np.array([0, 0]), 1)
    assert out.column("a").to_pylist() == ["[1;2]", "[1;2]"]
    assert not out.missing_reasons
