"""Normal numbers: their distribution, their generator, and that threads do not show."""

import numpy as np
import pytest
from scipy.stats import chi2, kstest, norm

from tacita.kernels.normal_noise import LAYERS, PIECE, TABLES, _next, normal_noise

SEEDS = [[1, piece] for piece in range(8)]


@pytest.fixture(scope="module")
def numbers():
    return normal_noise(4 * PIECE, SEEDS)


def test_the_words_are_those_of_sfc64():
    source = np.random.SFC64(7)
    state = source.state["state"]["state"]
    for expected in source.random_raw(50):
        word, *state = map(np.uint64, _next(*state))
        assert word == expected


def test_the_layers_have_one_area_and_reach_the_top():
    widths, _, heights = TABLES
    ends = widths * 2.0**53
    # The top box ends where the curve has its highest point, 1.
    areas = ends * np.diff(-heights)
    np.testing.assert_allclose(areas[:-1], areas[0], rtol=1e-9)
    tail = np.sqrt(2 * np.pi) * norm.sf(ends[-2])
    np.testing.assert_allclose(ends[-2] * heights[-2] + tail, areas[0], rtol=1e-9)
    assert len(ends) == LAYERS


def test_the_distribution_is_normal_in_the_middle_and_in_the_tails(numbers):
    assert kstest(numbers, "norm").pvalue > 0.001
    edges = [-np.inf, *np.arange(-4.5, 4.6, 0.25), np.inf]
    expected = np.diff(norm.cdf(edges)) * len(numbers)
    found = np.histogram(numbers, edges)[0]
    assert ((found - expected) ** 2 / expected).sum() < chi2.isf(0.001, len(expected) - 1)


def test_numbers_are_unrelated(numbers):
    rows = numbers.reshape(8, -1)
    related = np.corrcoef(np.vstack([rows, np.abs(rows), np.roll(rows[:2], 1, axis=1)]))
    np.fill_diagonal(related, 0.0)
    assert np.abs(related).max() < 5 / np.sqrt(rows.shape[1])


def test_threads_and_sizes_do_not_show(numbers):
    for threads in (1, 3):
        assert (normal_noise(2 * PIECE + 5, SEEDS, threads) == numbers[: 2 * PIECE + 5]).all()
    assert len(normal_noise(0, [])) == 0
