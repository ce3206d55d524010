from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels import elimination
from tacita.kernels.elimination import Reduced, determined, independent_rows, reduced

pytestmark = pytest.mark.numeric

SMALL = st.one_of(st.just(0), st.integers(-1, 1), st.integers(-7, 7))
LARGE = st.one_of(st.just(0), st.integers(-(2**30), 2**30))


def matrices(entries: st.SearchStrategy[int]) -> st.SearchStrategy[list[list[int]]]:
    return st.tuples(st.integers(0, 6), st.integers(0, 6)).flatmap(
        lambda shape: st.lists(
            st.lists(entries, min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        )
    )


def compressed(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the arrays of compressed rows, some zeros among the entries."""
    entries = [[(c, v) for c, v in enumerate(row) if v or c % 3 == 0] for row in rows]
    flat = [entry for row in entries for entry in row]
    return (
        np.cumsum([0, *map(len, entries)]),
        np.array([column for column, _ in flat], np.int64),
        np.array([value for _, value in flat], np.int64),
    )


def rank(rows: list[list[int]]) -> int:
    """Eliminate a dense matrix of fractions, column by column."""
    left = [[Fraction(value) for value in row] for row in rows]
    found = 0
    for column in range(len(left[0]) if left else 0):
        pivot = next((r for r in range(found, len(left)) if left[r][column]), None)
        if pivot is None:
            continue
        left[found], left[pivot] = left[pivot], left[found]
        for other in range(found + 1, len(left)):
            factor = left[other][column] / left[found][column]
            left[other] = [a - factor * b for a, b in zip(left[other], left[found], strict=True)]
        found += 1
    return found


def is_in_row_space(rows: list[list[int]], vector: list[int]) -> bool:
    return rank([*rows, vector]) == rank(rows)


def unit(size: int, place: int) -> list[int]:
    return [int(place == column) for column in range(size)]


def dense(solved: Reduced, width: int) -> list[list[int]]:
    """Write every solved equation out, its pivot too."""
    rows = []
    for place, pivot in enumerate(solved.pivots):
        row = [0] * width
        entries = slice(solved.indptr[place], solved.indptr[place + 1])
        for column, value in zip(solved.indices[entries], solved.data[entries], strict=True):
            row[column] = int(value)
        row[pivot] = int(solved.leads[place])
        rows.append(row)
    return rows


def assert_agrees(rows: list[list[int]]) -> None:
    """Compare everything with what dense fractions give."""
    width = len(rows[0]) if rows else 3
    arrays = compressed(rows)
    expected = [is_in_row_space(rows, unit(width, column)) for column in range(width)]
    assert determined(*arrays, width).tolist() == expected
    kept = independent_rows(*arrays, width)
    chosen = [row for row, keep in zip(rows, kept, strict=True) if keep]
    assert len(chosen) == rank(chosen) == rank(rows)
    assert_solved(rows, reduced(*arrays, width), width)


def assert_solved(rows: list[list[int]], solved: Reduced, width: int) -> None:
    written = dense(solved, width)
    assert len(written) == rank(rows)
    assert all(is_in_row_space(rows, row) for row in written)
    for place, pivot in enumerate(solved.pivots):
        assert written[place][pivot] != 0
        assert not any(row[pivot] for other, row in enumerate(written) if other != place)


@settings(max_examples=300)
@given(matrices(SMALL))
def test_elimination_agrees_with_dense_fractions(rows):
    assert_agrees(rows)


@given(matrices(LARGE))
def test_numbers_too_large_for_64_bits_do_not_change_the_answer(rows):
    assert_agrees(rows)


@given(matrices(SMALL))
def test_the_slow_way_agrees_with_dense_fractions(rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elimination, "_triangle", lambda *_: None)
        assert_agrees(rows)


@given(matrices(SMALL), st.integers(0, 3))
def test_passengers_are_carried_along_and_never_pivots(rows, passengers):
    width = len(rows[0]) if rows else 3
    columns = max(0, width - passengers)
    arrays = compressed(rows)
    inner = [row[:columns] for row in rows]
    known = [is_in_row_space(inner, unit(columns, column)) for column in range(columns)]
    assert determined(*arrays, columns).tolist() == known
    solved = reduced(*arrays, columns)
    assert (solved.pivots < columns).all()
    assert len(solved.pivots) == rank(inner)
    assert all(is_in_row_space(rows, row) for row in dense(solved, width))


@given(matrices(SMALL), st.data())
def test_only_wanted_pivots_are_solved_for(rows, data):
    width = len(rows[0]) if rows else 3
    wanted = np.array(data.draw(st.lists(st.booleans(), min_size=width, max_size=width)), bool)
    arrays = compressed(rows)
    every, some = reduced(*arrays, width), reduced(*arrays, width, wanted)
    assert some.pivots.tolist() == [pivot for pivot in every.pivots if wanted[pivot]]
    by_pivot = dict(zip(every.pivots.tolist(), dense(every, width), strict=True))
    assert dense(some, width) == [by_pivot[pivot] for pivot in some.pivots.tolist()]


def test_growth_beyond_64_bits_is_noticed():
    # A triangle of large coprime numbers: what is left at the end is their product.
    rows = [[0] * 8 for _ in range(7)]
    for place, prime in enumerate([999_983, 999_979, 999_961, 999_959, 999_953, 999_931, 999_917]):
        rows[place][place], rows[place][place + 1] = prime, 1 - prime
    arrays = compressed(rows)
    solved = reduced(*arrays, 8)
    assert solved.data.dtype == object
    assert max(abs(value) for value in [*solved.data, *solved.leads]) > 2**100
    assert_agrees(rows)
    assert_agrees([*rows, unit(8, 7)])


def test_a_coefficient_too_large_from_the_start():
    rows = [[2**62, 1], [2**62 - 1, 1]]
    assert determined(*compressed(rows), 2).tolist() == [True, True]
    assert_agrees(rows)


@pytest.mark.parametrize("columns", [0, 4])
def test_no_equations_determine_nothing(columns):
    arrays = (np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert determined(*arrays, columns).tolist() == [False] * columns
    assert independent_rows(*arrays, columns).tolist() == []
    assert len(reduced(*arrays, columns).pivots) == 0


def test_equal_rows_are_dependent_and_columns_without_entries_free():
    rows = [[1, 1, 0, 0], [1, 1, 0, 0], [-2, -2, 0, 0], [0, 0, 0, 3], [0, 0, 0, 0]]
    arrays = compressed(rows)
    assert determined(*arrays, 4).tolist() == [False, False, False, True]
    assert independent_rows(*arrays, 4).sum() == 2


def test_a_prime_lead_does_not_hide_what_is_determined():
    # The draw modulo the prime cannot be made; everything is then solved exactly.
    prime = elimination.PRIME
    assert determined(*compressed([[prime, 0, 0], [0, prime, 1]]), 3).tolist() == [
        True,
        False,
        False,
    ]


@given(st.permutations(range(27)), st.sets(st.integers(0, 26), min_size=6, max_size=20))
def test_the_order_of_cells_does_not_change_what_a_cube_tells(order, hidden):
    """The lines of a 3 x 3 x 3 cube, some of its cells unknown."""
    cells = list(product(range(3), repeat=3))
    lines = [
        [place for place, cell in enumerate(cells) if cell[:axis] + cell[axis + 1 :] == rest]
        for axis in range(3)
        for rest in product(range(3), repeat=2)
    ]
    unknown = sorted(hidden)

    def told(columns: list[int]) -> dict[int, bool]:
        rows = [[int(cell in line) for cell in columns] for line in lines]
        return dict(zip(columns, determined(*compressed(rows), len(columns)).tolist(), strict=True))

    assert told(unknown) == told([cell for cell in order if cell in hidden])


def test_coefficients_that_are_not_whole_are_refused():
    with pytest.raises(ValueError, match="whole"):
        determined(np.array([0, 2]), np.array([0, 1]), np.array([1.0, 0.5]), 2)
