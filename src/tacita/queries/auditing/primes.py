"""Primes of 31 bits that nobody can foresee."""

from __future__ import annotations

import secrets
from functools import cache

BITS = 31
WITNESSES = (2, 3, 5, 7)  # enough for Miller and Rabin's test below 3,215,031,751


@cache
def two_primes() -> tuple[int, int]:
    """Return two different primes, drawn once in the life of a process.

    A linear combination of query sets that exists in whole numbers is overlooked modulo a prime
    only if the prime divides a determinant of theirs. Of some fifty million primes fewer than a
    thousand divide any one determinant of 5,000 rows, and who asks does not know which are used.
    """
    first = _drawn()
    second = _drawn()
    while second == first:
        second = _drawn()
    return first, second


def is_prime(number: int) -> bool:
    """Tell whether a number below 3,215,031,751 is prime.

    >>> [number for number in range(20) if is_prime(number)]
    [2, 3, 5, 7, 11, 13, 17, 19]
    """
    if number in WITNESSES:
        return True
    if number < max(WITNESSES) or number % 2 == 0:
        return False
    twos = ((number - 1) & (1 - number)).bit_length() - 1
    return all(_agrees(number, witness, twos) for witness in WITNESSES)


def _agrees(number: int, witness: int, twos: int) -> bool:
    power = pow(witness, (number - 1) >> twos, number)
    if power in (1, number - 1):
        return True
    return any(pow(power, 2**times, number) == number - 1 for times in range(1, twos))


def _drawn() -> int:
    while True:
        number = (1 << BITS - 1) + secrets.randbits(BITS - 1)
        if is_prime(number):
            return number
