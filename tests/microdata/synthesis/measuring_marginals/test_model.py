from __future__ import annotations

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.microdata.synthesis.measuring_marginals.fitting import Measured, fitted, total
from tacita.microdata.synthesis.measuring_marginals.junction_tree import JunctionTree
from tacita.microdata.synthesis.measuring_marginals.model import Model, spread

SIZES = (2, 3, 2, 4, 2)
PAIRS = list(combinations(range(len(SIZES)), 2))
TRIPLES = list(combinations(range(len(SIZES)), 3))
some_sets = st.lists(st.sampled_from([*PAIRS, *TRIPLES]), unique=True, max_size=6)


def random_model(sets, seed):
    rng = np.random.default_rng(seed)
    return Model.of(SIZES, {one: rng.normal(size=[SIZES[at] for at in one]) for one in sets})


def joint(model):
    """Return all cells of a model, by multiplying everything out."""
    everything = tuple(range(len(SIZES)))
    logs = sum(
        (spread(weights, held, everything) for held, weights in model.weights.items()),
        start=np.zeros(SIZES),
    )
    cells = np.exp(logs)
    return cells / cells.sum()


def added_up(cells, wanted):
    return cells.sum(axis=tuple(at for at in range(len(SIZES)) if at not in wanted))


@settings(max_examples=50, deadline=None)
@given(some_sets)
def test_a_junction_tree_holds_every_set_and_runs_through(sets):
    tree = JunctionTree.of(sets, SIZES)
    assert all(tree.holds(one) for one in sets)
    assert {one for clique in tree.cliques for one in clique} == set(range(len(SIZES)))
    for place, clique in enumerate(tree.cliques):
        # What a clique has seen before it, its parent has: the running intersection.
        before = {one for other in tree.cliques[:place] for one in other}
        assert set(clique) & before == set(tree.separator(place))
    assert tree.cells(SIZES) == sum(prod(SIZES[one] for one in held) for held in tree.cliques)


@settings(max_examples=50, deadline=None)
@given(some_sets, st.integers(0, 99))
def test_marginals_are_those_of_all_cells(sets, seed):
    model = random_model(sets, seed)
    cells = joint(model)
    for wanted in [(0,), *PAIRS, *TRIPLES, tuple(range(len(SIZES)))]:
        assert model.marginal(wanted) == pytest.approx(added_up(cells, wanted), abs=1e-12)


def test_more_attributes_than_the_library_has_letters():
    sizes = (2,) * 70
    chain = {(at, at + 1): np.array([[3.0, 0.0], [0.0, 3.0]]) for at in range(69)}
    ends = Model.of(sizes, chain).marginal((0, 69))
    agree = ((np.e**3 - 1) / (np.e**3 + 1)) ** 69  # the second eigenvalue of every step
    assert ends == pytest.approx(np.array([[1 + agree, 1 - agree], [1 - agree, 1 + agree]]) / 4)


@pytest.mark.parametrize("seed", range(20))
def test_drawn_records_have_the_shares_of_the_model(seed):
    rng = np.random.default_rng(seed)
    everything = [*PAIRS, *TRIPLES]
    sets = [everything[at] for at in rng.choice(len(everything), seed % 7, replace=False)]
    model = random_model(sets, seed)
    drawn = model.drawn(20_000, rng)
    cells = np.zeros(SIZES)
    np.add.at(cells, tuple(drawn.T), 1 / len(drawn))
    for pair in PAIRS:
        assert np.abs(added_up(cells, pair) - model.marginal(pair)).sum() < 0.05


def test_any_number_of_records_is_drawn():
    model = random_model([(0, 1), (1, 3)], 0)
    for records in (0, 1, 7):
        assert model.drawn(records, np.random.default_rng(0)).shape == (records, len(SIZES))


def test_exact_counts_of_a_tree_are_met_by_its_closed_form():
    """P(a, b, c) = P(a, b) P(b, c) / P(b) has the most entropy of all with these pairs."""
    counts = np.array([[[4, 1], [2, 9], [5, 5]], [[8, 3], [1, 1], [7, 4]]], np.float64)
    one, other = counts.sum(axis=2), counts.sum(axis=0)
    measured = [
        Measured((0, 1), one, np.full(one.shape, 1e-2)),
        Measured((1, 2), other, np.full(other.shape, 1e-2)),
    ]
    found = fitted(Model.of((2, 3, 2), {}), measured, 5000)
    expected = one[:, :, None] * other[None] / one.sum(axis=0)[None, :, None] / counts.sum()
    assert found.marginal((0, 1, 2)) == pytest.approx(expected, abs=1e-3)


def test_a_fit_is_the_nearest_distribution():
    """Noisy counts below 0 become 0, and the others share what they take too much of."""
    noisy = Measured((0,), np.array([60.0, 50.0, -10.0]), np.ones(3))
    found = fitted(Model.of((3,), {}), [noisy], 5000).marginal((0,))
    assert found == pytest.approx([0.55, 0.45, 0.0], abs=2e-3)


def test_the_more_exact_count_counts_more():
    near, far = (
        Measured((0,), counts, np.full(2, variance))
        for counts, variance in ((np.array([30.0, 70.0]), 1.0), (np.array([70.0, 30.0]), 3.0))
    )
    assert total([near, far]) == pytest.approx(100)
    found = fitted(Model.of((2,), {}), [near, far], 5000).marginal((0,))
    assert found == pytest.approx([0.4, 0.6], abs=2e-3)
