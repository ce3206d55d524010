"""In random order: numbers of records, or households, no longer follow each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.attacks.clues.guess import Guess, chance_of
from tacita.attacks.clues.sampling import serial_numbers
from tacita.data.attribute import Role
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset

FOLLOWING = 0.6  # of neighbours, the share that ascends in a file that was not shuffled
SIGMAS = 4
ENOUGH = 20  # neighbours of one household, were they together


def look(data: Dataset) -> Iterator[Guess]:
    """Find that records were put in random order.

    Files are written in some order: numbers of records ascend, members of households stand
    together. In a random order half of the numbers ascend, and members meet as rarely as anybody.
    """
    for name in data.with_role(Role.IDENTIFIER):
        numbers = serial_numbers(data, name)
        if numbers is not None:
            yield from _by_numbers(name, numbers)
    for name in data.with_role(Role.HOUSEHOLD):
        yield from _by_households(data, name)


def _by_numbers(name: str, numbers: Ints) -> Iterator[Guess]:
    ascending = float(np.mean(np.diff(numbers) > 0))
    near_half = abs(ascending - 0.5) <= SIGMAS * np.sqrt(1 / (12 * len(numbers)))
    if near_half and ascending < FOLLOWING:
        told = f"{name} ascends from {100 * ascending:.0f} % of the records to the next"
        yield Guess("shuffle_records", (name,), {}, told, None)


def _by_households(data: Dataset, name: str) -> Iterator[Guess]:
    homes = data.classes([name])
    together = int((homes.counts - 1).sum())  # neighbours, if all households stood together
    met = int(np.count_nonzero(np.diff(homes.of_record) == 0))
    by_chance = float((homes.counts * (homes.counts - 1)).sum()) / max(len(data), 1)
    limit = by_chance + SIGMAS * np.sqrt(by_chance) + 1
    if together >= ENOUGH and met <= limit < together / 2:
        told = f"members of {name} follow each other {met:,} times, and could {together:,} times"
        yield Guess("shuffle_records", (name,), {}, told, chance_of(-float(together - met)))
