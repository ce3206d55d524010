from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.pairing_ahead import pair_ahead

pytestmark = pytest.mark.numeric


def slow(ahead: list[int], draws: list[float]) -> list[tuple[int, int]]:
    """Pair places by looking through all of them, the free ones in the order of a list."""
    free: list[int] = []
    pairs, entered = [], 0
    for i, far in enumerate(ahead):
        while entered <= min(i + far, len(ahead) - 1):
            free.append(entered)
            entered += 1
        if i not in free:
            continue
        take(free, free.index(i))
        if free:
            pairs.append((i, take(free, int(draws[len(pairs)] * len(free)))))
    return pairs


def take(free: list[int], place: int) -> int:
    gone, free[place] = free[place], free[-1]
    free.pop()
    return gone


@given(st.lists(st.integers(0, 6), max_size=60), st.integers(0, 1000), st.integers(1, 9))
def test_pairs_are_those_of_a_slow_search(steps, seed, piece):
    rng = np.random.default_rng(seed)
    n = len(steps)
    ends = np.maximum.accumulate(np.arange(n) + np.array(steps, int))
    ahead, order = ends - np.arange(n), rng.permutation(n)
    draws, partner = rng.random(n // 2), np.arange(n, dtype=np.int32)
    cuts = range(piece, n // 2, piece)
    count = pair_ahead(order, ahead, np.split(draws, cuts), partner)
    expected = np.arange(n)
    pairs = slow(ahead.tolist(), draws.tolist())
    for one, other in pairs:
        expected[order[one]], expected[order[other]] = order[other], order[one]
    assert partner.tolist() == expected.tolist()
    assert count == len(pairs)


@given(st.integers(2, 80), st.integers(1, 90), st.integers(0, 1000))
def test_with_one_reach_at_most_one_stays_alone(n, far, seed):
    partner = np.arange(n, dtype=np.int32)
    draws = np.random.default_rng(seed).random(n // 2)
    assert pair_ahead(np.arange(n), np.array([far]), [draws], partner) == n // 2
    assert (partner[partner] == np.arange(n)).all()
    assert np.abs(partner - np.arange(n)).max() <= far
    assert np.count_nonzero(partner == np.arange(n)) == n % 2


def test_every_free_one_ahead_is_equally_likely():
    chosen = np.zeros(6)
    rng = np.random.default_rng(0)
    for _ in range(4000):
        partner = np.arange(6, dtype=np.int32)
        pair_ahead(np.arange(6), np.array([4]), [rng.random(3)], partner)
        chosen[partner[0]] += 1
    shares = chosen[1:5] / 4000
    assert chosen[5] == 0
    assert np.all(np.abs(shares - 0.25) < 3 * np.sqrt(0.25 * 0.75 / 4000))


def test_refuses_what_would_lead_it_outside():
    with pytest.raises(ValueError, match="too few"):
        pair_ahead(np.arange(6), np.array([1]), [np.zeros(2)], np.arange(6, dtype=np.int32))
    with pytest.raises(ValueError, match="one for each"):
        pair_ahead(np.arange(6), np.array([1, 1]), [np.zeros(3)], np.arange(6, dtype=np.int32))
