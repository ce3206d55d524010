"""Worlds: the ways in which confidential values may lie in classes, counted exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import factorial, prod

Counts = tuple[int, ...]  # how often each value occurs
MOST_STEPS = 20_000  # of the counting of one class, which take a fraction of a second


@dataclass(frozen=True)
class Rule:
    """What a class must keep: k records, of which at most one in l has the same sensitive value.

    Args:
        l: at most one in l records has the same sensitive value.
        k: the least number of records.
        sensitive: how many of the values, the first ones, are sensitive.
    """

    l: int  # noqa: E741 - the field's name for it
    k: int
    sensitive: int

    def allows(self, counts: Counts) -> bool:
        """Tell whether records with these values keep it."""
        size = sum(counts)
        return size >= self.k and self.l * max(counts[: self.sensitive], default=0) <= size


@dataclass(frozen=True)
class Fine:
    """The worlds in which all parts of a class keep a rule.

    Args:
        share: their share among all worlds.
        expected: for a part of each size, how often each value is there in these worlds, added up
            and divided by the number of all worlds.
    """

    share: Fraction
    expected: dict[int, tuple[Fraction, ...]]


@lru_cache(maxsize=2**14)
def fine_worlds(counts: Counts, sizes: tuple[int, ...], rule: Rule) -> Fine | None:
    """Count the worlds in which all parts of a class keep a rule; None if that took too long.

    A world gives each of the n records of a class one of its values: there are n! / prod n_s! of
    them. A part of m records has the counts c in m! / prod c_s! ways. All other parts are filled
    one after the other; what is left are the counts of the part that is looked at.

    >>> fine_worlds((2, 2), (2, 2), Rule(2, 1, 2)).share
    Fraction(2, 3)
    """
    if min(sizes) < rule.k:
        return Fine(Fraction(0), {size: (Fraction(0),) * len(counts) for size in sizes})
    if len(sizes) > 1 and _steps(counts, sizes) > MOST_STEPS:
        return None
    worlds, expected, fine = _ways(counts), {}, 0
    for size in set(sizes):
        left = _left(counts, sizes, size, rule)
        ways = {rest: many * _ways(rest) for rest, many in left.items() if rule.allows(rest)}
        fine = sum(ways.values())
        sums = (sum(rest[s] * many for rest, many in ways.items()) for s in range(len(counts)))
        expected[size] = tuple(Fraction(total, worlds) for total in sums)
    return Fine(Fraction(fine, worlds), expected)


def _left(counts: Counts, sizes: Sequence[int], but: int, rule: Rule) -> Counter[Counts]:
    """Fill all parts but one of some size; return in how many ways which values are left."""
    others = list(sizes)
    others.remove(but)
    left = Counter({counts: 1})
    for size in others:
        after: Counter[Counts] = Counter()
        for rest, many in left.items():
            for taken in filter(rule.allows, _takes(rest, size)):
                remains = tuple(a - b for a, b in zip(rest, taken, strict=True))
                after[remains] += many * _ways(taken)
        left = after
    return left


def _takes(counts: Counts, size: int) -> Iterator[Counts]:
    """Return all that a part of some size may take of some values.

    >>> list(_takes((2, 1), 2))
    [(1, 1), (2, 0)]
    """
    first, *others = counts
    if not others:
        yield from [(size,)] if size <= first else []
        return
    for taken in range(min(first, size) + 1):
        yield from ((taken, *rest) for rest in _takes(tuple(others), size - taken))


def _steps(counts: Counts, sizes: Sequence[int]) -> int:
    """Bound the steps of the counting: what may be left, times what a part may take of it."""
    *fewer, _ = sorted(counts)
    widest = max(sizes)
    caps = [min(count, widest) + 1 for count in fewer]
    return prod(count + 1 for count in fewer) * prod(caps) * len(sizes) * len(set(sizes))


def _ways(counts: Counts) -> int:
    """Count the ways to give records these values.

    >>> _ways((2, 1))
    3
    """
    return factorial(sum(counts)) // prod(map(factorial, counts))
