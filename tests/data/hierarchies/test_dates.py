from __future__ import annotations

import datetime as dt
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.hierarchies.dates import UNITS, Dates
from tacita.errors import HierarchyError

ALL = Dates(tuple(UNITS))
FIRST, LAST = (int(np.datetime64(day).astype(int)) for day in ("-32767-01-02", "32767-12-30"))
ZONES = (None, "UTC", "Europe/Brussels", "America/New_York", "Pacific/Apia", "+05:30")
TIMES = [pa.timestamp(unit, zone) for unit in ("s", "ms", "us") for zone in ZONES]
LONG = {"s": 1, "ms": 1000, "us": 1_000_000}


def at(days: list[int], kind: pa.DataType) -> pa.Array:
    if pa.types.is_date32(kind):
        return pa.array(days, pa.int32()).cast(kind)
    ticks = 86_400 * (1000 if pa.types.is_date64(kind) else LONG[kind.unit])
    return pa.array([day * ticks for day in days], pa.int64()).cast(kind)


@given(
    st.lists(st.integers(FIRST, LAST) | st.integers(-800, 800).map(lambda near: near - 719528)),
    st.sampled_from([pa.date32(), pa.date64(), *TIMES]),
)
def test_units_nest_in_all_years_and_types(days, kind):
    values = at(days, kind)
    levels = [ALL.labels(values, level).to_pylist() for level in range(1, ALL.height + 1)]
    for fine, coarse in pairwise(levels):
        above: dict[str, str] = {}
        assert all(above.setdefault(a, b) == b for a, b in zip(fine, coarse, strict=True))
    if days:
        assert set(levels[-1]) == {"*"}


@given(st.dates(dt.date(1, 1, 1)), st.sampled_from([pa.date32(), pa.date64(), *TIMES[::6]]))
def test_labels_are_those_of_the_calendar(day, kind):
    values = pa.array([day], pa.date32()).cast(kind)
    assert [ALL.labels(values, level)[0].as_py() for level in range(1, 6)] == [
        day.isoformat(),
        day.isoformat()[:7],
        f"{day.year:04d}-Q{(day.month + 2) // 3}",
        f"{day.year:04d}",
        f"{day.year // 10 * 10}s",
    ]


def test_a_moment_lies_on_the_day_of_its_time_zone():
    late = dt.datetime(2023, 12, 31, 23, 30, tzinfo=dt.UTC)
    for zone, day in (("UTC", "2023-12-31"), ("Asia/Tokyo", "2024-01-01")):
        for unit in ("s", "ms", "us", "ns"):
            values = pa.array([late], pa.timestamp(unit, zone))
            assert ALL.labels(values, 1).to_pylist() == [day]


def test_decades_before_the_year_0_are_as_long_as_others():
    days = [int(np.datetime64(f"{year:05d}-06-01").astype(int)) for year in (-11, -10, -1, 0, 9)]
    labels = ALL.labels(at(days, pa.date32()), 5).to_pylist()
    assert labels == ["-20s", "-10s", "-10s", "0s", "0s"]


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (at([LAST + 1], pa.date32()), "the calendar reaches from the year -32767 to 32767"),
        (at([FIRST - 1], TIMES[0]), "the calendar reaches"),
        (pa.array([dt.time(12)]), "this hierarchy needs dates"),
        (pa.array([dt.timedelta(1)]), "this hierarchy needs dates"),
        (pa.array(["x"]), "this hierarchy needs dates"),
    ],
)
def test_what_is_no_date_is_not_covered(values, what):
    with pytest.raises(HierarchyError, match=f"does not cover .*{what}"):
        ALL.labels(values, 1)


def test_an_unknown_time_zone_is_told():
    with pytest.raises(HierarchyError, match="time zone 'Mars/Olympus', which this system"):
        ALL.labels(at([0], pa.timestamp("s", "Mars/Olympus")), 1)
