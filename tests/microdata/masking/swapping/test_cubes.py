from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.masking.swapping.cubes import balanced_exchanges, exchanges_of


def margins(columns, order) -> list[Counter]:
    places = combinations(range(len(columns)), order)
    return [Counter(zip(*(columns[at].tolist() for at in some), strict=True)) for some in places]


@given(st.integers(1, 120), st.sampled_from([1, 2, 3]), st.integers(3, 5), st.integers(0, 1000))
def test_each_exchange_by_itself_keeps_all_margins(n, order, width, seed):
    rng = np.random.default_rng(seed)
    values, *others = rng.integers(0, 2, (width + 1, n))
    steps = balanced_exchanges(values, others, order, rng)
    assert steps.shape[1] == 2**order
    assert len(np.unique(steps)) == steps.size
    expected = margins([values, *others], order)
    for step in steps:
        after = values.copy()
        after[step[::2]], after[step[1::2]] = values[step[1::2]], values[step[::2]]
        assert (after[step] != values[step]).all()
        assert margins([after, *others], order) == expected


@pytest.mark.parametrize(("order", "width"), [(2, 2), (3, 3)])
def test_all_exchanges_of_a_full_table_are_found(order, width):
    """Where every combination occurs twice, both values in each cell, nearly all can move."""
    cells = np.indices((2,) * (width + 1)).reshape(width + 1, -1)
    values, *others = np.repeat(cells, 40, axis=1)
    ones, twos = exchanges_of(values, others, order, len(values), np.random.default_rng(0))
    assert 2 * len(ones) > 0.8 * len(values)
    assert len(np.unique([*ones, *twos])) == 2 * len(ones)


def test_no_more_are_exchanged_than_wanted_but_one_step_at_least():
    rng = np.random.default_rng(0)
    values, *others = rng.integers(0, 2, (4, 500))
    for wanted, expected in ((1, 4), (40, 40), (46, 48)):
        ones, _ = exchanges_of(values, others, 2, wanted, rng)
        assert 2 * len(ones) == expected


def test_the_search_ends_where_there_is_nothing():
    nothing = np.zeros(5, np.int64)
    ones, twos = exchanges_of(nothing, [nothing, nothing], 2, 4, np.random.default_rng(0))
    assert (len(ones), len(twos)) == (0, 0)
