"""The Pareto front, against comparing all with all."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.release.pareto import pareto_front

POINTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30)


def dominates(one, other):
    return one[0] <= other[0] and one[1] <= other[1] and one != other


@settings(max_examples=50)
@given(POINTS)
def test_it_is_what_nothing_dominates(points):
    front = pareto_front(points)
    alone = {
        place
        for place, point in enumerate(points)
        if not any(dominates(other, point) for other in points)
    }
    assert set(front) == alone
    assert len(front) == len(alone)
    assert [points[place][0] for place in front] == sorted(points[place][0] for place in front)


def test_the_smallest_difference_decides():
    near = 0.1 + 0.2
    assert pareto_front([(near, 1.0), (0.3, 1.0)]) == [1]
