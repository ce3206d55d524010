from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.hierarchies.cuts import Cuts
from tacita.errors import HierarchyError
from tacita.microdata.comparing.intervals import interval

BOUNDS = st.integers(-(2**60), 2**60) | st.floats(-1e15, 1e15).map(lambda x: round(x, 3))
LEVELS = st.lists(BOUNDS, min_size=1, max_size=9, unique_by=float)


@given(LEVELS.map(sorted), st.data())
def test_a_value_lies_in_its_interval_and_levels_nest(bounds, data):
    kept = sorted(data.draw(st.sets(st.sampled_from(bounds), min_size=1)))
    cuts = Cuts([bounds, kept])
    near = st.sampled_from([*bounds, *(int(b) - 1 for b in bounds), *(int(b) + 1 for b in bounds)])
    whole = st.integers(-(2**62), 2**62) | near.map(int)
    values = pa.array(data.draw(st.lists(whole, min_size=1)), pa.int64())
    fine, coarse, root = (cuts.labels(values, level).to_pylist() for level in (1, 2, 3))
    above: dict[str, str] = {}
    for value, small, large in zip(values.to_pylist(), fine, coarse, strict=True):
        assert above.setdefault(small, large) == large
        assert _holds(small, bounds, value)
        assert _holds(large, kept, value)
    assert set(root) == {"*"}


def _holds(label, bounds, value):
    """Tell whether an interval holds a value, in exact numbers."""
    if label.startswith("<"):
        return value < Fraction(label[1:]) == Fraction(str(bounds[0]))
    if label.startswith(">="):
        return value >= Fraction(label[2:]) == Fraction(str(bounds[-1]))
    low, high = map(Fraction, label.strip("[)").split(","))
    return low <= value < high


def test_measures_read_the_labels():
    labels = Cuts([[20, 65.5]]).labels(pa.array([1, 20, 99]), 1).to_pylist()
    assert labels == ["<20", "[20,65.5)", ">=65.5"]
    spans = [interval(label) for label in labels]
    assert [(span.low, span.high) for span in spans] == [
        (float("-inf"), 20),
        (20, 65.5),
        (65.5, float("inf")),
    ]


def test_without_bounds_there_is_only_the_root():
    assert Cuts([]).height == 1
    assert Cuts([]).labels(pa.array([1, 2]), 1).to_pylist() == ["*", "*"]


def test_bounds_that_no_double_holds_are_refused():
    with pytest.raises(HierarchyError, match="ascending numbers"):
        Cuts([[10**400]])
