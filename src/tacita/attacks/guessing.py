"""Guessing which masking made a file from the file alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacita.attacks.clues import (
    broken_rules,
    contradicted_classes,
    duplicates,
    grid,
    microaggregation,
    noise,
    notation,
    pseudonyms,
    record_order,
    resampling,
    rounding,
    sampling,
    small_classes,
    suppression,
    top_bottom,
)
from tacita.attacks.clues import published as compared
from tacita.attacks.clues.guess import Guess, Guesses, Look
from tacita.data.dataset import Dataset
from tacita.data.read import as_dataset
from tacita.progress import progress

CLUES: tuple[Look, ...] = (
    notation.look,
    rounding.look,
    top_bottom.look,
    microaggregation.look,
    small_classes.look,
    suppression.look,
    noise.look,
    resampling.look,
    contradicted_classes.look,
    broken_rules.look,
    grid.look,
    sampling.look,
    duplicates.look,
    record_order.look,
    pseudonyms.look,
)
# What makes a masking certain leaves nothing for what would explain a part of it only.
EXPLAINS: Mapping[str, frozenset[str]] = {
    "microaggregate": frozenset(
        {"round_values", "resample", "add_noise", "pram", "local_suppression"}
    ),
    "coarsen_places": frozenset({"round_values", "add_noise", "microaggregate", "resample"}),
    "mondrian": frozenset({"local_suppression", "pram"}),
    "add_noise": frozenset({"rank_swap"}),
    "multiply_noise": frozenset({"rank_swap"}),
}

UNSEEN = (
    (
        "swapped, shuffled and synthetic values keep distributions; only a rule between attributes "
        "that records break, or a statistic published elsewhere, shows them."
    ),
    "noise that was rounded to the digits of the original shows no more than they do.",
)
NO_KEYS = "no attribute has the role `key`, so that nobody can say which combinations are rare."


def guess_methods(
    protected: Any, *, published: Mapping[str, Mapping[str, Any]] | None = None
) -> Guesses:
    """Guess from a protected file alone how it was masked, and with which parameters.

    Every clue is a file of `attacks/clues`. A guess says what it saw and how likely attributes
    that were not masked so are to show it. What left no clue is told as well: a file without any
    guess may be masked all the same.

    Args:
        protected: the released data: microdata or a data frame. Roles help: without keys nobody
            can say which combinations are too rare.
        published: statistics of the original data that are known from elsewhere, by attribute:
            `{"pay": {"variance": 4.5e8, "correlation": {"age": 0.4}}}`. Swapped values show by them
            only.

    >>> import tacita as ta
    >>> safe = ta.example("census", 500).apply(ta.RoundValues("wage", 500))
    >>> [(guess.method, guess.parameters) for guess in guess_methods(safe)]
    [('round_values', {'base': 500})]
    """
    data = as_dataset(protected)
    found: list[Guess] = []
    with progress(len(CLUES)) as tell:
        for look in CLUES:
            tell(look.__module__.rpartition(".")[2].replace("_", " "))
            found += look(data)
    found += compared.look(data, published or {})
    return Guesses(tuple(_left(found)), _unseen(data))


def _left(found: Sequence[Guess]) -> list[Guess]:
    """Leave out guesses that another guess about the same attribute explains."""
    explained = {
        (name, part)
        for guess in found
        for name in guess.attributes
        for part in EXPLAINS.get(guess.method, ())
    }
    return [
        guess
        for guess in found
        if not any((name, guess.method) in explained for name in guess.attributes)
    ]


def _unseen(data: Dataset) -> tuple[str, ...]:
    """Say what leaves no clue in these data."""
    return (*UNSEEN, *(() if data.keys else (NO_KEYS,)))
