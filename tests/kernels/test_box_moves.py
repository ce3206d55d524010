from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels.box_cuts import NO_BLANK, Rulers, on_rulers, widths
from tacita.kernels.box_moves import OUT, _width, gathered, neighbours, sweep

pytestmark = pytest.mark.numeric


def loss_of(codes, labels, weights):
    """Add up the losses row by row on rulers from 0 to 1."""
    total = float(np.count_nonzero(labels == OUT))
    for box in set(labels.tolist()) - {OUT}:
        mine = codes[labels == box]
        spans = (mine.max(axis=0) - mine.min(axis=0)) / 9
        total += len(mine) * float(spans @ weights)
    return total


def searched(codes, labels, k, may_leave=0, once=False, sweeps=1):
    rulers = on_rulers([np.linspace(0, 1, 10)] * codes.shape[1])
    rulers = rulers._replace(weights=np.full(codes.shape[1], 1 / codes.shape[1]))
    boxes = gathered(codes, labels, rulers, may_leave, once=once)
    orders = [[*range(j + 1, codes.shape[1]), *range(j + 1)] for j in range(codes.shape[1])]
    near = neighbours(codes, orders, 4)
    gained = sum(sweep(boxes, rulers, near, k) for _ in range(sweeps))
    return boxes, gained


def test_boxes_are_measured_as_they_were_cut():
    """A ruler with a blank, and a tree of two levels: both files have their own measure."""
    rulers = Rulers(
        sizes=np.array([3, 4]),
        heights=np.array([0, 2]),
        blanks=np.array([2, NO_BLANK]),
        place_from=np.array([0, 3]),
        places=np.array([0.0, 0.4, 1.0]),
        tree_from=np.array([0, 0]),
        above=np.array([0, 0, 1, 1, 0, 0, 0, 0], np.int32),
        costs=np.array([0.25, 0.25, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0]),
        weights=np.ones(2),
    )
    for column, size in enumerate((3, 4)):
        low, high = (part.ravel() for part in np.triu_indices(size))
        mine = [_width(rulers, column, int(a), int(b)) for a, b in zip(low, high, strict=True)]
        assert mine == widths(rulers, column, low, high).tolist()
    assert _width(rulers, 0, 0, 1) == 0.4
    assert _width(rulers, 0, 0, 2) == 1
    assert [_width(rulers, 1, 2, 3), _width(rulers, 1, 1, 2)] == [0.5, 1]


def test_a_row_goes_to_the_box_it_belongs_to():
    codes = np.array([[0], [0], [9], [9], [9]], np.int32)
    boxes, gained = searched(codes, np.array([0, 0, 0, 1, 1]), 2)
    assert boxes.labels.tolist() == [0, 0, 1, 1, 1]
    assert gained == pytest.approx(3)


def test_a_box_is_dissolved_among_its_neighbours():
    codes = np.array([[0], [0], [9], [9], [0], [9]], np.int32)
    boxes, gained = searched(codes, np.array([0, 0, 1, 1, 2, 2]), 2)
    assert boxes.labels.tolist() == [0, 0, 1, 1, 0, 1]
    assert gained == pytest.approx(2)


def test_some_of_many_equal_rows_meet_a_stranger():
    # The box of four is cheaper met by one of them than by all.
    codes = np.array([[0], [0], [0], [0], [1], [9], [9]], np.int32)
    boxes, _ = searched(codes, np.array([0, 0, 0, 0, 1, 1, 1]), 2)
    assert np.bincount(boxes.labels, minlength=1).max() == 3
    stranger = boxes.labels[4]
    assert np.count_nonzero(boxes.labels == stranger) == 2
    assert len(set(boxes.labels[5:])) == 1


def test_a_row_that_costs_more_than_itself_is_left_out_and_taken_in_again():
    codes = np.array([[0], [0], [0], [9]], np.int32)
    labels = np.zeros(4, np.int64)
    assert searched(codes, labels, 2, may_leave=0)[0].labels.tolist() == [0, 0, 0, 0]
    assert searched(codes, labels, 2, may_leave=1)[0].labels.tolist() == [0, 0, 0, OUT]
    back, gained = searched(np.array([[0], [0], [1]], np.int32), np.array([0, 0, OUT]), 2)
    assert back.labels.tolist() == [0, 0, 0]
    assert gained == pytest.approx(1 - 3 / 9)


@settings(max_examples=60)
@given(
    st.integers(0, 10**6), st.integers(2, 60), st.integers(2, 4), st.integers(0, 3), st.booleans()
)
def test_the_loss_falls_by_what_was_gained_and_boxes_stay_large(seed, rows, k, may_leave, once):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, rng.integers(1, 11), (rows, 2)).astype(np.int32)
    labels = np.arange(rows) % max(rows // k, 1)
    boxes, gained = searched(codes, labels, k, 0 if once else may_leave, once, 1 if once else 3)
    weights = np.full(2, 0.5)
    before, after = (loss_of(codes, one, weights) for one in (labels, boxes.labels))
    assert gained >= 0
    assert before - after == pytest.approx(gained)
    kept = boxes.labels[boxes.labels != OUT]
    sizes = np.bincount(kept, minlength=1)
    assert (sizes[sizes > 0] >= min(k, rows)).all()
    assert rows - len(kept) <= may_leave


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(4, 60))
def test_once_every_box_is_in_one_step(seed, rows):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 5, (rows, 2)).astype(np.int32)
    labels = np.arange(rows) % (rows // 2)
    boxes, _ = searched(codes, labels, 2, once=True)
    moved = boxes.labels != labels
    # A row that moved went from a box to another one of the same step.
    assert (boxes.steps[labels[moved]] >= 0).all()
    assert (boxes.steps[labels[moved]] == boxes.steps[boxes.labels[moved]]).all()
