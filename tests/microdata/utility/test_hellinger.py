from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta


def test_shares_by_hand():
    """Of (1/4, 3/4) to (1/2, 1/2)."""
    before = ta.read(pa.table({"a": ["x", "y", "y", "y"]}))
    after = ta.read(pa.table({"a": ["x", "y"]}))
    roots = np.sqrt([1 / 4, 3 / 4]) - np.sqrt([1 / 2, 1 / 2])
    found = ta.Hellinger().measure(before, after)
    assert found.value == pytest.approx(np.sqrt((roots**2).sum() / 2))
    assert found.value == pytest.approx(np.sqrt(1 - np.sqrt(1 / 8) - np.sqrt(3 / 8)))
    assert found.figures["pairs_mean"] is None


def test_a_lost_rare_category_costs_more_than_its_share():
    before = ta.read(pa.table({"a": ["x"] * 99 + ["y"]}))
    after = ta.read(pa.table({"a": ["x"] * 100}))
    assert ta.TotalVariation().measure(before, after).value == pytest.approx(0.01)
    assert ta.Hellinger().measure(before, after).value > 0.07


def test_the_same_shares_are_no_distance_at_all():
    thirds = ta.read(pa.table({"a": ["x", "y", "z"], "w": [0.1, 0.2, 0.7]}), roles={"w": "weight"})
    assert ta.Hellinger().measure(thirds, thirds.take(np.array([2, 0, 1]))).value == 0
