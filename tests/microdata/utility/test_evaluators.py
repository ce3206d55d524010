"""Samples, weights and trees that several utilities share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.comparing.features import features
from tacita.microdata.utility.evaluators import (
    drawn_together,
    mean_weights,
    probabilities,
    splittable,
)


def test_of_identical_data_the_same_records_are_drawn(toy):
    ours, theirs = drawn_together(toy, toy, 50, seed=3)
    assert ours.tolist() == theirs.tolist() == sorted(set(ours.tolist()))
    assert len(ours) == 50
    assert ours.tolist() != drawn_together(toy, toy, 50, seed=4)[0].tolist()


def test_records_that_belong_together_are_drawn_together(toy):
    part = toy.take(np.arange(0, 300, 3))
    ours, theirs = drawn_together(toy, part, 60, seed=0)
    drawn = set(part.source_rows[theirs].tolist())
    assert {row for row in ours.tolist() if row % 3 == 0} <= drawn
    assert len(ours) == len(theirs) == 60


def test_parts_of_a_source_are_drawn_together(toy):
    """The record numbers of a part are those of its source, not its places."""
    part = toy.take(np.arange(100, 300))
    for masked in (part, part.take(np.arange(200)), ta.read(part.to_arrow())):
        ours, theirs = drawn_together(part, masked, 50, seed=0)
        assert ours.tolist() == theirs.tolist()


def test_all_are_drawn_of_few(toy):
    ours, theirs = drawn_together(toy, ta.example("toy", 400), 350, seed=0)
    assert len(ours) == 300
    assert len(theirs) == 350
    assert len(drawn_together(toy, toy, None, seed=0)[0]) == 300


def test_weights_are_one_on_average(toy):
    assert mean_weights(toy).mean() == pytest.approx(1)
    assert mean_weights(toy.without(["weight"])).tolist() == [1.0] * 300


@pytest.mark.parametrize("wrong", [[1.0, -1.0], [0.0, 0.0], [1.0, None]])
def test_what_is_no_weight_is_refused(wrong):
    data = ta.read(pd.DataFrame({"x": [1, 2], "w": [1.0, 1.0]}), roles={"w": "weight"})
    column = ta.read(pd.DataFrame({"w": wrong})).column("w")
    with pytest.raises(InputError, match="Sampling weights"):
        mean_weights(data.with_column(data.attribute("w"), column))


def test_trees_see_the_order_of_numbers_whatever_their_size():
    data = ta.read(pd.DataFrame({"x": [1e300, None, 1 + 1e-12, 1.0]}))
    (matrix,) = splittable(features([data], ["x"]))
    assert matrix.ravel().tolist() == [2.0, -1.0, 1.0, 0.0]


@pytest.mark.parametrize("tree", ["cart", "boosted"])
def test_trees_find_a_step(tree):
    x = np.arange(400.0)[:, None]
    labels = np.where(x[:, 0] < 200, 3.0, 7.0)
    known, chances = probabilities(tree, x, labels, np.ones(400), np.array([[10.0], [390.0]]))
    assert known.tolist() == [3.0, 7.0]
    assert chances.argmax(axis=1).tolist() == [0, 1]


@pytest.mark.parametrize("tree", ["cart", "boosted"])
def test_one_label_is_certain(tree):
    known, chances = probabilities(tree, np.zeros((3, 1)), np.ones(3), np.ones(3), np.ones((2, 1)))
    assert known.tolist() == [1.0]
    assert chances.tolist() == [[1.0], [1.0]]


def test_a_leaf_has_at_least_twenty_records():
    x = np.arange(60.0)[:, None]
    labels = (np.arange(60) < 5).astype(float)
    chances = probabilities("cart", x, labels, np.ones(60), x)[1][:, 1]
    assert chances.max() == pytest.approx(5 / 20)
