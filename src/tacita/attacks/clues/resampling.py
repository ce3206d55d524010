"""Resampled: every value is the average of the same number of recorded ones."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import NamedTuple

import numpy as np

from tacita.attacks.clues.guess import Guess, chance_of
from tacita.attacks.clues.values import counted, numeric, whole
from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.data.decimals import decimals_of

MOST = 64  # samples
DECIMALS = range(5)  # that original values are taken to have
NEAR = 4e-15  # of a number, what an average may lose
LARGEST = 1e11  # up to here that is far from a whole number
ENOUGH = 20  # values
NEARLY = 0.95
BROKEN = 0.5  # of the fractions that averages of all have, the least share


class Divisor(NamedTuple):
    """By how many recorded numbers of some decimals were divided."""

    times: int
    power: int  # of ten: how many of the last recorded digit make one

    @property
    def product(self) -> int:
        """What makes whole numbers of averages."""
        return self.times * self.power


DIVISORS = sorted(
    (
        Divisor(times, 10**decimals)
        for times in range(1, MOST + 1)
        if times % 10
        for decimals in DECIMALS
    ),
    key=lambda one: one.product,
)


def look(data: Dataset) -> Iterator[Guess]:
    """Find attributes whose values, times one number t, are all whole, or of a few digits.

    A number with more digits than that would be near enough to a whole one with a probability
    below 1 in 1,000, each for itself. Values that are decimals already may be rounded ones. Where
    most values are recorded ones, only some records were replaced by averages.
    """
    for name in numeric(data):
        values, counts = counted(data, name)
        found = None if decimals_of(values) is not None else divisor(values)
        if found is not None and np.any(counts == 1):
            yield _guess(name, values, found)


def divisor(values: Floats) -> Divisor | None:
    """Return the number t, no multiple of ten, by which all values become decimals of few digits.

    None where they are such decimals themselves, or no such number is small.

    >>> divisor(np.arange(60) / 3), divisor(np.arange(60) / 10)
    (Divisor(times=3, power=1), None)
    """
    if len(values) < ENOUGH:
        return None
    for one in DIVISORS:
        if _whole(values[:ENOUGH] * one.product).all() and _whole(values * one.product).all():
            return one if one.times > 1 else None
    return None


def _whole(units: Floats) -> Mask:
    return whole(units, NEAR) & (np.abs(units) < LARGEST)


def _usual(units: Floats, times: int) -> int:
    """Return the least number that makes nearly all averages whole; the last group is larger."""
    return next(t for t in range(2, times + 1) if t == times or _whole(units * t).mean() >= NEARLY)


def _guess(name: str, values: Floats, found: Divisor) -> Guess:
    broken = ~_whole(values * found.power)
    chance = chance_of(-log(1e3) * int(broken.sum()))
    told = (
        f"{broken.sum():,} of {len(values):,} different values are no recorded ones, and "
        f"{found.times} times each is"
    )
    if broken.mean() < BROKEN * (1 - 1 / found.times):
        said = {"k": _usual(values[broken] * found.power, found.times), "replace": "one"}
        return Guess("microaggregate", (name,), said, told, chance, alternatives=("resample",))
    narrows = "ranks are those of the original values"
    return Guess("resample", (name,), {"samples": found.times}, told, chance, narrows)
