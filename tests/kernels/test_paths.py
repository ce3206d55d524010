"""Tests of cheapest paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels.paths import NONE, Graph, charge, cheapest_path, free, free_path, free_room

pytestmark = pytest.mark.numeric

NODES = 6


def drawn(seed: int) -> tuple[Graph, np.random.Generator]:
    """Draw a graph without loops, some of whose arcs cost nothing."""
    rng = np.random.default_rng(seed)
    tail = rng.integers(0, NODES, 12)
    head = (tail + rng.integers(1, NODES, 12)) % NODES
    cost, up, down = (rng.integers(low, 9, 12).astype(float) for low in (1, 0, 0))
    graph = Graph.of(tail, head, NODES, cost, up, down)
    for arc in np.flatnonzero(rng.random(12) < 0.3):
        free(graph, int(arc))
    return graph, rng


def least_cost(
    graph: Graph, source: int, target: int, amount: float, without: int, least: float
) -> float:
    """Find the cheapest way by relaxing every step again and again."""
    distance = np.full(NODES, np.inf)
    distance[source] = 0.0
    for _ in range(NODES):
        for step, end in enumerate(graph.ends):
            arc = step >> 1
            if graph.room[step] >= least and arc != without:
                price = price_of_step(graph, step, amount)
                start = graph.ends[step ^ 1]
                distance[end] = min(distance[end], distance[start] + price)
    return float(distance[target])


def fewest_steps(graph: Graph, source: int, target: int, amount: float, without: int) -> float:
    """Count the steps of the shortest way along arcs that cost nothing."""
    only_free = np.where(np.repeat(graph.is_free, 2), graph.room, 0.0)
    counted = graph._replace(
        room=only_free, is_free=np.zeros_like(graph.is_free), cost=np.ones_like(graph.cost)
    )
    return least_cost(counted, source, target, amount, without, amount)


def price_of_step(graph: Graph, step: int, amount: float) -> float:
    """Return what a step costs, as many times as it takes to carry an amount."""
    times = max(amount / graph.room[step], 1.0)
    return 0.0 if graph.is_free[step >> 1] else float(graph.cost[step >> 1]) * times


def price_of(graph: Graph, path: np.ndarray, amount: float) -> float:
    return sum(price_of_step(graph, int(step), amount) for step in path)


def assert_path(graph: Graph, path: np.ndarray, source: int, target: int, amount: float) -> None:
    nodes = [source, *graph.ends[path].tolist()]
    assert nodes[-1] == target
    assert graph.ends[path ^ 1].tolist() == nodes[:-1]
    assert (graph.room[path] >= amount).all()


@settings(max_examples=200)
@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(1, 8))
def test_paths_are_the_cheapest(seed, amount, least):
    least = min(least, amount)
    graph, rng = drawn(seed)
    source, target = (int(node) for node in rng.choice(NODES, 2, replace=False))
    without = int(rng.integers(NONE, 12))
    found = cheapest_path(graph, source, target, float(amount), without, float(least))
    cost = least_cost(graph, source, target, amount, without, least)
    assert bool(found.size) == np.isfinite(cost)
    if found.size:
        assert_path(graph, found, source, target, least)
        assert without not in (found >> 1).tolist()
        assert price_of(graph, found, amount) == pytest.approx(cost)


@settings(max_examples=200)
@given(st.integers(0, 10**6), st.integers(1, 8))
def test_paths_that_cost_nothing_have_the_fewest_steps(seed, amount):
    graph, rng = drawn(seed)
    source, target = (int(node) for node in rng.choice(NODES, 2, replace=False))
    without = int(rng.integers(NONE, 12))
    found = free_path(graph, source, target, float(amount), without)
    steps = fewest_steps(graph, source, target, amount, without)
    assert len(found) == (steps if np.isfinite(steps) else 0)
    if found.size:
        assert_path(graph, found, source, target, amount)
        assert without not in (found >> 1).tolist()
        assert price_of(graph, found, amount) == 0


@given(st.integers(0, 10**6))
def test_the_room_of_what_costs_nothing(seed):
    graph, rng = drawn(seed)
    source, target = (int(node) for node in rng.choice(NODES, 2, replace=False))
    without = int(rng.integers(NONE, 12))
    usable = np.repeat(graph.is_free & (np.arange(12) != without), 2)
    begins = graph.ends[np.arange(24) ^ 1]
    away = graph.room[usable & (begins == source)].sum()
    there = graph.room[usable & (graph.ends == target)].sum()
    assert free_room(graph, source, target, without) == min(away, there)


@given(st.integers(0, 10**6))
def test_what_is_charged_again_is_as_before(seed):
    graph, rng = drawn(seed)
    before = [list(chain(graph, node)) for node in range(NODES)]
    arc = int(rng.choice(np.flatnonzero(~graph.is_free)))
    free(graph, arc)
    assert any(arc == step >> 1 for node in range(NODES) for step in chain(graph, node))
    charge(graph, arc)
    assert [list(chain(graph, node)) for node in range(NODES)] == before


def chain(graph: Graph, node: int):
    """List the steps from a node that cost nothing."""
    step = int(graph.first[node])
    while step != NONE:
        yield step
        step = int(graph.following[step])
