"""Records that break rules or are copies are drawn again, removed or reported."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.pairing import paired_rows
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.microdata.synthesis.making.drawing import Wanted
from tacita.microdata.synthesis.making.records import synthetic, with_synthetic

DATA = ta.read(pa.table({"x": [1, 2, 2, 3], "w": [1.0, 2.0, 3.0, 4.0]}), roles={"w": "weight"})


def drawing(*values):
    """Draw the given numbers, one after the other."""
    left = iter(values)
    return lambda records: {"x": pa.array([next(left) for _ in range(records)], pa.int64())}


def test_records_that_break_rules_are_drawn_again():
    made = Wanted(3, ["x >= 2"], "report").drawn(DATA, ["x"], drawing(2, 1, 1, 1, 2, 2))
    assert made.column("x").to_pylist() == [2, 2, 2]
    assert dict(made.notes) == {"broke_rules": 2, "copies_found": 2}


def test_copies_are_drawn_again():
    made = Wanted(2).drawn(DATA, ["x"], drawing(3, 2, 1, 5))
    assert made.column("x").to_pylist() == [5, 2]
    assert made.notes["copies_found"] == 1


def test_copies_are_removed_or_reported():
    removed = Wanted(3, copies="remove").drawn(DATA, ["x"], drawing(3, 2, 1))
    assert removed.column("x").to_pylist() == [2]
    reported = Wanted(3, copies="report").drawn(DATA, ["x"], drawing(3, 2, 1))
    assert len(reported) == 3
    assert removed.notes["copies_found"] == reported.notes["copies_found"] == 2


def test_gives_up_in_one_sentence():
    with pytest.raises(ProtectionError, match="1 of 2 synthetic records break the rules"):
        Wanted(2, ["x > 2"]).drawn(DATA, ["x"], drawing(5, *[2] * 200))
    with pytest.raises(ProtectionError, match="set `copies` to `remove` or `report`"):
        Wanted(1).drawn(DATA, ["x"], drawing(*[1] * 200))


def test_rules_that_nothing_would_keep_are_refused():
    with pytest.raises(ParameterError, match="is about `w`, which is not synthesized"):
        Wanted(rules=["x > 1 -> w > 2"]).drawn(DATA, ["x"], drawing(2, 2, 2, 2))


def test_of_no_records_none_are_made():
    empty = DATA.take(np.arange(0))
    assert len(Wanted().drawn(empty, ["x"], drawing())) == 0
    with pytest.raises(ProtectionError, match="no record to learn"):
        Wanted(5).drawn(empty, ["x"], drawing())


def test_synthetic_records_come_from_nobody_and_share_the_weight():
    made = synthetic(DATA, {"x": pa.array([7, 8])}, 2)
    assert made.source_rows.tolist() == [-1, -1]
    assert made.weight.tolist() == [5.0, 5.0]
    assert made.take(np.array([1])).is_synthetic
    assert not DATA.is_synthetic
    with pytest.raises(InputError, match="come from nobody"):
        paired_rows(DATA, made)


def test_partially_synthetic_records_keep_respondents_and_blanks():
    data = ta.read(pa.table({"x": [1, None, 3]}))
    made = with_synthetic(data, {"x": pa.array([7, 8, 9])})
    assert made.column("x").to_pylist() == [7, None, 9]
    assert made.source_rows.tolist() == [0, 1, 2]
