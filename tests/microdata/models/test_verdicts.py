from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.models.verdicts import (
    Judged,
    confidential_attributes,
    verdict_of,
)
from tacita.microdata.risk.diversity import classes_beside

DATA = ta.read(
    pa.table({"a": [1, 1, 2, 3], "x": list("pqpp"), "y": list("pqrs")}),
    roles={"a": "key", "x": "confidential", "y": "confidential"},
)
CLASSES = DATA.classes()
MODEL = ta.KAnonymity(2)


def judged(broken, worst, value, attribute=None):
    return CLASSES, Judged(np.array(broken), worst, value, attribute)


def test_a_promise_that_holds_names_the_class_that_is_nearest_to_breaking_it():
    found = [judged([False] * 3, 1, 3, "x"), judged([False] * 3, 2, 2, "y")]
    verdict = verdict_of(MODEL, found, "has enough values", "have too few values", lowest=True)
    assert verdict.holds
    assert verdict.value == 2
    assert verdict.worst == {"a": 3, "count": 1, "attribute": "y", "level": 2.0}
    assert verdict.sentence == "every class of a has enough values of x, y"


def test_the_worst_class_is_one_that_breaks_the_promise():
    """The lowest level need not: other levels may be asked of other attributes."""
    found = [judged([False] * 3, 1, 1, "x"), judged([True, False, True], 0, 2, "y")]
    verdict = verdict_of(MODEL, found, "has enough values", "have too few values", lowest=True)
    assert not verdict.holds
    assert verdict.worst["attribute"] == "y"
    assert verdict.sentence == "3 of 4 records are in classes of a that have too few values of y"


def test_a_promise_about_classes_names_no_attribute():
    found = [judged([False, True, False], 1, Fraction(1, 3))]
    verdict = verdict_of(MODEL, found, "is safe", "are not safe", lowest=False)
    assert verdict.sentence == "1 of 4 records are in classes of a that are not safe"
    assert verdict.worst == {"a": 2, "count": 1, "level": 1 / 3}


def test_a_level_without_bound_has_no_number():
    found = [judged([True] * 3, 0, inf, "x")]
    verdict = verdict_of(MODEL, found, "is near", "are far from those", lowest=False)
    assert verdict.value is None
    assert verdict.to_dict()["value"] is None
    assert verdict.worst["level"] is None


def test_no_records_keep_every_promise():
    empty = DATA.take(np.arange(0))
    found = [(empty.classes(), Judged(np.zeros(0, np.bool_), 0, 0))]
    assert verdict_of(MODEL, found, "", "", lowest=True).sentence == "there are no records"


def test_an_attribute_that_is_also_a_key_is_not_known():
    assert classes_beside(DATA, ["a", "x"], "x").keys == ("a",)
    alone = classes_beside(DATA, ["x"], "x")
    assert (alone.keys, alone.counts.tolist()) == ((), [4])
    found = [(alone, Judged(np.array([True]), 0, 1, "x"))]
    verdict = verdict_of(MODEL, found, "", "have too few values", lowest=True)
    assert "classes of all records that" in verdict.sentence


def test_somebody_must_say_what_is_confidential():
    assert confidential_attributes(DATA, None) == ["x", "y"]
    assert confidential_attributes(DATA, ("a",)) == ["a"]
    with pytest.raises(InputError, match="role `confidential`"):
        confidential_attributes(ta.read(pa.table({"a": [1]})), None)
