"""Conventional rounding: the nearest multiple of every cell, and no more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import InputError, ParameterError
from tacita.mechanisms.rounding import nearest
from tacita.tables.perturb.conventional_rounding import ConventionalRounding
from tacita.tables.ready import grid_table

RNG = np.random.default_rng(0)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([3, 5, 0.5, 2.5]))
def test_every_cell_is_the_nearest_multiple(random_table, seed, base):
    system = random_table(seed, most=30).system()
    found = ConventionalRounding(base).perturb(system, RNG)
    assert found.value.tolist() == [nearest(one, base) for one in system.cells.value]
    assert (np.abs(found.change) <= base / 2).all()
    assert found.loss == found.bound == pytest.approx(np.abs(found.change).sum())


def test_of_two_that_are_equally_near_it_is_the_larger():
    table = grid_table("t", {"x": [1, -1], "y": [3, -3]}, ["u", "v"])
    found = ConventionalRounding(2).perturb(table.system(), RNG)
    assert found.value[[4, 5, 7, 8]].tolist() == [2, 0, 4, -2]


def test_says_how_many_totals_do_not_add_up():
    # Row x is published as 0 + 0 = 5, the row of totals as 5 + 5 = 15; all others hold.
    table = grid_table("t", {"x": [2, 2], "y": [5, 5]}, ["u", "v"])
    found = ConventionalRounding(5).perturb(table.system(), RNG)
    assert not found.is_additive
    assert found.remarks == (
        "Every cell is rounded by itself: 2 of 6 totals are not the sum of the published parts.",
    )


def test_one_that_adds_up_says_nothing():
    table = grid_table("t", {"x": [5, 10], "y": [20, 5]}, ["u", "v"])
    found = ConventionalRounding(5).perturb(table.system(), RNG)
    assert found.is_additive
    assert found.remarks == ()
    assert found.loss == 0


def test_refuses_a_cell_without_a_value():
    system = grid_table("t", {"x": [5, 10], "y": [20, 5]}, ["u", "v"]).system()
    value = system.cells.value.copy()
    value[4] = np.nan
    lacking = replace(system, cells=replace(system.cells, value=value))
    with pytest.raises(InputError, match="Rounding a table needs the value of every cell"):
        ConventionalRounding(5).perturb(lacking, RNG)


@pytest.mark.parametrize("base", [0, -5, float("inf"), float("nan")])
def test_refuses_a_base_that_is_none(base):
    with pytest.raises(ParameterError, match="`base` of `conventional_rounding`"):
        ConventionalRounding(base)
