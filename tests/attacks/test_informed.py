"""Attacks take the parameters that a file shows."""

from __future__ import annotations

from typing import Any

import pytest

import tacita as ta
from tacita.attacks.clues.guess import Guess, Guesses
from tacita.attacks.informed import TAKEN, informed
from tacita.registry import family


def test_parameters_that_a_file_shows_are_taken() -> None:
    census = ta.example("census", 200)
    grouped = ta.guess_methods(census.apply(ta.Microaggregate(["wage", "earnings"], k=5)))
    assert informed(ta.Unmicroaggregation, grouped) == ta.Unmicroaggregation(k=5)
    rounded = ta.guess_methods(census.apply(ta.RoundValues(["wage", "earnings"], 250)))
    bases = {"wage": 250, "earnings": 250}
    assert informed(ta.RoundingReconstruction, rounded) == ta.RoundingReconstruction(bases=bases)


@pytest.mark.parametrize(
    ("guess", "parameters"),
    [
        (Guess("local_suppression", ("a",), {"k": 3}, "", 0), {"suppression_reconstruction": 3}),
        (Guess("mondrian", ("a",), {"to": [{"k_anonymity": {"k": 4}}]}, "", 0), {"minimality": 4}),
        (Guess("microaggregate", ("a",), {"k": 3, "replace": "one"}, "", 0), {}),
    ],
)
def test_each_attack_takes_what_is_its_own(guess: Guess, parameters: dict[str, int]) -> None:
    for name, attack in family("attack").items():
        made = informed(attack, Guesses((guess,)))
        assert made.parameters().get("k") == parameters.get(name)


def test_attacks_run_by_themselves_without_a_guess() -> None:
    for attack in family("attack").values():
        assert informed(attack, Guesses(())) == attack()
    assert set(TAKEN) <= set(family("attack"))


def test_an_attack_may_say_by_itself_what_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    def own(guesses: Guesses) -> Any:
        return ta.RankSwapIntersection(p=7) if guesses else None

    monkeypatch.setattr(ta.RankSwapIntersection, "from_guess", own, raising=False)
    guess = Guess("rank_swap", ("a",), {}, "", None)
    assert informed(ta.RankSwapIntersection, Guesses((guess,))) == ta.RankSwapIntersection(p=7)
    assert informed(ta.RankSwapIntersection, Guesses(())) == ta.RankSwapIntersection()
