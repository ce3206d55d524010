"""Query sets chosen at random, as attacks on noise ask for many of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import islice
from operator import or_

import numpy as np

from tacita.attacks.queries.intruding.register import Condition, Register

TRIES = 10  # sets are drawn for each that is wanted


def distinct(sets: Iterable[Condition], number: int) -> list[Condition]:
    """Return some of the first sets, each once: noise that belongs to a set is the same again."""
    drawn = islice(sets, TRIES * number)
    found = {one.holds.tobytes(): one for one in drawn if one.holds.any()}
    return list(found.values())[:number]


def random_sets(register: Register, seed: int) -> Iterator[Condition]:
    """Give random sets without end: of some attributes, each by about half of its values.

    Sums over such sets determine, if there are enough of them, those over all classes.
    """
    rng = np.random.default_rng(seed)
    values = {name: list(register.values(name)) for name in register.names}
    while True:
        parts = [
            register.where(name, [value for value in known if rng.random() < 1 / 2] or known)
            for name, known in values.items()
        ]
        named = [part for part in parts if rng.random() < 2 / 3]
        chosen = register.everybody()
        for part in named:
            chosen &= part
        if chosen.holds.any():
            yield chosen if rng.random() < 1 / 2 else ~chosen | parts[0]


def small_sets(register: Register, seed: int, most: int) -> Iterator[Condition]:
    """Give random sets of a few classes without end."""
    rng = np.random.default_rng(seed)
    while True:
        number = int(rng.integers(1, min(most, len(register.classes)) + 1))
        places = rng.choice(len(register.classes), number, replace=False)
        known = [dict(zip(register.names, register.classes[one], strict=True)) for one in places]
        yield reduce(or_, [register.all_of(one) for one in known])
