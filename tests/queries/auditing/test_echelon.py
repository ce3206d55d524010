from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import ProtectionError
from tacita.queries.auditing.echelon import Echelon

pytestmark = pytest.mark.numeric


def sets(width: int) -> st.SearchStrategy[list[list[bool]]]:
    row = st.lists(st.booleans(), min_size=width, max_size=width)
    return st.lists(row, min_size=1, max_size=9)


def spanned(rows: list[list[bool]]) -> Echelon:
    space = Echelon()
    space.grow(np.zeros(len(rows[0]) - 1, np.int64))
    for row in rows:
        space.add(np.array(row))
    return space


@given(st.integers(1, 6).flatmap(sets), st.data())
def test_contains_what_follows_over_the_rationals(follows, rows, data):
    space = spanned(rows)
    width = len(rows[0])
    asked = data.draw(st.lists(st.booleans(), min_size=width, max_size=width))
    assert space.contains(np.array(asked)) == follows(rows, asked)
    assert space.rank <= min(width, len(rows))


@given(st.integers(1, 6).flatmap(sets), st.data())
def test_finds_just_what_one_row_more_determines(determined, rows, data):
    width = len(rows[0])
    asked = data.draw(st.lists(st.booleans(), min_size=width, max_size=width))
    found = spanned(rows).newly_determined(np.array(asked))
    assert set(found.tolist()) == determined([*rows, asked]) - determined(rows)


@given(st.data())
def test_columns_that_grow_later_are_as_if_they_had_been_there(follows, data):
    """Rows over one atom first, then it is split, pivots and free columns alike."""
    space, rows = Echelon(), []
    width = 1
    for _ in range(data.draw(st.integers(1, 5))):
        parents = data.draw(st.lists(st.integers(-1, width - 1), max_size=3))
        space.grow(np.array(parents, np.int64))
        rows = [row + [row[p] if p >= 0 else False for p in parents] for row in rows]
        width += len(parents)
        row = data.draw(st.lists(st.booleans(), min_size=width, max_size=width))
        space.add(np.array(row))
        rows.append(row)
    asked = data.draw(st.lists(st.booleans(), min_size=width, max_size=width))
    assert space.contains(np.array(asked)) == follows(rows, asked)
    for column in range(width):
        unit = [column == place for place in range(width)]
        assert space.contains(np.array(unit)) == follows(rows, unit)


def test_makes_room_for_many_rows_and_columns():
    rng = np.random.default_rng(4)
    rows = rng.random((90, 70)) < 0.5
    space = spanned(rows.tolist())
    assert space.rank == np.linalg.matrix_rank(rows.astype(float)) == 70
    assert space.contains(rng.random(70) < 0.5)


def test_says_so_when_the_primes_disagree(monkeypatch):
    """Modulo 2 the three pairs depend on each other; over the rationals they do not."""
    monkeypatch.setattr("tacita.queries.auditing.echelon.two_primes", lambda: (2, 2147483647))
    pairs = [[True, True, False], [False, True, True], [True, False, True]]
    with pytest.raises(ProtectionError, match="start the database again"):
        spanned(pairs)


@given(st.integers(1, 6).flatmap(sets), st.data())
def test_many_rows_at_once_span_what_one_after_the_other_does(rows, data):
    cut = data.draw(st.integers(0, len(rows)))
    some, width = spanned(rows[:cut]) if cut else Echelon(), len(rows[0])
    if not cut:
        some.grow(np.zeros(width - 1, np.int64))
    some.add_all(np.array(rows[cut:], bool).reshape(-1, width))
    expected = spanned(rows)
    assert some.rank == expected.rank
    asked = np.array(data.draw(st.lists(st.booleans(), min_size=width, max_size=width)))
    assert some.contains(asked) == expected.contains(asked)
    assert some.newly_determined(asked).tolist() == expected.newly_determined(asked).tolist()


def test_hundreds_of_rows_at_once_span_what_one_after_the_other_does():
    rng = np.random.default_rng(5)
    rows = rng.random((300, 200)) < rng.random((300, 1))
    expected, found = spanned(rows[:150].tolist()), spanned(rows[:40].tolist())
    found.add_all(rows[40:150])
    assert found.rank == expected.rank
    for row in rows:
        assert found.contains(row) == expected.contains(row)
        assert found.newly_determined(row).tolist() == expected.newly_determined(row).tolist()
