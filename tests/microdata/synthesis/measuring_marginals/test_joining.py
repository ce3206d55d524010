from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tacita.microdata.synthesis.measuring_marginals.domain import Listed, Real
from tacita.microdata.synthesis.measuring_marginals.fitting import Measured
from tacita.microdata.synthesis.measuring_marginals.joining import Joined


def noisy(*counts, scale=1.0):
    return Measured((0,), np.array(counts, np.float64), np.full(len(counts), scale**2))


def listed(cells, *, ordered, blanks=True):
    held = cells - (blanks is not False)
    return Listed(pa.array([f"c{at}" for at in range(held)]), ordered, blanks)


def test_rare_categories_are_joined_to_one():
    joined = Joined.of(listed(5, ordered=False), noisy(50, 2, 40, -1, 2.9))
    assert joined.of_cell.tolist() == [0, 2, 1, 2, 2]


def test_neighbours_are_joined_where_there_is_an_order():
    joined = Joined.of(listed(7, ordered=True), noisy(1, 2, 9, 2, 0, 1, 8))
    assert joined.of_cell.tolist() == [0, 0, 1, 2, 2, 2, 3]  # the last are blanks


def test_blanks_that_the_noise_hides_join_their_neighbours():
    assert Joined.of(listed(3, ordered=True), noisy(9, 9, 2)).of_cell.tolist() == [0, 1, 1]
    assert Joined.of(listed(3, ordered=True), noisy(0, 0, 0)).of_cell.tolist() == [0, 0, 0]


def test_numbers_are_in_classes_of_a_twentieth_at_least():
    counts = np.arange(101)
    joined = Joined.of(Real(0.0, 1.0, 100), noisy(*counts))
    held = np.bincount(joined.of_cell, counts)
    assert (held[:-1] >= counts.sum() / 20).all()
    assert 10 < len(held) <= 20


def test_groups_have_the_sums_of_their_cells():
    counted = noisy(50, 2, 40, -1, 2.9, scale=2.0)
    told = Joined.of(listed(5, ordered=False), counted).measured(counted)
    assert told.counts == pytest.approx([50, 40, 3.9])
    assert told.variances.tolist() == [4, 4, 12]


def test_cells_are_drawn_by_their_noisy_counts():
    counts = np.array([1.0, 0.0, 3.0, 0.0])
    joined = Joined(np.array([1, 0, 1, 0]), counts, np.ones(4, np.bool_))
    drawn = joined.cells(np.array([1] * 8 + [0] * 4), np.random.default_rng(0))
    assert np.bincount(drawn[:8], minlength=4).tolist() == [2, 0, 6, 0]
    assert np.bincount(drawn[8:], minlength=4).tolist() == [0, 2, 0, 2]  # nothing known: alike


def test_blanks_that_the_noise_hides_are_none_where_nobody_says_whether_there_are():
    rng = np.random.default_rng(0)
    for ordered in (False, True):
        for counts in ([90, 80, 70, 2.9], [90, 1, 0, 2.9], [0, 0, 0, 0], [0, -2, 0, 2.9]):
            domain = listed(4, ordered=ordered, blanks=None)
            joined = Joined.of(domain, noisy(*counts))
            groups = np.repeat(np.unique(joined.of_cell), 30)
            assert set(joined.cells(groups, rng).tolist()) <= {0, 1, 2}
        shown = Joined.of(listed(4, ordered=ordered, blanks=None), noisy(90, 80, 70, 3.1))
        assert 3 in shown.cells(np.repeat(np.unique(shown.of_cell), 300), rng)


def test_a_domain_without_blanks_ends_with_a_value():
    ordered = Joined.of(listed(4, ordered=True, blanks=False), noisy(9, 9, 2, 2))
    assert ordered.of_cell.tolist() == [0, 1, 2, 2]
    assert Joined.of(listed(3, ordered=False, blanks=False), noisy(9, 1, 9)).of_cell.tolist() == [
        0,
        2,
        1,
    ]
