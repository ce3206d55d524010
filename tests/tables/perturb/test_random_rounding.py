"""Random rounding: one of the two multiples around, without bias and independently."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.tables.perturb.random_rounding import RandomRounding
from tacita.tables.ready import grid_table

DRAWS = 4000
TABLE = grid_table("t", {"x": [1, 2.5], "y": [13, 40], "z": [-3, 0]}, ["u", "v"])


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([3, 5, 0.4]))
def test_goes_to_one_of_the_two_multiples_around(random_table, seed, base):
    system = random_table(seed, most=30).system()
    found = RandomRounding(base).perturb(system, np.random.default_rng(seed))
    times = found.value / base
    assert np.allclose(times, np.round(times), atol=1e-9)
    assert (np.abs(found.change) < base).all()
    is_multiple = np.isclose(np.remainder(system.cells.value + base / 2, base), base / 2)
    assert np.allclose(found.change[is_multiple], 0, atol=1e-9)


@pytest.fixture(scope="module")
def drawn():
    """Draw the changes of every cell many times."""
    system, rng = TABLE.system(), np.random.default_rng(7)
    return np.array([RandomRounding(5).perturb(system, rng).change for _ in range(DRAWS)])


class TestManyDraws:
    rest = np.remainder(TABLE.cells.value, 5)
    variance = rest * (5 - rest)

    def test_the_mean_is_the_value(self, drawn):
        error = np.sqrt(self.variance / DRAWS)
        assert (np.abs(drawn.mean(axis=0)) <= 3 * error).all()

    def test_the_variance_is_that_of_the_formula(self, drawn):
        assert np.allclose(drawn.var(axis=0), self.variance, rtol=0.1, atol=1e-12)

    def test_cells_are_drawn_independently(self, drawn):
        together = np.corrcoef(drawn[:, self.variance > 0].T)
        np.fill_diagonal(together, 0)
        assert np.abs(together).max() < 5 / np.sqrt(DRAWS)


def test_the_same_seed_gives_the_same_values():
    one, same, other = (
        RandomRounding(7).perturb(TABLE.system(), np.random.default_rng(seed)).value
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_says_that_totals_do_not_add_up():
    found = RandomRounding(50).perturb(TABLE.system(), np.random.default_rng(3))
    assert not found.is_additive
    assert f"{found.not_additive.size} of 7 totals are not the sum" in found.remarks[0]
    assert found.bound is None
    assert not found.is_optimal
