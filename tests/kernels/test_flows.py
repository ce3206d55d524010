"""Tests of flows in networks."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels.flows import (
    Bounds,
    Flow,
    Found,
    fulfil,
    send_most,
    settle_singly,
    settle_together,
    warm_up,
)

pytestmark = pytest.mark.numeric

SEEDS = st.integers(0, 10**6)


class Drawn(NamedTuple):
    """A network, with a flow that its nodes allow."""

    tail: np.ndarray
    head: np.ndarray
    nodes: int
    bounds: Bounds

    def balances(self) -> np.ndarray:
        """One row a node: what each arc adds to it."""
        matrix = np.zeros((self.nodes, len(self.tail)), np.int64)
        np.add.at(matrix, (self.head, np.arange(len(self.head))), 1)
        np.add.at(matrix, (self.tail, np.arange(len(self.tail))), -1)
        return matrix

    def possible(self) -> np.ndarray:
        """All flows that fulfil everything, found by trying them."""
        ranges = [range(a, b + 1) for a, b in zip(*self.bounds[:2], strict=True)]
        tried = np.array(list(product(*ranges)), np.int64).reshape(-1, len(self.tail))
        return tried[(tried @ self.balances().T == self.bounds.taken).all(axis=1)]


def drawn(seed: int, *, arcs: int = 6) -> Drawn:
    """Draw a small network; arcs may lead nowhere, side by side, or both ways."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(1, 5))
    tail, head = rng.integers(0, nodes, (2, arcs))
    lower = rng.integers(-2, 2, arcs)
    upper = lower + rng.integers(0, 4, arcs)
    found = Drawn(tail, head, nodes, Bounds(lower, upper, np.zeros(nodes, np.int64)))
    taken = found.balances() @ rng.integers(lower, upper + 1)
    return found._replace(bounds=Bounds(lower, upper, taken))


def searched(network: Drawn, *, worth: int = 1) -> tuple[Flow, Found]:
    flow = Flow.of(network.tail, network.head, network.nodes)
    found = Found.of(flow, network.bounds)
    assert fulfil(flow, network.bounds, found)
    every = np.ones(len(network.tail), bool)
    settle_together(flow, network.bounds, found, every, worth)
    settle_singly(flow, found, np.arange(len(network.tail)))
    return flow, found


@settings(max_examples=300)
@given(SEEDS, st.sampled_from([1, 2, 10**6]))
def test_the_ends_are_those_of_all_flows(seed, worth):
    network = drawn(seed)
    flow, found = searched(network, worth=worth)
    arcs, possible = len(network.tail), network.possible()
    assert found.least[:arcs].tolist() == possible.min(axis=0).tolist()
    assert found.most[:arcs].tolist() == possible.max(axis=0).tolist()
    assert flow.flow[:arcs].tolist() in possible.tolist()


@settings(max_examples=200)
@given(SEEDS)
def test_what_is_noted_early_is_possible(seed):
    """An end that a flow for many arcs settles is never searched again."""
    network = drawn(seed)
    flow = Flow.of(network.tail, network.head, network.nodes)
    found = Found.of(flow, network.bounds)
    fulfil(flow, network.bounds, found)
    settle_together(flow, network.bounds, found, np.ones(len(network.tail), bool), 1)
    possible = network.possible()
    for arc in range(len(network.tail)):
        assert not found.is_least[arc] or possible[:, arc].min() == network.bounds.lower[arc]
        assert not found.is_most[arc] or possible[:, arc].max() == network.bounds.upper[arc]


@settings(max_examples=200)
@given(SEEDS)
def test_a_network_without_a_flow_is_told(seed):
    network = drawn(seed, arcs=4)
    rng = np.random.default_rng(seed)
    taken = rng.integers(-3, 4, network.nodes)
    taken[-1] -= taken.sum()
    network = network._replace(bounds=network.bounds._replace(taken=taken))
    flow = Flow.of(network.tail, network.head, network.nodes)
    found = Found.of(flow, network.bounds)
    assert fulfil(flow, network.bounds, found) == bool(len(network.possible()))


def test_only_what_is_wanted_is_searched():
    network = drawn(0)
    flow = Flow.of(network.tail, network.head, network.nodes)
    found = Found.of(flow, network.bounds)
    fulfil(flow, network.bounds, found)
    before = found.is_most.copy()
    settle_singly(flow, found, np.zeros(0, np.int64))
    assert found.is_most.tolist() == before.tolist()


def test_the_printed_network():
    """The most that flows through two joined pairs of pipes, 3 + 2 into 2 + 4, with 1 across."""
    tail, head = np.array([0, 0, 1, 2, 1]), np.array([1, 2, 3, 3, 2])
    flow = Flow.of(tail, head, 4)
    room = np.array([3, 2, 2, 4, 1])
    for arc, most in enumerate(room):
        flow.room[flow.along[arc]] = flow.room_back[flow.twins[flow.along[arc]]] = most
    found = Found.of(flow, Bounds(np.zeros(5, np.int64), room, np.zeros(4, np.int64)))
    assert send_most(flow, 0, 3, 4, found) == 4
    assert send_most(flow, 0, 3, 100, found) == 1
    assert flow.flow[:5].tolist() == [3, 2, 2, 3, 1]
    assert found.is_most[:5].tolist() == [True, True, True, False, True]


def test_what_is_taken_back_on_the_way_is_not_noted():
    """Node 0 must leave the short way to node 1 to what comes from node 2 the long way."""
    tail, head = np.array([0, 2, 3, 0, 4]), np.array([1, 3, 1, 4, 5])
    taken = np.array([-1, 1, -1, 0, 0, 1])
    bounds = Bounds(np.zeros(5, np.int64), np.ones(5, np.int64), taken)
    flow = Flow.of(tail, head, 6)
    found = Found.of(flow, bounds)
    assert fulfil(flow, bounds, found)
    assert found.is_most[:5].tolist() == [False, True, True, True, True]
    settle_together(flow, bounds, found, np.zeros(5, bool), 1)
    assert not found.is_most[0]
    settle_singly(flow, found, np.arange(5))
    assert found.most[:5].tolist() == [0, 1, 1, 1, 1]


def test_numbers_beyond_doubles():
    """Two arcs share 2^55 + 1: each carries all of it or nothing, to the last unit."""
    much = 2**55 + 1
    bounds = Bounds(np.zeros(2, np.int64), np.full(2, 2**58), np.array([-much, much]))
    network = Drawn(np.zeros(2, np.int64), np.ones(2, np.int64), 2, bounds)
    _, found = searched(network)
    assert (found.least[:2].tolist(), found.most[:2].tolist()) == ([0, 0], [much, much])


def test_it_can_be_compiled_ahead():
    warm_up()
