"""Microaggregated attributes: k, which attributes together, and whether values are averages."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.attacks.clues.microaggregation import look


def census() -> ta.Microdata:
    return ta.example("census", 300)


def test_groups_by_hand() -> None:
    rng = np.random.default_rng(0)
    groups = rng.permutation(np.repeat(np.arange(40), 3))
    whole = rng.integers(0, 10**6, 40)
    data = ta.read(pa.table({"x": whole[groups] / 3, "y": rng.integers(0, 10**6, 120)}))
    (guess,) = look(data)
    assert guess.attributes == ("x",)
    assert guess.parameters == {
        "k": 3,
        "algorithm": "individual_ranking",
        "representative": "mean",
    }


@pytest.mark.parametrize("k", [2, 3, 7])
def test_blocks_that_are_grouped_apart(k: int) -> None:
    names = ["wage", "earnings", "interest", "dividends"]
    safe = census().apply(ta.Microaggregate(names, k=k, together=2))
    found = {guess.attributes: guess.parameters["k"] for guess in look(safe)}
    assert found == {("earnings", "wage"): k, ("interest", "dividends"): k}


def test_members_in_place_of_averages_are_told() -> None:
    method = ta.Microaggregate(["wage", "earnings"], k=4, representative="random")
    (guess,) = look(census().apply(method, seed=1))
    assert "representative" not in guess.parameters
    assert guess.parameters["k"] == 4
    assert guess.alternatives == ("several records of one respondent",)


def test_attributes_of_every_kind_join_a_block() -> None:
    names = ("age", "education", "region")
    (guess,) = look(ta.example("toy", 300).apply(ta.Microaggregate(names, k=4)))
    assert (guess.attributes, guess.parameters["k"]) == (names, 4)


def test_a_balanced_design_is_no_clue() -> None:
    waves = np.repeat(np.arange(2000, 2030), 40)
    assert list(look(ta.read(pa.table({"year": waves, "turn": np.tile(np.arange(40), 30)})))) == []


def test_values_that_recur_by_nature_are_no_clue(toy: ta.Microdata) -> None:
    assert list(look(toy)) == []
    assert list(look(ta.example("patients", 3000))) == []
    assert list(look(toy.take(np.arange(0)))) == []
