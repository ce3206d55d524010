"""Values that come back otherwise are told, and nothing else is."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from tacita.data.formats.fidelity import changes

SAME = [
    (pa.array([1, None], pa.int8()), pa.array([1.0, None])),
    (pa.array([2**63], pa.uint64()), pa.array([Decimal(2**63)], pa.decimal128(19, 0))),
    (pa.array([Decimal("0.10")]), pa.array([0.1])),
    (pa.array([0.1], pa.float32()), pa.array([0.1])),
    (pa.array([1e300, -0.0]), pa.array([1e300, 0.0])),
    (pa.array(["a", None]), pa.array(["a", None]).dictionary_encode()),
    (pa.array(["a"]), pa.array(["a"], pa.large_string())),
    (pa.array([0, None], pa.timestamp("s")), pa.array([0, None], pa.timestamp("ns"))),
    (pa.array([5], pa.time32("s")), pa.array([5_000_000], pa.time64("us"))),
    (pa.array([dt.date(1, 1, 1)]), pa.array([dt.date(1, 1, 1)], pa.date64())),
    (pa.array([[1], [], None]), pa.array([[1.0], [], None])),
    (pa.array([None, None], pa.int8()), pa.array([None, None], pa.string())),
]
OTHER = [
    (pa.array([1]), pa.array(["1"]), "the number 1 in record 1 becomes the text '1'"),
    (pa.array(["", "a"]), pa.array([None, "a"]), "empty text in record 1 becomes missing"),
    (pa.array([0, 1]), pa.array([False, True]), "the number 0 becomes false"),
    (pa.array([2**53 + 1]), pa.array([2.0**53]), "the number 9007199254740993"),
    (pa.array([["a", "b"]]), pa.array(["a|b"]), "[a, b] in record 1 becomes the text 'a|b'"),
    (pa.array([["a"], []]), pa.array([["a"], None]), "[] in record 2 becomes missing"),
    (pa.array([["a"], ["b"]]), pa.array([["a"], ["c"]]), "[b] in record 2 becomes [c]"),
    (pa.array([1.5, None]), pa.array([1.5, 0.0]), "missing in record 2 becomes the number 0.0"),
    (pa.array([0], pa.timestamp("s")), pa.array([0], pa.timestamp("s", "UTC")), "+00:00"),
    (pa.array([0], pa.timestamp("s")), pa.array([0], pa.date32()), "becomes 1970-01-01"),
    (pa.array([1], pa.timestamp("ns")), pa.array([0], pa.timestamp("us")), "becomes 1970"),
]


@pytest.mark.parametrize(("before", "after"), SAME)
def test_equal_values_of_a_kind_are_no_change(before, after):
    assert list(changes(pa.table({"a": before}), pa.table({"a": after}))) == []


@pytest.mark.parametrize(("before", "after", "told"), OTHER)
def test_other_values_are_told(before, after, told):
    (change,) = changes(pa.table({"a": before}), pa.table({"a": after}))
    assert told in str(change)
    assert change.to_dict()["column"] == "a"


def test_a_column_that_is_gone_is_told():
    (change,) = changes(pa.table({"a": [1]}), pa.table({"b": [1]}))
    assert str(change) == "`a` (the column is not kept)"


def test_chunks_do_not_matter():
    chunks = pa.chunked_array([["a"], ["b"]])
    assert list(changes(pa.table({"a": chunks}), pa.table({"a": ["a", "b"]}))) == []
