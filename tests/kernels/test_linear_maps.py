import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels.linear_maps import CHUNK, mapped, products

pytestmark = pytest.mark.numeric


@given(st.integers(1, 7), st.integers(1, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_products_and_maps_are_those_of_matrices(size, records, seed):
    rng = np.random.default_rng(seed)
    rows, origin = rng.normal(size=(size, records)), rng.normal(size=size)
    about = np.vstack([np.ones(records), rows - origin[:, None]])
    np.testing.assert_allclose(products([*rows], origin), about @ about.T, atol=1e-12)
    matrix, offset = rng.normal(size=(3, size)), rng.normal(size=3)
    expected = offset[:, None] + matrix @ (rows - origin[:, None])
    np.testing.assert_allclose(mapped(matrix, [*rows], origin, offset), expected, atol=1e-12)


@pytest.mark.parametrize("records", [CHUNK - 1, 2 * CHUNK + 5])
def test_blocks_and_threads_do_not_show(records):
    rows = np.random.default_rng(0).normal(size=(3, records))
    nothing = np.zeros(3)
    one, two = (products([*rows], nothing, threads=threads) for threads in (1, 2))
    assert (one == two).all()
    np.testing.assert_allclose(one[1:, 1:], rows @ rows.T, rtol=1e-11, atol=1e-7)
    matrix = np.tril(np.ones((3, 3)))
    other = mapped(matrix, [*rows], nothing, nothing, threads=1)
    place = mapped(matrix, [*rows], nothing, nothing, out=rows, threads=2)
    assert place is rows
    assert (place == other).all()
