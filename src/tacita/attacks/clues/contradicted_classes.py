"""Swapped or perturbed: numbers lie outside the class that another attribute puts them in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.attacks.clues.guess import Guess
from tacita.attacks.clues.values import numeric, worded
from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.microdata.comparing.intervals import Span, interval

AGREE = 0.4  # of the records that do by no chance, the least share that agree with their class
PAIR = 2


def look(data: Dataset) -> Iterator[Guess]:
    """Find numbers that contradict their class, as `1-9` beside 12 employees does.

    If the class is one of that number, one of the two was changed; by which method is a hint. How
    many ranks numbers lie outside their class is a bound below the reach of a rank swap.
    """
    for name in worded(data):
        spans = _classes(data, name)
        if spans is not None:
            yield from _contradictions(data, name, spans)


def _classes(data: Dataset, name: str) -> list[Span] | None:
    """Return the interval of every record; None if not all values of an attribute are intervals."""
    encoded = data.column(name).dictionary_encode()
    spans = [interval(word.strip()) for word in encoded.dictionary.to_pylist()]
    if len(spans) < PAIR or None in spans or encoded.null_count:
        return None
    return [spans[code] or Span() for code in encoded.indices.to_pylist()]


def _contradictions(data: Dataset, name: str, spans: list[Span]) -> Iterator[Guess]:
    low = np.array([span.low for span in spans])
    high = np.array([span.high for span in spans])
    for other in numeric(data):
        numbers = data.numbers(other)
        outside = (numbers < low) | (numbers > high)
        if outside.any() and _agreement(numbers, low, high) >= AGREE:
            yield _guess(other, name, outside, _reach(numbers, low, high))


def _agreement(numbers: Floats, low: Floats, high: Floats) -> float:
    """Return how much of what chance leaves open numbers agree with their class (kappa)."""
    known = np.isfinite(numbers)
    numbers, low, high = numbers[known], low[known], high[known]
    ranked = np.sort(numbers)
    inside = np.searchsorted(ranked, high, side="right") - np.searchsorted(ranked, low)
    expected = float(inside.mean()) / max(len(ranked), 1) if len(ranked) else 1.0
    found = float(np.mean((numbers >= low) & (numbers <= high))) if len(ranked) else 0.0
    return (found - expected) / (1 - expected) if expected < 1 else 0.0


def _reach(numbers: Floats, low: Floats, high: Floats) -> float:
    """Return how many per cent of all ranks numbers lie outside their class at most."""
    ranked = np.sort(numbers[np.isfinite(numbers)])
    above = np.searchsorted(ranked, numbers) - np.searchsorted(ranked, high, side="right")
    below = np.searchsorted(ranked, low) - np.searchsorted(ranked, numbers, side="right")
    return float(max(above.max(), below.max(), 0) + 1) / len(ranked) * 100


def _guess(name: str, by: str, outside: Mask, reach: float) -> Guess:
    return Guess(
        "rank_swap",
        (name,),
        {"p": float(f"{reach:.2g}")},
        f"{np.count_nonzero(outside):,} of {len(outside):,} numbers contradict their {by}, by "
        f"{reach:.2g} per cent of the ranks at most",
        None,
        narrows=f"the original number lies in the class of {by}",
        alternatives=("add_noise", "multiply_noise", "shuffle", "microaggregate"),
    )
