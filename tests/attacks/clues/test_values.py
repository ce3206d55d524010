"""Clues in single attributes: piles at ends, digits, words, weights, digests, grids."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.attacks.clues import (
    grid,
    noise,
    notation,
    pseudonyms,
    resampling,
    sampling,
    top_bottom,
)


def told(look: Any, data: ta.Microdata) -> list[tuple[str, dict[str, Any]]]:
    return [(guess.method, dict(guess.parameters)) for guess in look(data)]


def numbers(values: Any) -> ta.Microdata:
    return ta.read(pa.table({"x": values}), kinds={"x": "continuous"})


def words(values: list[str | None]) -> ta.Microdata:
    return ta.read(pa.table({"x": values}), kinds={"x": "nominal"})


# -- top_bottom ---------------------------------------------------------------------------------


def test_a_pile_by_hand() -> None:
    # 12 records at the end and 5 at the five values before it: P(Bin(17, 1/6) >= 12).
    (guess,) = top_bottom.look(numbers([*range(40), *[40] * 12]))
    assert (guess.method, guess.parameters) == ("top_code", {"above": 40})
    tail = sum(comb(17, there) * 5 ** (17 - there) for there in range(12, 18)) / 6**17
    assert guess.chance == pytest.approx(tail)


def test_both_ends_and_those_that_are_natural() -> None:
    rising = np.round(np.random.default_rng(1).normal(0, 100, 2000), 1)
    assert told(top_bottom.look, numbers(np.clip(rising, -150.5, 120))) == [
        ("top_code", {"above": 120}),
        ("bottom_code", {"below": -150.5}),
    ]
    assert told(top_bottom.look, numbers(rising)) == []
    assert told(top_bottom.look, numbers([0] * 500 + list(range(1, 300)))) == []
    assert told(top_bottom.look, numbers([1, 2, 3, 4, 5] * 9 + [5] * 90)) == []  # an answer of five


def test_a_density_that_rises_towards_its_end_is_no_pile() -> None:
    falling = np.floor(np.random.default_rng(3).exponential(4, 5000)) + 5
    assert told(top_bottom.look, numbers(falling)) == []


# -- notation -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "method", "parameters"),
    [
        (["[0,10)", "[10,20)", "[30,40)"], "recode", {"width": 10}),
        (["[5,15)", "[15,25)"], "recode", {"width": 10, "start": 5}),
        (["0-9", "10-19", "20-29"], "recode", {"width": 10}),
        (["<18", "[18,40)", ">=40"], "recode", {"breaks": [18, 40]}),
        (["[0;20]", "[21;42]", "[43;63]"], "coarsen", {"resolution": 3}),
        (["12", "17", "80+"], "top_code", {"above": 80, "label": "80+"}),
        (["<3", "12", "17"], "bottom_code", {"below": 3, "label": "<3"}),
        (["<3", "12", ">20"], "top_bottom_code", {"below": 3, "above": 20}),
        (["941**", "942**", "*****"], "generalize", {"level": 2}),
        (["9413*", "941**"], "mondrian", {}),
        (["[20;30]", "[25;40]", "7"], "mondrian", {}),
        (["{a, b}", "c"], "mondrian", {}),
        (["[low;middle]", "high"], "mondrian", {}),
        (["2001-03", "2001-04"], "recode", {"unit": "month"}),
        (["1990s", "2000s"], "recode", {"unit": "decade"}),
        (["2001-Q1", "2001"], "mondrian", {}),
    ],
)
def test_words_say_what_they_stand_for(
    values: list[str], method: str, parameters: dict[str, Any]
) -> None:
    (guess,) = notation.look(words([*values, None]))
    assert (guess.method, dict(guess.parameters)) == (method, parameters)
    assert guess.strength == "certain"


def test_plain_words_say_nothing() -> None:
    codes = ["11-1011", "11-2021", "13-1031"], ["01-12", "03-45", "09-10"], ["10-12", "50-52"]
    for values in (
        *codes,
        ["a", "b"],
        ["1", "2"],
        ["12-a", "13-b"],
        ["2001-02-03"],
        [None],
        ["x*y"],
    ):
        assert told(notation.look, words(values)) == []


def test_a_year_and_a_star_are_hints() -> None:
    (guess,) = notation.look(words(["*", "a"]))
    assert (guess.method, guess.strength) == ("local_suppression", "hint")
    (guess,) = notation.look(words(["1999", "2001"]))
    assert (guess.parameters, guess.strength) == ({"unit": "year"}, "hint")


# -- noise and resampling -----------------------------------------------------------------------


def test_digits_tell_noise_from_factors_from_some_records() -> None:
    rng = np.random.default_rng(2)
    whole = rng.integers(0, 50, 400) * (rng.random(400) < 0.7)
    assert told(noise.look, numbers(whole + rng.normal(size=400)))[0][0] == "add_noise"
    assert told(noise.look, numbers(whole * rng.normal(1, 0.1, 400)))[0][0] == "multiply_noise"
    some = np.where(rng.random(400) < 0.2, whole + rng.normal(size=400), whole + 1.0)
    assert told(noise.look, numbers(some))[0][0] == "noise_outliers"
    assert told(noise.look, numbers(whole / 100)) == []
    assert told(noise.look, numbers(np.repeat(rng.normal(size=100), 4))) == []  # groups


@pytest.mark.parametrize("samples", [3, 4, 6, 7, 13])
def test_averages_of_samples(samples: int) -> None:
    safe = ta.example("survey", 400).apply(ta.Resample("income", samples=samples), seed=3)
    assert told(resampling.look, safe) == [("resample", {"samples": samples})]
    assert told(noise.look, safe) == []


@pytest.mark.parametrize("k", [3, 7])
def test_averages_of_some_records_only(k: int) -> None:
    method = ta.Microaggregate(["wage"], k=k, replace="one")
    safe = ta.example("census", 400).apply(method, seed=1)
    assert told(resampling.look, safe) == [("microaggregate", {"k": k, "replace": "one"})]


def test_recorded_numbers_are_no_averages() -> None:
    assert told(resampling.look, ta.example("survey", 400)) == []
    assert told(resampling.look, numbers(np.random.default_rng(0).normal(size=400))) == []


# -- the rest -----------------------------------------------------------------------------------


def test_weights_and_gaps_in_numbers_show_a_sample() -> None:
    data = ta.example("census", 200).apply(ta.Sample(0.25, weight="w"), seed=1)
    assert told(sampling.look, data) == [("sample", {"fraction": 0.25, "design": "simple"})]
    people = ta.example("toy", 400).without(["weight"])
    assert told(sampling.look, people) == []
    ((method, found),) = told(sampling.look, people.apply(ta.Sample(0.5), seed=2))
    assert method == "sample"
    assert found["fraction"] == pytest.approx(0.5, abs=0.01)


def test_digests_by_their_form() -> None:
    safe = ta.example("toy", 50).apply(ta.Pseudonymize("id"), seed=0)
    assert told(pseudonyms.look, safe) == [("pseudonymize", {"digits": 32})]
    assert told(pseudonyms.look, words([f"{i:032d}" for i in range(20)])) == []
    assert told(pseudonyms.look, words(["deadbeef"] * 9)) == []


@pytest.mark.parametrize("cell", [100, 250, 1000, 5000])
def test_cells_of_a_grid(cell: float) -> None:
    rng = np.random.default_rng(4)
    table = {"home_lat": rng.uniform(40, 42, 300), "home_lon": rng.uniform(0, 3, 300)}
    homes = ta.read(pa.table(table))
    assert told(grid.look, homes) == []
    safe = homes.apply(ta.CoarsenPlaces("home_lat", "home_lon", cell=cell), seed=0)
    assert told(grid.look, safe) == [("coarsen_places", {"cell": cell})]
    coarse = homes.apply(ta.CoarsenPlaces("home_lat", "home_lon", geohash=5), seed=0)
    assert told(grid.look, coarse) == [("coarsen_places", {"geohash": 5})]
