"""The order of contents: a function of the values, and of nothing else."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tacita as ta
from tacita.data import content_order
from tacita.data.attribute import Role
from tacita.data.content_order import group_numbers, in_content_order, is_in_content_order

NUMBERS = [0.0, -0.0, 1.0, 0.1, 1e300, 2.0**63]
FINITE = {"allow_infinity": False, "allow_nan": False}
VALUES = {
    "n": st.one_of(st.none(), st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1)),
    "x": st.one_of(st.none(), st.sampled_from(NUMBERS), st.floats(**FINITE)),
    "t": st.one_of(st.none(), st.sampled_from(["", "0", "01", "1", "1.0", "a", "nan", "é"])),
    "d": st.one_of(st.none(), st.dates(dt.date(2000, 1, 1), dt.date(2000, 1, 5))),
    "home": st.one_of(st.none(), st.integers(0, 3)),
}
TYPES = {"n": pa.int64(), "x": pa.float64(), "t": pa.string(), "d": pa.date32(), "home": pa.int8()}


@st.composite
def files(draw):
    size = draw(st.integers(0, 12))
    columns = {
        name: pa.array(draw(st.lists(of, min_size=size, max_size=size)), TYPES[name])
        for name, of in VALUES.items()
    }
    return ta.read(pa.table(columns), roles={"home": "household"} if draw(st.booleans()) else {})


def rows(data):
    """The released values, both zeros as one."""
    seen = data.table.to_pylist()
    return [
        tuple(
            value + 0.0 if name == "x" and value is not None else value
            for name, value in row.items()
        )
        for row in seen
    ]


@given(files(), st.randoms(use_true_random=False))
def test_it_is_the_same_whatever_order_the_records_came_in(data, random):
    places = list(range(len(data)))
    random.shuffle(places)
    one, other = in_content_order(data), in_content_order(data.take(np.array(places, int)))
    assert rows(one) == rows(other)
    assert is_in_content_order(one)


@given(files())
@example(ta.read(pa.table({"t": ["1", "01", "0", "1.0"]})))
def test_a_reader_of_text_finds_the_same_order(data):
    ordered = in_content_order(data)
    texts = [
        pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())
        for column in ordered.table.columns
    ]
    roles = dict.fromkeys(ordered.with_role(Role.HOUSEHOLD), "household")
    assert is_in_content_order(ta.read(pa.table(texts, names=ordered.names), roles=roles))


def test_large_numbers_that_doubles_cannot_tell_apart_have_an_order():
    data = ta.read(pa.table({"n": pa.array([2**62 + i for i in range(50)])}))
    back = data.take(np.arange(50)[::-1])
    assert in_content_order(data).table.equals(in_content_order(back).table)


def test_households_stand_together_and_histories_keep_their_order():
    rng = np.random.default_rng(4)
    who = rng.integers(0, 40, 300)
    table = pa.table({"who": who, "visit": np.arange(300), "x": rng.integers(0, 5, 300)})
    ordered = in_content_order(ta.read(table), history="who")
    group = ordered.column("who").to_numpy()
    assert len(set(group.tolist())) == 1 + int((np.diff(group) != 0).sum())
    visits = ordered.column("visit").to_numpy()
    assert all((np.diff(visits[group == one]) > 0).all() for one in range(40))
    assert group[np.flatnonzero(np.diff(group, prepend=-1))].tolist() != sorted(set(group.tolist()))
    assert is_in_content_order(ordered, "who")
    homes = in_content_order(ta.read(table, roles={"who": "household"}))
    assert is_in_content_order(homes)
    assert homes.column("visit").to_pylist() != visits.tolist()


@pytest.mark.parametrize("change", ["swap", "split"])
def test_another_order_is_noticed(change):
    data = in_content_order(ta.example("toy", 60))
    places = np.arange(60)
    places[[10, 50]] = places[[50, 10]]
    if change == "split":  # a household
        places = np.roll(np.arange(60), 1)
    assert not is_in_content_order(data.take(places))


def test_blanks_stand_by_themselves():
    assert len(set(group_numbers(pa.array([None, 1, None, 1])).tolist())) == 3


WRITTEN = [
    "nan",
    "NaN",
    "inf",
    "Infinity",
    "-inf",
    "1_0",
    " 1 ",
    "1e3",
    "\u0661",
    "i",
    "n",
    "True",
    "",
]


@given(st.text(max_size=5) | st.text("iInNfFaAtTyY1_.e-", max_size=8) | st.sampled_from(WRITTEN))
def test_a_text_is_a_number_wherever_python_reads_one(text):
    truth = {"true": "1", "false": "0"}.get(text.casefold(), text)
    read = [content_order._of_text.__wrapped__(text)]
    with suppress(ValueError):
        read.append(int(content_order._digests(pa.array([float(truth)]))[0]))
    with suppress(ValueError, OverflowError):
        read.append(int(content_order._digests(pa.array([int(truth)], pa.int64()))[0]))
    assert content_order._of_value.__wrapped__(text) == read[-1]
