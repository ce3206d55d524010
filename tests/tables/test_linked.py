from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from tacita.errors import InputError
from tacita.tables.audit.audit import audit
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.linked import LinkedTables
from tacita.tables.ready import flat_dimension, ready_table
from tacita.tables.status import Status
from tacita.tables.table import Table


def one_way(name: str, attribute: str, values: dict[str, float], **more) -> Table:
    codes = list(values)
    spans = [flat_dimension(attribute, codes)]
    columns = {"value": list(values.values()), **more}
    return ready_table(name, spans, {attribute: codes}, columns, variable="Salary")


SECTORS = {"IT": 949000, "Fin": 485000, "HC": 482000, "Total": 1916000}


def test_shared_cells_are_found_by_their_codes(salary):
    by_sector = one_way("sectors", "Sector", SECTORS)
    linked = LinkedTables((salary, by_sector))
    assert len(linked.system()) == 12
    assert linked.places[1].tolist() == [
        salary.row(),
        *(salary.row(Sector=sector) for sector in ("IT", "Fin", "HC")),
    ]
    assert "4 cells shared" in repr(linked)


def test_tables_over_different_attributes_share_their_total(salary):
    ages = one_way("ages", "Age", {"young": 1000000, "old": 916000, "Total": 1916000})
    assert len(LinkedTables((salary, ages)).system()) == 14


def test_a_cell_that_one_table_shows_is_known(salary):
    hidden = salary.suppress({"Sector": "IT"}, {"Sector": "Fin"})
    shown = one_way("sectors", "Sector", SECTORS)
    linked = LinkedTables((hidden, shown))
    system = linked.system()
    place = linked.places[0][hidden.row(Sector="IT")]
    assert system.cells.status[place] == Status.SECONDARY
    assert not system.unknown[place]
    assert audit(linked).disclosed[place]


def test_two_tables_that_hide_different_cells_are_worth_less_than_each(salary):
    """Each table alone leaves an interval; together they tell the cell."""
    more = salary.suppress({"Sector": "HC", "Region": "BCN"}, {"Sector": "IT", "Region": "TGN"})
    more = more.suppress({"Sector": "HC", "Region": "TGN"})
    alone = audit(more)
    row = more.row(Sector="IT", Region="BCN")
    assert alone.upper[row] > alone.lower[row]
    codes = {"Sector": ["HC", "HC", "HC"], "Region": ["BCN", "TGN", "Total"]}
    spans = [flat_dimension("Sector", ["HC", "Total"]), flat_dimension("Region", codes["Region"])]
    leak = ready_table(
        "leak",
        spans,
        codes,
        {"value": [379000, 103000, 482000]},
        variable="Salary",
        absent="unpublished",
    )
    both = audit(LinkedTables((more, leak)))
    assert both.upper[row] - both.lower[row] < alone.upper[row] - alone.lower[row]


def test_different_values_of_a_shared_cell_are_refused(salary):
    wrong = one_way(
        "sectors", "Sector", {"IT": 949001, "Fin": 484999, "HC": 482000, "Total": 1916000}
    )
    with pytest.raises(InputError, match=r"differ in the cell salary \(Sector .*949,00[01]|485"):
        LinkedTables((salary, wrong)).system()


def test_other_variables_share_nothing(salary):
    codes = list(SECTORS)
    counts = ready_table(
        "counts",
        [flat_dimension("Sector", codes)],
        {"Sector": codes},
        {"value": [6, 3, 6, 15]},
        statistic="count",
    )
    assert len(LinkedTables((salary, counts)).system()) == 16


def test_a_median_is_another_number_than_the_sum_of_the_same_variable(salary):
    middle = one_way("medians", "Sector", {"IT": 140000, "Fin": 150000, "HC": 70000, "Total": 99})
    medians = replace(middle, statistic="median")
    assert len(LinkedTables((salary, medians)).system()) == len(salary) + 4


def test_percentages_of_respondents_are_about_the_same_cells_as_counts():
    counts = crossed("counts", "xy", {"x": 2, "y": 2})
    shares = replace(counts, name="shares", statistic="percentage")
    assert len(LinkedTables((counts, shares)).system()) == len(counts)


def test_the_strictest_status_and_levels_count(salary):
    level = np.zeros(4)
    level[1] = 700.0
    other = one_way("sectors", "Sector", SECTORS).with_cells(
        status=np.array([0, 1, 0, 0], np.int8), upper_level=level
    )
    hidden = salary.suppress({"Sector": "IT"})
    linked = LinkedTables((hidden, other))
    place = linked.places[0][hidden.row(Sector="IT")]
    cells = linked.system().cells
    assert (cells.status[place], cells.upper_level[place]) == (Status.SENSITIVE, 700.0)


def test_names_and_numbers_of_tables(salary):
    with pytest.raises(InputError, match="at least one table"):
        LinkedTables(())
    with pytest.raises(InputError, match="Two linked tables are called `salary`"):
        LinkedTables((salary, salary))


def test_what_a_table_shows_counts_and_not_what_another_hides():
    """Shown as 12 after rounding; the true 11 stands where the cell is suppressed."""
    shown = one_way("shown", "Sector", {"IT": 12, "Fin": 8, "Total": 20})
    hidden = one_way("hidden", "Sector", {"IT": 11, "Fin": 8, "Total": 20})
    hidden = hidden.suppress({"Sector": "IT"})
    for tables in ((shown, hidden), (hidden, shown)):
        linked = LinkedTables(tables)
        place = linked.places[tables.index(shown)][shown.row(Sector="IT")]
        assert linked.system(rounding=1.0).cells.value[place] == 12


def test_three_tables_share_cells_whatever_the_order_of_their_attributes():
    """Each cell is named by its codes without totals, as sets of names would be."""
    sizes = {"x": 3, "y": 2, "z": 4}
    tables = tuple(crossed("".join(names), names, sizes) for names in ("xy", "zyx", "zx"))
    linked = LinkedTables(tables)
    by_name: dict[frozenset, set[int]] = {}
    for table, places in zip(tables, linked.places, strict=True):
        for row, place in enumerate(places.tolist()):
            codes = zip(table.dimensions, table.codes_of(row), strict=True)
            key = frozenset((d.name, code) for d, code in codes if code != d.total)
            by_name.setdefault(key, set()).add(place)
    numbers = [place for places in by_name.values() for place in places]
    assert sorted(numbers) == list(range(len(by_name)))
    assert linked.places[0].tolist() == list(range(len(tables[0])))


def crossed(name: str, attributes: str, sizes: dict[str, int]) -> Table:
    dimensions = tuple(Dimension.flat(a, [f"{a}{i}" for i in range(sizes[a])]) for a in attributes)
    places = np.array(list(product(*(range(len(d)) for d in dimensions))), np.int32)
    return Table(name, dimensions, places, Cells.of(np.zeros(len(places))))
