"""Deep differencing: what follows from any linear combination of what was answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.attacks.queries.intruding.register import Condition, Register
from tacita.data.attribute import Kind
from tacita.data.classes import Ints, Mask
from tacita.method import Method

# What follows over the rationals also follows modulo nearly every prime. Products of residues fit
# into 64 bits, and two primes together tell numbers of up to 18 digits.
PRIMES = (2**31 - 1, 2**31 - 19)
UNITS = 10_000  # values may have four digits after the point, also where no sum happens to

# Projective planes of order 2, 3 and 4: the number of points, and a line (a difference set).
PLANES = ((7, (0, 1, 3)), (13, (0, 1, 3, 9)), (21, (0, 1, 4, 14, 16)))


class DeepDifferencing(Method):
    """Infer a value from the sums over any sets, however many it takes (rank attack).

    First come the lines of finite projective planes, with the victim and single others as points:
    any two of these small sets share one record only, so that control of overlaps lets them pass.
    Then come random unions and intersections of public conditions. Every answered sum is an
    equation in the sums of the public classes. The system is solved exactly, modulo two primes; the
    victim's value is disclosed if its class is determined, and so are others on the way.

    It is a test that curators run against their own database before they open it.

    When not to use it: with thousands of public classes, since about as many questions are asked.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.QuerySetSize(3))
    >>> DeepDifferencing().attack(guard, target).succeeded
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Schwartz, M. D., Denning, D. E. and Denning, P. J. (1979). Linear queries in statistical "
        "databases. ACM TODS 4(2), 156-167."
    )
    missing: ClassVar[str] = "A blank value is inferred as 0."

    questions: Annotated[
        int, Field(description="How many questions are asked at most for every public class.", ge=1)
    ] = 3
    seed: Annotated[int, Field(description="Where the random unions come from.", ge=0)] = 0

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask random sums until the victim's value follows from them."""
        intruder = Intruder(database, target)
        victim = target.register.class_of(target.condition)
        told: dict[str, tuple[Mask, Fraction]] = {}
        found: dict[int, Fraction] = {}
        for batch in self._batches(target):
            for condition in batch:
                total = intruder.total(condition)
                if total is not None:
                    told[condition.text] = condition.holds, total
            found = determined(*zip(*told.values(), strict=True)) if told else {}
            if victim in found:
                break
        outcome = intruder.outcome(self.name, found.get(victim))
        if outcome.right is False:
            return outcome  # the sums are not exact, so that nothing follows of others
        return replace(outcome, findings=tuple(_others(target, found)))

    def _batches(self, target: Target) -> Iterator[list[Condition]]:
        """Return sets to ask about; after each batch the system is solved."""
        yield from _planes(target)
        rng = np.random.default_rng(self.seed)
        size = len(target.register.classes) // 2 + 1
        for _ in range(2 * self.questions):
            yield [_random(target.register, rng) for _ in range(size)]


def determined(rows: Sequence[Mask], totals: Sequence[Fraction]) -> dict[int, Fraction]:
    """Return the classes whose sums follow from sums over sets of classes, with their sums.

    >>> rows = np.array([[1, 1, 1], [0, 1, 1], [0, 1, 1]], bool)
    >>> determined(rows, [Fraction(9), Fraction(7), Fraction(7)])
    {0: Fraction(2, 1)}
    >>> determined(rows, [Fraction(9), Fraction(7), Fraction(8)])
    {}
    """
    if not totals:
        return {}
    scale = lcm(UNITS, *(total.denominator for total in totals))
    whole = [int(total * scale) for total in totals]
    first, second = (_residues(rows, whole, prime) for prime in PRIMES)
    return {
        place: Fraction(_combined(first[place], second[place]), scale)
        for place in sorted(first.keys() & second.keys())
    }


def _residues(rows: Sequence[Mask], totals: Sequence[int], prime: int) -> dict[int, int]:
    """Return the columns that are determined modulo a prime, with their values.

    Sums that contradict each other, as noisy ones do, determine nothing.
    """
    right = np.array([total % prime for total in totals], np.int64)
    system = np.column_stack([np.array(rows, np.int64), right])
    reduced = _eliminated(system, prime)
    if system[len(reduced) :, -1].any():
        return {}
    alone = reduced[np.count_nonzero(reduced[:, :-1], axis=1) == 1]
    return {int(np.flatnonzero(row)[0]): int(row[-1]) for row in alone}


def _eliminated(system: Ints, prime: int) -> Ints:
    """Bring a system to reduced row echelon form modulo a prime; return its rows with pivots."""
    done = 0
    for column in range(system.shape[1] - 1):
        found = np.flatnonzero(system[done:, column])
        if not found.size:
            continue
        system[[done, done + found[0]]] = system[[done + found[0], done]]
        system[done] = system[done] * pow(int(system[done, column]), -1, prime) % prime
        factors = system[:, column].copy()
        factors[done] = 0
        others = np.flatnonzero(factors)
        system[others] = (system[others] - np.outer(factors[others], system[done])) % prime
        done += 1
    return system[:done]


def _combined(first: int, second: int) -> int:
    """Return the number nearest to zero that has these residues (Chinese remainders).

    >>> _combined(-5 % PRIMES[0], -5 % PRIMES[1]), _combined(10**17 % PRIMES[0], 10**17 % PRIMES[1])
    (-5, 100000000000000000)
    """
    one, other = PRIMES
    number = first + one * ((second - first) * pow(one, -1, other) % other)
    return number - one * other if number > one * other // 2 else number


def _planes(target: Target) -> Iterator[list[Condition]]:
    """Return the lines of planes whose points are the victim and the smallest other classes."""
    register = target.register
    victim = register.class_of(target.condition)
    smallest = np.argsort(register.sizes, kind="stable")
    points = [victim, *smallest[smallest != victim].tolist()]
    for number, line in PLANES:
        if number <= len(points):
            yield [
                register.any_of(points[(place + shift) % number] for place in line)
                for shift in range(number)
            ]


def _random(register: Register, rng: np.random.Generator) -> Condition:
    """Return a random union or intersection of conditions on public attributes."""
    names = rng.permutation(len(register.names))[: rng.integers(1, len(register.names) + 1)]
    parts = [_random_values(register, register.names[place], rng) for place in names]
    union = parts[0]
    for part in parts[1:]:
        union = union | part if rng.integers(2) else union & part
    return union


def _random_values(register: Register, name: str, rng: np.random.Generator) -> Condition:
    values = list(register.values(name))
    taken = rng.integers(2, size=len(values))
    chosen = [value for value, yes in zip(values, taken, strict=True) if yes]
    return register.where(name, chosen or values[:1])


def _others(target: Target, found: dict[int, Fraction]) -> list[str]:
    """Tell how many single records besides the victim are disclosed."""
    victim = target.register.class_of(target.condition)
    single = [one for one in found if one != victim and target.register.sizes[one] == 1]
    if not single:
        return []
    return [f"the values of {len(single):,} other single records follow from the answers"]
