from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels.shifted_ranks import GRAIN, Shifts, weigh

pytestmark = pytest.mark.numeric

LONGEST = 12


def shifts(reach):
    """A density of shifts that grows with their square, integrated twice."""
    size = np.arange(LONGEST + 1.0)
    ends = reach[:, None] + 0.5
    table = 1.5 * size**4 / (12 * ends**3)
    tails = 1.5 * ends[:, 0] / 12 - ends[:, 0] / 2
    outside = np.maximum(size - ends, 0.0)
    inside = np.minimum(size, ends)
    whole = 1.5 * inside**4 / (12 * ends**3) + outside / 2
    beyond = np.pad(whole, ((0, 0), (0, 1)), constant_values=0.0)
    beyond[:, -1] = tails + (LONGEST + 1) / 2
    second = np.column_stack([2 * beyond[:, 1], beyond[:, 2:] + beyond[:, :-2] - 2 * whole[:, 1:]])
    return Shifts(reach, table, tails, np.log(np.maximum(second, 1e-300)))


def runs(column):
    """The first rank of every value and that behind the last; a blank is below 0."""
    held = np.sort(column[column >= 0])
    made = np.column_stack([np.searchsorted(held, column, side) for side in ("left", "right")])
    made[column < 0] = -1
    return made


def probability(point, question, reach):
    """How often one of the ranks of a run becomes one of another, added up in small steps."""
    density = lambda x: 1.5 * x**2 / (reach + 0.5) ** 3 if abs(x) <= reach + 0.5 else 0.0  # noqa: E731
    steps = (np.arange(40) + 0.5) / 40
    one = np.concatenate([rank + steps for rank in range(*point)])
    other = np.concatenate([rank + steps for rank in range(*question)])
    found = [density(b - a) for a in one for b in other]
    return sum(found) / (40 * 40) / (point[1] - point[0])


@settings(max_examples=50)
@given(
    st.integers(0, 10_000),
    st.integers(1, LONGEST),
    st.integers(1, 3),
    st.integers(0, 4),
)
def test_candidates_are_those_within_reach_in_all_coordinates(seed, size, width, reach):
    rng = np.random.default_rng(seed)
    points = np.stack([runs(rng.integers(-1, 8, size)) for _ in range(width)], axis=1)
    asked = np.stack([runs(rng.integers(-1, 8, size)) for _ in range(width)], axis=1)
    # Ranks of questions are those of points: there are as many values that are not blank.
    asked = np.where(
        (asked[:, :, :1] >= 0) & (points[:, :, 0] >= 0).any(axis=0)[:, None], asked, -1
    )
    found = weigh(points, asked, shifts(np.full(width, reach)), np.arange(size))
    for q in range(size):
        near = [
            all(
                a[0] < 0
                or (p[0] >= 0 and a[0] - (p[1] - 1) <= reach and p[0] - (a[1] - 1) <= reach)
                for p, a in zip(point, asked[q], strict=True)
            )
            for point in points
        ]
        assert found.candidates[q] == sum(near)
        assert found.likeliest[q] <= sum(near)
        assert (found.best[q] > -np.inf) == any(near)
        assert not found.is_own[q] or near[q]


def test_probabilities_are_those_of_the_density():
    column = np.array([0, 0, 1, 2, 2, 3])
    points = runs(column)[:, None, :]
    reach = np.array([2])
    for place, asked in enumerate(points):
        found = weigh(points, asked[None], shifts(reach), np.array([place]))
        first, behind = asked[0]
        near = [a - (behind - 1) <= 2 and first - (b - 1) <= 2 for a, b in points[:, 0]]
        each = [
            probability(point[0], asked[0], 2) if is_near else 0.0
            for point, is_near in zip(points, near, strict=True)
        ]
        assert np.isclose(found.best[0], np.log(max(each)), atol=0.01)
        assert np.isclose(found.total[0], sum(each) / max(each), rtol=0.02)
        assert found.likeliest[0] == sum(np.isclose(each, max(each), rtol=0.01))
        assert found.is_own[0] == bool(np.isclose(each[place], max(each), rtol=0.01))


def test_a_question_without_a_value_may_come_from_anybody():
    points = runs(np.arange(5))[:, None, :]
    found = weigh(points, np.full((1, 1, 2), -1), shifts(np.array([1])), np.array([3]))
    assert (found.candidates[0], found.likeliest[0], found.is_own[0]) == (5, 5, True)


def test_a_question_beyond_reach_comes_from_nobody():
    points = np.stack([runs(np.arange(5)), runs(np.arange(5)[::-1])], axis=1)
    asked = np.array([[[0, 1], [0, 1]]])
    found = weigh(points, asked, shifts(np.array([1, 1])), np.array([0]))
    assert (found.candidates[0], found.likeliest[0], found.is_own[0]) == (0, 0, False)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_show(threads):
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 50, 8 * GRAIN) for _ in range(2)]
    points = np.stack([runs(column) for column in columns], axis=1)
    reach, own = shifts(np.array([12, 9])), np.arange(8 * GRAIN)
    one, other = (weigh(points, points[::-1], reach, own, threads=t) for t in (1, threads))
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
