from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.tables.cells import Cells
from tacita.tables.protect.bridges import Bridges
from tacita.tables.protect.optimal_suppression import OptimalSuppression
from tacita.tables.protect.problem import problem_of
from tacita.tables.status import Status
from tacita.tables.system import System

SEEDS = st.integers(0, 10**6)


@settings(max_examples=15)
@given(SEEDS)
def test_a_cheapest_pattern_fulfils_every_inequality(judged_table, seed):
    problem = problem_of(judged_table(seed, share=0.15).system())
    best = OptimalSuppression().solution(problem).pattern.astype(float)
    rng, bridges = np.random.default_rng(seed), Bridges(problem)
    for _ in range(5):
        relaxed = np.where(problem.is_required, 1.0, rng.random(len(problem)) ** 3)
        for cut in bridges.cuts(relaxed):
            assert cut.coefficients @ relaxed[cut.indices] < cut.lower
            assert cut.coefficients @ best[cut.indices] >= cut.lower


def chain(status):
    """Make two sums that share a cell: x = a + b and b = c + d."""
    matrix = np.array([[-1, 1, 1, 0, 0], [0, 0, -1, 1, 1]])
    cells = Cells.of([10, 4, 6, 2, 4], status=status, upper_level=[0, 1, 0, 0, 0])
    return problem_of(System(cells, csr_array(matrix), np.zeros(2)))


def told(cut):
    return dict(zip(cut.indices.tolist(), cut.coefficients.tolist(), strict=True)), cut.lower


SAFE, SENSITIVE = Status.SAFE, Status.SENSITIVE


def test_a_cell_alone_in_its_relation_asks_for_another():
    problem = chain([SAFE, SENSITIVE, SAFE, SAFE, SAFE])
    (cut,) = Bridges(problem).cuts(np.array([0.0, 1.0, 0.0, 0.6, 0.0]))
    assert told(cut) == ({2: 1.0, 4: 1.0, 3: -1.0}, 0.0)


def test_a_cell_that_several_relations_hold_asks_for_another():
    problem = chain([SAFE, SENSITIVE, SAFE, SAFE, SAFE])
    # Alone no relation tells that c cannot move by 0.6: b gives 0.3, d 0.3, and x and a nothing.
    pattern = np.array([0.0, 0.0, 0.5, 0.6, 0.1])
    found = Bridges(problem).cuts(pattern)
    for cut in found:
        assert cut.coefficients @ pattern[cut.indices] < cut.lower
    assert found


def test_cells_that_can_all_move_ask_for_nothing():
    problem = chain([SAFE, SENSITIVE, SAFE, SAFE, SAFE])
    assert not Bridges(problem).cuts(np.full(5, 0.7))


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_the_optimum_is_the_same_with_and_without_them(judged_table, seed, monkeypatch):
    system = judged_table(seed, dimensions=3, cells=7**3).system()
    with_bridges = OptimalSuppression().protect(system).cost
    monkeypatch.setattr(Bridges, "cuts", lambda *_: [])
    assert OptimalSuppression().protect(system).cost == with_bridges
