"""The score: by hand, by its formula, and its laws."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.release.comparing.score import WEIGHTS, WIDTHS

ORIGINAL = pd.DataFrame({"a": [2.0, 4, 6, 8], "b": [10.0, 20, 20, 30]})
MASKED = pd.DataFrame({"a": [8.0, 4, 6, 8], "b": [10.0, 20, 20, 30]})


def numbers(n: int, p: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(50, 10, (n, p)), columns=[f"x{j}" for j in range(p)])


def test_the_components_by_hand():
    card = ta.score(ORIGINAL, MASKED, pair_by="position")
    # Values 6/2 over 8; means 1.5/5 over 2; covariances 9/20, 60/60 and 0 over 3; variances 9/20
    # over 2; the correlation goes from 60 / sqrt(20 200) to 0.
    loss = 20 * (3 / 8 + 0.15 + (9 / 20 + 1) / 3 + 9 / 40 + 3 / sqrt(10))
    assert card.measures["IL"] == pytest.approx(loss)
    # The first record is (8, 10), nearest to the third respondent; the others are themselves.
    assert card["DLD"].value == 75
    # Three of four values of a and all of b are unchanged; no width reaches a move of 6.
    assert card["ID"].value == Fraction(175, 2)


def test_the_score_is_the_formula():
    card = ta.score(ORIGINAL, MASKED, pair_by="position")
    il, dld, pld, interval = (card.measures[name] for name in ("IL", "DLD", "PLD", "ID"))
    assert card.score == pytest.approx((il + ((dld + pld) / 2 + interval) / 2) / 2)
    assert card.risk == pytest.approx(((dld + pld) / 2 + interval) / 2)
    assert card.loss == il


@settings(max_examples=10, deadline=None)
@given(n=st.integers(5, 30), p=st.integers(2, 4), seed=st.integers(0, 10**6))
def test_what_is_not_masked_costs_nothing_and_risks_all(n, p, seed):
    data = numbers(n, p, seed)
    card = ta.score(data, data)
    assert card.loss == 0
    assert card.measures["DLD"] == card.measures["ID"] == 100
    assert card.score == pytest.approx(card.risk / 2)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_order_of_records_changes_nothing(seed):
    data = numbers(20, 3, seed)
    masked = data + np.random.default_rng(seed + 1).normal(0, 5, data.shape)
    turned = np.random.default_rng(seed).permutation(20)
    by = ta.Score(weights={"IL": 1, "DLD": 1, "PLD": 0, "ID": 1})
    other, others = (one.iloc[turned].reset_index(drop=True) for one in (data, masked))
    again = ta.score(other, others, by=by, pair_by="position")
    assert again.measures == pytest.approx(
        ta.score(data, masked, by=by, pair_by="position").measures
    )


def test_the_intruder_knows_the_first_of_some_attributes():
    data = numbers(40, 4, 1)
    masked = data + np.random.default_rng(2).normal(0, 4, data.shape)
    card = ta.score(
        data, masked, by=ta.Score(known=["x2", "x0"], numbers=[1, 2]), pair_by="position"
    )
    alone, both = (
        ta.DistanceLinkage(names).measure(*ta.pair(data, masked, "position")).value
        for names in (["x2"], ["x2", "x0"])
    )
    assert card["DLD"].value == 50 * (alone + both)
    assert "knowing 1 to 2 attributes" in card["DLD"].sentence


def test_keys_are_what_the_intruder_knows():
    toy = ta.example("toy", 100)
    masked = toy.apply(ta.AddNoise(["age", "income"], alpha=0.1), seed=0)
    card = ta.score(toy, masked, by=ta.Score(weights={"IL": 1, "DLD": 1, "PLD": 0, "ID": 0}))
    assert card["DLD"].value == 100 * ta.DistanceLinkage(toy.keys).measure(toy, masked).value


def slow_rank_disclosure(data: pd.DataFrame, masked: pd.DataFrame) -> Fraction:
    """Return ID by ranks, by counting."""
    inside, n = 0, len(data)
    for name in data:
        released = list(masked[name])

        def rank(value, released=released):
            below = sum(other < value for other in released)
            return Fraction(2 * below + sum(other == value for other in released) + 1, 2)

        for x, y in zip(data[name], masked[name], strict=True):
            gap = abs(rank(x) - rank(y))
            inside += sum(x == y or gap < Fraction(place, 100) * n for place in range(1, 11))
    return Fraction(100 * inside, n * data.shape[1] * len(WIDTHS))


@pytest.mark.parametrize("digits", [0, 3])
def test_intervals_of_ranks(digits):
    data = numbers(60, 3, 5).round(digits)
    masked = (data + np.random.default_rng(6).normal(0, 3, data.shape)).round(digits)
    weights = {"IL": 1, "DLD": 0, "PLD": 0, "ID": 1}
    card = ta.score(
        data, masked, by=ta.Score(intervals="ranks", weights=weights), pair_by="position"
    )
    assert card["ID"].value == slow_rank_disclosure(data, masked)


def test_blanks_and_lost_attributes_have_ranks_too():
    data = numbers(30, 2, 7)
    masked = data.copy()
    masked.loc[:9, "x0"] = np.nan
    ranked = ta.Score(intervals="ranks", weights={"IL": 1, "DLD": 0, "PLD": 0, "ID": 1})
    assert (
        ta.score(data, masked, by=ranked, pair_by="position")["ID"].value
        == 100 * (Fraction(2, 3) + 1) / 2
    )
    assert ta.score(data, masked[["x1"]], by=ranked, pair_by="position")["ID"].value == 100


def test_the_card_prints_and_becomes_a_frame():
    card = ta.score(ORIGINAL, MASKED, pair_by="position")
    assert "lowest is best, in percent" in str(card)
    assert list(card.to_pandas()["component"]) == ["IL", "DLD", "PLD", "ID"]
    assert card.to_polars()["side"].to_list() == ["loss", "risk", "risk", "risk"]
    assert card.to_dict()["score"] == card.score
    with pytest.raises(KeyError, match="IL, DLD, PLD, ID"):
        card["DR"]


def test_a_score_of_your_own():
    toy = ta.example("toy", 100)
    masked = toy.apply(ta.Recode("age", width=20), seed=0)
    by = ta.CustomScore(
        ["uniqueness", ({"distance_linkage": {"attributes": ["age"]}}, 3)], [ta.EntropyLoss()]
    )
    card = ta.score(toy, masked, by=by)
    unique = float(ta.Uniqueness().measure(toy, masked).value)
    linked = float(ta.DistanceLinkage(["age"]).measure(toy, masked).value)
    lost = float(ta.EntropyLoss().measure(toy, masked).value)
    assert card.risk == pytest.approx((unique + 3 * linked) / 4)
    assert card.loss == pytest.approx(lost)
    assert card.score == pytest.approx((unique + 3 * linked + lost) / 5)
    assert by.axes == ("uniqueness, distance_linkage (attributes ['age'])", "entropy_loss")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (lambda: ta.Score(weights={"IL": 1}), "should say how much IL, DLD, PLD, ID count"),
        (lambda: ta.Score(weights=dict.fromkeys(("IL", "DLD", "PLD", "ID"), -1)), "0 or more"),
        (lambda: ta.Score(weights=dict.fromkeys(("IL", "DLD", "PLD", "ID"), 0)), "at least one"),
        (lambda: ta.Score(weights=5), "count; found 5"),
        (lambda: ta.Score(weights={**WEIGHTS, "ID": inf}), "`ID` is a number .* found inf"),
        (lambda: ta.Score(widths=[]), "shares of 0 or more"),
        (lambda: ta.Score(widths=0.05), "a list of shares of 0 or more; found 0.05"),
        (lambda: ta.Score(widths=["a"]), "a list of shares"),
        (lambda: ta.Score(widths=[nan]), "a list of shares"),
        (lambda: ta.Score(numbers=3), "a list of whole numbers; found 3"),
        (lambda: ta.Score(numbers=[]), "a list of whole numbers"),
        (lambda: ta.Score(numbers=[1.5]), "a list of whole numbers"),
        (lambda: ta.CustomScore([("uniqueness", 1, 2)], ["il1s"]), "one method"),
        (lambda: ta.CustomScore([("uniqueness", inf)], ["il1s"]), "found inf"),
        (lambda: ta.Score(intervals="range"), "of deviations or of ranks; found 'range'"),
        (lambda: ta.score(ORIGINAL, MASKED, by=ta.Score(numbers=[3])), "between 1 and 2"),
        (lambda: ta.CustomScore([], ["il1s"]), "at least one risk and one loss"),
        (lambda: ta.CustomScore(["il1s"], ["il1s"]), "of the family utility"),
        (lambda: ta.CustomScore([("uniqueness", 0)], ["il1s"]), "counts nothing"),
    ],
)
def test_what_cannot_be_meant_is_refused(asked, told):
    with pytest.raises(ParameterError, match=told):
        asked()


def test_one_measure_needs_no_list():
    alone = ta.CustomScore("uniqueness", ta.IL1s())
    assert (alone.risks, alone.losses) == (((ta.Uniqueness(), 1.0),), ((ta.IL1s(), 1.0),))


def test_categories_alone_have_another_score():
    data = pd.DataFrame({"place": ["a", "b", "a"]})
    with pytest.raises(InputError, match="CustomScore"):
        ta.score(data, data)


def test_what_is_not_defined_is_told():
    data = pd.DataFrame({"x": [np.nan, np.nan]})
    with pytest.raises(InputError, match="not defined"):
        ta.score(data, data, by=ta.CustomScore(["interval_disclosure"], ["suppression"]))


@pytest.mark.parametrize("word", ["attributes", "known"])
@pytest.mark.parametrize("said", [4, [], ["age", 4]])
def test_attributes_are_named(word, said):
    with pytest.raises(ParameterError, match=f"`{word}` of the score are the names of attributes"):
        ta.Score(**{word: said})


@pytest.mark.parametrize("said", [0, -1, 1.5, True, "all"])
def test_a_sample_is_a_number_of_records(said):
    with pytest.raises(ParameterError, match="`sample` of the score is a number of records"):
        ta.Score(sample=said)
