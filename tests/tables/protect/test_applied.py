"""Tests of protecting tables: what is asked of them, and what comes back on them."""

from __future__ import annotations

import numpy as np
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.protect.applied import protected
from tacita.tables.status import Status
from tacita.tables.table import Table


def table_of(name, rows, inner, *, columns="uvw", attribute="b", sensitive=(), level=3.0):
    """Make a table of rows by columns with totals, with some cells inside sensitive."""
    inner = np.array(inner, float)
    full = np.vstack([inner.sum(0), inner])
    full = np.column_stack([full.sum(1), full])
    status = np.zeros(full.shape, np.int8)
    for row, column in sensitive:
        status[rows.index(row) + 1, columns.index(column) + 1] = Status.SENSITIVE
    spans = (Dimension.flat("a", rows), Dimension.flat(attribute, columns))
    places = np.array(list(np.ndindex(full.shape)), np.int32)
    levels = np.where(status.ravel() == Status.SENSITIVE, level, 0.0)
    cells = Cells.of(full.ravel(), status=status.ravel(), upper_level=levels, lower_level=levels)
    return ta.Table.of(Table(name, spans, places, cells))


def hidden(table, status=Status.SECONDARY):
    rows = np.flatnonzero(table.cells.status == status)
    return {"".join(table.codes_of(int(row))) for row in rows}


class TestLastPeriod:
    """Last year x and y were suppressed together; this year x and z would be a little cheaper."""

    def last_year(self):
        table = table_of("t", "xyz", [[9, 20, 30], [8, 10, 40], [21, 22, 50]], sensitive=["xu"])
        made = table.protect("optimal_suppression")
        assert hidden(made) == {"xv", "yu", "yv"}
        return made

    def this_year(self, rows="xyz", **known):
        inner = {"x": [9, 20, 30], "y": [11, 12, 40], "z": [10, 11, 50], "q": [60, 60, 60]}
        return table_of("t", rows, [inner[row] for row in rows], sensitive=["xu"], **known)

    @pytest.mark.parametrize("way", ["optimal_suppression", "fast_suppression"])
    def test_what_was_suppressed_is_preferred(self, way):
        assert hidden(self.this_year().protect(way)) == {"xv", "zu", "zv"}
        made = self.this_year().protect(way, previous=self.last_year())
        assert hidden(made) == {"xv", "yu", "yv"}
        assert made.suppression.cost == 20 + 11 + 12  # in full
        assert made.suppression.bound <= 20 + 10 + 11
        assert not made.suppression.is_optimal

    def test_but_not_at_more_than_twice_the_cost(self):
        table = table_of("t", "xyz", [[9, 20, 30], [81, 92, 40], [10, 11, 50]], sensitive=["xu"])
        made = table.protect("optimal_suppression", previous=self.last_year())
        assert hidden(made) == {"xv", "zu", "zv"}

    def test_codes_that_are_new_or_gone_are_no_obstacle(self):
        made = self.this_year("qzx").protect("optimal_suppression", previous=self.last_year())
        assert made.audit().is_safe
        assert hidden(made) == {"xv", "zu", "zv"}

    def test_attributes_may_change_places(self):
        turned = self.last_year()
        swapped = Table(
            "t",
            turned.dimensions[::-1],
            np.ascontiguousarray(turned.places[:, ::-1]),
            turned.cells,
        )
        order = np.lexsort(swapped.places.T[::-1])
        swapped = Table("t", swapped.dimensions, swapped.places[order], swapped.cells.take(order))
        made = self.this_year().protect("optimal_suppression", previous=swapped)
        assert hidden(made) == {"xv", "yu", "yv"}

    def test_a_table_of_other_attributes_says_nothing(self):
        other = table_of("o", "xyz", [[1, 2], [3, 4], [5, 6]], columns="mn", attribute="c")
        status = np.full(len(other), Status.SECONDARY)
        made = self.this_year().protect(
            "optimal_suppression", previous=other.with_cells(status=status)
        )
        assert hidden(made) == {"xv", "zu", "zv"}

    def test_of_linked_tables_the_one_with_its_attributes(self):
        other = table_of("o", "xyz", [[30, 29], [40, 23], [50, 21]], columns="mn", attribute="c")
        both = ta.link(self.this_year(), other)
        made = both.protect("optimal_suppression", previous=self.last_year())
        assert hidden(made.tables[0]) == {"xv", "yu", "yv"}
        assert not hidden(made.tables[1])

    def test_the_best_pattern_stays_the_best(self):
        first = self.this_year().protect("optimal_suppression")
        again = self.this_year().protect("optimal_suppression", previous=first)
        assert hidden(again) == hidden(first)


class TestLinked:
    def tables(self):
        one = table_of("one", "xyz", [[9, 20, 30], [8, 10, 40], [21, 22, 50]], sensitive=["xu"])
        two = table_of(
            "two",
            "xyz",
            [[30, 29], [40, 18], [60, 33]],
            columns="mn",
            attribute="c",
            sensitive=["xm"],
        )
        return one, two

    def test_a_shared_cell_has_one_status(self):
        one, two = self.tables()
        status = one.cells.status.copy()
        status[one.row(a="x")] = Status.SENSITIVE  # of which the other table does not know
        made = ta.link(one.with_cells(status=status), two).protect("optimal_suppression")
        assert made.audit().is_safe
        first, second = made.tables
        for code in "xyz":
            rows = first.row(a=code), second.row(a=code)
            assert first.cells.status[rows[0]] == second.cells.status[rows[1]]
        assert second.cells.status[second.row(a="x")] == Status.SENSITIVE

    def test_no_table_alone_is_cheaper_than_its_share(self):
        one, two = self.tables()
        made = ta.link(one, two).protect("optimal_suppression")
        alone = [table.protect("optimal_suppression").suppression.cost for table in (one, two)]
        assert made.suppression.cost >= max(alone)
        assert len(made.tables[0]) == len(one)

    def test_a_cell_that_cannot_be_protected_is_named_with_its_table(self):
        one, two = self.tables()
        kept = np.where(two.cells.sensitive, Status.SENSITIVE, Status.PUBLISHED)
        with pytest.raises(ProtectionError, match=r"two \(a x, c m\) cannot be protected"):
            ta.link(one, two.with_cells(status=kept)).protect()

    @pytest.mark.parametrize(
        ("status", "word"), [(Status.SENSITIVE, "sensitive"), (Status.SECONDARY, "suppressed")]
    )
    def test_what_one_must_publish_and_another_must_not_is_told(self, status, word):
        one, two = self.tables()
        hides, shows = one.cells.status.copy(), two.cells.status.copy()
        hides[one.row(a="x")], shows[two.row(a="x")] = status, Status.PUBLISHED
        both = one.with_cells(status=hides), two.with_cells(status=shows)
        with pytest.raises(InputError, match=rf"one \(a x\) must be published in .* is {word} in"):
            ta.link(*both).protect()

    def test_what_one_must_publish_all_do(self):
        one, two = self.tables()
        shows = two.cells.status.copy()
        shows[two.row(a="x")] = Status.PUBLISHED
        made = ta.link(one, two.with_cells(status=shows)).protect("optimal_suppression")
        assert made.audit().is_safe
        for table in made.tables:
            assert table.cells.status[table.row(a="x")] == Status.PUBLISHED


def test_only_ways_of_protecting_protect():
    table = TestLinked().tables()[0]
    with pytest.raises(ParameterError, match="`p_percent` is a method of the family rule"):
        protected(table, ta.PPercent(15))


def test_levels_and_reasons_come_back_on_the_table():
    table = TestLinked().tables()[0]
    made, found = protected(table, ta.FastSuppression())
    assert made.cells.upper_level[made.row(a="x", b="u")] == 3
    assert {made.cells.reason[row] for row in found.secondary} == {"secondary"}
    assert table.cells.suppressed.sum() == 1  # nothing changes in place


def turned(cells):
    """Let large cells inside the table cost little, and totals much."""
    return np.where(cells.value < 100, 100 - cells.value, 1000)


class TestCostsByFunction:
    """By value x and w go with the sensitive cell; a function can make y and v cheaper."""

    def table(self):
        inner = [[20, 50, 10], [80, 90, 70], [15, 80, 12]]
        return table_of("t", "xyz", inner, sensitive=[("x", "u")])

    def test_the_function_decides_which_cells_go(self):
        by_value = self.table().protect("optimal_suppression")
        assert hidden(by_value) == {"xw", "zu", "zw"}
        made = self.table().protect("optimal_suppression", cost=turned)
        assert hidden(made) == {"xv", "yu", "yv"}
        assert made.suppression.cost == 50 + 20 + 10
        assert made.audit().is_safe

    def test_every_way_takes_it(self):
        for way in ("fast", "modular", "hypercube", "network"):
            made = self.table().protect(f"{way}_suppression", cost=turned)
            assert hidden(made) == {"xv", "yu", "yv"}, way

    def test_another_measure_of_cost_beside_it_is_refused(self):
        with pytest.raises(ParameterError, match="counts count; leave out one"):
            self.table().protect(ta.FastSuppression(cost="count"), cost=lambda cells: cells.value)

    @pytest.mark.parametrize("given", [[1.0], -1.0, np.nan])
    def test_what_is_no_cost_is_refused(self, given):
        with pytest.raises(ParameterError, match="at least 0 for each of 16 cells"):
            self.table().protect(cost=lambda cells: given * np.ones(len(np.atleast_1d(given))))
