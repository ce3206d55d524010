from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.nesting import nested

SEEDS = st.integers(0, 2**32 - 1)


def below(nest, node, fan):
    """Collect the members in the leaves below a node; check that the way back up is the same."""
    found = []
    for place, child in enumerate(nest.children[node]):
        home = fan * node + place
        if child < 0 and nest.homes[~child] == home:
            found.append(nest.members[nest.starts[~child] : nest.stops[~child]])
        elif child > 0:
            assert nest.parents[child] == home
            found.append(below(nest, child, fan))
    return np.concatenate(found)


@given(SEEDS, st.integers(1, 400), st.integers(2, 8), st.integers(16, 40), st.integers(1, 9))
def test_every_point_is_in_one_leaf_and_leaves_are_small(seed, size, fan, largest, values):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, values, (size, 2)).astype(float)
    chosen = np.flatnonzero(rng.random(size) < 0.8)
    chosen = chosen if len(chosen) else np.arange(1)
    nest = nested(points, chosen, fan, largest)
    assert np.array_equal(np.sort(below(nest, 0, fan)), chosen)
    sizes = nest.stops - nest.starts
    assert sizes.min() >= 1
    assert sizes.max() <= largest


def test_cuts_are_between_values():
    points = np.repeat([0.0, 1.0, 7.0], [30, 25, 45])[:, None]
    nest = nested(points, np.arange(100), 3, 64)
    runs = zip(nest.starts, nest.stops, strict=True)
    assert [set(points[nest.members[a:b], 0]) for a, b in runs] == [{0.0}, {1.0}, {7.0}]


def test_equal_points_stay_in_their_order():
    nest = nested(np.zeros((500, 3)), np.arange(500), 8, 32)
    assert np.array_equal(below(nest, 0, 8), np.arange(500))
