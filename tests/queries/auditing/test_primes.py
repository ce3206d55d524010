from __future__ import annotations

import numpy as np

from tacita.queries.auditing.primes import is_prime, two_primes


def test_agrees_with_a_sieve():
    sieve = np.ones(20_000, bool)
    sieve[:2] = False
    for number in range(2, 142):
        sieve[number * number :: number] = False
    assert [is_prime(number) for number in range(20_000)] == sieve.tolist()


def test_numbers_that_deceive_fermat_are_found_out():
    # The last is the least composite that the first three witnesses take for a prime.
    for composite in (561, 1105, 2047, 1_373_653, 25_326_001, 2**31 - 3):
        assert not is_prime(composite)
    for prime in (2**31 - 1, 2**31 - 19, 2**30 + 3):
        assert is_prime(prime)


def test_draws_two_of_31_bits_once():
    first, second = two_primes()
    assert first != second
    for prime in (first, second):
        assert is_prime(prime)
        assert prime.bit_length() == 31
    assert two_primes() == (first, second)
