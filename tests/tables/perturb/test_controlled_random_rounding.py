"""Controlled random rounding: additive in every draw, and without bias over all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import InputError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.perturb.controlled_random_rounding import ControlledRandomRounding
from tacita.tables.ready import grid_table
from tacita.tables.table import Table

DRAWS = 1000
SEEDS = st.integers(0, 10**6)
TABLE = grid_table("t", {"x": [1, 2.5, 4], "y": [13, 40, 0], "z": [-3, 0, 8]}, ["u", "v", "w"])


def with_hierarchy(seed):
    """Make a table of counts by an attribute with a hierarchy and one without."""
    inner = np.random.default_rng(seed).integers(0, 30, (6, 4)).astype(float)
    paths = [(f"a{at}", f"top{at % 2}", "Total") for at in range(6)]
    rows, columns = Dimension.of_trees("a", [paths]), Dimension.flat("b", list("uvwx"))
    below = np.array([[code in path for path in paths] for code in rows.codes], float)
    full = np.column_stack([(below @ inner).sum(axis=1), below @ inner])
    places = np.array(list(np.ndindex(full.shape)), np.int32)
    return Table("counts", (rows, columns), places, Cells.of(full.ravel()))


class TestEveryDraw:
    @settings(max_examples=40)
    @given(SEEDS, st.integers(1, 6), st.integers(1, 6), st.sampled_from([3, 5, 0.7]))
    def test_adds_up_and_goes_to_one_of_the_multiples_around(self, seed, rows, columns, base):
        rng = np.random.default_rng(seed)
        inner = rng.integers(-200, 200, (rows, columns)) / 10
        named = {f"r{at}": row for at, row in enumerate(inner.tolist())}
        table = grid_table("t", named, [f"c{at}" for at in range(columns)])
        system = table.with_cells(value=np.round(table.cells.value, 1)).system()
        found = ControlledRandomRounding(base).perturb(system, rng)
        times = np.round(found.value / base).astype(np.int64)
        assert np.allclose(times * base, found.value)
        assert (system.relations.astype(np.int64) @ times == 0).all()
        assert (np.abs(found.change) < base).all()
        assert found.is_additive

    @settings(max_examples=20)
    @given(SEEDS, st.sampled_from([3, 5, 10]))
    def test_adds_up_with_a_hierarchy(self, seed, base):
        system = with_hierarchy(seed).system()
        found = ControlledRandomRounding(base).perturb(system, np.random.default_rng(seed))
        assert (system.relations.astype(np.int64) @ found.value.astype(np.int64) == 0).all()
        assert (np.abs(found.change) < base).all()
        assert (found.value >= 0).all()

    def test_the_same_seed_gives_the_same_values(self):
        one, same, other = (
            ControlledRandomRounding(7).perturb(TABLE.system(), np.random.default_rng(seed)).value
            for seed in (1, 1, 2)
        )
        assert np.array_equal(one, same)
        assert not np.array_equal(one, other)


@pytest.mark.parametrize("base", [5, 6])
def test_the_mean_of_every_cell_is_its_value(base):
    system, rng = TABLE.system(), np.random.default_rng(11)
    way = ControlledRandomRounding(base)
    drawn = np.array([way.perturb(system, rng).change for _ in range(DRAWS)])
    rest = np.remainder(system.cells.value, base)
    error = np.sqrt(rest * (base - rest) / DRAWS)
    assert (np.abs(drawn.mean(axis=0)) <= 3 * error).all()
    assert np.allclose(drawn.var(axis=0), rest * (base - rest), rtol=0.2, atol=1e-12)


class TestRefuses:
    def test_three_attributes(self, random_table):
        system = random_table(3, dimensions=3).system()
        with pytest.raises(InputError, match="two attributes of which at most one has a hierarchy"):
            ControlledRandomRounding(5).perturb(system, np.random.default_rng(0))

    def test_values_that_do_not_add_up_exactly(self):
        thirds = np.random.default_rng(2).random((9, 3)) * np.pi
        rows = {f"r{at}": row for at, row in enumerate(thirds.tolist())}
        system = grid_table("t", rows, list("uvw")).system()
        with pytest.raises(InputError, match="needs values that add up exactly"):
            ControlledRandomRounding(0.5).perturb(system, np.random.default_rng(0))
