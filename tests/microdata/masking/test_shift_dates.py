from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError

DAY = dt.date(2024, 2, 28)
SECRET = "a secret that is long enough"  # noqa: S105


def visits(**columns) -> ta.Microdata:
    people = {"who": ["a", "b", "a", "b"], "in": [DAY] * 4, "out": [DAY, None, DAY, DAY]}
    return ta.read(pa.table({**people, **columns}))


def moves(masked: ta.Microdata, name: str = "in") -> list[int]:
    return [(day - DAY).days for day in masked.column(name).to_pylist() if day is not None]


@given(
    st.lists(st.tuples(st.integers(0, 5), st.dates(), st.dates()), min_size=1, max_size=30),
    st.integers(0, 2**32),
    st.sampled_from(["day", "week"]),
)
def test_all_intervals_of_a_respondent_are_kept(rows, seed, unit):
    who, came, left = zip(*rows, strict=True)
    days = [dt.date(2000, 1, 1) + (day - dt.date(2000, 1, 1)) / 4 for day in (*came, *left)]
    table = pa.table({"who": who, "in": days[: len(who)], "out": days[len(who) :]})
    method = ta.ShiftDates(["in", "out"], respondent="who", days=100, unit=unit)
    masked = ta.read(table).apply(method, seed=seed)
    offsets: dict[int, set[int]] = {}
    for name in ("in", "out"):
        pairs = zip(who, table[name].to_pylist(), masked.column(name).to_pylist(), strict=True)
        for one, before, after in pairs:
            offsets.setdefault(one, set()).add((after - before).days)
    assert all(len(found) == 1 for found in offsets.values())
    assert all(abs(move) <= 100 for found in offsets.values() for move in found)
    if unit == "week":
        assert all(move % 7 == 0 for found in offsets.values() for move in found)


def test_offsets_spread_evenly_over_their_range():
    n = 20_000
    table = pa.table({"who": np.arange(n), "in": pa.array([DAY] * n)})
    for respondent in ("who", None):
        found = moves(
            ta.read(table).apply(ta.ShiftDates("in", respondent=respondent, days=3), seed=5)
        )
        shares = np.bincount(np.array(found) + 3, minlength=7) / n
        # Seven equally likely offsets: five standard errors around a seventh.
        assert np.all(np.abs(shares - 1 / 7) < 5 * np.sqrt(6 / 49 / n))


def test_one_key_moves_two_files_alike_and_another_key_differently(monkeypatch):
    monkeypatch.setenv("SHIFT_KEY", SECRET)
    method = ta.ShiftDates("in", respondent="who", days=10_000, key_from="SHIFT_KEY")
    one, other = (moves(visits().apply(method, seed=seed)) for seed in (1, 2))
    assert one == other
    monkeypatch.setenv("SHIFT_KEY", SECRET[::-1])
    assert moves(visits().apply(method, seed=1)) != one


@pytest.mark.parametrize(
    "kind",
    [
        pa.date64(),
        pa.timestamp("s"),
        pa.timestamp("ms"),
        pa.timestamp("us", "UTC"),
        pa.timestamp("ns"),
    ],
)
def test_every_type_of_date_moves_by_whole_days(kind):
    column = pa.array([dt.datetime(2024, 2, 28)] * 4).cast(kind)
    masked = visits(**{"in": column}).apply(ta.ShiftDates("in", respondent="who"), seed=3)
    assert masked.column("in").type == kind
    plain = visits().apply(ta.ShiftDates("in", respondent="who"), seed=3)
    assert masked.column("in").cast(pa.date32()).equals(plain.column("in"))


def test_missing_dates_stay_missing():
    masked = visits().apply(ta.ShiftDates(["in", "out"], respondent="who"), seed=1)
    assert masked.column("out").null_count == 1
    assert len(moves(masked, "out")) == 3


def test_records_of_nobody_known_move_on_their_own():
    nobody = visits(who=[None, "a", None, "a"])
    one, a, other, again = moves(nobody.apply(ta.ShiftDates("in", respondent="who"), seed=1))
    assert a == again
    assert len({one, other, a}) == 3


def test_what_cannot_be_shifted_is_told():
    with pytest.raises(ParameterError, match="applies to date attributes; `who` is nominal"):
        visits().apply(ta.ShiftDates("who"), seed=1)
    with pytest.raises(InputError, match=r"There is no attribute `whom`.*Did you mean `who`"):
        visits().apply(ta.ShiftDates("in", respondent="whom"), seed=1)
    with pytest.raises(ParameterError, match="must be 7 or more to shift by whole weeks; found 3"):
        ta.ShiftDates("in", days=3, unit="week")
    with pytest.raises(ParameterError, match="`key_from` of `shift_dates` needs `respondent`"):
        ta.ShiftDates("in", key_from="KEY")
    late = pa.array([2**63 - 1] * 4, pa.int64()).cast(pa.timestamp("ns"))
    method = ta.ShiftDates("in", respondent="who")
    with pytest.raises(InputError, match="so far off that it cannot be shifted"):
        visits(**{"in": late}).apply(method, seed=later(method))


def test_a_date_that_stands_for_none_would_show_the_offset():
    with pytest.raises(InputError, match="holds 9999-12-31, which stands for no date"):
        visits(**{"in": [dt.date(9999, 12, 31), DAY, DAY, DAY]}).apply(ta.ShiftDates("in"), seed=1)
    near = visits(**{"in": [dt.date(9999, 12, 30)] * 4})
    method = ta.ShiftDates("in", respondent="who")
    with pytest.raises(InputError, match="so far off"):
        near.apply(method, seed=later(method))


def test_parameters_that_cannot_be():
    with pytest.raises(ParameterError, match="Attribute `in` is named twice"):
        ta.ShiftDates(["in", "in"])
    with pytest.raises(ParameterError, match="less than or equal to 36500"):
        ta.ShiftDates("in", days=10**30)
    with pytest.raises(ParameterError, match="`who` is set-valued"):
        visits(who=[["a"], ["b"], ["a"], ["b"]]).apply(
            ta.ShiftDates("in", respondent="who"), seed=1
        )


def later(method: ta.ShiftDates) -> int:
    """Return a seed that moves somebody to a later day."""
    return next(s for s in range(50) if max(moves(visits().apply(method, seed=s))) > 0)
