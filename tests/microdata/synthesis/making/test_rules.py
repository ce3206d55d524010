"""Rules: how they are written, what they say of blanks, and what is refused."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.synthesis.making.rules import Rules, refuse_rules

PEOPLE = ta.read(
    pa.table(
        {
            "age": [12, 30, None, 70],
            "retired": [0, 0, 65, 64],
            "marital": ["married", "single", "married", None],
            "school": ["low", "high", "low", "middle"],
            "born on": [dt.date(2010, 1, 1), dt.date(1992, 5, 5), None, dt.date(1952, 2, 2)],
        }
    ),
    kinds={"school": "ordinal", "born on": "date"},
    orders={"school": ["low", "middle", "high"]},
)


def broken(*rules):
    return Rules.about(PEOPLE, rules).broken(PEOPLE.table).tolist()


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ('age < 16 -> marital != "married"', [True, False, False, False]),
        ("0 <= age <= 60", [False, False, False, True]),
        ("age > retired", [False, False, False, False]),
        ("retired >= age", [True, True, False, True]),
        ("school < 'high'", [False, True, False, False]),
        ("school in ['low', 'middle'] or age >= 30", [False, False, False, False]),
        ("marital is not blank", [False, False, False, True]),
        ("age is blank -> retired = 65", [False, False, False, False]),
        ("`born on` >= '1990-01-01'", [False, False, False, True]),
        ("not (marital = 'single' and age = 30)", [False, True, False, False]),
        ("age = -3.5e1 or age > 10", [False, False, False, False]),
    ],
)
def test_says_who_breaks_it(rule, expected):
    assert broken(rule) == expected


def test_a_record_is_broken_by_any_rule():
    assert broken("0 <= age <= 60", "marital is not blank", "age < 20 -> school = 'high'") == [
        True,
        False,
        False,
        True,
    ]


def test_rules_about_attributes_that_are_not_there_are_left_out():
    rules = Rules.about(PEOPLE, ["retired >= age", "age > 20"])
    assert rules.broken({"age": pa.array([3, 40])}).tolist() == [True, False]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("age <", "ends too early"),
        ("age", "compared with nothing"),
        ("(age < 3", r"`\)` is missing"),
        ("age < 3 4", "`4` is not expected"),
        ("age ~ 3", "`~` cannot be read"),
        ("3 < 4", "compares no attribute"),
        ("marital < 'single'", "nominal and has no `<`"),
        ("marital = age", "cannot be compared"),
        ("marital = 'maried'", "no value of `marital`. Did you mean `married`"),
        ("`born on` > 'soon'", "`soon` is no value"),
        ("age and marital is blank", "compared with nothing"),
        ("age '<' 3", "compared with nothing"),
    ],
)
def test_refuses_in_one_sentence(rule, why):
    with pytest.raises(ParameterError, match=why):
        broken(rule)


def test_an_unknown_attribute_is_refused_with_a_hint():
    with pytest.raises(InputError, match="Did you mean `age`"):
        broken("agee < 3")


def test_how_a_rule_is_written_is_checked_before_there_are_data():
    with pytest.raises(ParameterError, match="ends too early"):
        ta.SequentialTrees(rules=["age <"])


def test_methods_with_exact_moments_name_another():
    refuse_rules(ta.Cholesky(), ())
    with pytest.raises(ParameterError, match="use `gaussian_copula`"):
        refuse_rules(ta.Cholesky(), ("a > 1",))


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_an_implication_is_what_it_is_in_python(pairs, low, high):
    data = ta.read(pa.table({"a": [a for a, _ in pairs], "b": [b for _, b in pairs]}))
    found = Rules.about(data, [f"a < {low} -> b >= {high} and not a = b"]).broken(data.table)
    assert found.tolist() == [a < low and not (b >= high and a != b) for a, b in pairs]
    assert isinstance(found, np.ndarray)
