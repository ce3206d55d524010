"""What intruders see: values made coarse or wrong, in all files alike."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.dataset import Dataset
from tacita.intruders.accuracy import Accuracy
from tacita.intruders.coarsening import blurred, coarsened
from tacita.intruders.mistakes import mistaken
from tacita.intruders.view import View, chance, view_of, with_keys
from tacita.validity import Use


def frame(values: list[Any], **said: Any) -> Dataset:
    given = {word: {"a": one} for word, one in said.items()}
    return ta.read(pa.table({"a": values}), **given)


def held(data: Dataset, **said: Any) -> list[Any]:
    found = coarsened(data, "a", Accuracy(**said), data.attribute("a"))
    assert found is not None
    return found.column("a").to_pylist()


def test_numbers_are_rounded_and_blanks_stay() -> None:
    assert held(frame([12, 13, None, -4]), rounded=5.0) == [10.0, 15.0, None, -5.0]


def test_classes_begin_at_their_cuts() -> None:
    classes = held(frame([0, 17, 18, 64, 65, 90]), classes=(18.0, 65.0))
    assert classes == [-5.5, -5.5, 41.5, 41.5, 88.5, 88.5]
    assert len(set(held(frame([1.0, 3.0]), classes=(2.0,)))) == 2


def test_codes_are_held_by_their_first_letters() -> None:
    assert held(frame(["94138", "94141", None]), prefix=3) == ["941", "941", None]
    assert held(frame(["94138", "10115"]), prefix=0) == ["", ""]


def test_values_are_held_at_a_level_of_their_hierarchy() -> None:
    data = frame(["94138", "94141"], hierarchies={"prefix": 5})
    assert held(data, level=3) == ["94***", "94***"]


def test_days_are_held_by_the_calendar() -> None:
    days = [date(2001, 5, 17), None, date(2001, 11, 2)]
    assert held(frame(days), unit="year") == [date(2001, 1, 1), None, date(2001, 1, 1)]
    assert held(frame(days), unit="month") == [date(2001, 5, 1), None, date(2001, 11, 1)]


def test_an_error_hides_what_lies_within_four_deviations() -> None:
    data = frame([0.0, 1.9, 2.1, 100.0])
    made = blurred(data, "a", Accuracy(absolute_error=1.0))
    assert made is not None
    assert made.column("a").to_pylist() == [0.0, 0.0, 4.0, 100.0]
    sizes = blurred(frame([0.0, 100.0, 101.0, 1000.0, -100.0]), "a", Accuracy(relative_error=0.1))
    assert sizes is not None
    zero, one, two, large, minus = sizes.column("a").to_pylist()
    assert (zero, one, minus) == (0.0, two, -one)
    assert large > 5 * one


def test_labels_cannot_be_put_together_as_numbers() -> None:
    labels = frame(["20-29", "30-39"])
    number = frame([21, 35]).attribute("a")
    assert coarsened(labels, "a", Accuracy(rounded=5.0), number) is None
    assert blurred(labels, "a", Accuracy(absolute_error=5.0)) is None
    assert coarsened(labels, "a", Accuracy(unit="year"), number) is None


@given(st.floats(0, 1), st.floats(0, 1))
def test_with_a_larger_chance_the_same_values_are_wrong_and_more(one: float, two: float) -> None:
    less, more = sorted((one, two))
    data = frame(list(range(200)))
    wrong = [
        mistaken(data, "a", Accuracy(wrong=share), seed=1).numbers("a") != data.numbers("a")
        for share in (less, more)
    ]
    assert not (wrong[0] & ~wrong[1]).any()


def test_mistakes_are_as_frequent_and_as_large_as_said() -> None:
    data = frame(list(range(1, 4001)))
    true = data.numbers("a")
    wrong = mistaken(data, "a", Accuracy(wrong=0.3), seed=0).numbers("a")
    assert np.mean(wrong != true) == pytest.approx(0.3, abs=0.03)
    assert set(wrong) <= set(true)
    off = mistaken(data, "a", Accuracy(absolute_error=2.0), seed=0).numbers("a") - true
    assert np.std(off) == pytest.approx(2, rel=0.1)
    share = mistaken(data, "a", Accuracy(relative_error=0.1), seed=0).numbers("a") / true - 1
    assert np.std(share) == pytest.approx(0.1, rel=0.1)
    again = mistaken(data, "a", Accuracy(wrong=0.3), seed=0).numbers("a")
    assert np.array_equal(wrong, again)


def test_all_files_are_made_coarse_alike() -> None:
    data = frame([12, 13, 17]).with_external(population=frame([11, 12, 13, 17, 21]))
    intruder = ta.Intruder(["a"], {"a": {"rounded": 10}})
    seen = view_of(intruder, View(data, data.take(np.array([0, 2]))), Use.COUNTS, ["a"])
    assert seen.original.numbers("a").tolist() == [10, 10, 20]
    assert seen.protected.numbers("a").tolist() == [10, 20]
    assert seen.original.external.population.numbers("a").tolist() == [10, 10, 10, 20, 20]
    assert data.numbers("a").tolist() == [12, 13, 17]


def test_what_is_released_in_other_terms_counts_as_held_exactly() -> None:
    data, released = ta.pair(frame([12, 13, 17]), frame(["10-14", "10-14", "15-19"]), "position")
    intruder = ta.Intruder(["a"], {"a": {"rounded": 10}})
    seen = view_of(intruder, View(data, released), Use.VALUES, ["a"])
    assert seen.in_other_terms == ("a",)
    assert seen.original.numbers("a").tolist() == [12, 13, 17]


@pytest.mark.parametrize(
    ("accuracy", "labels"),
    [
        ({"rounded": 20}, ["x", "x", "y", "y"] * 2),  # labels that tell more than is held
        ({"absolute_error": 5.0}, ["x", "x", "y", None] * 2),
    ],
)
def test_labels_are_put_together_by_what_they_stand_for(accuracy: Any, labels: list[str]) -> None:
    data, released = ta.pair(frame([12, 13, 17, 28] * 2), frame(labels), "position")
    seen = view_of(ta.Intruder(["a"], {"a": accuracy}), View(data, released), Use.COUNTS, ["a"])
    assert seen.in_other_terms == ()
    there = [label is not None for label in labels]
    held = [value if told else None for value, told in zip([20] * 8, there, strict=True)]
    assert seen.protected.column("a").to_pylist() == held


def test_codes_that_became_other_words_are_not_cut() -> None:
    """Known by 94 and 10, released as the names of regions: those are what 94 and 10 are."""
    data = frame(["94138", "94141", "10115", "10117"] * 2)
    released = frame(["North", "North", "Northern", "Northern"] * 2)
    intruder = ta.Intruder(["a"], {"a": {"prefix": 2}})
    pair = View(*ta.pair(data, released, "position"))
    seen = view_of(intruder, pair, Use.COUNTS, ["a"])
    assert seen.protected.column("a").to_pylist() == ["94", "94", "10", "10"] * 2
    stars = frame(["941**", "941**", "101**", "1****"] * 2)
    seen = view_of(intruder, View(data, stars), Use.COUNTS, ["a"])
    assert seen.protected.column("a").to_pylist() == ["94", "94", "10", "1*"] * 2


def test_nobody_knows_what_labels_of_strangers_stand_for() -> None:
    seen = view_of(
        ta.Intruder(["a"], {"a": {"rounded": 5}}),
        View(frame([12, 13, 14]), frame(["x", "y"])),
        Use.VALUES,
        ["a"],
    )
    assert seen.in_other_terms == ("a",)


def test_labels_that_tell_nothing_of_what_is_held_stay() -> None:
    data, released = frame([12, 13, 17, 98] * 2), frame(["x", "y", "y", "x"] * 2)
    intruder = ta.Intruder(["a"], {"a": {"rounded": 20}})
    seen = view_of(intruder, View(data, released), Use.COUNTS, ["a"])
    assert seen.in_other_terms == ("a",)
    assert seen.protected is released


def test_only_what_is_held_is_coarse_where_nearness_counts() -> None:
    data = frame([12, 13, 17])
    intruder = ta.Intruder(["a"], {"a": {"rounded": 10}})
    seen = view_of(intruder, View(data, data), Use.NEARNESS, ["a"])
    assert seen.original.numbers("a").tolist() == [10, 10, 20]
    assert seen.protected is data


def test_a_wrong_value_may_be_right_by_chance() -> None:
    """Two of three have the value x: somebody drawn has one's own value with 5/9 on average."""
    data = frame(["x", "x", "y"])
    intruder = ta.Intruder(["a"], {"a": {"wrong": 0.9}})
    (right,) = View(data, data).chance_right(intruder, ["a"])
    assert right == 1 - Fraction(9, 10) * Fraction(4, 9)


def test_chances_by_use() -> None:
    right = [Fraction(1, 2), Fraction(1, 4)]
    assert chance(Use.COUNTS, right) == Fraction(1, 8)
    assert chance(Use.PARTS, right) == 1 - Fraction(1, 2) * Fraction(3, 4)
    assert chance(Use.SOME_NEAR, right) == Fraction(5, 8)
    assert chance(Use.VALUES, right) == chance(Use.NEARNESS, right) == 1


def test_keys_are_what_is_held() -> None:
    toy = ta.example("toy", 10)
    changed = with_keys(toy, ["income", "age"])
    assert changed.keys == ["age", "income"]
    assert changed.confidential == ["disease"]  # whoever holds incomes learns none
    assert with_keys(changed, ["age"]).keys == ["age"]
    assert with_keys(toy, toy.keys) is toy
