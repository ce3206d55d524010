from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tacita.microdata.masking.suppressing.problem import Problem, cells_of, cost_of, whole_units
from tacita.results import exactly


def problem_of(values: list[list[int]], weights: list[int], k: int = 2) -> Problem:
    rows = np.array(values)
    ones = np.ones(len(rows), np.int64)
    return Problem(rows, 0 * ones, ones, np.array(weights), k)


def test_patterns_come_by_their_cost():
    problem = problem_of([[1, 1, 1]], [3, 1, 1])
    assert problem.patterns.tolist() == [0b000, 0b010, 0b100, 0b110, 0b001, 0b011, 0b101, 0b111]
    assert problem.costs.tolist() == [0, 1, 1, 2, 3, 4, 4, 5]
    assert problem.missing_cost is None


def test_a_row_with_blanks_keeps_them():
    problem = problem_of([[1, 0], [1, 2]], [1, 1])
    assert problem.patterns[problem.own].tolist() == [0b10, 0b00]
    assert problem.known_costs.tolist() == [1, 0]
    assert [problem.fits(place).tolist() for place in range(4)] == [
        [False, True],
        [False, True],
        [True, True],
        [True, True],
    ]


def test_of_many_keys_some_patterns_are_looked_at_and_the_others_bounded():
    problem = problem_of([[1] * 14, [2] * 14], [1] * 13 + [5])
    assert 1 << 14 > len(problem.patterns) == len(set(problem.patterns.tolist()))
    assert {0, (1 << 14) - 1} <= set(problem.patterns.tolist())
    left_out = sorted(set(range(1 << 14)) - set(problem.patterns.tolist()))
    assert 0 < problem.missing_cost <= problem.cost_of(np.array(left_out)).min()
    blank = problem_of([[1] * 14, [0] + [2] * 13], [1] * 13 + [5])
    assert blank.missing_cost == 1


def test_records_that_look_alike_are_in_one_cell():
    problem = problem_of([[1, 1], [1, 2], [2, 0]], [1, 1])
    cells = cells_of(problem)
    by_pattern = dict(
        zip(problem.patterns.tolist(), cells.layers[cells.layer_of[:, 0]], strict=True)
    )
    assert by_pattern[0b00][2] == -1
    assert by_pattern[0b10][0] == by_pattern[0b10][1] != by_pattern[0b10][2]
    assert len(set(by_pattern[0b11].tolist())) == 1
    assert cells.sums(problem.counts)[by_pattern[0b11][0]] == 3


def test_patterns_that_show_the_same_of_a_set_share_its_cells():
    problem = problem_of([[1, 1], [1, 2]], [1, 1])
    cells = cells_of(problem, [(0,), (1,)])
    place = {pattern: at for at, pattern in enumerate(problem.patterns.tolist())}
    assert cells.layer_of[place[0b00], 0] == cells.layer_of[place[0b10], 0]
    assert cells.layer_of[place[0b00], 1] != cells.layer_of[place[0b10], 1]


def test_a_part_of_the_keys_counts_records_together():
    part = problem_of([[1, 1], [1, 2], [2, 1]], [4, 7]).over((0,))
    assert part.values.tolist() == [[1], [2]]
    assert part.counts.tolist() == [2, 1]
    assert part.weights.tolist() == [4]


def test_what_was_blank_costs_nothing():
    problem = problem_of([[1, 0], [1, 2]], [2, 3])
    placed = np.zeros((4, 2), np.int32)
    placed[problem.patterns.tolist().index(0b10)] = 1
    assert cost_of(problem, placed) == 3


@pytest.mark.parametrize(
    ("weights", "units", "scale"),
    [([1, 1], [1, 1], 1), ([0.1, 0.25], [2, 5], 20), ([1.5, 3], [1, 2], Fraction(2, 3))],
)
def test_weights_are_whole_numbers_of_a_unit(weights, units, scale):
    found, ones = whole_units(weights)
    assert (found.tolist(), ones) == (units, scale)


def test_weights_of_too_fine_a_unit_are_rounded_down():
    weights = [1.0, 1 / 3, 0.123456789, 1e-6]
    units, scale = whole_units(weights)
    assert units.tolist() == [1_000_000, 333_333, 123_456, 1]
    assert all(unit / scale <= exactly(weight) for unit, weight in zip(units, weights, strict=True))
    assert whole_units([1.0, 1 / 3, 2 / 7])[0].tolist() == [21, 7, 6]


def test_the_cells_of_some_rows_have_numbers_of_their_own():
    cells = cells_of(problem_of([[1, 1], [2, 0], [1, 2], [1, 1]], [1, 1]))
    part = cells.of(np.array([1, 3]))
    ones = np.ones(2, np.int64)
    assert part.number == part.layers.max() + 1
    assert ((part.layers < 0) == (cells.layers[:, [1, 3]] < 0)).all()
    assert sorted(part.sums(ones).tolist()) == [1, 1, 1, 1, 2]
