from __future__ import annotations

import gzip
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.tables.audit.exact import disclosed_values, disclosures, exactly_disclosed
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.ready import ready_table
from tacita.tables.status import Status
from tacita.tables.system import System

pytestmark = pytest.mark.numeric

SHARED = Path(__file__).parents[4] / "shared" / "data" / "tables" / "derived_jj"
SALARIES = {
    ("IT", "BCN"): 852000, ("IT", "TGN"): 97000, ("IT", "Total"): 949000,
    ("Fin", "BCN"): 335000, ("Fin", "TGN"): 150000, ("Fin", "Total"): 485000,
    ("HC", "BCN"): 379000, ("HC", "TGN"): 103000, ("HC", "Total"): 482000,
    ("Total", "BCN"): 1566000, ("Total", "TGN"): 350000, ("Total", "Total"): 1916000,
}  # fmt: skip
SENSITIVE = [("IT", "BCN"), ("Fin", "BCN"), ("Fin", "TGN")]


def salaries(hidden):
    sector = Dimension.flat("sector", ["IT", "Fin", "HC"])
    region = Dimension.flat("region", ["BCN", "TGN"])
    codes = {"sector": [s for s, _ in SALARIES], "region": [r for _, r in SALARIES]}
    status = [Status.SENSITIVE if cell in hidden else Status.SAFE for cell in SALARIES]
    columns = {"value": list(SALARIES.values()), "status": status}
    return ready_table("salaries", (sector, region), codes, columns)


def test_every_sensitive_salary_follows_from_its_row_or_column():
    table = salaries(SENSITIVE)
    found = disclosed_values(table.published().system())
    expected = {table.row(sector=s, region=r): Fraction(SALARIES[s, r]) for s, r in SENSITIVE}
    assert found == expected
    told = {found.cell: found.told for found in disclosures(table.published().system())}
    assert told[table.row(sector="IT", region="BCN")] == "852,000 = 949,000 - 97,000"


def test_two_cells_in_every_row_and_column_are_not_disclosed():
    block = [("IT", "BCN"), ("IT", "TGN"), ("Fin", "BCN"), ("Fin", "TGN")]
    system = salaries(block).published().system()
    assert not exactly_disclosed(system).any()
    assert disclosures(system) == []


def test_nothing_suppressed_nothing_disclosed():
    assert not exactly_disclosed(salaries([]).system()).any()


def test_decimals_come_out_as_they_were_written():
    cells = Cells.of([0.3, 0.1, np.nan], status=[0, 0, Status.SENSITIVE])
    (found,) = disclosures(System(cells, csr_array(np.array([[-1, 1, 1]])), np.zeros(1)))
    assert found.value == Fraction(1, 5)
    assert found.terms == ((0, Fraction(1)), (1, Fraction(-1)))
    assert found.told == "0.2 = 0.3 - 0.1"


def test_what_a_relation_comes_to_is_used():
    cells = Cells.of([np.nan, 4.5], status=[Status.SENSITIVE, 0])
    (found,) = disclosures(System(cells, csr_array(np.array([[2, 2]])), np.array([12.0])))
    assert (found.value, found.constant) == (Fraction(3, 2), Fraction(6))
    assert found.told == "1.5 = 6 - 4.5"


def test_a_cell_that_another_table_shows_counts_as_published():
    cells = Cells.of([5, 2, 3], status=[0, Status.SECONDARY, Status.SENSITIVE])
    system = System(cells, csr_array(np.array([[-1, 1, 1]])), np.zeros(1))
    assert not exactly_disclosed(system).any()
    shown = replace(system, known=np.array([False, True, False]))
    assert disclosed_values(shown) == {2: Fraction(3)}


def test_a_long_sum_is_not_told():
    size = 9
    cells = Cells.of([size - 1, *[1] * (size - 1)], status=[0, Status.SENSITIVE, *[0] * (size - 2)])
    (found,) = disclosures(System(cells, csr_array([[-1, *[1] * (size - 1)]]), np.zeros(1)))
    assert found.value == 1
    assert len(found.terms) == size - 1
    assert found.told == ""


# -- hierarchical tables against dense fractions ---------------------------------------------------

AREA = [[-1, 1, 1, 0, 0, 0, 0], [0, -1, 0, 1, 1, 0, 0], [0, 0, -1, 0, 0, 1, 1]]  # all, 2 x 2
SEX = [[-1, 1, 1]]
AGE = [[-1, 1, 1, 1]]


def cube_relations():
    """All relations of area x sex x age, area with a level between."""
    sizes = [7, 3, 4]
    rows = []
    for axis, sums in enumerate([AREA, SEX, AGE]):
        rest = [range(size) for other, size in enumerate(sizes) if other != axis]
        for fixed in product(*rest):
            for row in sums:
                cube = np.zeros(sizes, np.int64)
                cube[(*fixed[:axis], slice(None), *fixed[axis:])] = row
                rows.append(cube.ravel())
    return np.array(rows)


RELATIONS = cube_relations()
INNER = np.array(
    [a >= 3 and s >= 1 and g >= 1 for a, s, g in product(range(7), range(3), range(4))]
)


def by_fractions(relations, hidden):
    """Reduce a dense matrix of fractions; a row left with one entry gives its cell away."""
    rows = [[Fraction(int(v)) for v in row] for row in relations[:, hidden] if row.any()]
    done = 0
    for column in range(len(hidden)):
        pivot = next((r for r in range(done, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[done], rows[pivot] = rows[pivot], rows[done]
        lead = rows[done][column]
        rows[done] = [v / lead for v in rows[done]]
        for r in range(len(rows)):
            factor = rows[r][column]
            if r != done and factor:
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[done], strict=True)]
        done += 1
    alone = [np.flatnonzero([v != 0 for v in row]) for row in rows[:done]]
    return {hidden[places[0]] for places in alone if len(places) == 1}


@given(
    st.lists(st.integers(-50, 900), min_size=24, max_size=24),
    st.sets(st.integers(0, 83), min_size=4, max_size=24),
)
def test_a_cube_with_a_hierarchy_agrees_with_dense_fractions(values, hidden):
    value = np.zeros(84)
    value[INNER] = values
    # Every total is worked out from the inner cells, by least squares on consistent relations.
    totals = np.linalg.lstsq(RELATIONS[:, ~INNER], -RELATIONS[:, INNER] @ value[INNER])[0]
    value[~INNER] = np.round(totals)
    assert not (RELATIONS @ value).any()
    places = sorted(hidden)
    status = np.zeros(84)
    status[places] = Status.SENSITIVE
    seen = value.copy()
    seen[places] = np.nan
    system = System(Cells.of(seen, status=status), csr_array(RELATIONS), np.zeros(len(RELATIONS)))
    found = disclosures(system.checked())
    assert {one.cell for one in found} == by_fractions(RELATIONS, places)
    for one in found:
        assert one.value == int(value[one.cell])
        assert one.value == sum(factor * int(value[cell]) for cell, factor in one.terms)
        assert not hidden & {cell for cell, _ in one.terms}


@pytest.mark.skipif(not SHARED.exists(), reason="the reference data are not here")
def test_what_comes_out_of_a_real_table_is_what_was_suppressed():
    with gzip.open(SHARED / "simple2d_p15.jj.gz", "rt") as file:
        lines = file.read().splitlines()
    size = int(lines[1])
    cells = [line.split() for line in lines[2 : 2 + size]]
    value = np.array([float(cell[1]) for cell in cells])
    status = np.array([cell[3] == "u" for cell in cells]) * Status.SENSITIVE
    relations = np.zeros((int(lines[2 + size]), size), np.int64)
    for row, line in enumerate(lines[3 + size :]):
        terms = line.partition(":")[2].replace("(", "").replace(")", "").split()
        relations[row, [int(t) for t in terms[::2]]] = [int(t) for t in terms[1::2]]
    seen = np.where(status, np.nan, value)
    system = System(Cells.of(seen, status=status), csr_array(relations), np.zeros(len(relations)))
    found = disclosed_values(system.checked())
    assert set(found) == by_fractions(relations, np.flatnonzero(status).tolist())
    assert found == {cell: Fraction(str(value[cell])) for cell in found}
    assert found
