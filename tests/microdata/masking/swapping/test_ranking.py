from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.microdata.masking.swapping.ranking import ascending, positions


@pytest.mark.parametrize(
    "values",
    [
        pa.array([3.5, None, -1.0, 3.5, 0.0]),
        pa.array([3, None, -1, 3, 0]),
        pa.array([Decimal("3.50"), None, Decimal("-1.00"), Decimal("3.50"), Decimal("0.00")]),
        pa.array([dt.date(2024, 1, day) if day else None for day in (9, None, 1, 9, 5)]),
        pa.array([dt.datetime(2024, 1, 1, hour) if hour else None for hour in (9, None, 1, 9, 5)]),
    ],
    ids=lambda values: str(values.type),
)
def test_values_ascend_and_equal_ones_keep_the_order_of_records(values):
    data = ta.read(pa.table({"x": values}))
    assert ascending(data, "x").tolist() == [2, 4, 0, 3]
    at = positions(data, "x")
    assert np.isnan(at).tolist() == [False, True, False, False, False]
    assert at[2] < at[4] < at[0] == at[3]


def test_categories_ascend_in_their_order():
    table = pa.table({"x": ["low", "high", None, "none", "low"]})
    order = ["none", "low", "middle", "high"]
    data = ta.read(table, kinds={"x": "ordinal"}, orders={"x": order})
    assert ascending(data, "x").tolist() == [3, 0, 4, 1]
    np.testing.assert_array_equal(positions(data, "x"), [1, 2, np.nan, 0, 1])
