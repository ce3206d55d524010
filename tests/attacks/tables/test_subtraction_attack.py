"""The subtraction attack, one relation after the other."""

from __future__ import annotations

import csv
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.attacks.tables.subtraction_attack import TERMS, SubtractionAttack
from tacita.errors import InputError
from tacita.tables.dimension import Dimension
from tacita.tables.linked import LinkedTables
from tacita.tables.ready import ready_table
from tacita.tables.status import Status
from tacita.tables.table import Table

pytestmark = pytest.mark.numeric

SAFE, SENSITIVE, SECONDARY = Status.SAFE, Status.SENSITIVE, Status.SECONDARY
SALARIES = {  # seed 002, with record 14 read as 35,000
    ("IT", "BCN"): 852_000,
    ("IT", "TGN"): 97_000,
    ("Fin", "BCN"): 335_000,
    ("Fin", "TGN"): 150_000,
    ("HC", "BCN"): 379_000,
    ("HC", "TGN"): 103_000,
}


def added_up(
    name: str,
    dimensions: list[Dimension],
    leaves: dict[tuple[str, ...], float],
    hidden: dict[tuple[str, ...], Status] | None = None,
) -> Table:
    """Add up every total of a table by hand and suppress some cells."""
    below = [_leaves_below(dimension) for dimension in dimensions]
    keys = list(product(*(dimension.codes for dimension in dimensions)))
    values = [
        sum(leaves[leaf] for leaf in product(*(below[a][c] for a, c in enumerate(key))))
        for key in keys
    ]
    codes = {d.name: [key[axis] for key in keys] for axis, d in enumerate(dimensions)}
    status = [(hidden or {}).get(key, SAFE) for key in keys]
    columns = {"value": np.round(np.array(values, float), 6), "status": status}
    return ready_table(name, dimensions, codes, columns, variable="v")


def _leaves_below(dimension: Dimension) -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {}
    for whole, places in reversed(dimension.sums):
        below = [
            leaf
            for p in places
            for leaf in parts.get(dimension.codes[p], dimension.codes[p : p + 1])
        ]
        parts[dimension.codes[whole]] = below
    return {code: parts.get(code, [code]) for code in dimension.codes}


def salaries(*hidden: tuple[str, str]) -> Table:
    spans = [
        Dimension.flat("sector", ["IT", "Fin", "HC"]),
        Dimension.flat("region", ["BCN", "TGN"]),
    ]
    return added_up("salary", spans, SALARIES, dict.fromkeys(hidden, SENSITIVE))


def test_the_salary_table_without_secondary_suppressions_gives_everything_away() -> None:
    """Seed 002 and its errata: 852,000 = 949,000 - 97,000, then the two cells of Fin."""
    table = salaries(("IT", "BCN"), ("Fin", "BCN"), ("Fin", "TGN"))
    found = SubtractionAttack().measure(table, table.published())
    assert found.value == 1
    assert found.figures == {
        "cells_suppressed": 3,
        "cells_recovered": 3,
        "sensitive_recovered": 3,
        "rounds": 2,
    }
    assert found.details is not None
    rows = {(row["sector"], row["region"]): row for row in found.details.to_pylist()}
    assert rows["IT", "BCN"] == {
        "sector": "IT",
        "region": "BCN",
        "status": "sensitive",
        "round": 1,
        "value": 852_000.0,
        "error_percent": 0.0,
        "total": "(sector IT)",
        "relation": "852,000 = 949,000 - 97,000",
    }
    assert rows["Fin", "TGN"]["relation"] == "150,000 = 350,000 - 97,000 - 103,000"
    assert rows["Fin", "BCN"]["relation"] == "335,000 = 485,000 - 150,000"
    assert rows["Fin", "BCN"]["round"] == 2


def test_a_cycle_of_suppressions_withstands_it() -> None:
    cycle = [("IT", "BCN"), ("IT", "TGN"), ("Fin", "BCN"), ("Fin", "TGN")]
    table = salaries(*cycle)
    assert SubtractionAttack().measure(table, table.published()).value == 0
    outside = salaries(*cycle, ("HC", "TGN"))
    found = SubtractionAttack().measure(outside, outside.published())
    assert found.value == Fraction(1, 5)


def test_a_suppressed_total_is_the_sum_of_its_parts() -> None:
    table = salaries(("Total", "BCN"))
    found = SubtractionAttack().measure(table, table.published())
    assert found.details is not None
    row = found.details.to_pylist()[0]
    assert row["total"] in ("(region BCN)", "(the grand total)")
    assert row["value"] == 1_566_000


def test_values_come_out_as_decimals() -> None:
    town = Dimension.flat("town", ["a", "b", "c"])
    table = added_up("t", [town], {("a",): 0.1, ("b",): -0.2, ("c",): 1234.5}, {("c",): SENSITIVE})
    found = SubtractionAttack().measure(table, table.published())
    assert found.details is not None
    assert found.details["value"].to_pylist() == [1234.5]
    assert found.details["relation"].to_pylist() == ["1,234.5 = 1,234.4 - 0.1 - (-0.2)"]


def test_a_long_relation_is_told_in_short() -> None:
    codes = [f"c{number:02}" for number in range(12)]
    leaves = {(code,): float(place) for place, code in enumerate(codes)}
    table = added_up("t", [Dimension.flat("x", codes)], leaves, {("c00",): SENSITIVE})
    found = SubtractionAttack().measure(table, table.published())
    assert found.details is not None
    told = found.details["relation"].to_pylist()[0]
    assert told == "0 = 66 - 1 - 2 - 3 - 4 - 5 - 51 (6 more cells)"
    assert told.count("-") == TERMS


def test_a_recovered_zero_helps_in_the_next_round() -> None:
    span = Dimension.from_nested("x", {"Total": {"n": ["a", "b"], "s": ["c"]}})
    leaves = {("a",): 4.0, ("b",): 3.0, ("c",): 0.0}
    hidden = {("s",): SENSITIVE, ("c",): SECONDARY}
    table = added_up("t", [span], leaves, hidden)
    found = SubtractionAttack().measure(table, table.published())
    assert found.details is not None
    rounds = dict(
        zip(found.details["x"].to_pylist(), found.details["round"].to_pylist(), strict=True)
    )
    assert rounds == {"s": 1, "c": 2}


def test_it_subtracts_across_linked_tables() -> None:
    """Two tables share the totals of regions; one shows the grand total that the other hides."""
    region = Dimension.flat("region", ["n", "s"])
    one = added_up("by region", [region], {("n",): 7.0, ("s",): 5.0}, {("n",): SENSITIVE})
    size = Dimension.flat("size", ["small", "big"])
    leaves = {("n", "small"): 3.0, ("n", "big"): 4.0, ("s", "small"): 1.0, ("s", "big"): 4.0}
    hidden = dict.fromkeys([("n", "Total"), ("Total", "Total"), ("n", "big")], SECONDARY)
    other = added_up("by size", [region, size], leaves, hidden)
    linked = LinkedTables((one, other))
    published = LinkedTables((one.published(), other.published()))
    found = SubtractionAttack().measure(linked, published)
    assert found.value == 1
    assert found.details is not None
    rows = {(r["region"], r["size"]): (r["round"], r["value"]) for r in found.details.to_pylist()}
    assert rows == {("Total", None): (0, 12.0), ("n", None): (1, 7.0), ("n", "big"): (1, 4.0)}
    alone = SubtractionAttack().measure(other, other.published())
    assert alone.figures["cells_recovered"] == 3


def test_only_published_values_are_used() -> None:
    """The true values of suppressed cells lie in the table and must not be read."""
    cycle = [("IT", "BCN"), ("IT", "TGN"), ("Fin", "BCN"), ("Fin", "TGN")]
    table = salaries(*cycle)
    assert SubtractionAttack().measure(table, table).value == 0


def test_a_table_that_does_not_add_up_is_refused() -> None:
    table = salaries(("IT", "BCN"))
    wrong = table.cells.value + np.arange(len(table))
    with pytest.raises(InputError, match="do not add up"):
        SubtractionAttack().measure(table, table.with_cells(value=wrong))


SPANS = [
    Dimension.from_nested("a", {"Total": {"p": ["1", "2"], "q": ["3", "4"]}}),
    Dimension.flat("b", ["5", "6", "7"]),
]


@st.composite
def suppressed_tables(draw: st.DrawFn) -> Table:
    leaves = product("1234", "567")
    values = {leaf: draw(st.integers(-3, 9)) / 10 for leaf in leaves}
    keys = list(product(*(span.codes for span in SPANS)))
    hidden = draw(st.sets(st.sampled_from(keys), max_size=16))
    return added_up("t", SPANS, values, dict.fromkeys(hidden, SENSITIVE))


def determined(table: Table) -> set[int]:
    """Return the cells that follow exactly, by Gauss-Jordan elimination with fractions."""
    system = table.system()
    columns = np.flatnonzero(system.unknown)
    rows = [[Fraction(int(x)) for x in row] for row in system.relations.toarray()[:, columns]]
    done = 0
    for column in range(len(columns)):
        pivot = next((r for r in range(done, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[done], rows[pivot] = rows[pivot], rows[done]
        lead = rows[done][column]
        rows[done] = [x / lead for x in rows[done]]
        for r in range(len(rows)):
            if r != done and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[done], strict=True)]
        done += 1
    single = (row for row in rows if sum(map(bool, row)) == 1)
    return {int(columns[next(i for i, x in enumerate(row) if x)]) for row in single}


@given(suppressed_tables())
def test_it_finds_true_values_and_only_what_exact_elimination_finds(table: Table) -> None:
    found = SubtractionAttack().measure(table, table.published())
    assert found.details is not None
    rows = found.details.to_pylist()
    cells = [table.row(a=row["a"], b=row["b"]) for row in rows]
    assert set(cells) <= determined(table)
    assert len(cells) == len(set(cells))
    assert [row["value"] for row in rows] == [table.cells.value[cell] for cell in cells]
    assert all(row["error_percent"] == 0 for row in rows)


@given(suppressed_tables(), st.permutations("1234"), st.permutations("567"))
def test_the_order_of_codes_does_not_matter(table: Table, one: list[str], two: list[str]) -> None:
    spans = [
        Dimension.of_trees("a", [[(c, "p" if c in "12" else "q", "Total") for c in one]]),
        Dimension.flat("b", two),
    ]
    codes = {name: table.to_arrow()[name].to_pylist() for name in ("a", "b")}
    columns = {"value": table.cells.value, "status": table.cells.status}
    other = ready_table("t", spans, codes, columns, variable="v")
    first, second = (SubtractionAttack().measure(t, t.published()) for t in (table, other))
    assert first.value == second.value
    assert first.figures == second.figures


def test_a_table_with_everything_suppressed_gives_nothing_away() -> None:
    table = salaries(*product(["IT", "Fin", "HC", "Total"], ["BCN", "TGN", "Total"]))
    assert SubtractionAttack().measure(table, table.published()).value == 0


# -- a table that tau-ARGUS protected ---------------------------------------------------------------

PROTECTED = Path(__file__).parents[4] / "shared" / "data" / "tables" / "checkTauArgus" / "simple2d"
STATUSES = {"1": SAFE, "3": SENSITIVE, "11": SECONDARY}


def protected_by_tau_argus() -> Table:
    """Read size x region as tau-ARGUS wrote it; regions have two levels."""
    paths, above = [], ""
    for line in (PROTECTED / "region2.hrc").read_text().splitlines():
        if line.startswith("@"):
            paths.append((line[1:].strip(), above, "Total"))
        else:
            above = line.strip()
    rows = list(csv.reader((PROTECTED / "Simple2D.txt").read_text().splitlines()))
    kept = [[word.strip() for word in row] for row in rows if row[3] in STATUSES]
    sizes = Dimension.flat("size", [row[0] for row in kept if row[0] != "Total"])
    spans = [sizes, Dimension.of_trees("region", [paths])]
    codes = {"size": [row[0] for row in kept], "region": [row[1] for row in kept]}
    columns = {
        "value": [float(row[2]) for row in kept],
        "status": [STATUSES[row[3]] for row in kept],
    }
    return ready_table("simple2d", spans, codes, columns, variable="Var2")


@pytest.mark.skipif(not PROTECTED.exists(), reason="the reference data are not here")
def test_what_tau_argus_protected_withstands_it_and_the_primaries_alone_do_not() -> None:
    table = protected_by_tau_argus()
    found = SubtractionAttack().measure(table, table.published())
    assert found.value == 0
    assert found.figures["cells_suppressed"] == 9 + 12
    status = np.where(table.cells.sensitive, SENSITIVE, SAFE).astype(np.int8)
    primaries = table.with_cells(status=status)
    found = SubtractionAttack().measure(primaries, primaries.published())
    assert found.figures["cells_recovered"] == len(determined(primaries)) == 9
