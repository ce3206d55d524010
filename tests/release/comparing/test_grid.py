"""Grids: which ways to mask a list of methods and values asks for."""

from __future__ import annotations

import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.release.comparing.grid import candidates

TOY = ta.example("toy", 50)
NUMBERS = ["age", "income"]


def labels(asked, data=TOY):
    return [one.label() for one in candidates(asked, data)]


def test_a_list_where_a_parameter_takes_none_is_tried_value_by_value():
    asked = {"rank_swap": {"attributes": NUMBERS, "p": [5, 10]}, "add_noise": {"alpha": [0.1]}}
    assert labels(asked) == ["rank_swap (p 5)", "rank_swap (p 10)", "add_noise (alpha 0.1)"]
    swap = candidates(asked, TOY)[1].methods
    assert swap == (ta.RankSwap(NUMBERS, p=10),)


def test_a_list_that_a_parameter_takes_is_a_value():
    (one,) = candidates({"round_values": {"attributes": "income", "points": [0, 1000]}}, TOY)
    assert one.methods[0].points == (0, 1000)


def test_lists_of_lists_are_tried_list_by_list():
    asked = {"microaggregate": {"attributes": [["age"], NUMBERS], "together": [1, 2], "k": 5}}
    found = candidates(asked, TOY)
    assert [one.methods[0].attributes for one in found] == [("age",)] * 2 + [("age", "income")] * 2
    assert [one.methods[0].together for one in found] == [1, 2, 1, 2]
    assert {one.line for one in found} == {"microaggregate (k 5)"}


def test_models_are_tried_one_after_the_other():
    asked = {"lattice": {"to": [[{"k_anonymity": 2}], [{"k_anonymity": 3}]]}}
    assert [one.methods[0].to for one in candidates(asked, TOY)] == [
        (ta.KAnonymity(2),),
        (ta.KAnonymity(3),),
    ]


def test_steps_one_after_the_other_are_one_line():
    asked = [[{"rank_swap": {"p": [5, 10]}}, {"add_noise": {"alpha": [0.1, 0.2]}}]]
    found = candidates(asked, TOY)
    assert len(found) == 4
    assert {one.line for one in found} == {"rank_swap + add_noise"}
    assert found[1].label() == "rank_swap + add_noise (p 5, alpha 0.2)"
    assert [method.name for method in found[1].methods] == ["rank_swap", "add_noise"]
    thrice = labels([[{"rank_swap": {"p": range(5, 6)}}] * 3])
    assert thrice == ["rank_swap + rank_swap + rank_swap (p 5, then p 5, then then p 5)"]


def test_methods_that_are_made_already():
    made = [ta.RankSwap(NUMBERS, p=5), ta.RankSwap(NUMBERS)]
    assert labels(made) == ["rank_swap (p 5)", "rank_swap (p 15)"]
    assert [one.methods for one in candidates(made, TOY)] == [(one,) for one in made]
    assert labels(ta.RankSwap(NUMBERS)) == ["rank_swap"]
    assert labels(["rank_swap", [ta.TopCode("age", 80), "shuffle_records"]]) == [
        "rank_swap",
        "top_code + shuffle_records (above 80)",
    ]


def test_what_stays_tells_lines_apart():
    asked = [{"microaggregate": {"together": size, "k": [3, 5]}} for size in (1, 2)]
    assert labels(asked)[1:3] == [
        "microaggregate (together 1, k 5)",
        "microaggregate (together 2, k 3)",
    ]


def test_attributes_are_the_keys_that_fit_or_all_that_do():
    (one,) = candidates({"rank_swap": {"p": [5]}}, TOY)
    assert set(one.methods[0].attributes) <= set(TOY.keys)
    free = ta.read(TOY.to_pandas()[["age", "income"]])
    (one,) = candidates("rank_swap", free)
    assert one.methods[0].attributes == ("age", "income")


def test_what_is_usual():
    assert len(candidates(None, TOY)) > 15
    words = ta.read(TOY.to_pandas()[["education"]])
    with pytest.raises(InputError, match="say which methods"):
        candidates(None, words)
    with pytest.raises(InputError, match="applies to none"):
        candidates("add_noise", words)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ([], "at least one masking method"),
        ([5], "a list of steps; found 5"),
        ({"rank_swp": {}}, "Did you mean `rank_swap`"),
        ({"uniqueness": {}}, "expected here: masking"),
        ([ta.Uniqueness()], "expected here: masking"),
        ([{"rank_swap": {}, "add_noise": {}}], "one method"),
        ({"rank_swap": {"p": [5, -1]}}, "greater than 0"),
        ({"rank_swap": {"q": [5, 1]}}, "no parameter `q`"),
    ],
)
def test_what_cannot_be_meant_is_refused(asked, told):
    with pytest.raises(ParameterError, match=told):
        candidates(asked, TOY)


def test_the_same_method_on_other_attributes_is_another_line():
    asked = [{"rank_swap": {"attributes": [name], "p": [5, 10]}} for name in NUMBERS]
    found = candidates([*asked, {"rank_swap": NUMBERS}, {"microaggregate": NUMBERS}], TOY)
    lines = [one.line for one in found]
    assert list(dict.fromkeys(lines)) == [
        "rank_swap (attributes age)",
        "rank_swap (attributes income)",
        "rank_swap (attributes age+income)",
        "microaggregate",
    ]
    assert found[0].label() == "rank_swap (attributes age, p 5)"
    made = [ta.RankSwap(name, p=p) for name in NUMBERS for p in (5, 10)]
    assert labels(made) == [one.label() for one in found[:4]]


def test_the_same_attributes_said_in_two_ways_are_one_line():
    asked = [{"rank_swap": {"attributes": "age", "p": [5]}}, ta.RankSwap(["age"], p=7)]
    assert labels(asked) == ["rank_swap (p 5)", "rank_swap (p 7)"]


@pytest.mark.parametrize("wrong", [5, 0.5, {3}])
def test_what_is_no_list_of_methods_is_refused(wrong):
    with pytest.raises(ParameterError, match="Expected methods with lists of values to try"):
        candidates(wrong, TOY)
