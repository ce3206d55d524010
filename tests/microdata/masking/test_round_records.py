from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError

UNITS = {
    "standardize": lambda known: np.std(known, ddof=1) if len(known) > 1 else 0.0,
    "range": lambda known: np.ptp(known) if len(known) else 0.0,
    "none": lambda known: 1.0,
}


def by_looking(values, points, scale):
    """Round records by trying all points on what is known of them."""
    values = values.copy()
    units = [UNITS[scale](column[~np.isnan(column)]) for column in values.T]
    for record in values:
        known = [j for j in range(len(units)) if not np.isnan(record[j])]
        counting = [j for j in known if units[j] > 0]
        away = [sum(((record[j] - p[j]) / units[j]) ** 2 for j in counting) for p in points]
        least = min(away)
        record[known] = points[next(i for i, d in enumerate(away) if d <= least + 1e-12)][known]
    return values


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(*[st.one_of(st.none(), st.integers(-9, 9).map(float))] * 3),
        min_size=1,
        max_size=12,
    ),
    st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=1, max_size=5),
    st.sampled_from(sorted(UNITS)),
)
def test_every_record_becomes_the_nearest_point(records, points, scale):
    columns = list(zip(*records, strict=True))
    names = ["a", "b", "c"]
    table = pa.table([pa.array(column, pa.float64()) for column in columns], names)
    data = ta.read(table, kinds=dict.fromkeys(names, "continuous"))
    said = dict(zip(names, zip(*points, strict=True), strict=True))
    masked = data.apply(ta.RoundRecords(said, scale=scale))
    values = np.array([[np.nan if v is None else v for v in row] for row in records])
    wanted = by_looking(values, np.array(points, float), scale)
    found = np.column_stack([masked.numbers(name) for name in names])
    np.testing.assert_array_equal(found, wanted)


def test_on_a_grid_it_is_the_rounding_of_each_attribute():
    rng = np.random.default_rng(2)
    data = ta.read(pa.table({"x": rng.normal(0, 9, 300), "y": rng.normal(50, 30, 300)}))
    grid = {"x": [-10, 0, 10], "y": [0, 40, 100]}
    points = np.array(list(product(*grid.values())), float)
    together = data.apply(ta.RoundRecords({"x": points[:, 0], "y": points[:, 1]}))
    apart = data.apply(ta.RoundValues("x", points=grid["x"]))
    apart = apart.apply(ta.RoundValues("y", points=grid["y"]))
    assert together.table.equals(apart.table)


@pytest.mark.parametrize(("scale", "wanted"), [("none", 9), ("standardize", 0), ("range", 0)])
def test_the_unit_decides_what_is_near(scale, wanted):
    data = ta.read(pa.table({"x": [0.0, 0.0, 10.0], "y": [500.0, 0.0, 1000.0]}))
    masked = data.apply(ta.RoundRecords({"x": [0, 9], "y": [400, 500]}, scale=scale))
    assert masked.column("x").to_pylist()[0] == wanted


def test_of_equally_near_points_the_first_is_taken():
    data = ta.read(pa.table({"x": [0.0, 8.0], "y": [0.0, 8.0]}))
    masked = data.apply(ta.RoundRecords({"x": [1, -1, 8], "y": [0, 0, 8]}))
    assert masked.table.to_pylist()[0] == {"x": 1.0, "y": 0.0}


def test_points_need_a_value_of_every_attribute():
    with pytest.raises(ParameterError, match=r"as many values .* found {x: 2, y: 1}"):
        ta.RoundRecords({"x": [1, 2], "y": [1]})
    with pytest.raises(ParameterError, match="`points` of `round_records` needs at least 1"):
        ta.RoundRecords({})


@pytest.mark.parametrize("scale", ["standardize", "range"])
@pytest.mark.parametrize("power", [-1060, -600, 600, 1023])
def test_units_whose_squares_have_no_double(scale, power):
    """Times a power of two, records are rounded to the same points."""
    values, points = np.array([-1.0, -0.4, 0.4, 1.0]), np.array([-1.0, 0.5])
    data = ta.read(pa.table({"x": np.ldexp(values, power)}))
    method = ta.RoundRecords({"x": np.ldexp(points, power).tolist()}, scale=scale)
    expected = np.ldexp([-1.0, -1.0, 0.5, 0.5], power)
    assert data.apply(method).column("x").to_pylist() == expected.tolist()
