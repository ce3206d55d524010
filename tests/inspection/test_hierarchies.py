"""Proposed hierarchies build, cover every value and nest."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.attribute import Kind
from tacita.data.hierarchies import build
from tacita.data.read import declare
from tacita.inspection.columns import columns_of
from tacita.inspection.hierarchies import MOST_LEAVES, hierarchy_of, suppressed_at_least


def column(values, kind=None):
    return columns_of(declare(pa.table({"x": pa.array(values, kind)}), {}), ["x"])["x"]


def check_nested(said, values):
    """Every level covers all values, and values that agree on one agree on the next."""
    hierarchy = build(said)
    below = values.cast(pa.string()).to_pylist()
    for level in range(1, hierarchy.height + 1):
        above = hierarchy.labels(values, level).to_pylist()
        assert None not in above
        assert len(set(zip(below, above, strict=True))) == len(set(below))
        below = above
    assert len(set(below)) == 1


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1))
def test_whole_numbers(values):
    counted = column(values, pa.int64())
    check_nested(hierarchy_of(counted, Kind.CONTINUOUS), counted.values)


@given(st.lists(st.floats(-1e9, 1e9, allow_subnormal=False), min_size=1))
def test_numbers_with_decimals(values):
    counted = column(values, pa.float64())
    said = hierarchy_of(counted, Kind.CONTINUOUS)
    if said is not None:
        check_nested(said, counted.values)


@given(st.lists(st.text(max_size=4).filter(str.strip), min_size=1))
def test_categories(values):
    counted = column(values, pa.string())
    check_nested(hierarchy_of(counted, Kind.NOMINAL), counted.values)


@given(st.lists(st.dates(dt.date(1800, 1, 1), dt.date(2200, 1, 1)), min_size=1))
def test_dates(values):
    counted = column(values, pa.date32())
    check_nested(hierarchy_of(counted, Kind.DATE), counted.values)
    text = column([str(value) for value in values])
    assert hierarchy_of(text, Kind.DATE) == hierarchy_of(counted, Kind.DATE)


@pytest.mark.parametrize(
    ("values", "kind", "said"),
    [
        (range(100), Kind.CONTINUOUS, {"intervals": {"start": 0, "widths": [5, 10, 20]}}),
        (
            range(0, 40_000, 7),
            Kind.CONTINUOUS,
            {"intervals": {"start": 0, "widths": [2000, 10000, 20000]}},
        ),
        (
            np.linspace(0, 1, 50),
            Kind.CONTINUOUS,
            {"intervals": {"start": 0, "widths": [0.05, 0.1, 0.2]}},
        ),
        ([f"{n:05d}" for n in range(500)], Kind.NOMINAL, {"prefix": 5}),
        (["G45.20", "G45.31", "G46.10", "G46.90"], Kind.NOMINAL, {"prefix": 6}),
        (["b", "a"], Kind.NOMINAL, {"tree": {"*": ["a", "b"]}}),
        (["low", "high", "medium"], Kind.ORDINAL, {"tree": {"*": ["low", "medium", "high"]}}),
        (
            ["31.12.1999", "01.02.1999", "05.05.2001"],
            Kind.NOMINAL,
            {"tree": {"*": {"1999": ["01.02.1999", "31.12.1999"], "2001": ["05.05.2001"]}}},
        ),
        (
            [dt.date(2020, 1, 1), dt.date(2021, 1, 1)],
            Kind.DATE,
            {"dates": ["month", "quarter", "year"]},
        ),
        (
            [dt.date(1950, 1, 1), dt.date(2021, 1, 1)],
            Kind.DATE,
            {"dates": ["month", "quarter", "year", "decade"]},
        ),
        ([f"town {n}" for n in range(MOST_LEAVES + 1)], Kind.NOMINAL, None),
        ([["a"]], Kind.SET_VALUED, None),
        ([], Kind.NOMINAL, None),
    ],
)
def test_what_is_proposed(values, kind, said):
    assert hierarchy_of(column(list(values)), kind) == said


def test_codes_of_several_lengths_are_put_below_their_beginnings():
    codes = [f"{letter}{n:02d}{end}" for letter in "AB" for n in range(30) for end in ("", ".1")]
    counted = column(codes)
    said = hierarchy_of(counted, Kind.NOMINAL)
    assert said["tree"]["*"]["A*"]["A00*"] == ["A00", "A00.1"]
    check_nested(said, counted.values)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_records_that_stand_out_by_their_blanks_are_counted(rows):
    blanks = [np.array(part, np.int64) for part in zip(*rows, strict=True)]
    alone = sum(rows.count(row) < 5 for row in rows)
    assert suppressed_at_least(blanks, len(rows), 5) == pytest.approx(alone / len(rows))
