"""Cheapest paths in a graph in which more and more arcs cost nothing.

Arcs can be used both ways. A *step* is an arc with its direction: step ``2 a`` goes along arc ``a``
from its tail to its head, step ``2 a + 1`` back. A step can be taken if its room is at least what
is to be carried. Steps of arcs that cost nothing are chained up by the node at which they start,
so that most searches never look at an arc that costs something.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

NONE = -1
START = -2


class Graph(NamedTuple):
    """A graph; what an arc costs and the room of a step may change, the sorted order stays.

    Args:
        ends: for each step the node where it ends.
        starts: where the steps of each node begin in `sorted_steps`.
        sorted_steps: the steps by the node at which they start, cheap ones first.
        sorted_costs: what they cost, and in `sorted_ends` where they end: read one after the other
            they are at hand, while a step's own place in memory is far away.
        cost: what each arc costs, if it costs anything.
        room: how much each step can carry.
        is_free: which arcs cost nothing.
        first: for each node a step that costs nothing, -1 without one.
        following: for each step that costs nothing another one from the same node, -1 at the end.
    """

    ends: Ints
    starts: Ints
    sorted_steps: Ints
    sorted_costs: Floats
    sorted_ends: Ints
    cost: Floats
    room: Floats
    is_free: Mask
    first: Ints
    following: Ints

    @classmethod
    def of(cls, tail: Ints, head: Ints, nodes: int, cost: Floats, up: Floats, down: Floats) -> Self:
        """Make a graph in which every arc costs something.

        Args:
            tail: where each arc starts.
            head: where it ends.
            nodes: how many nodes there are.
            cost: what each arc costs, 0 or more.
            up: how much it can carry along.
            down: how much it can carry back.
        """
        ends = np.column_stack([head, tail]).ravel()
        begins = np.column_stack([tail, head]).ravel()
        steps = np.lexsort((np.repeat(cost, 2), begins))
        return cls(
            ends=ends.astype(np.int64),
            starts=np.searchsorted(begins[steps], np.arange(nodes + 1)).astype(np.int64),
            sorted_steps=steps.astype(np.int64),
            sorted_costs=cost[steps >> 1].astype(np.float64),
            sorted_ends=ends[steps].astype(np.int64),
            cost=cost.astype(np.float64),
            room=np.column_stack([up, down]).ravel().astype(np.float64),
            is_free=np.zeros(len(tail), np.bool_),
            first=np.full(nodes, NONE, np.int64),
            following=np.full(2 * len(tail), NONE, np.int64),
        )


@kernel
def free(graph: Graph, arc: int) -> None:
    """Let an arc cost nothing."""
    for step in (2 * arc, 2 * arc + 1):
        node = graph.ends[step ^ 1]
        graph.following[step] = graph.first[node]
        graph.first[node] = step
    graph.is_free[arc] = True


@kernel
def charge(graph: Graph, arc: int) -> None:
    """Let an arc that costs nothing cost something again."""
    for step in (2 * arc, 2 * arc + 1):
        node = graph.ends[step ^ 1]
        before = graph.first[node]
        if before == step:
            graph.first[node] = graph.following[step]
        else:
            while graph.following[before] != step:
                before = graph.following[before]
            graph.following[before] = graph.following[step]
    graph.is_free[arc] = False


@kernel
def free_path(graph: Graph, source: int, target: int, amount: float, without: int) -> Ints:
    """Find a path of steps that cost nothing, with the fewest steps; empty if there is none.

    Args:
        graph: the graph.
        source: where the path starts.
        target: where it ends, another node.
        amount: what every step must have room for.
        without: an arc that must not be used.
    """
    last = _last_steps(graph, target, amount, without)
    reached_by = np.full(len(graph.first), NONE, np.int64)
    queue = np.empty(len(graph.first), np.int64)
    queue[0], begin, end = source, 0, 1
    reached_by[source] = START
    if last[source] != NONE and source != target:
        reached_by[target] = last[source]
    elif last.max() == NONE:
        end = 0
    while begin < end and reached_by[target] == NONE:
        step = graph.first[queue[begin]]
        begin += 1
        while step != NONE:
            node = graph.ends[step]
            if reached_by[node] == NONE and graph.room[step] >= amount and step >> 1 != without:
                reached_by[node] = step
                if last[node] != NONE:
                    reached_by[target] = last[node]
                    break
                queue[end] = node
                end += 1
            step = graph.following[step]
    return _traced(graph, reached_by, target)


@kernel
def free_room(graph: Graph, source: int, target: int, without: int) -> float:
    """Return what steps that cost nothing carry at most, away from one node and to another.

    Args:
        graph: the graph.
        source: the node that they start from.
        target: the node that they end at.
        without: an arc that must not be used.
    """
    away, there = 0.0, 0.0
    step = graph.first[source]
    while step != NONE:
        away += 0.0 if step >> 1 == without else graph.room[step]
        step = graph.following[step]
    step = graph.first[target]
    while step != NONE:
        there += 0.0 if step >> 1 == without else graph.room[step ^ 1]
        step = graph.following[step]
    return min(away, there)


@kernel
def _last_steps(graph: Graph, target: int, amount: float, without: int) -> Ints:
    """Return for each node a step that costs nothing and ends at the target, -1 without one.

    A path is complete as soon as it comes to such a node: the nodes from which the target is two
    steps away need not be gone through, and they are most of them.
    """
    last = np.full(len(graph.first), NONE, np.int64)
    step = graph.first[target]
    while step != NONE:
        node = graph.ends[step]
        if last[node] == NONE and graph.room[step ^ 1] >= amount and step >> 1 != without:
            last[node] = step ^ 1
        step = graph.following[step]
    return last


@kernel
def cheapest_path(
    graph: Graph, source: int, target: int, amount: float, without: int, least: float
) -> Ints:
    """Find the path on which an amount is carried at the least cost; empty if there is none.

    A step without room for all of it counts as many times as it would have to be there.

    Args:
        graph: the graph.
        source: where the path starts.
        target: where it ends, another node.
        amount: what is to be carried.
        without: an arc that must not be used.
        least: what every step must have room for, at most the amount.
    """
    search = _opened(graph, source, target, amount, without, least)
    nearest = search.prices.min()
    heap = [(0.0, source)]
    while heap:
        so_far, node = heappop(heap)
        if so_far + nearest >= search.distance[target]:
            break
        if so_far > search.distance[node]:
            continue
        step = graph.first[node]
        while step != NONE:
            if graph.room[step] >= least and step >> 1 != without:
                _come(search, graph.ends[step], step, so_far, target, heap)
            step = graph.following[step]
        for place in range(graph.starts[node], graph.starts[node + 1]):
            there = so_far + graph.sorted_costs[place]
            if there + nearest >= search.distance[target]:
                break  # all that follow are dearer
            end = graph.sorted_ends[place]
            if there < search.distance[end]:
                step = graph.sorted_steps[place]
                if graph.room[step] >= least and step >> 1 != without:
                    there = so_far + _price(graph, step, amount)
                    _come(search, end, step, there, target, heap)
    return _traced(graph, search.reached_by, target)


class Search(NamedTuple):
    """How far a search has come.

    Args:
        distance: what it costs to come to each node, as far as is known.
        reached_by: the step that leads there.
        prices: what the last step costs from each node to the target.
        last: that step, -1 without one.
    """

    distance: Floats
    reached_by: Ints
    prices: Floats
    last: Ints


@kernel
def _opened(
    graph: Graph, source: int, target: int, amount: float, without: int, least: float
) -> Search:
    """Begin a search: look which nodes are one step away from the target."""
    nodes = len(graph.first)
    prices, last = np.full(nodes, np.inf), np.full(nodes, NONE, np.int64)
    for place in range(graph.starts[target], graph.starts[target + 1]):
        step = graph.sorted_steps[place] ^ 1
        if graph.room[step] >= least and step >> 1 != without:
            price = _price(graph, step, amount)
            if price < prices[graph.sorted_ends[place]]:
                prices[graph.sorted_ends[place]] = price
                last[graph.sorted_ends[place]] = step
    distance, reached_by = np.full(nodes, np.inf), np.full(nodes, NONE, np.int64)
    distance[target], reached_by[target] = prices[source], last[source]
    distance[source], reached_by[source] = 0.0, START
    return Search(distance, reached_by, prices, last)


@kernel
def _price(graph: Graph, step: int, amount: float) -> float:
    """Return what a step costs, as many times as it takes to carry an amount."""
    arc = step >> 1
    return 0.0 if graph.is_free[arc] else graph.cost[arc] * max(amount / graph.room[step], 1.0)


@kernel
def _come(
    search: Search,
    node: int,
    step: int,
    there: float,
    target: int,
    heap: list[tuple[float, int]],
) -> None:
    """Note a cheaper way to a node, and from there to the target."""
    if there < search.distance[node]:
        search.distance[node] = there
        search.reached_by[node] = step
        heappush(heap, (there, node))
        if there + search.prices[node] < search.distance[target]:
            search.distance[target] = there + search.prices[node]
            search.reached_by[target] = search.last[node]


@kernel
def _traced(graph: Graph, reached_by: Ints, target: int) -> Ints:
    """Follow a path back from its end; return its steps in their order."""
    length, node = 0, target
    if reached_by[target] == NONE:
        return np.empty(0, np.int64)
    while reached_by[node] != START:
        length += 1
        node = graph.ends[reached_by[node] ^ 1]
    steps = np.empty(length, np.int64)
    node = target
    for place in range(length - 1, -1, -1):
        steps[place] = reached_by[node]
        node = graph.ends[reached_by[node] ^ 1]
    return steps


def warm_up() -> None:
    """Compile the kernels of this module."""
    one = np.ones(1)
    graph = Graph.of(np.array([0]), np.array([1]), 2, one, one, one)
    cheapest_path(graph, 0, 1, 1.0, NONE, 1.0)
    free(graph, 0)
    free_path(graph, 0, 1, 1.0, NONE)
    free_room(graph, 0, 1, NONE)
    charge(graph, 0)
