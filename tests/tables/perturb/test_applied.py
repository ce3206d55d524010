"""Perturbed tables: what they show, what they keep to themselves, what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tacita as ta
from tacita.api.table import LinkedTables, Table
from tacita.errors import InputError, ParameterError
from tacita.tables.perturb.applied import perturbed
from tacita.tables.ready import grid_table
from tacita.tables.status import Status

INSIDE = {"x": [11, 2, 7], "y": [13, 4, 21]}


@pytest.fixture
def table() -> Table:
    made = grid_table("t", INSIDE, ["u", "v", "w"], sensitive=[("x", "u")], level=3.0)
    return Table.of(made)


@pytest.fixture
def firms() -> Table:
    made = ta.tabulate(ta.example("firms", 200).without(["weight"]), ["region", "size_class"])
    return made.judge(ta.MinimumFrequency(3))


def test_every_cell_is_published_and_the_truth_stays_with_the_original(table):
    made = table.perturb(ta.ControlledRounding(5))
    assert (made.cells.value % 5 == 0).all()
    assert not made.cells.suppressed.any()
    assert made.truth is table
    assert np.array_equal(made.perturbation.system.cells.value, table.cells.value)
    assert repr(made) == "t: 12 cells over row x column, perturbed by controlled_rounding"
    seen = made.published()
    assert (seen.truth, seen.perturbation, seen.suppression) == (None, None, None)


def test_a_table_may_be_named_by_its_way_and_seed(firms):
    one, other, another = (firms.perturb(ta.RandomRounding(5), seed=s) for s in (1, 1, 2))
    assert np.array_equal(one.cells.value, other.cells.value)
    assert not np.array_equal(one.cells.value, another.cells.value)
    with pytest.raises(ParameterError, match="A seed is a whole number"):
        firms.perturb(ta.RandomRounding(5), seed=-1)


def test_linked_tables_show_the_same_value_of_a_cell_that_they_share(firms):
    other = ta.tabulate(ta.example("firms", 200).without(["weight"]), ["size_class"])
    both = LinkedTables((firms, other)).perturb(ta.RandomRounding(3), seed=5)
    shown = np.full(len(both.truth.system()), np.nan)
    for one, places in zip(both, both.truth.places, strict=True):
        known = ~np.isnan(shown[places])
        assert np.array_equal(shown[places][known], one.cells.value[known])
        shown[places] = one.cells.value


def test_the_audit_of_rounded_cells_is_what_rounding_leaves(firms):
    made = firms.perturb(ta.ConventionalRounding(3))
    found = made.audit()
    true = firms.cells.value
    assert (found.lower <= true).all()
    assert (true <= found.upper).all()
    assert (found.upper - found.lower <= 2).all()  # 3 whole numbers round to a multiple of 3
    assert not found.is_safe


def test_values_that_nobody_bounds_have_no_interval(table):
    found = table.perturb(ta.ControlledAdjustment()).audit()
    assert (found.lower == 0).all()
    assert (found.upper == np.inf).all()
    assert found.is_safe


def test_intervals_are_published_as_such(table, tmp_path):
    made = table.perturb("interval_publication", seed=1)
    wide = made.cells.suppressed
    assert wide[table.cells.sensitive].all()
    assert (made.cells.status[wide] == Status.SECONDARY).all()
    made.write(tmp_path / "t.csv")
    rows = (tmp_path / "t.csv").read_text().splitlines()
    assert rows[0] == "row,column,value,status,lower_bound,upper_bound"
    assert sum("suppressed" in row for row in rows) == wide.sum()
    assert made.audit().is_safe
    made.write(tmp_path / "t.html")
    row = int(np.flatnonzero(wide)[0])
    lower, upper = made.cells.lower_bound[row], made.cells.upper_bound[row]
    assert f"{lower:g} to {upper:g}" in (tmp_path / "t.html").read_text()


def test_a_reader_knows_what_the_system_of_the_known_holds(table):
    assert table.as_known() is table
    known = table.perturb(ta.ControlledRounding(5)).as_known()
    assert known.perturbed_by is None
    assert np.isnan(known.cells.value).all()
    assert known.system().unknown.all()


class TestRefuses:
    def test_what_is_no_way_to_perturb(self, table):
        with pytest.raises(ParameterError, match="expected here: a way to perturb a table"):
            perturbed(table, ta.FastSuppression(), np.random.default_rng())

    def test_a_table_of_another_kind(self, table):
        with pytest.raises(ParameterError, match="applies to frequency tables; `t` is a magnitude"):
            table.perturb(ta.CellKeyCounts())

    def test_means(self, firms):
        shown = replace(firms, statistic="mean")
        with pytest.raises(InputError, match="shows a mean"):
            shown.perturb(ta.ControlledRounding(5))

    def test_a_table_twice(self, table):
        once = table.perturb(ta.ControlledRounding(5))
        with pytest.raises(InputError, match="was perturbed by `controlled_rounding` already"):
            once.perturb(ta.ControlledRounding(5))

    def test_unknown_values(self, table):
        with pytest.raises(InputError, match=r"\(row x, column u\) has none"):
            table.published().perturb(ta.ControlledRounding(5))
