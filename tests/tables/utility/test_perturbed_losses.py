"""What perturbation costs: additivity, relative loss, distance of distributions, ranks."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError
from tacita.tables.ready import grid_table
from tacita.tables.utility.rank_changes import _ascents

pytestmark = pytest.mark.numeric

INSIDE = {"x": [8, 4, 0], "y": [5, 20, 2]}
VALUES = st.lists(st.integers(0, 6), min_size=12, max_size=12)


def table(inside=None):
    return grid_table("t", inside or INSIDE, ["u", "v", "w"])


def showing(values):
    return table().with_cells(shown=np.array(values, float), value=np.array(values, float))


@given(VALUES)
def test_additivity_counts_the_sums_that_do_not_hold(values):
    grid = np.array(values).reshape(3, 4)
    off = sum(int(row[0] != row[1:].sum()) for row in (*grid, *grid.T))
    found = ta.Additivity().measure(table(), _perturbed(values))
    assert found.value == Fraction(off, 7)
    assert found.details.num_rows == off


def _perturbed(values):
    return replace(showing(values), perturbed_by="by hand")


def test_a_total_with_a_suppressed_part_is_not_asked():
    made = table().suppress({"row": "x", "column": "u"})
    found = ta.Additivity().measure(made, made.published())
    assert (found.value, found.figures["not_complete"]) == (0, 2)


@given(VALUES)
def test_relative_loss_is_the_mean_of_what_each_cell_lost(values):
    lost = [
        (0 if a == z else 1) if a == 0 else min(1, abs(a - z) / a)
        for a, z in zip(table().cells.value.tolist(), values, strict=True)
    ]
    found = ta.RelativeLoss().measure(table(), _perturbed(values))
    assert found.value == pytest.approx(sum(lost) / 12, rel=1e-12)


def test_a_suppressed_cell_is_lost_altogether():
    made = table().suppress({"row": "x", "column": "u"})
    assert ta.RelativeLoss().measure(made, made.published()).value == pytest.approx(1 / 12)


@given(VALUES)
def test_hellinger_is_a_distance_of_inner_cells(values):
    found = ta.HellingerDistance().measure(table(), _perturbed(values))
    assert 0 <= found.value <= 1
    inner = [place for place in range(12) if place % 4 and place > 3]
    true, shown = np.array(table().cells.value)[inner], np.array(values)[inner]
    if shown.sum():
        overlap = math.fsum(np.sqrt(true / true.sum() * shown / shown.sum()))
        assert found.value == pytest.approx(math.sqrt(max(1 - overlap, 0)), abs=1e-7)
    else:
        assert found.value == 1


def test_hellinger_refuses_negative_values():
    below = table({"x": [-1, 4, 0], "y": [5, 20, 2]})
    with pytest.raises(InputError, match="this table has negative values"):
        ta.HellingerDistance().measure(below, below)


@given(VALUES)
def test_rank_changes_counts_pairs_one_by_one(values):
    true = table().cells.value
    pairs = [(i, j) for i, j in combinations(range(12), 2) if true[i] != true[j]]
    lost = sum((true[i] - true[j]) * (values[i] - values[j]) <= 0 for i, j in pairs)
    assert ta.RankChanges().measure(table(), _perturbed(values)).value == Fraction(lost, len(pairs))


@pytest.mark.parametrize("size", [0, 1, 255, 257, 1300])
def test_pairs_are_counted_alike_in_blocks_and_one_by_one(size):
    ranks = np.random.default_rng(size).integers(0, 40, size)
    assert _ascents(ranks) == np.triu(ranks[:, None] < ranks, 1).sum()


@pytest.mark.parametrize("measure", [ta.Additivity(), ta.HellingerDistance()])
def test_means_have_no_sums(measure):
    made = ta.tabulate(ta.example("firms", 50), ["region"], value="turnover", statistic="mean")
    with pytest.raises(InputError, match="shows a mean"):
        measure.measure(made, made)
