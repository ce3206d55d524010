from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.ready import grid_table
from tacita.tables.system import not_adding_up

SYSTEM = grid_table("t", {"x": [1, 2], "y": [3, 4]}, ["u", "v"]).system()


def test_tells_what_was_lost_and_what_does_not_add_up():
    value = SYSTEM.cells.value + np.array([1, 0, 0, 0, 0, 0, 0, 0, 0])
    found = Perturbation(SYSTEM, value, 1.0, bound=0.5, remarks=("Mind the total.",))
    assert found.gap == 0.5
    assert found.not_additive.size == 2  # the grand total, along each attribute
    assert repr(found).splitlines() == [
        "1 cell changed, loss 1 (at least 0.5, gap 50.0%), 2 totals not the sum of parts",
        "Mind the total.",
    ]
    told = found.to_dict()
    assert (told["changed"], told["largest_change"], told["not_additive"]) == (1, 1.0, 2)


def test_intervals_are_no_changes_and_ask_nothing_of_totals():
    value = SYSTEM.cells.value.copy()
    value[4] = np.nan
    found = Perturbation(SYSTEM, value, 3.0)
    assert found.is_additive
    assert "0 cells changed, 1 published as intervals" in repr(found)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=9, max_size=9), st.integers(0, 3))
def test_decimals_are_added_up_exactly(units, decimals):
    value = np.array(units) / 10.0**decimals
    off = not_adding_up(SYSTEM.relations, value, SYSTEM.rhs)
    exact = SYSTEM.relations.toarray().astype(object) @ np.array(units, object)
    assert off.tolist() == np.flatnonzero(exact != 0).tolist()


@pytest.mark.parametrize("loss", [0.0, 2.0])
def test_without_a_bound_there_is_no_gap(loss):
    assert Perturbation(SYSTEM, SYSTEM.cells.value, loss).gap is None
