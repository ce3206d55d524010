"""Linear algebra of one's own against NumPy's, which is right but for the last digits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacita.arithmetic import (
    Floats,
    cholesky,
    eigh,
    inverted,
    least_squares,
    length,
    log_sum,
    orthonormal,
    product,
    pseudo_inverse,
    singular,
    solved,
)

CLOSE = 1e-9
SIZES = st.integers(0, 6)


def matrices(rows: st.SearchStrategy[int] = SIZES, columns: st.SearchStrategy[int] = SIZES):
    numbers = st.floats(-10, 10).map(lambda x: round(x, 3))
    return st.tuples(rows, columns).flatmap(
        lambda shape: arrays(np.float64, shape, elements=numbers)
    )


def near(one: Floats, other: Floats) -> bool:
    return np.allclose(one, other, rtol=CLOSE, atol=CLOSE)


@given(matrices(), st.integers(0, 4))
def test_products_are_those_of_matrices(matrix: Floats, width: int) -> None:
    other = np.linspace(-1, 1, matrix.shape[1] * width).reshape(matrix.shape[1], width)
    assert near(product(matrix, other), matrix @ other)
    assert near(product(matrix.T, matrix, other), matrix.T @ matrix @ other)
    vector = np.arange(matrix.shape[1], dtype=np.float64)
    assert near(product(matrix, vector), matrix @ vector)
    assert length(vector) == pytest.approx(np.linalg.norm(vector))


@pytest.mark.parametrize("rows", [1, 255, 256, 257, 1000])
def test_how_a_matrix_lies_in_memory_does_not_show(rows: int) -> None:
    matrix = np.random.default_rng(1).normal(size=(rows, 3))
    across, along = matrix.T, np.ascontiguousarray(matrix.T)
    assert np.array_equal(product(across, matrix), product(along, matrix))
    each = np.column_stack([product(along, column) for column in matrix.T])
    assert np.array_equal(product(across, matrix), each)


def test_factors_must_fit() -> None:
    with pytest.raises(ValueError, match="no shapes of factors"):
        product(np.ones((2, 3)), np.ones((2, 3)))


@given(matrices())
def test_eigenvectors_make_up_a_symmetric_matrix(root: Floats) -> None:
    for matrix in (root.T @ root, np.tril(root.T @ root) + np.tril(root.T @ root, -1).T - 3):
        values, vectors = eigh(matrix)
        assert near(vectors * values @ vectors.T, matrix)
        assert near(vectors.T @ vectors, np.eye(len(matrix)))
        assert (np.diff(values) >= 0).all()
        assert near(values, np.linalg.eigvalsh(matrix))


@given(matrices())
def test_singular_values_make_up_a_matrix(matrix: Floats) -> None:
    left, sizes, right = singular(matrix)
    assert near(left * sizes @ right, matrix)
    assert near(sizes, np.linalg.svd(matrix, compute_uv=False))
    together = singular(np.stack([matrix, matrix]))
    assert np.array_equal(together[1], np.stack([sizes, sizes]))


@given(matrices())
def test_orthonormal_columns_and_a_triangle_make_up_a_matrix(matrix: Floats) -> None:
    columns, upper = orthonormal(matrix)
    assert near(columns @ upper, matrix)
    assert near(columns.T @ columns, np.eye(columns.shape[1]))
    assert near(upper, np.triu(upper))
    assert (upper.diagonal() >= 0).all()


@given(matrices())
def test_least_squares_of_least_length(matrix: Floats) -> None:
    sides = np.arange(len(matrix), dtype=np.float64)
    found = least_squares(matrix, sides)
    if near(np.linalg.pinv(matrix, rcond=1e-6), np.linalg.pinv(matrix)):
        assert near(found, np.linalg.pinv(matrix) @ sides)
    assert near(matrix.T @ (matrix @ found - sides), 0)


@given(matrices(columns=st.integers(1, 5)))
def test_equations_and_inverses(root: Floats) -> None:
    matrix = root.T @ root + np.eye(root.shape[1])
    assert near(matrix @ inverted(matrix), np.eye(len(matrix)))
    assert near(solved(matrix, np.ones(len(matrix))), np.linalg.solve(matrix, np.ones(len(matrix))))
    assert near(cholesky(matrix), np.linalg.cholesky(matrix))
    assert near(pseudo_inverse(matrix), np.linalg.inv(matrix))


def test_what_has_no_inverse_is_said() -> None:
    singular_one = np.ones((2, 2))
    with pytest.raises(np.linalg.LinAlgError, match="not one solution"):
        inverted(singular_one)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        cholesky(singular_one)
    assert near(pseudo_inverse(singular_one), np.full((2, 2), 0.25))
    assert near(solved([[0.0, 2.0], [1.0, 0.0]], [4.0, 3.0]), [3.0, 2.0])


def test_sums_of_logarithms_beyond_the_doubles() -> None:
    assert log_sum(1000.0, 1000.0) == pytest.approx(1000 + np.log(2))
    assert log_sum([-np.inf, 0.0], [-np.inf, -np.inf]).tolist() == [-np.inf, 0.0]
