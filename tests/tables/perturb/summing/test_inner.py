from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.errors import ParameterError
from tacita.tables.cells import Cells
from tacita.tables.perturb.summing.inner import inner_cells
from tacita.tables.system import System


def leaves_below(dimension):
    """Return for each code its leaves, found by walking up from every leaf."""
    below = [set() for _ in dimension.codes]
    for leaf, parents in product(dimension.leaves, dimension.parents):
        code = int(leaf)
        while code != -1:
            below[code].add(int(leaf))
            code = int(parents[code])
    return below


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_every_cell_is_the_sum_of_the_leaves_below_it(random_table, seed, dimensions):
    table = random_table(seed, dimensions=dimensions)
    inner = inner_cells(table.system())
    below = [leaves_below(dimension) for dimension in table.dimensions]
    for row in range(len(table)):
        codes = product(*(below[axis][code] for axis, code in enumerate(table.places[row])))
        numbers = np.array([code @ table.strides for code in map(np.array, codes)])
        parts = inner.cells[inner.sums[[row]].toarray()[0] > 0]
        assert sorted(table.find(numbers)) == parts.tolist()
    value = table.cells.value
    assert np.array_equal(inner.sums @ value[inner.cells], value)
    assert inner.deepest == inner.sums.toarray().sum(axis=0).max()


def test_totals_of_different_parts_are_refused():
    relations = csr_array(np.array([[-1, 1, 1, 0, 0], [-1, 0, 0, 1, 1]]))
    system = System(Cells.of([3.0, 1, 2, 2, 1]), relations, np.zeros(2))
    with pytest.raises(ParameterError, match="as in linked tables"):
        inner_cells(system)


def test_relations_in_a_circle_are_refused():
    relations = csr_array(np.array([[-1, 1, 1], [1, -1, 0]]))
    system = System(Cells.of([1.0, 1, 0]), relations, np.zeros(2))
    with pytest.raises(ParameterError, match="sum of the same inner cells"):
        inner_cells(system)
