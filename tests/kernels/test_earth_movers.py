from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.earth_movers import GRAIN, Histograms, work_in_tree, work_on_line

pytestmark = pytest.mark.numeric


def entries(rows: np.ndarray) -> Histograms:
    """Return histograms without their zeros."""
    which, places = np.nonzero(rows)
    ends = np.cumsum(np.bincount(which, minlength=len(rows)))
    return Histograms(ends, places, rows[which, places])


def distances(work, rows, large) -> list[Fraction]:
    totals = rows.sum(axis=1)
    return [
        Fraction(int(own), int(size)) - Fraction(int(whole), int(large.sum()))
        for own, whole, size in zip(*work, totals, strict=True)
    ]


def moved_on_line(row, large) -> Fraction:
    """Add up the differences of the cumulated shares."""
    p = [Fraction(int(c), int(row.sum())) for c in row]
    q = [Fraction(int(c), int(large.sum())) for c in large]
    return sum((abs(sum(p[: i + 1]) - sum(q[: i + 1])) for i in range(len(p))), Fraction(0))


def moved_by_transport(row, large, costs) -> float:
    """Solve the transport problem that the earth mover's distance is."""
    from scipy.optimize import linprog

    m = len(row)
    leaving = np.kron(np.eye(m), np.ones(m))
    arriving = np.kron(np.ones(m), np.eye(m))
    found = linprog(
        costs.ravel(),
        A_eq=np.vstack([leaving, arriving]),
        b_eq=np.concatenate([row / row.sum(), large / large.sum()]),
    )
    return found.fun


@st.composite
def cases(draw, most=7):
    m = draw(st.integers(1, most))
    row = st.lists(st.integers(0, 4), min_size=m, max_size=m).filter(any)
    rows = np.array(draw(st.lists(row, min_size=1, max_size=5)), np.int64)
    large = np.array(draw(st.lists(st.integers(1, 9), min_size=m, max_size=m)), np.int64)
    return rows, large


@st.composite
def trees(draw, m):
    """Nodes above the leaves, some of them merged from level to level."""
    levels = [np.arange(m)]
    for _ in range(draw(st.integers(0, 3))):
        nodes = int(levels[-1].max()) + 1
        into = draw(st.lists(st.integers(0, nodes - 1), min_size=nodes, max_size=nodes))
        levels.append(np.unique(np.array(into)[levels[-1]], return_inverse=True)[1])
    return np.array(levels)


@given(cases())
def test_the_work_on_a_line_is_that_of_the_cumulated_shares(case):
    rows, large = case
    found = distances(work_on_line(entries(rows), large), rows, large)
    assert found == [moved_on_line(row, large) for row in rows]


@given(st.data())
def test_the_work_in_a_tree_is_the_cheapest_transport(data):
    rows, large = data.draw(cases(5))
    levels = data.draw(trees(len(large)))
    found = distances(work_in_tree(entries(rows), large, levels), rows, large)
    # Two leaves are as far from each other as the level of their lowest common ancestor; the root
    # is above the last level.
    costs = (levels[:, :, None] != levels[:, None, :]).sum(axis=0)
    for distance, row in zip(found, rows, strict=True):
        assert float(distance) == pytest.approx(moved_by_transport(row, large, costs), abs=1e-9)


def test_by_hand():
    """Shares 1/2, 0, 1/2 beside 1/4, 1/4, 1/2: a quarter moves one step."""
    rows, large = np.array([[1, 0, 1]]), np.array([1, 1, 2])
    assert distances(work_on_line(entries(rows), large), rows, large) == [Fraction(1, 4)]
    levels = np.array([[0, 1, 2], [0, 0, 1]])
    assert distances(work_in_tree(entries(rows), large, levels), rows, large) == [Fraction(1, 4)]
    assert distances(work_in_tree(entries(rows), large, levels[:1]), rows, large) == [
        Fraction(1, 4)
    ]


def test_nothing_overflows_at_the_largest_totals():
    large = np.full(2**20, 2**11)  # adds up to 2^31
    far = Histograms(np.array([1]), np.array([2**20 - 1]), np.array([2**30]))
    own, whole = (int(part[0]) for part in work_on_line(far, large))
    # The sum of i / 2^20 over all places but the last.
    assert Fraction(own, 2**30) - Fraction(whole, 2**31) == Fraction(2**20 - 1, 2)


def test_threads_do_not_show():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (GRAIN, 9)) * (rng.random((GRAIN, 9)) < 0.4)
    rows[:, 4] += 1
    small, large = entries(rows), rng.integers(1, 99, 9)
    levels = np.array([np.arange(9), np.arange(9) // 3])
    for one, other in zip(
        work_on_line(small, large, threads=1), work_on_line(small, large, threads=3), strict=True
    ):
        assert np.array_equal(one, other)
    for one, other in zip(
        work_in_tree(small, large, levels, threads=1),
        work_in_tree(small, large, levels, threads=3),
        strict=True,
    ):
        assert np.array_equal(one, other)


def test_no_histograms_are_no_work():
    none = Histograms(*(np.empty(0, np.int64),) * 3)
    assert work_on_line(none, np.array([1])).own.size == 0
    assert work_in_tree(none, np.array([1]), np.array([[0]])).own.size == 0
