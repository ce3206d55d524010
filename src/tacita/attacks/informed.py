"""Attacks that know what was guessed: the parameters of the masking that they undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tacita.attacks.clues.guess import Guess, Guesses
from tacita.method import Method


def informed(attack: type[Method], guesses: Guesses) -> Method:
    """Return an attack with the parameters that a file shows, or else with its own.

    An attack may say by itself what it takes from guesses: `from_guess(guesses)`, which returns
    None where they are of no use to it.

    >>> import tacita as ta
    >>> rounded = ta.example("census", 200).apply(ta.RoundValues("wage", 500))
    >>> informed(ta.RoundingReconstruction, ta.guess_methods(rounded)).bases
    {'wage': 500.0}
    """
    own: Callable[[Guesses], Method | None] | None = getattr(attack, "from_guess", None)
    if own is not None:
        return own(guesses) or attack()
    take = TAKEN.get(attack.name)
    return attack() if take is None else attack(**take(guesses))


def _bases(guesses: Guesses) -> dict[str, Any]:
    found = {
        guess.attributes[0]: guess.parameters["base"]
        for guess in _of("round_values", guesses)
        if "offset" not in guess.parameters
    }
    return {"bases": found} if found else {}


def _group_size(guesses: Guesses) -> dict[str, Any]:
    found = [guess.parameters for guess in _of("microaggregate", guesses)]
    sizes = {said["k"] for said in found if "k" in said and "replace" not in said}
    return {"k": sizes.pop()} if len(sizes) == 1 else {}


def _rarity(guesses: Guesses) -> dict[str, Any]:
    sizes = [guess.parameters.get("k") for guess in _of("local_suppression", guesses)]
    return {"k": sizes[0]} if sizes and sizes[0] else {}


def _class_size(guesses: Guesses) -> dict[str, Any]:
    for method, recoding in (("mondrian", "local"), ("lattice", "global")):
        for guess in _of(method, guesses):
            if "to" in guess.parameters:
                return {"k": guess.parameters["to"][0]["k_anonymity"]["k"], "recoding": recoding}
    return {}


def _of(method: str, guesses: Guesses) -> list[Guess]:
    return [guess for guess in guesses if guess.method == method]


TAKEN: Mapping[str, Callable[[Guesses], dict[str, Any]]] = {
    "rounding_reconstruction": _bases,
    "unmicroaggregation": _group_size,
    "suppression_reconstruction": _rarity,
    "minimality": _class_size,
}
