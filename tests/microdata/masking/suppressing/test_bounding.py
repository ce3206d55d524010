from __future__ import annotations

import numpy as np

from tacita.microdata.masking.suppressing.bounding import least_costs, whole_sum
from tacita.microdata.masking.suppressing.problem import Problem, cells_of


def test_a_lonely_record_pays_for_those_that_hide_it():
    """At k = 3 the record (2, 1) needs two of the ten (1, 1) beside it: three blanks at least."""
    rows, counts = np.array([[1, 1], [2, 1]]), np.array([10, 1])
    problem = Problem(rows, 0 * counts, counts, np.ones(2, np.int64), 3)
    assert least_costs(problem, cells_of(problem), one_sided=False).tolist() == [0, 3]
    assert least_costs(problem, cells_of(problem), one_sided=True).tolist() == [0, 1]


def test_records_that_hide_each_other_pay_for_themselves():
    rows, counts = np.array([[1, 1], [2, 1], [3, 1]]), np.ones(3, np.int64)
    problem = Problem(rows, 0 * counts, counts, np.array([5, 1]), 3)
    assert least_costs(problem, cells_of(problem), one_sided=False).tolist() == [5, 5, 5]


def test_a_cell_that_is_there_already_costs_nobody_else():
    """Three records are (1, blank) from the start; (1, 2) may join them."""
    rows, counts = np.array([[1, 0], [1, 2]]), np.array([3, 1])
    problem = Problem(rows, 0 * counts, counts, np.ones(2, np.int64), 3)
    assert least_costs(problem, cells_of(problem), one_sided=False).tolist() == [0, 1]


def test_sums_are_rounded_up_but_not_by_their_own_error():
    assert whole_sum(np.full(10, 0.1)) == 1
    assert whole_sum(np.array([0.5, 0.6])) == 2
