from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import LedgerError, ParameterError
from tacita.queries.ledger.entries import START, Entry, Head, canonical

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters()),  # half characters too: what people type is recorded, whatever it is
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=4
)


@given(st.dictionaries(st.text(), VALUES))
def test_what_is_recorded_comes_back_to_the_last_digit(payload):
    assert json.loads(canonical(payload)) == payload


@given(st.dictionaries(st.text(), st.integers()))
def test_the_order_of_names_does_not_matter(payload):
    assert canonical(dict(reversed(payload.items()))) == canonical(payload)


def test_numbers_that_json_lacks():
    said = canonical({"a": Fraction(2, 3), "b": Decimal("0.10"), "c": np.float64(0.1)})
    assert said == b'{"a":"2/3","b":"0.10","c":0.1}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"bytes", {1, 2}, object()])
def test_what_cannot_be_recorded(value):
    with pytest.raises(ParameterError, match="A ledger records text, finite numbers"):
        canonical({"value": value})


@given(st.integers(0, 10**18 - 1), st.binary(min_size=32, max_size=32))
def test_heads_are_read_as_they_are_printed(number, digest):
    assert Head.parse(str(Head(number, digest))) == Head(number, digest)


@pytest.mark.parametrize("text", ["", "7", "7:", ":" + "0" * 64, "-1:" + "0" * 64, "1:" + "g" * 64])
def test_what_is_no_head(text):
    with pytest.raises(ParameterError, match="NUMBER:DIGEST"):
        Head.parse(text)


def test_an_entry_in_plain_types():
    entry = Entry(3, 1_700_000_000_000_001, "answer", b'{"user":"ana"}', b"\1" * 32)
    assert entry.to_dict() == {
        "number": 3,
        "time": "2023-11-14T22:13:20.000001+00:00",
        "kind": "answer",
        "payload": {"user": "ana"},
        "digest": "01" * 32,
    }
    assert entry.head == Head(3, b"\1" * 32)


def test_entries_that_somebody_changed():
    assert Entry(1, 2**62, "answer", b"{}", START.digest).when == str(2**62)
    with pytest.raises(LedgerError, match="Entry 1 of the ledger was changed"):
        _ = Entry(1, 0, "answer", b"{", START.digest).content
