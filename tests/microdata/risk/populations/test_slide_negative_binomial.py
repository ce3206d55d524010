"""The slide negative binomial against its probabilities summed one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, nbinom

from tacita.microdata.risk.populations.population_models import ClassSizes
from tacita.microdata.risk.populations.slide_negative_binomial import (
    shlosser,
    slide_negative_binomial,
)

SAMPLE = ClassSizes(np.array([1, 2, 3, 4, 7]), np.array([400, 120, 40, 15, 5]), 2_500)


def expected(size: int, found: ClassSizes, classes: float, alpha: float, beta: float) -> float:
    """The expected number of classes that leave so many records in a sample."""
    sizes = np.arange(1, 4_000)
    return classes * float(
        (nbinom(alpha, beta).pmf(sizes - 1) * binom(sizes, found.fraction).pmf(size)).sum()
    )


def test_the_parameters_give_the_classes_of_one_and_of_two():
    figures = slide_negative_binomial(SAMPLE).figures
    classes, alpha, beta = (figures[name] for name in ("population_classes", "alpha", "beta"))
    assert expected(1, SAMPLE, classes, alpha, beta) == pytest.approx(400, rel=1e-9)
    assert expected(2, SAMPLE, classes, alpha, beta) == pytest.approx(120, rel=1e-9)


def test_the_share_is_that_of_classes_of_one():
    found = slide_negative_binomial(SAMPLE)
    classes, alpha, beta = (found.figures[n] for n in ("population_classes", "alpha", "beta"))
    assert found.share == pytest.approx(classes * nbinom(alpha, beta).pmf(0) / 2_500)


def test_shlossers_estimate_by_hand():
    """Two classes of one record and one of two, half of the population sampled.

    Sums: (3/4)^2 f etc. with q = 1/2: left out 2/2 + 1/4 = 5/4; twice 2/4 + 2 (1/4)(3/4) = 7/8;
    between 2 (3/4 - 1/2) + (9/16 - 1/4) = 13/16; once 2/2 + 2 (1/2)(1/2) = 3/2.
    """
    found = ClassSizes(np.array([1, 2]), np.array([2, 1]), 8)
    assert shlosser(found) == pytest.approx(3 + 2 * (7 / 8) / (13 / 16) * ((5 / 4) / (3 / 2)) ** 2)


def test_a_population_of_the_model_is_recovered():
    rng = np.random.default_rng(3)
    sizes = 1 + rng.negative_binomial(0.8, 0.3, 20_000)
    left = rng.binomial(sizes, 0.5)
    found = ClassSizes(*np.unique(left[left > 0], return_counts=True), int(sizes.sum()))
    truth = float((sizes == 1).sum() / sizes.sum())
    assert slide_negative_binomial(found).share == pytest.approx(truth, rel=0.1)


@pytest.mark.parametrize("counts", [[400, 0, 40], [3, 400, 900]])
def test_what_the_model_cannot_say_is_said(counts):
    found = ClassSizes(np.array([1, 2, 3]), np.array(counts), 10_000)
    estimate = slide_negative_binomial(found)
    assert estimate.share is None
    assert estimate.why_not
