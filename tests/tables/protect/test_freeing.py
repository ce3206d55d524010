"""Tests of what to free where a sensitive cell cannot be protected."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacita.errors import ProtectionError
from tacita.tables.protect.deviation import Deviations
from tacita.tables.protect.fast_suppression import FastSuppression
from tacita.tables.protect.freeing import cells_to_free
from tacita.tables.protect.problem import problem_of
from tacita.tables.ready import grid_table
from tacita.tables.status import Status

INSIDE = {"x": [20, 50, 10], "y": [8, 19, 30], "z": [11, 32, 12]}


def kept_but(*free):
    """Make a table of which only some cells need not be published."""
    table = grid_table("t", INSIDE, ["u", "v", "w"], sensitive=[("x", "u")])
    rows = [table.row(row=one[0], column=one[1]) for one in free]
    status = np.where(table.cells.sensitive, Status.SENSITIVE, Status.PUBLISHED)
    status[rows] = Status.SAFE
    return table.with_cells(status=status, upper_level=5.0 * table.cells.sensitive)


def freed(table):
    problem = problem_of(table.system())
    return {table.codes_of(int(cell)) for cell in cells_to_free(problem, problem.levels[0])}


class TestByHand:
    def test_the_corners_of_the_cheapest_rectangle(self):
        assert freed(kept_but()) == {("x", "w"), ("z", "u"), ("z", "w")}

    def test_only_what_is_not_free_already(self):
        assert freed(kept_but(("x", "w"), ("y", "w"))) == {("y", "u")}

    def test_nothing_where_it_would_not_help(self):
        table = kept_but()
        levels = 21.0 * table.cells.sensitive
        assert not freed(table.with_cells(upper_level=0 * levels, lower_level=levels))

    def test_the_message_names_them(self):
        with pytest.raises(ProtectionError, match=r"must be published: \(row y, column u\); or"):
            FastSuppression().protect(kept_but(("x", "w"), ("y", "w")).system())


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_once_they_are_free_the_cell_can_be_protected(judged_table, seed):
    table = judged_table(seed, share=0.1)
    rng = np.random.default_rng(seed)
    status = table.cells.status.copy()
    status[(status == Status.SAFE) & (rng.random(len(table)) < 0.8)] = Status.PUBLISHED
    problem = problem_of(table.with_cells(status=status).system())
    assume(problem.levels)
    for level in problem.levels:
        told = cells_to_free(problem, level)
        assert (status[told] == Status.PUBLISHED).all()
        looser = status.copy()
        looser[told] = Status.SAFE
        again = problem_of(table.with_cells(status=looser).system())
        (cell,) = np.flatnonzero(again.places == problem.places[level.cell])
        here = level._replace(cell=int(cell))
        assert not cells_to_free(again, here).size
        if told.size:
            everywhere = np.ones(len(again), bool)
            assert Deviations(again).cheapest(here, np.zeros(len(again)), everywhere) is not None
