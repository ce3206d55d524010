"""How exactly attributes are held: what can be said, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tacita.data.attribute import Attribute, Kind
from tacita.data.hierarchies.prefix import Prefix
from tacita.errors import ParameterError
from tacita.intruders.accuracy import Accuracy

NUMBER = Attribute("age", kind=Kind.CONTINUOUS)
CODE = Attribute("zip", kind=Kind.NOMINAL)
DAY = Attribute("born", kind=Kind.DATE)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("exact", "exact"),
        ({}, "exact"),
        ({"rounded": 5}, "rounded to 5"),
        ({"classes": [18, 65]}, "in classes from 18, 65"),
        ({"level": 2, "wrong": 0.1}, "at level 2 of its hierarchy, wrong for 10 %"),
        ({"prefix": 3, "missing": 0.25}, "its first 3 letters, missing for 25 %"),
        ({"unit": "year"}, "by the year"),
        ({"relative_error": 0.1}, "with an error of 0.1 of its size"),
        ({"absolute_error": 2}, "with an error of 2"),
    ],
)
def test_it_is_said_as_in_a_plan_and_told_in_words(said: Any, told: str) -> None:
    accuracy = Accuracy.of(said)
    assert str(accuracy) == told
    assert Accuracy.of(accuracy.to_plan()) == accuracy


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"rounded": 0}, "`rounded` of `accuracy` should be greater than 0; found 0."),
        ({"rounded": True}, "`rounded` of `accuracy` should be a valid number; found True."),
        ({"wrong": 1.5}, "`wrong` of `accuracy` should be less than or equal to 1; found 1.5."),
        ({"rounded": 1, "prefix": 2}, "has one of .* found rounded and prefix"),
        ({"relative_error": 1, "absolute_error": 2}, "found relative_error and absolute_error"),
        ({"classes": [3, 1]}, r"`classes` begin at ascending numbers; found \[3.0, 1.0\]."),
        ({"round": 1}, "has no parameter `round` .* Did you mean `rounded`"),
        (5, "An accuracy is `exact` or like `{rounded: 5}`; found 5."),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(said: Any, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        Accuracy.of(said)


@pytest.mark.parametrize(
    ("said", "attribute", "why"),
    [
        ({"rounded": 5}, NUMBER, ""),
        ({"rounded": 5}, CODE, "`rounded` is for numbers, and it is nominal"),
        ({"unit": "year"}, DAY, ""),
        ({"unit": "year"}, NUMBER, "`unit` is for dates, and it is continuous"),
        ({"prefix": 2}, CODE, ""),
        ({"prefix": 2}, DAY, "`prefix` is for codes, and it is date"),
        ({"level": 1}, CODE, "it has no hierarchy"),
        ({"level": 6}, Attribute("zip", hierarchy=Prefix(5)), "its hierarchy has 5 levels"),
        ({"level": 5}, Attribute("zip", hierarchy=Prefix(5)), ""),
        ({"wrong": 0.5, "missing": 0.5}, DAY, ""),
    ],
)
def test_it_fits_kinds(said: Any, attribute: Attribute, why: str) -> None:
    assert Accuracy.of(said).misfit(attribute) == why
