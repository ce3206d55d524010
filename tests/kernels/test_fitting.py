from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.fitting import COVERED, UNCOVERED, UNDECIDED, uncovered

pytestmark = pytest.mark.numeric

runs = st.tuples(st.integers(0, 4), st.integers(1, 4)).map(lambda run: (run[0], sum(run)))
boxes = st.lists(st.tuples(runs, runs, runs, st.integers(0, 5)), min_size=1, max_size=12)


def split(drawn):
    ends = np.array([box[:3] for box in drawn])
    return ends[:, :, 0], ends[:, :, 1], np.array([box[3] for box in drawn])


@given(boxes)
def test_agrees_with_a_look_at_every_cell(drawn):
    low, high, owner = split(drawn)
    found = uncovered(low, high, owner, np.arange(len(drawn)), effort=10**6)
    for box, answer in enumerate(found):
        others = [n for n in range(len(drawn)) if owner[n] != owner[box]]
        cells = product(*(range(*run) for run in drawn[box][:3]))
        bare = [
            cell
            for cell in cells
            if not any((low[n] <= cell).all() and (cell < high[n]).all() for n in others)
        ]
        assert answer == (UNCOVERED if bare else COVERED)


@given(boxes, st.data())
def test_several_times_over_agrees_with_a_look_at_every_cell(drawn, data):
    low, high, owner = split(drawn)
    _, first, owner = np.unique(owner, return_index=True, return_inverse=True)
    low, high, own = low[first], high[first], [drawn[n] for n in first]  # one box an owner
    numbers = st.lists(st.integers(0, 4), min_size=len(first), max_size=len(first))
    times, weights = (np.array(data.draw(numbers)) for _ in range(2))
    asked = np.arange(len(first))
    found = uncovered(low, high, asked, asked, effort=10**6, times=times, weights=weights)
    for box, answer in enumerate(found):
        depth = min(
            sum(
                weights[n]
                for n in range(len(first))
                if n != box and (low[n] <= cell).all() and (cell < high[n]).all()
            )
            for cell in product(*(range(*run) for run in own[box][:3]))
        )
        assert answer == (COVERED if depth >= times[box] else UNCOVERED)


@given(boxes, st.integers(0, 3))
def test_little_effort_never_gives_a_wrong_answer(drawn, effort):
    low, high, owner = split(drawn)
    queries = np.arange(len(drawn))
    hasty = uncovered(low, high, owner, queries, effort=effort)
    exact = uncovered(low, high, owner, queries, effort=10**6)
    assert ((hasty == UNDECIDED) | (hasty == exact)).all()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_show(threads):
    rng = np.random.default_rng(0)
    low = rng.integers(0, 30, (2000, 3))
    high = low + rng.integers(1, 9, (2000, 3))
    asked = np.arange(2000)
    found = uncovered(low, high, asked, asked, effort=10**5, threads=threads)
    assert np.array_equal(found, uncovered(low, high, asked, asked, effort=10**5, threads=1))
    assert {COVERED, UNCOVERED} <= set(found.tolist())


def test_nothing_asked():
    assert (
        len(uncovered(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), np.zeros(0), effort=1)) == 0
    )
