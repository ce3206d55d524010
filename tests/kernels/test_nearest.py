from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.nearest import (
    LEAF,
    Questions,
    Terms,
    count_within,
    nearest,
    plant,
    sums_between,
)

pytestmark = pytest.mark.numeric

SMALL = st.integers(0, 2**32 - 1)


def problem(seed: int, power: int, size: int = 120, asked: int = 10):
    """Points with blanks, two paths and a table; boxes, some open, some of which say nothing."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 6, (size, 2)).astype(float)
    points[rng.random(points.shape) < 0.1] = np.nan
    leaves = rng.integers(0, 5, size)
    labels = np.column_stack(
        [leaves, leaves // 2, rng.integers(0, 3, size), rng.integers(0, 4, size)]
    )
    low = rng.integers(0, 6, (asked, 2)).astype(float)
    high = low + rng.integers(0, 3, low.shape)
    low[rng.random(low.shape) < 0.2] = -np.inf
    high[rng.random(low.shape) < 0.2] = np.inf
    nodes = rng.integers(0, 5, asked)
    wanted = np.column_stack(
        [nodes, nodes // 2, rng.integers(0, 3, asked), rng.integers(0, 3, asked)]
    )
    levels = np.column_stack([rng.integers(0, 4, asked), 2 * rng.integers(0, 2, asked)])
    terms = Terms(
        power,
        np.array([1.0, 0.5]),
        np.array([4.0, 2.0]),
        np.array([0, 2, 3]),
        np.array([[0, 0.5, 1, 0], [0, 2, 0, 0]]),
        np.array([4]),
        rng.integers(0, 3, (1, 12)).astype(float),
    )
    trees = np.unique(np.column_stack([labels, np.isnan(points)]), axis=0, return_inverse=True)[1]
    trees = trees.ravel()
    first = np.unique(trees, return_index=True)[1]
    forest, order = plant(points, trees, labels[first], terms.path_starts)
    questions = Questions(low, high, wanted, levels, np.zeros(asked, np.int64))
    return forest, order, questions, terms, points, labels


def slowly(q: int, i: int, questions: Questions, terms: Terms, points, labels) -> float:
    total = 0.0
    for j in range(points.shape[1]):
        low, high, x = questions.low[q, j], questions.high[q, j], points[i, j]
        if np.isnan(x):
            total += 0.0 if np.isinf(low) and np.isinf(high) else terms.unknown[j]
        else:
            total += (max(low - x, x - high, 0.0) * terms.rates[j]) ** terms.power
    for path, (start, stop) in enumerate(((0, 2), (2, 3))):
        height, level = stop - start, int(questions.levels[q, path])
        agree = [
            at
            for at in range(level, height)
            if labels[i, start + at] == questions.labels[q, start + at]
        ]
        total += terms.path_terms[path, agree[0] if agree else max(level, height)]
    return total + terms.tables[0, questions.labels[q, 3] * 4 + labels[i, 3]]


@given(SMALL, st.sampled_from([1, 2]))
def test_the_search_finds_what_looking_at_all_points_finds(seed, power):
    forest, order, questions, terms, points, labels = problem(seed, power)
    every = np.array(
        [
            [slowly(q, i, questions, terms, points, labels) for i in order]
            for q in range(len(questions.low))
        ]
    )
    places, sums = nearest(forest, questions, terms, 3)
    assert np.array_equal(sums, np.sort(every, axis=1)[:, :3])
    assert np.array_equal(np.take_along_axis(every, places, axis=1), sums)
    weights = np.arange(len(order))
    counted = count_within(forest, questions, terms, sums[:, 1].copy(), weights)
    assert counted.tolist() == [
        weights[row <= most].sum() for row, most in zip(every, sums[:, 1], strict=True)
    ]
    asked = np.repeat(np.arange(len(every)), len(order))
    all_places = np.tile(np.arange(len(order)), len(every))
    between = sums_between(forest, questions, terms, asked, all_places)
    assert np.array_equal(between.reshape(every.shape), every)


def test_large_trees_are_cut_and_searched_by_threads_alike():
    rng = np.random.default_rng(3)
    points, boxes = rng.normal(size=(5000, 3)), rng.normal(size=(1000, 3))
    forest, order = plant(
        points, np.zeros(5000, np.int64), np.zeros((1, 0), np.int64), np.zeros(1, np.int64)
    )
    assert forest.largest <= LEAF
    assert np.array_equal(np.sort(order), np.arange(5000))
    assert np.array_equal(forest.points.T, points[order])
    none = np.zeros((1000, 0), np.int64)
    questions = Questions(boxes, boxes, none, none, np.zeros(1000, np.int64))
    terms = Terms(
        2,
        np.ones(3),
        np.ones(3),
        np.zeros(1, np.int64),
        np.zeros((0, 2)),
        np.zeros(0, np.int64),
        np.zeros((0, 1)),
    )
    one, two = (nearest(forest, questions, terms, 2, threads=threads) for threads in (1, 2))
    assert np.array_equal(one[0], two[0])
    squares = np.square(boxes[:, None] - points[None]).sum(axis=2)
    assert np.array_equal(order[one[0][:, 0]], squares.argmin(axis=1))


@pytest.mark.parametrize("size", [0, 1])
def test_too_few_points_leave_places_open(size):
    forest, _ = plant(
        np.zeros((size, 1)),
        np.zeros(size, np.int64),
        np.zeros((size, 0), np.int64),
        np.zeros(1, np.int64),
    )
    none, box = np.zeros((size, 0), np.int64), np.zeros((size, 1))
    terms = Terms(
        1,
        np.ones(1),
        np.ones(1),
        np.zeros(1, np.int64),
        np.zeros((0, 2)),
        np.zeros(0, np.int64),
        np.zeros((0, 1)),
    )
    questions = Questions(box, box, none, none, np.zeros(size, np.int64))
    places, sums = nearest(forest, questions, terms, 2)
    assert places.tolist() == [[0, -1]] * size
    assert sums.tolist() == [[0, np.inf]] * size
