from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.ready import flat_dimension, ready_table
from tacita.tables.status import Status
from tacita.tables.table import Table

SEEDS = st.integers(0, 10**6)
CODES = {"a": ["x", "y", "Total"], "b": ["Total"] * 3}


def small(values, **columns) -> Table:
    spans = [flat_dimension("a", CODES["a"]), flat_dimension("b", [*CODES["b"], "only"])]
    return ready_table("small", spans, CODES, {"value": values, **columns})


class TestRelations:
    @given(SEEDS, st.integers(1, 4))
    def test_every_random_table_adds_up(self, random_table, seed, dimensions):
        table = random_table(seed, dimensions=dimensions)
        system = table.system()
        assert (system.relations @ table.cells.value == 0).all()
        assert system.decimals == 0

    @given(SEEDS)
    def test_a_wrong_cell_is_found_with_its_relation_and_its_gap(self, random_table, seed):
        table = random_table(seed, share=0.0)
        row = seed % len(table)
        value = table.cells.value.copy()
        value[row] += 2
        with pytest.raises(InputError, match=r"not add up: the parts of .* are 2 (more|less)"):
            table.with_cells(value=value).system()

    def test_there_is_one_relation_for_every_total_along_every_attribute(self, salary):
        assert salary.system().relations.shape == (7, 12)
        assert (abs(salary.system().relations).sum(axis=1) >= 3).all()

    def test_medians_do_not_add_up(self):
        span = Dimension.flat("a", ["x", "y"])
        cells = Cells.of([5.0, 1.0, 9.0])
        table = Table("m", (span,), np.arange(3)[:, None], cells, "v", "median")
        assert table.system().relations.shape[0] == 0

    def test_decimals_are_added_up_exactly(self):
        table = small([0.1, 0.2, 0.3])
        assert 0.1 + 0.2 != 0.3
        assert table.system().decimals == 1

    def test_what_is_no_decimal_adds_up_nearly(self):
        third = 1 / 3
        assert small([third, third, 2 * third]).system().decimals is None
        with pytest.raises(InputError, match=r"(do|does) not add up"):
            small([third, third, 2 * third + 1e-6]).system()

    def test_an_unknown_value_takes_its_relations_out_of_the_check(self):
        system = small([1, np.nan, 9], status=[0, 1, 0]).system()
        assert system.unknown.sum() == 1

    def test_a_published_cell_needs_its_value(self):
        with pytest.raises(InputError, match=r"1 published cell of the table has no value, such"):
            small([1, np.nan, 9]).system()

    def test_a_value_outside_what_is_known_beforehand_is_refused(self):
        with pytest.raises(InputError, match=r"is 9, outside what is said .*\(0 to 5\)"):
            small([4, 5, 9], upper_bound=[5, 5, 5]).system()


class TestFinding:
    def test_cells_are_found_by_their_codes(self, salary):
        row = salary.row(Sector="IT", Region="BCN")
        assert salary.cells.value[row] == 852000
        assert salary.codes_of(row) == ("IT", "BCN")
        assert salary.name_of(row) == "(Sector IT, Region BCN)"
        assert salary.cells.value[salary.row()] == 1916000

    def test_unknown_attributes_and_codes_are_told(self, salary):
        with pytest.raises(InputError, match=r"not spanned by `Sektor`. Did you mean `Sector`"):
            salary.row(Sektor="IT")
        with pytest.raises(InputError, match=r"`Region` has no code 'BCM'. Did you mean `BCN`"):
            salary.row(Region="BCM")

    def test_absent_cells_are_told(self):
        spans = [flat_dimension("a", ["x", "y", "Total"])]
        table = ready_table("t", spans, {"a": ["x", "Total"]}, {"value": [1, 1]})
        with pytest.raises(InputError, match=r"Nobody contributes to the cell \(a y\)"):
            table.row(a="y")


class TestReadyTables:
    def test_rows_may_come_in_any_order(self):
        assert small([1, 2, 3]).cells.value.tolist() == [3, 1, 2]

    def test_a_cell_is_listed_once(self):
        spans = [flat_dimension("a", ["x", "Total"])]
        with pytest.raises(InputError, match=r"\(a x\) is listed twice"):
            ready_table("t", spans, {"a": ["x", "x", "Total"]}, {"value": [1, 2, 3]})

    def test_an_empty_table_is_refused(self):
        with pytest.raises(InputError, match="is empty"):
            ready_table("t", [flat_dimension("a", ["Total"])], {"a": []}, {"value": []})

    def test_a_flat_attribute_needs_its_total(self):
        with pytest.raises(InputError, match=r"`a` has no code 'All' for its total \(it has x, y"):
            flat_dimension("a", ["x", "y"], "All")

    def test_totals_that_are_not_listed_are_taken_as_held_back(self):
        spans = [flat_dimension("a", ["x", "y", "Total"]), flat_dimension("b", ["u", "Total"])]
        codes = {"a": ["x", "y", "Total"], "b": ["u", "u", "Total"]}
        table = ready_table("t", spans, codes, {"value": [1, 2, 3]})
        held_back = table.cells.reason == "not published"
        assert table.cells.value[~held_back].tolist() == [3, 1, 2]
        assert {table.codes_of(row) for row in np.flatnonzero(held_back)} == {
            ("Total", "u"),
            ("x", "Total"),
            ("y", "Total"),
        }
        assert table.system().relations.shape[0] == 5

    def test_absent_cells_can_be_unpublished(self):
        spans = [flat_dimension("a", ["x", "y", "Total"])]
        codes = {"a": ["x", "Total"]}
        table = ready_table("t", spans, codes, {"value": [1, 3]}, absent="unpublished")
        assert len(table) == 3
        assert table.cells.status[table.row(a="y")] == Status.SECONDARY
        with pytest.raises(InputError, match="does not add up"):
            ready_table("t", spans, codes, {"value": [1, 3]}).system()


class TestPublished:
    def test_nothing_that_tells_a_suppressed_value_is_left(self, salary):
        hidden = salary.cells.suppressed
        shown = salary.published().cells
        for column in (shown.value, shown.shown, shown.total, shown.cost):
            assert np.isnan(column[hidden]).all()
        assert (shown.value[~hidden] == salary.cells.value[~hidden]).all()
        assert not shown.upper_level.any()

    def test_who_asked_is_not_told(self, salary):
        asked = salary.with_cells(asked=np.ones((len(salary), 2)))
        assert np.isnan(asked.published().cells.asked).all()

    def test_suppressing_by_hand(self, salary):
        more = salary.suppress({"Sector": "HC", "Region": "BCN"}, {"Sector": "IT", "Region": "BCN"})
        assert more.cells.status[more.row(Sector="HC", Region="BCN")] == Status.SECONDARY
        assert more.cells.status[more.row(Sector="IT", Region="BCN")] == Status.SENSITIVE
        fixed = np.full(len(salary), Status.PUBLISHED)
        with pytest.raises(InputError, match="must be published and cannot be suppressed"):
            salary.with_cells(status=fixed).suppress({"Sector": "HC"})


def test_frames(salary):
    frame = salary.to_pandas()
    assert frame.loc[frame.Sector.eq("IT") & frame.Region.eq("BCN"), "status"].item() == "sensitive"
    assert salary.to_polars().height == 12
    assert repr(salary) == "salary: 12 cells over Sector x Region, 3 sensitive"


def test_columns_must_be_as_long_as_the_values():
    with pytest.raises(InputError, match="has 2 values; its column `frequency` has 1"):
        Cells.of([1, 2], frequency=[1])


@pytest.mark.parametrize("name", ["value", "status", "reason", "cell_value", "self"])
def test_no_column_is_lost_to_an_attribute_of_its_name(name):
    kinds = Dimension.flat(name, ["a", "b"])
    codes = {name: ["Total", "a", "b"]}
    table = ready_table("t", [kinds], codes, {"value": [7, 3, 4], "status": [0, 1, 1]})
    rows = table.to_arrow()
    plain = ready_table(
        "t",
        [Dimension.flat("other", ["a", "b"])],
        {"other": ["Total", "a", "b"]},
        {"value": [7, 3, 4], "status": [0, 1, 1]},
    ).to_arrow()
    assert rows.column(name).to_pylist() == ["Total", "a", "b"]
    assert [column.to_pylist() for column in rows.columns] == [
        column.to_pylist() for column in plain.columns
    ]
    assert table.row(**{name: "b"}) == 2


@pytest.mark.parametrize("seed", range(3))
def test_the_totals_that_are_not_listed_are_all_above_those_that_are(random_table, seed):
    table = random_table(seed, dimensions=3)
    finest = [np.isin(table.places[:, axis], d.leaves) for axis, d in enumerate(table.dimensions)]
    leaves = np.flatnonzero(np.logical_and.reduce(finest))
    codes = {
        d.name: [d.codes[place] for place in table.places[leaves, axis]]
        for axis, d in enumerate(table.dimensions)
    }
    filled = ready_table("t", table.dimensions, codes, {"value": table.cells.value[leaves]})
    above = set()
    for row in leaves.tolist():
        upwards = [
            {code, *(a for parents in d.parents for a in _above(parents, code))}
            for d, code in zip(table.dimensions, table.places[row].tolist(), strict=True)
        ]
        above |= set(product(*upwards))
    assert {tuple(places) for places in filled.places.tolist()} == above


def _above(parents, code):
    while (code := int(parents[code])) >= 0:
        yield code
