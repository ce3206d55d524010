from __future__ import annotations

import pyarrow as pa
import pytest

import tacita as ta


def test_shares_by_hand():
    """Of (2/4, 1/4, 1/4, 0) to (1/4, 1/4, 1/4, 1/4) a quarter moves; of the pairs more do."""
    before = ta.read(pa.table({"a": ["x", "x", "y", "z"], "b": ["u", "v", "u", "v"]}))
    after = ta.read(pa.table({"a": ["x", None, "y", "z"], "b": ["v", "v", "u", "u"]}))
    found = ta.TotalVariation().measure(before, after)
    assert found.parts == {"a": 0.25, "b": 0.0}
    assert found.value == 0.125
    assert found.figures == {"largest": 0.25, "pairs_mean": 0.5, "pairs_largest": 0.5}
    assert found.details.to_pylist() == [{"attribute": "a", "other": "b", "distance": 0.5}]


def test_weights_of_each_file_count_in_it():
    before = ta.read(pa.table({"a": ["x", "y"], "w": [3.0, 1.0]}), roles={"w": "weight"})
    after = ta.read(pa.table({"a": ["x", "y"]}))
    assert ta.TotalVariation().measure(before, after).value == pytest.approx(0.25)
