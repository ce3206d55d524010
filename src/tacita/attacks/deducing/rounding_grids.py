"""Rounding grids: between what bounds rounded values lie, and what sums say of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from tacita.data.classes import Floats, Mask
from tacita.data.decimals import decimals_of, in_units
from tacita.errors import ParameterError, did_you_mean

FEWEST = 20  # records that an identity must hold in to be believed
MOST_FOR_THREE = 16  # attributes among which sums of three are looked for; above, of two
HEAP = 2  # times as many zeros as neighbours are no chance
ROUNDS = 50  # in which bounds are drawn closer; they hardly move afterwards
SLACK = 1e-9  # of the size of a number: what is nearer was only lost by computing
TERM = re.compile(r"\s*([+-]?)\s*(`[^`]+`|[^\s+=-]+)\s*")

Identity = Mapping[str, int]  # attributes with the signs under which they add up to nothing


def grid_of(values: Floats) -> float | None:
    """Return the largest decimal number of which all values are multiples; None if there is none.

    >>> grid_of(np.array([250.0, 1000.0, 50.0])), grid_of(np.array([0.25, 1.5]))
    (50.0, 0.25)
    """
    known = values[np.isfinite(values)]
    decimals = decimals_of(known)
    if decimals is None:
        return None
    divisor = int(np.gcd.reduce(in_units(known, decimals), initial=0))
    return float(Fraction(divisor, 10**decimals)) if divisor else None


@dataclass(frozen=True, eq=False)
class Bounds:
    """Between what each value of an attribute lies, both ends included.

    Args:
        low: the least that each value may be; NaN for a blank.
        high: the greatest.
        unit: the grid of the true values; None where they may be anything.
    """

    low: Floats
    high: Floats
    unit: float | None

    @classmethod
    def of(cls, released: Floats, base: float, unit: float | None) -> Bounds:
        """Return the rounding sets [r - b/2, r + b/2), on the grid of true values.

        Where nothing below 0 is released, true values are taken to be 0 or more.
        """
        low, high = released - base / 2, released + base / 2
        if unit is not None:  # the upper end itself is rounded up
            low, high = _up(low, unit), np.maximum(_up(high, unit) - unit, _up(low, unit))
        if np.nanmin(released, initial=0.0) >= 0:
            low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
        return cls(low, high, unit)

    @property
    def width(self) -> Floats:
        """How far the ends lie apart."""
        return self.high - self.low

    @property
    def is_point(self) -> Mask:
        """Tell which values are determined."""
        return np.asarray(self.width <= SLACK * np.maximum(np.abs(self.high), 1.0))

    def within(self, low: Floats, high: Floats) -> Bounds:
        """Return bounds drawn closer; where nothing would be left, they stay."""
        slack = SLACK * np.maximum(np.abs(low), np.abs(high))
        if self.unit is not None:
            low, high = _up(low - slack, self.unit), -_up(-high - slack, self.unit)
        low, high = np.fmax(self.low, low), np.fmin(self.high, high)
        fits = low <= high + slack
        high = np.maximum(low, high)
        return Bounds(np.where(fits, low, self.low), np.where(fits, high, self.high), self.unit)


def _up(values: Floats, unit: float) -> Floats:
    """Return the next numbers of a grid from some values on."""
    steps = values / unit
    near = np.rint(steps)
    close = np.abs(steps - near) <= SLACK * np.maximum(np.abs(steps), 1.0)
    return np.asarray(np.where(close, near, np.ceil(steps)) * unit)


def narrowed(bounds: Mapping[str, Bounds], identities: Sequence[Identity]) -> dict[str, Bounds]:
    """Draw bounds closer by sums that must hold, until none moves any more."""
    found = dict(bounds)
    for _ in range(ROUNDS):
        before = sum(float(np.nansum(one.width)) for one in found.values())
        for identity in identities:
            for name in identity:
                found[name] = found[name].within(*_implied(found, identity, name))
        after = sum(float(np.nansum(one.width)) for one in found.values())
        if after >= before * (1 - SLACK):
            break
    return found


def _implied(bounds: Mapping[str, Bounds], identity: Identity, name: str) -> tuple[Floats, Floats]:
    """Return the bounds of an attribute that those of the others in a sum leave it."""
    low, high = np.zeros(1), np.zeros(1)
    for other, sign in identity.items():
        if other == name:
            continue
        # x = -sign(x) sum of the others
        turned = -sign * identity[name]
        ends = (bounds[other].low, bounds[other].high)
        first, last = ends if turned > 0 else (-ends[1], -ends[0])
        low, high = low + first, high + last
    return low, high


def balanced(
    guesses: Mapping[str, Floats], bounds: Mapping[str, Bounds], identity: Identity
) -> dict[str, Floats]:
    """Spread what a sum of guesses misses over its terms, as the squares of their widths.

    Those that are guessed to be 0 stay: true zeros are what sums have most of.
    """
    misses = sum(sign * guesses[name] for name, sign in identity.items())
    room = {name: np.where(guesses[name] == 0, 0.0, bounds[name].width ** 2) for name in identity}
    total = np.sum(list(room.values()), axis=0)
    made = dict(guesses)
    for name, sign in identity.items():
        share = np.divide(room[name], total, where=total > 0, out=np.zeros_like(total))
        moved = guesses[name] - sign * np.nan_to_num(misses * share)
        made[name] = np.clip(moved, bounds[name].low, bounds[name].high)
    return made


def leaning(released: Floats, base: float) -> Floats:
    """Return by how much the mean of a rounding set lies beside its point.

    The density in the set of r is taken to be linear between those of its neighbours r - b and
    r + b, so that the mean is shifted by b (c(r+b) - c(r-b)) / (24 c(r)), counts c, b/4 at most.
    What is released as 0 far more often than its neighbours is mostly a true 0, and stays.
    """
    codes = np.where(np.isnan(released), 0, np.rint(released / base))
    values, place, counts = np.unique(codes, return_inverse=True, return_counts=True)
    sides = []
    for step in (-1, 1):
        at = np.minimum(np.searchsorted(values, values + step), len(values) - 1)
        sides.append(
            np.where(values[at] == values + step, counts[at], 0) if len(values) else counts
        )
    shift = base * (sides[1] - sides[0]) / (24 * np.maximum(counts, 1))
    shift[(values == 0) & (counts > HEAP * np.maximum(*sides))] = 0.0
    return np.asarray(np.clip(shift, -base / 4, base / 4)[place])


def found_identities(
    released: Mapping[str, Floats], bases: Mapping[str, float]
) -> list[dict[str, int]]:
    """Return the sums of two or three attributes that a released file shows to make another one.

    A sum is believed if in every complete record, of which there are enough, it misses the total by
    no more than rounding can, and if this is no wonder for none of its terms: each of them spreads
    by more than that.
    """
    names = list(released)
    sizes = (2, 3) if len(names) <= MOST_FOR_THREE else (2,)
    return [
        {total: -1, **dict.fromkeys(terms, 1)}
        for total in names
        for size in sizes
        for terms in combinations([name for name in names if name != total], size)
        if _adds_up(released, bases, total, terms)
    ]


def _adds_up(
    released: Mapping[str, Floats], bases: Mapping[str, float], total: str, terms: Sequence[str]
) -> bool:
    room = sum(bases[name] for name in (total, *terms)) / 2
    for rows in (slice(0, FEWEST), slice(None)):  # most are refuted by a few records
        misses = released[total][rows] - sum(released[name][rows] for name in terms)
        there = ~np.isnan(misses)
        if (np.abs(misses[there]) > room * (1 + SLACK)).any():
            return False
    spreads = (np.ptp(released[name][there]) for name in (total, *terms))
    return bool(np.count_nonzero(there) >= FEWEST and all(spread > 2 * room for spread in spreads))


def read_identity(said: str, known: Sequence[str]) -> dict[str, int]:
    """Read a sum that must hold; names with spaces or signs stand in backquotes.

    >>> read_identity("total = wages + `other-pay` - tax", ["total", "wages", "other-pay", "tax"])
    {'total': -1, 'wages': 1, 'other-pay': 1, 'tax': -1}

    Raises:
        ParameterError: it cannot be read, or names something else.
    """
    left, equals, right = said.partition("=")
    sides = [list(_terms(left, -1)), list(_terms(right, 1))]
    read = dict(sides[0] + sides[1])
    if not equals or not all(sides) or "" in read or len(read) < len(sides[0] + sides[1]):
        raise ParameterError(
            "An identity reads `total = part + other - third`, each attribute once; found "
            f"{said!r}."
        )
    for name in read:
        if name not in known:
            raise ParameterError(
                f"The identity {said!r} names `{name}`, which is none of the attributes that are "
                f"attacked.{did_you_mean(name, known)}"
            )
    return read


def _terms(side: str, sign: int) -> Iterator[tuple[str, int]]:
    place = 0
    while place < len(side):
        term = TERM.match(side, place)
        if term is None:
            yield "", sign  # no attribute is called so
            return
        yield term[2].strip("`"), -sign if term[1] == "-" else sign
        place = term.end()


def near(guesses: Floats, truth: Floats, width: float) -> Mask:
    """Tell which guesses miss the truth by no more than a share of it."""
    allowed = width * np.abs(truth) + SLACK * np.maximum(np.abs(truth), 1.0)
    return np.asarray(np.abs(guesses - truth) <= allowed)


def counted(mask: Mask) -> int:
    """Count what is true."""
    return int(np.count_nonzero(mask))


def on_grid(guesses: Floats, bounds: Bounds) -> Floats:
    """Move guesses to the grid of the true values, within their bounds."""
    if bounds.unit is None:
        return guesses
    return np.clip(np.rint(guesses / bounds.unit) * bounds.unit, bounds.low, bounds.high)
