from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from tacita.queries.auditing.intervals import IntervalHistory


def narrowest(rows: list[np.ndarray], values: np.ndarray) -> float:
    """Return the least width, from two linear programs for each record."""
    matrix = np.array(rows, float)
    widths = []
    for record in range(len(values)):
        cost = np.eye(len(values))[record]
        ends = [
            sign * linprog(sign * cost, A_eq=matrix, b_eq=matrix @ values, bounds=(0, 1)).fun
            for sign in (1, -1)
        ]
        widths.append(ends[1] - ends[0])
    return min(widths)


@pytest.mark.parametrize("seed", range(12))
def test_decides_as_programs_of_single_records_do(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, 4)
    of_class = np.repeat(np.arange(4), sizes)
    values = rng.random(len(of_class)).round(2)
    history, rows = IntervalHistory(sizes, width=0.3937), []
    for _ in range(6):
        asked = rng.random(4) < 0.6
        answer = float(values[asked[of_class]].sum())
        width = narrowest([*rows, asked[of_class]], values)
        assert history.allows(asked, answer) == (width >= 0.3937)
        if width >= 0.3937:
            history.learn(asked, answer)
            rows.append(asked[of_class])


def test_a_sum_at_its_bound_tells_every_value():
    history = IntervalHistory(np.array([50]), width=0.2)
    for answer, allowed in ((0.0, False), (0.1, False), (25.0, True), (50.0, False)):
        assert history.allows(np.array([True]), answer) is allowed


def test_an_answer_that_cannot_be_is_refused():
    history = IntervalHistory(np.array([2, 2]), width=0.2)
    history.learn(np.array([True, True]), 2.0)
    assert not history.allows(np.array([True, False]), 2.5)


def test_goes_on_after_deletes():
    history = IntervalHistory(np.array([3]), width=0.2)
    history.learn(np.array([True]), 1.5)
    history.move(np.array([0]), np.array([2]))
    assert not history.allows(np.array([True]), 1.0)
    assert history.allows(np.array([False]), 0.0)
