from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.masking.randomizing.markov import (
    dense,
    invariant,
    keyed,
    mixed,
    named,
    refuse_other_than_markov,
    retaining,
    with_diagonal,
)


@st.composite
def markov(draw):
    size = draw(st.integers(1, 6))
    cells = st.lists(st.integers(0, 5), min_size=size, max_size=size)
    rows = np.array([draw(cells.filter(any)) for _ in range(size)], np.float64)
    counts = draw(st.lists(st.integers(0, 50), min_size=size, max_size=size))
    return rows / rows.sum(axis=1, keepdims=True), np.array(counts, np.float64)


@given(markov())
def test_an_invariant_matrix_is_markov_and_keeps_frequencies(drawn):
    matrix, counts = drawn
    found = invariant(matrix, counts)
    assert (found >= 0).all()
    np.testing.assert_allclose(found[counts > 0].sum(axis=1), 1)
    np.testing.assert_allclose(counts @ found, counts, atol=1e-9)


@given(markov(), st.floats(0, 1))
def test_drawing_towards_the_identity_reaches_the_diagonal_and_keeps_frequencies(drawn, least):
    matrix, counts = drawn
    counts = counts + 1
    found = with_diagonal(invariant(matrix, counts), least)
    assert np.diag(found).min() >= least - 1e-12
    np.testing.assert_allclose(counts @ found, counts, atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("size", [1, 2, 7])
def test_what_is_not_kept_is_shared_alike(size):
    matrix = retaining(size, 0.7)
    np.testing.assert_allclose(matrix.sum(axis=1), 1)
    if size > 1:
        assert set(np.round(matrix[~np.eye(size, dtype=bool)], 12)) == {round(0.3 / (size - 1), 12)}


def test_mixing_with_the_identity():
    assert mixed(np.array([[0.0, 1.0], [1.0, 0.0]]), 0.25).tolist() == [[0.75, 0.25], [0.25, 0.75]]


@given(markov())
def test_names_and_arrays_say_the_same(drawn):
    matrix, _ = drawn
    words = [f"c{code}" for code in range(len(matrix))]
    assert (dense(named(matrix, words), words) == matrix).all()


def test_categories_may_be_said_as_plans_say_them():
    assert keyed({True: {1: 0.5}}) == {"true": {"1": 0.5}}


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ({"a": {"a": 0.9}}, "Row 'a' of it must sum to 1; it sums to 0.9."),
        ({"a": {"b": 1.0}}, "releases 'b', which has no row itself"),
    ],
)
def test_other_matrices_are_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        refuse_other_than_markov("it", matrix)
