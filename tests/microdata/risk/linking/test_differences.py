from __future__ import annotations

import numpy as np
import pytest

from tacita.microdata.risk.linking.blocking import Blocks
from tacita.microdata.risk.linking.comparison import Collapsed
from tacita.microdata.risk.linking.differences import SIZES, Differences, Numbers
from tacita.microdata.risk.linking.distances import Ranges
from tacita.microdata.risk.linking.graded import Graded, graded
from tacita.microdata.risk.linking.learning import learned


def attributes(known: np.ndarray, released: np.ndarray) -> list[Graded]:
    rows = np.arange(len(released))
    return [
        graded(Ranges(name, *pair, pair[1]), rows)
        for name, pair in zip("abcdef", zip(known.T, released.T, strict=False), strict=False)
    ]


def noisy(n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    known = rng.normal(size=(n, 3))
    shape = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 0.3]]) * 0.05
    return known, known + rng.multivariate_normal(np.zeros(3), shape, n), shape


def test_the_shape_of_noise_is_learned_from_its_own_pairs():
    known, released, shape = noisy(2000)
    graded_ones = attributes(known, released)
    block = np.zeros(2000, np.int64)
    compared = Collapsed(graded_ones, [Blocks(block, block)])
    numbers = Numbers.of(graded_ones, compared)
    pairs = compared.released.of_record, compared.known.of_record
    apart = numbers.between(*pairs)
    assert apart == pytest.approx((released - known) / known.std(axis=0), abs=1e-2)
    linked = np.ones(2000)
    together = Differences.of(numbers, *pairs, linked, is_shaped=True)
    for _ in range(20):
        together = together.fitted(*pairs, linked)
    inverse = np.linalg.inv(together.axes @ together.axes.T) * (together.shares @ SIZES)
    assert inverse == pytest.approx(shape, abs=0.01)


def test_the_density_is_the_mixture_that_it_says():
    known, released, _ = noisy()
    graded_ones = attributes(known, released)
    block = np.zeros(300, np.int64)
    compared = Collapsed(graded_ones, [Blocks(block, block)])
    numbers = Numbers.of(graded_ones, compared)
    pairs = compared.released.of_record, compared.known.of_record
    together = Differences.of(numbers, *pairs, np.ones(300), is_shaped=True)
    covariance = np.linalg.inv(together.axes @ together.axes.T)
    total = np.zeros(300)
    for share, size in zip(together.shares, SIZES, strict=True):
        shape = size * covariance
        apart = numbers.between(*pairs)
        squares = (apart @ np.linalg.inv(shape) * apart).sum(axis=1)
        total += share * np.exp(-squares / 2) / np.sqrt(np.linalg.det(2 * np.pi * shape))
    assert together.weights(*pairs) == pytest.approx(np.log(total), abs=1e-9)


def test_the_search_and_the_pairs_weigh_alike():
    known, released, _ = noisy()
    graded_ones = attributes(known, released)
    block = np.zeros(300, np.int64)
    fit = learned(graded_ones, [Blocks(block, block)])
    assert fit.weighing.together is not None
    rows = np.arange(300)
    for row in range(0, 300, 29):
        every = np.sort(fit.weights(np.full(300, row), rows))[::-1]
        mine = np.sort(fit.found.weight[fit.found.row == row])[::-1]
        near = mine > mine[0] - 20
        assert mine[near] == pytest.approx(every[: len(mine)][near], abs=1e-9)


def test_a_blank_keeps_an_attribute_graded():
    known, released, _ = noisy()
    released[3, 1] = np.nan
    blank = np.isnan(released[:, 1])
    low, high = (np.where(blank, end, released[:, 1]) for end in (-np.inf, np.inf))
    each = graded(Ranges("b", known[:, 1], low, high), np.arange(300))
    assert each.numbers is None
