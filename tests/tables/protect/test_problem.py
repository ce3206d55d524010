from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from tacita.tables.cells import Cells
from tacita.tables.protect.problem import Level, problem_of
from tacita.tables.status import Status
from tacita.tables.system import System

S, P, Z = Status.SAFE, Status.SENSITIVE, Status.PUBLISHED


def row(value, status, **known):
    """Make one total and its parts."""
    cells = Cells.of(value, status=np.array(status), **known)
    signs = np.ones((1, len(value)), int)
    signs[0, 0] = -1
    return System(cells, csr_array(signs), np.zeros(1), decimals=0)


def test_cells_that_must_be_published_or_are_known_are_left_out():
    system = row([10, 3, 0, 7], [Z, P, S, S], upper_bound=[99, 99, 0, 99])
    problem = problem_of(system)
    assert problem.places.tolist() == [1, 3]
    assert problem.is_required.tolist() == [True, False]
    assert problem.cost.tolist() == [0.0, 7.0]
    assert problem.down.tolist() == [3.0, 7.0]
    assert problem.up.tolist() == [min(96, 21), min(92, 21)]  # no more than all there is


def test_levels_come_largest_first():
    system = row(
        [10, 3, 7], [S, P, P], upper_level=[0, 2, 4], lower_level=[0, 3, 1], sliding_level=[0, 9, 0]
    )
    assert problem_of(system).levels == (
        Level(1, 1, 6.0),  # 9 in all, 3 of them below
        Level(2, 1, 4.0),
        Level(1, -1, 3.0),
        Level(2, -1, 1.0),
    )


def test_without_a_level_one_unit_is_asked_for():
    system = row([1.0, 0.3, 0.7], [S, P, S])
    assert problem_of(system).levels == (Level(1, 1, 1.0),)


def test_endless_levels_below_have_room():
    system = row([0, 0, 0], [S, P, S], lower_bound=[-np.inf] * 3, lower_level=[0, 50, 0])
    assert (problem_of(system).down >= 50).all()


@pytest.mark.parametrize(
    ("cost", "costs"),
    [
        ("value", [10, 0.003, 7]),  # what costs nothing costs a little, a part of the least
        ("count", [1, 1, 1]),
        ("contributors", [5, 2, 3]),
        ("cost", [4, 4, 0.004]),
    ],
)
def test_costs(cost, costs):
    system = row([10, 0, 3, 7], [S, S, P, S], frequency=[5, 2, 9, 3], cost=[4, 4, 4, 0])
    problem = problem_of(system, cost)
    assert problem.cost[~problem.is_required] == pytest.approx(costs)


def test_a_cell_of_one_contributor_is_known_to_it():
    system = row([10, 3, 2, 5], [S, P, P, S], frequency=[9, 1, 5, 9], upper_level=[0, 1, 1, 0])
    levels = problem_of(system, singletons="protected").levels
    assert [level for level in levels if level.known != -1] == [Level(2, 1, 1.0, 1)]


def test_a_total_and_its_only_part_are_one():
    system = row([3, 3], [P, P], frequency=[1, 1])
    assert all(level.known == -1 for level in problem_of(system, singletons="protected").levels)


def test_parts_without_a_level_are_left_out():
    one = row([10, 3, 7], [S, P, S])
    matrix = np.kron(np.eye(2, dtype=int), one.relations.toarray())
    other = row([10, 3, 7], [S, S, S])
    system = System(Cells.joined(one.cells, other.cells), csr_array(matrix), np.zeros(2))
    (part,) = problem_of(system).components()
    assert part.places.tolist() == [0, 1, 2]


def test_a_known_cell_that_moves_by_the_solvers_error_alone_stays():
    system = row([10, 3, 7], [P, P, P], contributors=[2, 1, 1], frequency=[2, 1, 1])
    problem = problem_of(system, singletons="protected")
    number = problem.levels.index(Level(0, 1, 1.0, known=1))
    assert problem.reached(np.array([2.0, 1e-13, 2.0]))[number]
    assert not problem.reached(np.array([2.0, 1e-3, 2.0]))[number]
