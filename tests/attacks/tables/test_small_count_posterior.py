"""What an intruder believes of suppressed counts, against every feasible table listed."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import factorial, log2

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacita.attacks.tables.posterior.random_walk import lattice_basis
from tacita.attacks.tables.small_count_posterior import SmallCountPosterior
from tacita.errors import InputError, ParameterError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.linked import LinkedTables
from tacita.tables.table import Table

pytestmark = pytest.mark.numeric


def two_way(inside, hidden=(), sensitive=(), name="table", statistic="count"):
    """Make a table from its inside; cells are named by their rows and columns, 0 the totals."""
    inside = np.array(inside)
    full = np.zeros((inside.shape[0] + 1, inside.shape[1] + 1))
    full[1:, 1:] = inside
    full[0, 1:], full[1:, 0], full[0, 0] = inside.sum(0), inside.sum(1), inside.sum()
    places = np.array(list(np.ndindex(full.shape)))
    status = [
        1 if tuple(place) in sensitive else 2 if tuple(place) in hidden else 0
        for place in places.tolist()
    ]
    dimensions = (
        Dimension.flat("row", [f"r{n}" for n in range(1, full.shape[0])]),
        Dimension.flat("column", [f"c{n}" for n in range(1, full.shape[1])]),
    )
    cells = Cells.of(full.ravel(), status=status)
    return Table(name, dimensions, places, cells, statistic=statistic)


def beliefs(table, **parameters):
    return SmallCountPosterior(**parameters).measure(table, table.published())


def listed(table, ends, weight):
    """Weigh every way to fill the suppressed cells, one by one."""
    system = table.system()
    unknown = np.flatnonzero(system.unknown)
    found = {int(place): {} for place in unknown}
    value = system.cells.value.copy()
    for counts in product(*(range(low, high + 1) for low, high in ends)):
        value[unknown] = counts
        if not (system.relations @ value).any():
            for place, count in zip(unknown.tolist(), counts, strict=True):
                found[place][count] = found[place].get(count, 0) + weight(counts)
    return found


SEED_TABLE = [[4, 3], [2, 1], [3, 3]]  # row totals 7, 3, 6; column totals 9, 7
CORNERS = [(1, 1), (1, 2), (2, 1), (2, 2)]


def test_the_small_table_of_the_literature_has_four_feasible_tables():
    """X11 lies in [3, 6]: X11 = 3, 4, 5, 6 each fix the other three."""
    table = two_way(SEED_TABLE, hidden=CORNERS[1:], sensitive=CORNERS[:1])
    found = beliefs(table)
    assert found.value == Fraction(1, 4)
    assert found.figures["feasible_tables"] == 4
    assert found.figures["largest_of_true"] == Fraction(1, 4)
    row = found.details.to_pylist()[0]
    assert (row["row"], row["column"], row["most_probable"]) == ("r1", "c1", 3)
    assert row["entropy"] == pytest.approx(2.0)


def test_a_poisson_prior_makes_it_hypergeometric():
    """With all margins fixed, the product form cancels and tables weigh 1 / product of x!."""
    table = two_way(SEED_TABLE, hidden=CORNERS[1:], sensitive=CORNERS[:1])
    weights = {
        x: Fraction(1, factorial(x) * factorial(7 - x) * factorial(6 - x) * factorial(x - 3))
        for x in range(3, 7)
    }
    found = beliefs(table, prior="poisson")
    assert found.value == max(weights.values()) / sum(weights.values())
    assert found.details["most_probable"].to_pylist() == [4]


def test_a_known_threshold_narrows_what_is_possible():
    """X22 is 1 or 2 below 3, so X11 = 3 + X22 is 4 or 5."""
    table = two_way(SEED_TABLE, hidden=CORNERS[:3], sensitive=CORNERS[3:])
    assert beliefs(table, threshold=3).value == Fraction(1, 2)
    assert beliefs(table, threshold=2).value == 1
    assert beliefs(table, threshold=2).figures["cells_determined"] == 1


def test_a_threshold_that_the_truth_contradicts_is_refused():
    table = two_way(SEED_TABLE, hidden=CORNERS[1:], sensitive=CORNERS[:1])
    with pytest.raises(ParameterError, match=r"cell \(row r1, column c1\) counts 4"):
        beliefs(table, threshold=3)


def test_single_suppressions_are_certain():
    found = beliefs(two_way(SEED_TABLE, sensitive=[(2, 2)]))
    assert found.value == 1
    assert found.figures["mean_entropy"] == 0


@pytest.mark.parametrize("prior", ["uniform", "poisson"])
def test_a_table_of_nobody_hides_nothing(prior):
    table = two_way([[0, 0], [0, 0]], hidden=[(0, 2), (1, 0), (1, 1)], sensitive=[(0, 1)])
    assert beliefs(table, prior=prior).value == 1


def test_nothing_suppressed_is_nothing_found():
    found = beliefs(two_way(SEED_TABLE))
    assert found.value == 0
    assert found.sentence == "no cell is suppressed"


@st.composite
def patterns(draw):
    shape = draw(st.tuples(st.integers(2, 3), st.integers(2, 3)))
    inside = np.array([[draw(st.integers(0, 3)) for _ in range(shape[1])] for _ in range(shape[0])])
    cells = [(r, c) for r in range(shape[0] + 1) for c in range(shape[1] + 1) if r + c]
    chosen = draw(st.lists(st.sampled_from(cells), min_size=1, max_size=6, unique=True))
    return two_way(inside, hidden=chosen[1:], sensitive=chosen[:1])


@settings(max_examples=60, deadline=None)
@given(table=patterns(), prior=st.sampled_from(["uniform", "poisson"]))
def test_the_posterior_is_that_of_listing_every_table(table, prior):
    system = table.system()
    unknown = np.flatnonzero(system.unknown)
    total = int(system.cells.value[0])
    assume((total + 1) ** len(unknown) < 20_000)
    is_total = (table.places[unknown] == 0).any(axis=1)
    found = SmallCountPosterior(prior=prior).measure(table, table.published())

    def weight(counts):
        if prior == "uniform":
            return Fraction(1)
        made = Fraction(1)
        for place, count, margin in zip(unknown, counts, is_total, strict=True):
            if not margin:
                made *= Fraction(mean(table, place)) ** count / factorial(count)
        return made

    truth = listed(table, [(0, total)] * len(unknown), weight)
    sensitive = int(np.flatnonzero(system.cells.sensitive)[0])
    chances = truth[sensitive]
    whole = sum(chances.values())
    assert found.value == max(chances.values()) / whole
    assert found.figures["largest_of_true"] == chances[int(system.cells.value[sensitive])] / whole
    shares = [float(c / whole) for c in chances.values() if c]
    assert found.details["entropy"][0].as_py() == pytest.approx(-sum(s * log2(s) for s in shares))


def mean(table, place):
    """Work out the product of the margins of a cell of a two-way table by itself."""
    total = table.cells.value[0]
    row, column = table.places[place]
    return margin(table, 0, row) * margin(table, 1, column) / Fraction(int(total or 1))


def margin(table, axis, code):
    size = len(table.dimensions[axis])
    rows = [table.row(**{table.dimensions[axis].name: c}) for c in table.dimensions[axis].codes]
    shown = {
        c: int(table.cells.value[rows[c]]) for c in range(1, size) if not hidden(table, rows[c])
    }
    if code in shown:
        return Fraction(shown[code])
    left = int(table.cells.value[0]) - sum(shown.values())
    return Fraction(left, size - 1 - len(shown)) if left else Fraction(1)


def hidden(table, row):
    return bool(table.cells.suppressed[row])


MEDIUM = [[3, 1, 4, 1], [5, 2, 2, 6], [5, 3, 5, 1]]
EVERY = [(r, c) for r in range(1, 4) for c in range(1, 5)]


@pytest.mark.parametrize("prior", ["uniform", "poisson"])
def test_the_walk_agrees_with_counting(prior):
    table = two_way(MEDIUM, sensitive=EVERY)
    exact = beliefs(table, prior=prior, most=10**7)
    walked = beliefs(table, prior=prior, most=10, sweeps=4_000)
    assert isinstance(exact.value, Fraction)
    assert "random walk" in walked.sentence
    assert walked.figures["effective_draws"] > 500
    error = walked.figures["standard_error"]
    there, here = (np.array(m.details["entropy"].to_pylist()) for m in (exact, walked))
    assert error < 0.05
    assert np.abs(there - here).max() < 0.1
    assert abs(float(exact.value) - walked.value) < 4 * error
    assert walked.interval.lower < walked.value < walked.interval.upper


def test_the_walk_is_the_same_under_a_seed():
    table = two_way(MEDIUM, sensitive=EVERY)
    once, again, other = (beliefs(table, most=1, sweeps=100, seed=seed) for seed in (3, 3, 4))
    assert once.details.equals(again.details)
    assert not once.details.equals(other.details)


@given(st.lists(st.lists(st.integers(-2, 2), min_size=5, max_size=5), min_size=1, max_size=3))
def test_a_lattice_basis_spans_every_small_solution(rows):
    matrix = np.array(rows)
    basis = lattice_basis(matrix)
    assert not (matrix @ basis.T).any()
    assert len(basis) == 5 - np.linalg.matrix_rank(matrix)
    for solution in product((-1, 0, 1), repeat=5):
        if not (matrix @ np.array(solution)).any() and len(basis):
            shares = np.linalg.lstsq(basis.T.astype(float), np.array(solution, float))[0]
            assert np.abs(shares - np.round(shares)).max() < 1e-6


def test_a_sensitive_cell_that_another_table_shows_is_certain():
    rows = two_way(SEED_TABLE, hidden=[(1, 0)], sensitive=[(2, 0)], name="both")
    margin = Table("rows", (rows.dimensions[0],), np.arange(4)[:, None], Cells.of([16, 7, 3, 6]))
    linked = LinkedTables((rows, margin))
    found = SmallCountPosterior().measure(linked, linked)
    assert found.value == 1
    assert found.details["most_probable"].to_pylist() == [3]


def test_linked_tables_are_looked_at_together():
    """With two row totals hidden, columns leave 7 x 5 tables; a table of row totals leaves 4."""
    totals = [(1, 0), (2, 0)]
    table = two_way(SEED_TABLE, hidden=[*CORNERS[1:], *totals], sensitive=CORNERS[:1], name="both")
    alone = beliefs(table)
    assert (alone.value, alone.figures["feasible_tables"]) == (Fraction(1, 7), 35)
    margin = Table("rows", (table.dimensions[0],), np.arange(4)[:, None], Cells.of([16, 7, 3, 6]))
    linked = LinkedTables((table, margin))
    found = SmallCountPosterior().measure(linked, linked)
    assert (found.value, found.figures["feasible_tables"]) == (Fraction(1, 4), 4)


def test_sums_and_fractions_are_refused():
    with pytest.raises(InputError, match="looks at tables of counts; `table` shows a sum"):
        beliefs(two_way(SEED_TABLE, statistic="sum"))
    with pytest.raises(InputError, match=r"whole counts; cell \(.*\) is 16\.5"):
        beliefs(two_way([[4.5, 3], [2, 1], [3, 3]]))


def test_a_count_without_any_bound_is_refused():
    everything = [(r, c) for r in range(4) for c in range(3)]
    with pytest.raises(InputError, match="Nothing published bounds"):
        beliefs(two_way(SEED_TABLE, hidden=everything))
