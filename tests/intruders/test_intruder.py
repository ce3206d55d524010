"""Intruders: what they hold, of how many, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError

FULL = ta.Intruder(
    ["age", "zip"],
    {"age": {"rounded": 5, "missing": 0.5}, "zip": ta.Accuracy(wrong=0.1)},
    respondents=0.25,
    in_file=0.5,
    seed=3,
)


@pytest.mark.parametrize("intruder", [FULL, ta.Intruder(), ta.Intruder(respondents=150)])
def test_it_is_the_same_after_it_was_written_to_a_plan(intruder: ta.Intruder) -> None:
    assert ta.Intruder.from_plan(intruder.to_plan()) == intruder


def test_it_is_told_in_words() -> None:
    assert str(FULL) == (
        "holds age (rounded to 5, missing for 50 %), zip (wrong for 10 %) of 25 % of the "
        "respondents, each in the file by 0.5"
    )
    assert str(ta.Intruder(respondents=1500)) == "holds the keys of 1,500 respondents"
    assert FULL.told(["zip"]).startswith("holds zip (wrong for 10 %) of")
    assert FULL.told([]).startswith("holds no released attribute of")


@pytest.mark.parametrize(
    ("said", "records", "reach"),
    [
        ({}, 10, Fraction(1)),
        ({"respondents": 5}, 10, Fraction(1, 2)),
        ({"respondents": 50}, 10, Fraction(1)),
        ({"respondents": 0.1}, 10, Fraction(1, 10)),
        ({"respondents": 1.0}, 10, Fraction(1)),
        ({"respondents": 1}, 10, Fraction(1, 10)),
        ({"respondents": 5, "in_file": 0.2}, 10, Fraction(1, 10)),
        ({"respondents": 5}, 0, Fraction(1)),
    ],
)
def test_the_reach_is_exact(said: dict[str, Any], records: int, reach: Fraction) -> None:
    assert ta.Intruder(**said).reach(records) == reach


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"respondents": 0}, "a whole number above 0 or a share above 0 and at most 1.0; found 0"),
        ({"respondents": 1.5}, "found 1.5"),
        ({"respondents": True}, "found True"),
        ({"respondents": "many"}, "found 'many'"),
        ({"in_file": 2}, "`in_file` of `intruder` should be less than or equal to 1; found 2"),
        ({"attributes": ["age", "age"]}, "Attribute `age` is named twice"),
        ({"attributes": []}, "`attributes` of `intruder` needs at least 1"),
        ({"attributes": ["age"], "accuracy": {"aeg": "exact"}}, "Did you mean `age`"),
        ({"accuracy": ["age"]}, "says how exact attributes are"),
        ({"acuracy": {}}, "has no parameter `acuracy`.*Did you mean `accuracy`"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        ta.Intruder(**said)


def test_it_must_fit_the_data() -> None:
    toy = ta.example("toy", 10)
    assert ta.Intruder(["age"]).of(toy) == ta.Intruder(["age"])
    with pytest.raises(InputError, match="There is no attribute `aeg` in the data"):
        ta.Intruder(["aeg"]).of(toy)
    with pytest.raises(ParameterError, match="`zip` cannot be held rounded to 5: `rounded` is for"):
        ta.Intruder(accuracy={"zip": {"rounded": 5}}).of(toy)


def test_the_public_is_told_of_released_attributes_only() -> None:
    released = ta.example("toy", 10).without(["age"])
    told = FULL.told_with(released)
    assert told["attributes"] == ["zip"]
    assert list(told["accuracy"]) == ["zip"]


@pytest.mark.parametrize("in_file", [0.0, 0.3, 1.0])
def test_whoever_is_in_no_file_stays_so_in_a_plan(in_file):
    """A chance of nothing is said too; left out, it would be certainty."""
    who = ta.Intruder(["age"], in_file=in_file)
    assert ta.Intruder.from_plan(who.to_plan()) == who
