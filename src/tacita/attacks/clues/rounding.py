"""Rounded: all numbers of an attribute lie on a lattice that is wider than their last digit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import log
from typing import NamedTuple

import numpy as np

from tacita.attacks.clues.guess import REPORTED, Guess, chance_of
from tacita.attacks.clues.values import counted, numeric
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.data.decimals import decimals_of, in_units

MOSTLY = 0.9


class Lattice(NamedTuple):
    """Numbers i step + offset, in units of a last digit of some decimals."""

    step: int
    offset: int
    decimals: int
    points: int  # how many of them occur
    coarser: float  # the share of those that lie on a lattice ten times as wide
    length: int  # how many points there are from the first to the last

    def written(self, units: int) -> int | float:
        """Return so many units as the number that a person writes."""
        number = Fraction(units, 10**self.decimals)
        return int(number) if number.denominator == 1 else float(number)

    @property
    def is_even(self) -> bool:
        """Whether it is wider than a digit, and not that of a few values among coarser ones."""
        return self.step > 1 and self.coarser <= MOSTLY

    @property
    def chance(self) -> float:
        """The probability that uniform last digits fall on such a lattice, or on a wider one."""
        return chance_of(log(2) - (self.points - 1) * log(self.step))


def look(data: Dataset) -> Iterator[Guess]:
    """Find rounded attributes.

    Unmasked numbers are assumed to have last digits that are equally likely: m different ones all
    agree modulo b with probability b^-(m - 1).
    """
    for name in numeric(data):
        found = lattice(counted(data, name).values)
        if found is not None and found.is_even and found.chance <= REPORTED:
            yield _guess(name, found)


def lattice(values: Floats) -> Lattice | None:
    """Return the widest lattice on which numbers lie; both ends may lie off it, being coded.

    >>> lattice(np.array([99.0, 100, 150, 300, 350, 777]))
    Lattice(step=50, offset=0, decimals=0, points=4, coarser=0.0, length=6)
    """
    inner = values[1:-1]
    decimals = decimals_of(inner)
    if decimals is None or len(inner) < 2:  # noqa: PLR2004 - a step needs two
        return None
    units = in_units(inner, decimals)
    step = int(np.gcd.reduce(np.diff(units)))
    coarser = float(np.mean((units - units[0] % step) % (10 * step) == 0))
    length = int(units[-1] - units[0]) // step + 1
    return Lattice(step, int(units[0]) % step, decimals, len(units), coarser, length)


def _guess(name: str, found: Lattice) -> Guess:
    base, half = found.written(found.step), Fraction(found.step, 2 * 10**found.decimals)
    parameters = {"base": base}
    where = f"multiples of {base}"
    if found.offset:
        parameters["offset"] = found.written(found.offset)
        where = f"{parameters['offset']} above {where}"
    return Guess(
        "round_values",
        (name,),
        parameters,
        f"all of {found.points:,} different values between the ends are {where}",
        found.chance,
        narrows=f"each value lies within {float(half):g} of the released one",
        alternatives=_others(found),
    )


def _others(found: Lattice) -> tuple[str, ...]:
    """Return what else makes such a lattice: middles of classes, averages of a few samples."""
    if found.offset:
        return ("coarsen",)
    is_part_of_a_digit = found.decimals > 0 and 10 ** len(str(found.step)) % found.step == 0
    return ("resample",) if is_part_of_a_digit else ()
