"""Evaluation class by class, on distinct values and record by record gives the same."""

from __future__ import annotations

from dataclasses import replace
from sys import getsizeof

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import QueryError
from tacita.queries.language.expressions import (
    SHORT,
    TAKEN,
    Call,
    ClassColumns,
    Literal,
    Named,
    RecordColumns,
    Told,
    codes_of,
    conjuncts,
    evaluate,
    holds_in_classes,
    holds_in_records,
    leaves,
    names_of,
    was_decided,
)
from tacita.queries.public_classes import PublicClasses

RECORDS = [
    {"a": a, "b": b, "x": x}
    for a, b, x in [
        ("p", 1, 1.5), ("q", None, 2.5), (None, 1, None), ("p", 1, 0.5), (None, None, 9.0),
        ("q", 3, -1.0), ("q", 2, 0.0), ("p", 2, 4.0), (None, 3, 1.0),
    ]
]  # fmt: skip
ROLES = {"a": "key", "b": "key", "x": "confidential"}
VIEW = PublicClasses.of(
    ta.read(pa.Table.from_pylist(RECORDS), roles=ROLES, kinds={"b": "continuous"}), "firms"
)
ORDERED = [RECORDS[place] for place in VIEW.order]

LEAVES = [
    Call("=", (Named("a"), Literal("p"))),
    Call("<>", (Named("a"), Literal("q"))),
    Call("IS NULL", (Named("a"),)),
    Call(">", (Named("b"), Literal(1))),
    Call("IN", (Named("b"), Literal(1), Literal(3))),
    Call("<", (Named("x"), Literal(2.0))),
    Call(">", (Named("x"), Named("b"))),
    Literal(None),
    Literal(True),
]
conditions = st.recursive(
    st.sampled_from(LEAVES),
    lambda one: st.one_of(
        st.lists(one, min_size=1, max_size=3).map(lambda parts: Call("AND", tuple(parts))),
        st.lists(one, min_size=1, max_size=3).map(lambda parts: Call("OR", tuple(parts))),
        one.map(lambda part: Call("NOT", (part,))),
    ),
    max_leaves=6,
)


def _slowly(expression, record):  # noqa: PLR0911 - one a rule
    """Evaluate a condition for one record, by the truth tables of three-valued logic."""
    if isinstance(expression, Literal):
        return expression.value
    if isinstance(expression, Named):
        return record[expression.name]
    values = [_slowly(one, record) for one in expression.arguments]
    if expression.function == "AND":
        return False if False in values else None if None in values else True
    if expression.function == "OR":
        return True if True in values else None if None in values else False
    if expression.function == "IS NULL":
        return values[0] is None
    if None in values:
        return None
    return {
        "NOT": lambda v: not v[0],
        "=": lambda v: v[0] == v[1],
        "<>": lambda v: v[0] != v[1],
        ">": lambda v: v[0] > v[1],
        "<": lambda v: v[0] < v[1],
        "IN": lambda v: v[0] in v[1:],
    }[expression.function](values)


@settings(max_examples=100, deadline=None)
@given(conditions)
def test_conditions_hold_where_the_truth_tables_say(condition):
    expected = [_slowly(condition, record) is True for record in ORDERED]
    assert holds_in_records(condition, VIEW).tolist() == expected
    if "x" not in names_of(condition):
        assert holds_in_classes(condition, VIEW)[VIEW.of_record].tolist() == expected


@settings(max_examples=100, deadline=None)
@given(conditions)
def test_values_are_those_of_the_truth_tables(condition):
    expected = [_slowly(condition, record) for record in ORDERED]
    found = evaluate(condition, RecordColumns(VIEW))
    assert (found.to_pylist() if isinstance(found, pa.Array) else [found.as_py()] * 9) == expected


def test_what_names_one_attribute_is_computed_for_its_distinct_values(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "tacita.queries.language.expressions.apply",
        lambda name, *values: seen.append(len(values[0])) or pa.array([True] * len(values[0])),
    )
    view = replace(VIEW)  # of which no condition is remembered
    holds_in_classes(Call("=", (Named("a"), Literal("p"))), view)
    assert seen == [3]  # p, q and the blank; there are more classes than that
    assert len(VIEW) > 3


def test_a_condition_is_remembered_with_the_data_it_was_asked_of(monkeypatch):
    above = Call(">", (Named("b"), Literal(1)))
    one, other = replace(VIEW), replace(VIEW)
    found = holds_in_classes(above, one)
    assert was_decided(above, one)
    assert not was_decided(above, other)
    assert not was_decided(Call(">", (Named("b"), Literal(1.0))), one)  # of another type
    monkeypatch.setattr("tacita.queries.language.expressions.apply", None)
    assert holds_in_classes(above, one).tolist() == found.tolist()
    with pytest.raises(ValueError, match="read-only"):
        holds_in_classes(above, one)[0] = True


def test_what_is_remembered_takes_a_bounded_room(monkeypatch):
    monkeypatch.setattr("tacita.queries.language.expressions.ROOM", 3 * (len(VIEW) + TAKEN))
    view = replace(VIEW)
    asked = [Call("=", (Named("b"), Literal(number))) for number in range(5)]
    for one in asked:
        holds_in_classes(one, view)
    assert [was_decided(one, view) for one in asked] == [False, False, False, True, True]


def test_long_conditions_are_not_remembered():
    """However few classes there are, the texts of conditions must not fill the memory."""
    view = replace(VIEW)
    long = Call("IN", (Named("b"), *map(Literal, range(100))))
    assert holds_in_classes(long, view).any()
    assert not was_decided(long, view)


def test_what_is_remembered_takes_no_more_room_than_is_counted():
    numbers = [10**12 + number for number in range(5)]
    kept = [Call("IN", (Named("b"), *map(Literal, numbers[:many]))) for many in range(1, 6)]
    view = replace(VIEW)
    for one in kept:
        holds_in_classes(one, view)
    assert [was_decided(one, view) for one in kept] == [len(repr(one)) <= SHORT for one in kept]
    assert all(_bytes(one) < TAKEN for one in kept)


def _bytes(thing: object) -> int:
    """Return what an expression takes, its parts and their dictionaries included."""
    inside = [*vars(thing).values()] if hasattr(thing, "__dict__") else []
    inside += thing if isinstance(thing, tuple | frozenset) else []
    own = getsizeof(thing) + (getsizeof(vars(thing)) if hasattr(thing, "__dict__") else 0)
    return own + sum(map(_bytes, inside))


def test_a_zero_is_remembered_as_one_whatever_its_sign():
    table = pa.table({"c": [0.0, -0.0, 1.0], "x": [1, 2, 3]})
    data = ta.read(table, roles={"c": "key", "x": "confidential"})
    view = PublicClasses.of(data, "firms")
    for zero in (-0.0, 0.0):
        condition = Call("IN", (Named("c"), Literal(zero)))
        assert view.sizes[holds_in_classes(condition, view)].sum() == 2


def test_codes_follow_the_order_of_values_with_blanks_last():
    codes, values = codes_of(Named("b"), VIEW)
    assert values.to_pylist() == [1, 2, 3, None]
    both = Call("coalesce", (Named("b"), Call("length", (Named("a"),))))
    of_both, known = codes_of(both, VIEW)
    found = known.take(pa.array(of_both)).to_pylist()
    assert found == evaluate(both, ClassColumns(VIEW)).to_pylist()
    assert known.to_pylist() == [1, 2, 3, None]
    assert codes.dtype == np.int64


def test_constants_have_one_code():
    codes, values = codes_of(Literal("x"), VIEW)
    assert set(codes.tolist()) == {0}
    assert values.to_pylist() == ["x"]


def test_parts_of_expressions():
    a, b, c = Named("a"), Named("b"), Literal(1)
    nested = Call("AND", (a, Call("AND", (b, c)), Call("OR", (a, b))))
    assert conjuncts(nested) == (a, b, c, Call("OR", (a, b)))
    assert list(leaves(nested)) == [a, b, c, a, b]
    assert names_of(nested) == {"a", "b"}
    assert conjuncts(None) == ()


def test_statistics_have_no_value_in_a_record():
    with pytest.raises(QueryError, match="statistic"):
        evaluate(Call("+", (Told(0), Literal(1))), RecordColumns(VIEW))
