"""Noise against its exact law."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import permutations
from math import exp

import numpy as np
import pytest
from scipy import stats

from tacita.mechanisms.private.mechanisms import (
    MECHANISMS,
    Gaussian,
    Laplace,
    Sensitivity,
    first_above,
)

MANY = 20_000
ONE = Sensitivity(1, 1.0)


def laplace_law(k: np.ndarray, scale: float) -> np.ndarray:
    q = exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** np.abs(k)


def gaussian_law(k: np.ndarray, scale: float) -> np.ndarray:
    wide = np.arange(-200, 201)
    return np.exp(-(k**2) / (2 * scale**2)) / np.exp(-(wide**2) / (2 * scale**2)).sum()


@pytest.mark.parametrize(
    ("mechanism", "law"), [(Laplace(), laplace_law), (Gaussian(), gaussian_law)]
)
@pytest.mark.parametrize("scale", [0.7, 3.0])
def test_noise_follows_its_law(chance, mechanism, law, scale):
    found = np.array(mechanism.noised([5] * MANY, scale)) - 5
    # Beyond the edge all are one, so that no number is expected less than fifty times.
    edge = max(k for k in range(50) if law(np.arange(-k, k + 1), scale).sum() < 1 - 50 / MANY)
    inner = np.arange(-edge, edge + 1)
    wanted = law(inner, scale)
    seen = np.array([(found == k).sum() for k in inner])
    assert chance.allows_counts([*seen, MANY - seen.sum()], [*wanted, 1 - wanted.sum()])


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
def test_large_noise_is_whole_and_follows_the_law_of_doubles(chance, mechanism):
    found = mechanism.noised([0] * MANY, 1e6)
    assert all(type(one) is int for one in found)
    if isinstance(mechanism, Laplace):
        law, size = stats.laplace, stats.gamma(MANY, scale=1e6)
    else:
        law, size = stats.norm, stats.chi2(MANY, scale=1e12)
    assert chance.allows_sample(law(scale=1e6), found)
    moved = np.abs(np.array(found, float))
    assert chance.allows(size, (moved if isinstance(mechanism, Laplace) else moved**2).sum())


def test_scales_are_those_of_the_losses():
    pure = Laplace().scale(Sensitivity(6, 6.0), Fraction(1, 2))
    assert 12 <= pure < 12 * (1 + 1e-8)
    concentrated = Gaussian().scale(Sensitivity(6, 4.0), Fraction(1, 8))
    assert 8 <= concentrated < 8 * (1 + 1e-8)


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
@pytest.mark.parametrize("scale", [0.3, 1.0, 50.0])
def test_intervals_hold_the_noise_as_often_as_they_say(chance, mechanism, scale):
    found = np.abs(mechanism.noised([0] * MANY, scale))
    missed = int((found > mechanism.reach * mechanism.deviation(scale)).sum())
    assert chance.allows_up_to(stats.binom(MANY, 0.05), missed)


def test_choices_of_concentrated_privacy_follow_the_exponential_law(chance):
    scores, cost = [0, 2, 5], Fraction(1, 8)  # the scale is 1 / sqrt(2 / 8) = 2
    found = [Gaussian().chosen(scores, ONE, cost) for _ in range(2000)]
    weights = np.exp(np.array(scores) / 2)
    seen = np.bincount(found, minlength=3)
    assert chance.allows_counts(seen, weights)


def test_choices_of_pure_privacy_follow_permute_and_flip(chance):
    scores, cost = [0, 2, 5], Fraction(1)  # the scale is 2
    found = [Laplace().chosen(scores, ONE, cost) for _ in range(2000)]
    heads = [exp((one - 5) / 2) for one in scores]
    law = np.zeros(3)
    for order in permutations(range(3)):
        still = 1 / 6
        for place in order:  # the first head of one coin after the other is chosen
            law[place] += still * heads[place]
            still *= 1 - heads[place]
    assert chance.allows_counts(np.bincount(found, minlength=3), law)


def test_chosen_scores_miss_the_best_no_more_than_told(chance):
    scores, cost = list(range(-50, 1)), Fraction(1, 2)
    for mechanism in MECHANISMS.values():
        missed = mechanism.missed(51, ONE, cost)
        far = sum(scores[mechanism.chosen(scores, ONE, cost)] < -missed for _ in range(500))
        assert chance.allows_up_to(stats.binom(500, 0.05), far)


def test_first_above_finds_what_is_far_above_and_nothing_far_below():
    assert first_above([-(10**6), 10**6, 10**6], 1, Fraction(1)) == 1
    assert first_above([-(10**6)] * 3, 1, Fraction(1)) is None


def first_above_law(numbers: list[int]) -> np.ndarray:
    """Return the chances of every place, and of none, for a loss of 1, added up over thresholds."""
    wide = np.arange(-300, 301)
    still = laplace_law(wide, 2)  # the threshold, as long as no number was above it
    at_most = np.cumsum(laplace_law(wide, 4))
    law = []
    for number in numbers:
        below = at_most[np.clip(wide - number - 1 + 300, 0, 600)]
        law.append((still * (1 - below)).sum())
        still = still * below
    return np.array([*law, still.sum()])


def test_first_above_follows_its_law(chance):
    numbers, many = [0, 2, -1], 6000
    found = Counter(first_above(numbers, 1, Fraction(1)) for _ in range(many))
    seen = [found[place] for place in (0, 1, 2, None)]
    assert chance.allows_counts(seen, first_above_law(numbers))


def test_the_law_of_first_above_is_as_private_as_it_says():
    """A neighbour moves all numbers by one, and the chances of all places by epsilon at most."""
    here, there = first_above_law([1] * 8 + [-1]), first_above_law([0] * 9)
    moved = np.abs(np.log(here / there))
    assert 0.99 < moved.max() <= 1


@pytest.mark.parametrize(
    ("mechanism", "law"), [(Laplace(), stats.laplace), (Gaussian(), stats.norm)], ids=MECHANISMS
)
def test_noise_drawn_ahead_follows_its_law_and_is_never_used_twice(chance, mechanism, law):
    found = [mechanism.noised([7, 7], 1e9) for _ in range(1000)]
    numbers = np.array(found).ravel() - 7
    assert len(set(numbers.tolist())) > 1990  # ten are alike with a chance below 1e-40
    assert chance.allows_sample(law(scale=1e9), numbers)


def test_threads_share_no_noise_that_was_drawn_ahead():
    with ThreadPoolExecutor(16) as pool:
        found = [one for (one,) in pool.map(lambda _: Laplace().noised([0], 1e9), range(1000))]
    assert len(set(found)) > 990


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_has_noise_of_its_own():
    script = """
import os
from tacita.mechanisms.private.mechanisms import Laplace
Laplace().noised([0], 1e9)  # more was drawn ahead
reading, writing = os.pipe()
if os.fork() == 0:
    os.write(writing, str(Laplace().noised([0] * 8, 1e9)).encode())
    os._exit(0)
os.wait()
print(os.read(reading, 1000).decode() == str(Laplace().noised([0] * 8, 1e9)))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_noise_does_not_load_what_it_does_not_use():
    """The prelude of the library loads scikit-learn and Polars where they are installed."""
    script = (
        "import sys; from tacita.mechanisms.private.mechanisms import Laplace\n"
        "assert len(Laplace().noised([1, 2], 3.0)) == 2\n"
        "assert not {'sklearn', 'polars', 'opendp.prelude'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
