from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.masking.suppressing.problem import Problem
from tacita.microdata.masking.suppressing.symmetric import matches

row = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.integers(1, 4))


@given(st.lists(row, min_size=1, max_size=8, unique_by=lambda one: one[:3]))
def test_matches_are_those_of_every_pair(rows):
    table = np.array(rows)
    values, counts = table[:, :3], table[:, 3]
    problem = Problem(values, 0 * counts, counts, np.ones(3, np.int64), 2)
    expected = [
        sum(
            count
            for other, count in zip(values, counts, strict=True)
            if ((one == other) | (one == 0) | (other == 0)).all()
        )
        for one in values
    ]
    assert matches(problem, problem.blanks, problem.blanks).tolist() == expected
