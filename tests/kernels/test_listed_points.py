from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels.listed_points import GRAIN, likeliest, lists_of

ABSENT = -9.0


def made(seed, points, kinds, lists):
    """Points on at most two lists of each kind, which are numbered through."""
    rng = np.random.default_rng(seed)
    named = np.full((points, kinds, 2), -1)
    for point in range(points):
        for kind in range(kinds):
            chosen = rng.choice(lists, rng.integers(0, 3), replace=False)
            named[point, kind, : len(chosen)] = chosen + kind * lists
    logs = np.where(named < 0, ABSENT, -rng.integers(0, 4, named.shape).astype(float))
    asked = rng.integers(-1, lists, (points, kinds))
    return named, logs, np.where(asked < 0, -1, asked + np.arange(kinds) * lists)


def looked_up(named, logs, asked):
    """For one question: the sum of every point, and whether it is on all lists."""
    sums, everywhere = [], []
    for lists, numbers in zip(named, logs, strict=True):
        total, found = 0.0, True
        for kind, wanted in enumerate(asked):
            places = np.flatnonzero(lists[kind] == wanted) if wanted >= 0 else []
            total += 0.0 if wanted < 0 else (numbers[kind][places[0]] if len(places) else ABSENT)
            found &= wanted < 0 or len(places) > 0
        sums.append(total)
        everywhere.append(found)
    return np.array(sums), np.array(everywhere)


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 3), st.integers(2, 4))
def test_the_likeliest_points_on_all_lists_are_found(seed, points, kinds, lists):
    named, logs, asked = made(seed, points, kinds, lists)
    found = likeliest(
        lists_of(named, logs, ABSENT, kinds * lists), asked, np.arange(points), threads=1
    )
    for q, question in enumerate(asked):
        sums, everywhere = looked_up(named, logs, question)
        if (question < 0).all():
            assert found.likeliest[q] == 0
        elif everywhere.any():
            best = sums[everywhere].max()
            # None that is missing somewhere is likelier: that costs more than all the others.
            assert found.everywhere[q] == everywhere.sum()
            assert found.likeliest[q] == np.count_nonzero(sums == best)
            assert found.is_own[q] == (sums[q] == best)
        else:
            assert found.everywhere[q] == 0
            assert not found.is_own[q] or sums[q] > ABSENT * np.count_nonzero(question >= 0)


def test_without_a_point_on_all_lists_the_second_shortest_is_looked_at():
    # Lists 0 to 2 are of the first kind, 3 of the second; the owner is not on list 0.
    named = np.array([[[0], [-1]], [[1], [3]], [[2], [3]]])
    logs = np.array([[[-5.0], [0.0]], [[-1.0], [-1.0]], [[-1.0], [-2.0]]])
    found = likeliest(lists_of(named, logs, ABSENT, 4), np.array([[0, 3]]), np.array([1]))
    assert (found.everywhere[0], found.likeliest[0], found.is_own[0]) == (0, 1, True)


def test_threads_do_not_show():
    named, logs, asked = made(0, 6 * GRAIN, 3, 40)
    lists = lists_of(named, logs, ABSENT, 120)
    one, two = (likeliest(lists, asked, np.arange(6 * GRAIN), threads=t) for t in (1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
