"""Records worked out from tables of counts, against every data set that agrees with them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.attacks.tables.reconstruction_attack import ReconstructionAttack
from tacita.errors import HierarchyError, InputError
from tacita.solvers.integer import Effort
from tacita.tables.audit.whole import whole_intervals
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.linked import LinkedTables
from tacita.tables.system import System
from tacita.tables.table import Table

pytestmark = pytest.mark.numeric


def table_of(records, axes, sizes, hidden=()):
    """Count records (tuples of codes 1, 2, ...) by some of their attributes, with totals."""
    counts = np.zeros([sizes[axis] + 1 for axis in axes])
    for record in records:
        for codes in product(*((0, record[axis]) for axis in axes)):
            counts[codes] += 1
    dimensions = tuple(
        Dimension.flat("xyz"[axis], [f"{'xyz'[axis]}{n + 1}" for n in range(sizes[axis])])
        for axis in axes
    )
    places = np.array(list(np.ndindex(counts.shape)))
    status = [2 if number in hidden else 0 for number in range(len(places))]
    name = " x ".join(dimension.name for dimension in dimensions)
    return Table(name, dimensions, places, Cells.of(counts.ravel(), status=status))


def measured(tables, original=None, **parameters):
    linked = LinkedTables(tuple(tables))
    blank = LinkedTables(tuple(table.published() for table in tables))
    return ReconstructionAttack(**parameters).measure(original or linked, blank)


RECORDS = [(1, 1, 1), (1, 1, 2), (1, 2, 1), (2, 2, 2), (2, 2, 2), (2, 1, 1), (2, 1, 1)]
CUBE = (2, 2, 2)
PAIRS = [(0, 1), (0, 2), (1, 2)]


def test_a_full_table_gives_every_record_away():
    table = table_of(RECORDS, (0, 1, 2), CUBE)
    found = ReconstructionAttack().measure(table, table)
    assert found.value == 1
    assert found.figures["records_agreeing"] == 7
    assert sum(found.details["reconstructed"].to_pylist()) == 7


def test_all_two_way_tables_of_three_binary_attributes():
    """Two data sets agree with them.

    In the order 111, 112, 121, 122, 211, 212, 221, 222 the counts are 1 1 1 0 2 0 0 2, and tables
    of pairs do not see a t that is added with the signs + - - + - + + -. Only t = 1 leaves no count
    below 0: 2 0 0 1 1 1 1 1, of which 3 records are right.
    """
    tables = [table_of(RECORDS, pair, CUBE) for pair in PAIRS]
    found = measured(tables, table_of(RECORDS, (0, 1, 2), CUBE))
    rows = {(r["x"], r["y"], r["z"]): (r["least"], r["largest"]) for r in found.details.to_pylist()}
    assert rows["x1", "y1", "z1"] == (1, 2)
    assert rows["x2", "y2", "z2"] == (1, 2)
    assert rows["x1", "y2", "z2"] == (0, 1)
    assert found.value == 0
    assert found.figures["records_agreeing"] in (3, 7)


def test_two_way_tables_that_leave_one_data_set():
    """Without the record (1, 2, 1) neither t = 1 nor t = -1 leaves all counts at 0 or more."""
    records = [r for r in RECORDS if r != (1, 2, 1)]
    found = measured([table_of(records, pair, CUBE) for pair in PAIRS])
    assert found.value == 1
    assert found.figures["records_agreeing"] is None


def test_margins_alone_tell_little():
    tables = [table_of(RECORDS, (axis,), CUBE) for axis in range(3)]
    found = measured(tables)
    assert found.value == 0
    assert found.figures["combinations"] == 8
    one_sided = [(2, 2, 2)] * 3
    alone = measured([table_of(one_sided, (axis,), CUBE) for axis in range(3)])
    assert alone.value == 1


def data_sets(tables, sizes):
    """List every data set that agrees with published cells, count by count."""
    every = list(product(*(range(1, size + 1) for size in sizes)))
    rests, covers = [], []
    for table in tables:
        axes = ["xyz".index(d.name) for d in table.dimensions]
        for row in np.flatnonzero(~table.cells.suppressed):
            codes = table.places[row]
            covers.append(
                [all(c in (0, e[a]) for c, a in zip(codes, axes, strict=True)) for e in every]
            )
            rests.append(int(table.cells.value[row]))
    incidence = np.array(covers)
    return list(_completed(incidence, np.array(rests), 0, ()))


def _completed(incidence, rest, number, counts):
    if number == incidence.shape[1]:
        if not rest.any():
            yield counts
        return
    touched = incidence[:, number]
    for count in range(int(rest[touched].min()) + 1):
        yield from _completed(incidence, rest - count * touched, number + 1, (*counts, count))


SUBSETS = list(chain.from_iterable(combinations(range(3), size) for size in (1, 2, 3)))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_intervals_are_those_of_all_data_sets(data):
    records = data.draw(st.lists(st.tuples(*[st.integers(1, 2)] * 3), min_size=1, max_size=6))
    chosen = data.draw(st.lists(st.sampled_from(SUBSETS), min_size=1, max_size=3, unique=True))
    tables = []
    for axes in [(0,), (1,), (2,), *(axes for axes in chosen if len(axes) > 1)]:
        most = 3 ** len(axes) - 1  # the grand total stays published
        hidden = data.draw(st.sets(st.integers(1, most), max_size=most // 2))
        tables.append(table_of(records, axes, CUBE, hidden))
    found = measured(tables, table_of(records, (0, 1, 2), CUBE))
    possible = np.array(data_sets(tables, CUBE))
    certain = possible.min(axis=0) == possible.max(axis=0)
    truth = np.array([records.count(e) for e in product((1, 2), repeat=3)])
    assert found.value == Fraction(int(truth[certain].sum()), len(records))
    told = {(r["x"], r["y"], r["z"]): r for r in found.details.to_pylist()}
    chosen_set = []
    for number, codes in enumerate(product((1, 2), repeat=3)):
        name = tuple(f"{a}{c}" for a, c in zip("xyz", codes, strict=True))
        row = told.get(name, {"least": 0, "largest": 0, "reconstructed": 0, "true": 0})
        column = possible[:, number]
        assert (row["least"], row["largest"]) == (column.min(), column.max())
        assert row["true"] == truth[number]
        chosen_set.append(row["reconstructed"])
    assert tuple(chosen_set) in set(map(tuple, possible.tolist()))
    agreeing = np.minimum(truth, chosen_set).sum()
    assert found.figures["records_agreeing"] == agreeing
    assert found.figures["combinations_not_settled"] == 0


def test_codes_that_one_table_splits_and_another_does_not():
    fine = Dimension.from_nested("x", {"Total": {"north": ["a", "b"], "south": ["c"]}})
    coarse = Dimension.flat("x", ["north", "south"])
    sex = Dimension.flat("y", ["f", "m"])
    by_area = Table("area", (fine,), np.arange(6)[:, None], Cells.of([9, 5, 5, 0, 4, 4]))
    places = np.array(list(np.ndindex(3, 3)))
    both = Table("both", (coarse, sex), places, Cells.of([9, 6, 3, 5, 3, 2, 4, 3, 1]))
    found = measured([by_area, both])
    assert found.value == 1
    assert set(found.details["x"].to_pylist()) == {"a", "c"}


def test_known_bounds_of_suppressed_cells_count():
    table = table_of([(1, 1, 1), (2, 1, 1)], (0,), CUBE, hidden=[1, 2])
    assert measured([table]).value == 0
    bounded = table.with_cells(lower_bound=np.array([0.0, 1, 1]))
    assert measured([bounded]).value == 1


def test_bad_input_is_explained():
    table = table_of(RECORDS, (0, 1, 2), CUBE)
    with pytest.raises(InputError, match="more than 7 combinations of values possible; up to 5"):
        measured([table_of(RECORDS, (axis,), CUBE) for axis in range(3)], most=5)
    one = Table(
        "one", (Dimension.flat("x", ["a", "b"]),), np.arange(3)[:, None], Cells.of([3, 1, 2])
    )
    other = Table("other", (Dimension.flat("x", ["c"]),), np.arange(2)[:, None], Cells.of([3, 3]))
    with pytest.raises(HierarchyError, match="in ways that do not agree"):
        measured([one, other])
    pairs = [table_of(RECORDS, pair, CUBE) for pair in PAIRS[:2]]
    wrong = table_of([(1, 1, 2)] * 2 + [(1, 2, 1)] * 2 + [(1, 1, 1)] * 3, (1, 2), CUBE)
    with pytest.raises(InputError, match="differ in the cell"):
        measured([*pairs, wrong])
    with pytest.raises(InputError, match="looks at tables; found a list"):
        ReconstructionAttack().measure(table, [table])


def test_tables_that_agree_pairwise_but_with_no_data_set():
    """Each pair of three binary attributes always differs: no three values can all differ."""
    differ = [(1, 2), (2, 1)]
    tables = [
        table_of(
            [tuple(r[axes.index(a)] if a in axes else 1 for a in range(3)) for r in differ],
            axes,
            CUBE,
        )
        for axes in PAIRS
    ]
    with pytest.raises(InputError, match="No whole counts of records agree"):
        measured(tables)


def only_unknown(relations, rhs, upper):
    relations = csr_array(np.array(relations))
    cells = Cells.of(np.full(relations.shape[1], np.nan), status=[2] * relations.shape[1])
    cells = replace(cells, upper_bound=np.array(upper, float))
    return System(cells, relations, np.array(rhs, float), decimals=0)


def test_ends_that_only_fractions_reach_are_not_told():
    """a + b = b + c = a + c = p makes each the half of p: 1.5 at most, but p is even."""
    halves = [[1, 1, 0, -1], [0, 1, 1, -1], [1, 0, 1, -1]]
    found = whole_intervals(only_unknown(halves, [0] * 3, [9, 9, 9, 3]), effort=Effort(nodes=100))
    assert found.upper.tolist() == [1, 1, 1, 2]
    assert found.lower.tolist() == [0, 0, 0, 0]
    assert found.is_reached.all()


def test_relations_that_only_fractions_fulfil_are_refused():
    odd = only_unknown([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [3, 3, 3], [9, 9, 9])
    with pytest.raises(InputError, match="No whole counts of records agree"):
        whole_intervals(odd, effort=Effort(nodes=100))
