"""Pitman's model against its likelihood taken as it is written, and against simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from tacita.microdata.risk.populations.pitman_model import (
    _derivatives,
    _of_finite,
    log_likelihood,
    pitman,
)
from tacita.microdata.risk.populations.population_models import ClassSizes

SAMPLE = ClassSizes(np.array([1, 2, 3, 5, 9]), np.array([60, 20, 8, 4, 2]), 5_000)


def written(found: ClassSizes, theta: float, alpha: float) -> float:
    """Pitman's sampling formula by its products."""
    total = sum(math.log(theta + i * alpha) for i in range(1, found.classes))
    total -= sum(math.log(theta + i) for i in range(1, found.records))
    for size, count in zip(found.sizes.tolist(), found.counts.tolist(), strict=True):
        total += count * sum(math.log(k - alpha) for k in range(1, size))
    return total


def grown(records: int, theta: float, alpha: float, rng: np.random.Generator) -> np.ndarray:
    """A population of the model: the table of each guest of a two-parameter restaurant."""
    tables, sizes = np.zeros(records, np.int64), [1]
    for guest in range(1, records):
        if rng.random() * (theta + guest) < theta + alpha * len(sizes):
            tables[guest] = len(sizes)
            sizes.append(1)
            continue
        while True:
            chosen = int(tables[rng.integers(guest)])
            if rng.random() * sizes[chosen] < sizes[chosen] - alpha:
                break
        tables[guest] = chosen
        sizes[chosen] += 1
    return tables


def sizes_of(tables: np.ndarray, population: int) -> ClassSizes:
    counts = np.unique(tables, return_counts=True)[1]
    return ClassSizes(*np.unique(counts, return_counts=True), population)


@pytest.mark.parametrize(("theta", "alpha"), [(0.5, 0.2), (40.0, 0.7), (-0.3, 0.6)])
def test_the_likelihood_is_the_sampling_formula(theta, alpha):
    assert log_likelihood(SAMPLE, theta, alpha) == pytest.approx(written(SAMPLE, theta, alpha))


def test_the_derivatives_are_those_of_the_likelihood():
    theta, alpha, step = 30.0, 0.4, 1e-4
    score, information = _derivatives(SAMPLE, theta, alpha)
    slopes = [
        (written(SAMPLE, theta + step, alpha) - written(SAMPLE, theta - step, alpha)) / 2 / step,
        (written(SAMPLE, theta, alpha + step) - written(SAMPLE, theta, alpha - step)) / 2 / step,
    ]
    assert score == pytest.approx(slopes, rel=1e-6)
    up, down = (_derivatives(SAMPLE, theta, alpha + side)[0] for side in (step, -step))
    assert -(up - down) / 2 / step == pytest.approx(information[1], rel=1e-5)
    up, down = (_derivatives(SAMPLE, theta + side, alpha)[0] for side in (step, -step))
    assert -(up - down) / 2 / step == pytest.approx(information[0], rel=1e-5)


def test_the_estimate_maximises_the_likelihood():
    found = pitman(SAMPLE)
    made = minimize(
        lambda place: -written(SAMPLE, math.exp(place[0]), 1 / (1 + math.exp(-place[1]))),
        [2.0, 0.0],
        method="Nelder-Mead",
        options={"xatol": 1e-8, "fatol": 1e-12},
    )
    assert found.figures["theta"] == pytest.approx(math.exp(made.x[0]), rel=1e-4)
    assert found.figures["alpha"] == pytest.approx(1 / (1 + math.exp(-made.x[1])), rel=1e-4)


def test_the_exact_expectation_is_that_of_the_model():
    """E(S_1) / N = prod_{i<N} (theta + alpha + i - 1) / (theta + i)."""
    theta, alpha, population = 7.0, 0.3, 400
    share = math.exp(
        math.lgamma(theta + 1) - math.lgamma(theta + alpha) + (alpha - 1) * math.log(population)
    )
    product = math.prod((theta + alpha + i - 1) / (theta + i) for i in range(1, population))
    assert share * _of_finite(theta, alpha, population) == pytest.approx(product)


def test_the_interval_covers_the_truth_in_populations_of_the_model():
    """Eight populations of 10,000 with a tenth sampled: two misses of the 95 % would be many."""
    rng, population, covered = np.random.default_rng(7), 10_000, 0
    for _ in range(8):
        tables = grown(population, 50.0, 0.6, rng)
        truth = int((np.bincount(tables) == 1).sum()) / population
        found = pitman(sizes_of(rng.choice(tables, 1_000, replace=False), population))
        covered += found.interval.lower <= truth <= found.interval.upper
        assert found.share == pytest.approx(truth, rel=0.4)
    assert covered >= 7


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ([1] * 50, "every record is unique"),
        ([1, *[3] * 50], "alpha = 0"),
        ([9], "alpha = 0"),
    ],
)
def test_what_the_model_cannot_say_is_said(counts, reason):
    estimate = pitman(ClassSizes(*np.unique(counts, return_counts=True), 1_000))
    assert estimate.share is None
    assert reason in estimate.why_not
