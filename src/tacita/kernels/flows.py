"""Flows in a network, in whole numbers: how little and how much each arc can carry.

An arc leads from its tail to its head and carries between `lower` and `upper`; what flows into a
node less what flows out is given. The arcs out of a node lie side by side: a *step* is a place in
that order, and every arc has two, one along it and one back. The room of a step is how much more it
can carry. To move an arc up by an amount, the amount must be sent back from its head to its tail.

Dinic (1970), Algorithm for solution of a problem of maximum flow in a network with power
estimation, Soviet Mathematics Doklady 11.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import kernel

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

NONE = -1


class Flow(NamedTuple):
    """A network and what flows in it.

    Two nodes are added at the end, with an arc from the first to every other node and from every
    other node to the second: what nodes have too much comes in and goes where it lacks.

    Args:
        starts: where the steps of each node begin; they lie side by side.
        ends: the node where each step ends.
        twins: the step of the same arc the other way.
        arcs: the arc of each step.
        along: the step along each arc.
        room: how much more each step can carry.
        room_back: the same of its twin, at hand where the step is.
        flow: what each arc carries.
    """

    starts: Ints
    ends: Ints
    twins: Ints
    arcs: Ints
    along: Ints
    room: Ints
    room_back: Ints
    flow: Ints

    @classmethod
    def of(cls, tail: Ints, head: Ints, nodes: int) -> Self:
        """Make a network in which nothing flows.

        Args:
            tail: where each arc starts.
            head: where it ends.
            nodes: how many nodes there are.
        """
        every, giver, taker = np.arange(nodes), np.full(nodes, nodes), np.full(nodes, nodes + 1)
        begins = np.concatenate([tail, giver, every, head, every, taker])
        arcs = len(begins) // 2
        steps = np.argsort(begins, kind="stable")
        place = np.empty(2 * arcs, np.int64)
        place[steps] = np.arange(2 * arcs)
        other = (steps + arcs) % (2 * arcs)
        return cls(
            starts=np.searchsorted(begins[steps], np.arange(nodes + 3)).astype(np.int64),
            ends=begins[other].astype(np.int64),
            twins=place[other],
            arcs=(steps % arcs).astype(np.int64),
            along=place[:arcs].copy(),
            room=np.zeros(2 * arcs, np.int64),
            room_back=np.zeros(2 * arcs, np.int64),
            flow=np.zeros(arcs, np.int64),
        )


class Bounds(NamedTuple):
    """What arcs carry at least and at most, and how much more flows into nodes than out of them.

    Bounds are 2**60 at most, without their signs; what nodes take in adds up to 0.
    """

    lower: Ints
    upper: Ints
    taken: Ints


class Found(NamedTuple):
    """The least and the most that arcs carry, and whether that is known to be possible.

    All four have an entry for every arc, those of the last two nodes included.
    """

    least: Ints
    most: Ints
    is_least: Mask
    is_most: Mask

    @classmethod
    def of(cls, flow: Flow, bounds: Bounds) -> Self:
        """Begin with the bounds of arcs; those that lead nowhere can carry both."""
        least, most = np.zeros_like(flow.flow), np.zeros_like(flow.flow)
        least[: len(bounds.lower)], most[: len(bounds.upper)] = bounds.lower, bounds.upper
        nowhere = flow.ends[flow.along] == flow.ends[flow.twins[flow.along]]
        return cls(least, most, nowhere, nowhere.copy())


# -- the rooms of steps ----------------------------------------------------------------------------


@kernel
def _give_room(flow: Flow, step: int, room: int) -> None:
    flow.room[step] = room
    flow.room_back[flow.twins[step]] = room


@kernel
def _carry(flow: Flow, bounds: Bounds, arc: int, amount: int) -> None:
    """Let an arc carry an amount."""
    step = flow.along[arc]
    flow.flow[arc] = amount
    _give_room(flow, step, bounds.upper[arc] - amount)
    _give_room(flow, flow.twins[step], amount - bounds.lower[arc])


@kernel
def _send(flow: Flow, step: int, amount: int) -> None:
    """Send an amount along a step."""
    arc, back = flow.arcs[step], flow.twins[step]
    flow.flow[arc] += amount if flow.along[arc] == step else -amount
    _give_room(flow, step, flow.room[step] - amount)
    _give_room(flow, back, flow.room[back] + amount)


# -- the largest flow between two nodes ------------------------------------------------------------


@kernel
def _distances(flow: Flow, source: int, target: int, distance: Ints, queue: Ints) -> bool:
    """Find how many steps with room nodes are from a target, as far out as the source is."""
    distance[:] = NONE
    distance[target] = 0
    queue[0], begin, end = target, 0, 1
    while begin < end:
        node = queue[begin]
        begin += 1
        for step in range(flow.starts[node], flow.starts[node + 1]):
            if flow.room_back[step] > 0:
                other = flow.ends[step]
                if distance[other] == NONE:
                    distance[other] = distance[node] + 1
                    if other == source:
                        return True
                    queue[end] = other
                    end += 1
    return False


@kernel
def _next_step(flow: Flow, node: int, distance: Ints, cursor: Ints) -> int:
    """Return the next step with room from a node towards the target; NONE at the end."""
    for step in range(cursor[node], flow.starts[node + 1]):
        if flow.room[step] > 0 and distance[flow.ends[step]] == distance[node] - 1:
            cursor[node] = step
            return step
    cursor[node] = flow.starts[node + 1]
    return NONE


@kernel
def _path(flow: Flow, source: int, target: int, distance: Ints, cursor: Ints, path: Ints) -> int:
    """Follow steps with room from a source to a target; return how many they are, 0 without any."""
    length, node = 0, source
    while node != target:
        step = _next_step(flow, node, distance, cursor)
        if step != NONE:
            path[length] = step
            length += 1
            node = flow.ends[step]
        elif length == 0:
            return 0
        else:
            length -= 1
            node = flow.ends[flow.twins[path[length]]]
            cursor[node] += 1
    return length


@kernel
def _narrowest(flow: Flow, path: Ints) -> int:
    room: int = flow.room[path[0]]
    for step in path[1:]:
        room = min(room, flow.room[step])
    return room


@kernel
def send_most(flow: Flow, source: int, target: int, limit: int, found: Found) -> int:
    """Send as much as possible from a source to a target; return how much that is.

    Args:
        flow: the network.
        source: where it starts.
        target: where it ends, another node.
        limit: what is enough.
        found: where it is noted which arcs come to carry their least or most.
    """
    nodes = len(flow.starts) - 1
    distance = np.empty(nodes, np.int64)
    queue, path = np.empty_like(distance), np.empty_like(distance)
    sent = 0
    while sent < limit and _distances(flow, source, target, distance, queue):
        cursor = flow.starts[:-1].copy()
        while sent < limit:
            length = _path(flow, source, target, distance, cursor, path)
            if length == 0:
                break
            amount = min(_narrowest(flow, path[:length]), limit - sent)
            for step in path[:length]:
                _send(flow, step, amount)
                _note(flow, step, found)
            sent += amount
    return sent


@kernel
def _note(flow: Flow, step: int, found: Found) -> None:
    """Note that an arc carries its least or most, if the room of a step is used up."""
    if flow.room[step] == 0:
        arc = flow.arcs[step]
        if flow.along[arc] == step:
            found.is_most[arc] = True
        else:
            found.is_least[arc] = True


# -- flows that fulfil everything ------------------------------------------------------------------


@kernel
def _start(flow: Flow, bounds: Bounds) -> Ints:
    """Let every arc carry nothing, or what is nearest to it; return what nodes lack then."""
    lacking = bounds.taken.copy()
    for arc in range(len(bounds.lower)):
        amount = min(max(0, bounds.lower[arc]), bounds.upper[arc])
        _carry(flow, bounds, arc, amount)
        step = flow.along[arc]
        lacking[flow.ends[step]] -= amount
        lacking[flow.ends[flow.twins[step]]] += amount
    return lacking


@kernel
def _open_supplies(flow: Flow, lacking: Ints) -> int:
    """Let in what nodes have too much and out what they lack; return how much that is."""
    nodes, wanted = len(lacking), 0
    arcs = len(flow.flow) - 2 * nodes
    for node in range(nodes):
        _give_room(flow, flow.along[arcs + node], max(-lacking[node], 0))
        _give_room(flow, flow.along[arcs + nodes + node], max(lacking[node], 0))
        wanted += max(lacking[node], 0)
    return wanted


@kernel
def _close_supplies(flow: Flow, arcs: int) -> None:
    for arc in range(arcs, len(flow.flow)):
        _give_room(flow, flow.along[arc], 0)
        _give_room(flow, flow.twins[flow.along[arc]], 0)


@kernel
def _note_all(flow: Flow, found: Found, arcs: int) -> int:
    """Note which arcs carry their least or most; return how many of these ends are new."""
    new = 0
    for arc in range(arcs):
        step = flow.along[arc]
        if flow.room[step] == 0 and not found.is_most[arc]:
            found.is_most[arc] = True
            new += 1
        if flow.room_back[step] == 0 and not found.is_least[arc]:
            found.is_least[arc] = True
            new += 1
    return new


@kernel
def fulfil(flow: Flow, bounds: Bounds, found: Found) -> bool:
    """Let something flow that fulfils everything; tell whether there is such a flow.

    Args:
        flow: the network.
        bounds: what its arcs can carry, and what its nodes take in.
        found: where it is noted which arcs carry their least or most.
    """
    nodes = len(bounds.taken)
    wanted = _open_supplies(flow, _start(flow, bounds))
    sent = send_most(flow, nodes, nodes + 1, wanted, _aside(found))
    _close_supplies(flow, len(bounds.lower))
    if sent < wanted:
        return False
    _note_all(flow, found, len(bounds.lower))
    return True


@kernel
def _aside(found: Found) -> Found:
    """Copy what was found: what arcs carry before all has arrived is not possible yet."""
    return Found(found.least, found.most, found.is_least.copy(), found.is_most.copy())


@kernel
def _can_hold(flow: Flow, step: int, lacking: Ints, is_taken: Mask) -> bool:
    """Tell whether the room of a step may be used up: both nodes want that, or are still free."""
    room, end, start = flow.room[step], flow.ends[step], flow.ends[flow.twins[step]]
    fits = room <= lacking[end] or not is_taken[end]
    return room == 0 or (fits and (room <= -lacking[start] or not is_taken[start]))


@kernel
def _hold(flow: Flow, step: int, lacking: Ints, is_taken: Mask) -> None:
    """Use up the room of a step, and let nothing back."""
    room, back = flow.room[step], flow.twins[step]
    end, start = flow.ends[step], flow.ends[back]
    _send(flow, step, room)
    _give_room(flow, back, 0)
    lacking[end] -= room
    lacking[start] += room
    if room > 0:
        is_taken[end] = is_taken[start] = True


@kernel
def _hold_pending(flow: Flow, lacking: Ints, found: Found, wanted: Mask) -> Ints:
    """Let arcs carry the most or least that is still to be found; return the steps used up."""
    is_taken = np.zeros(len(lacking), np.bool_)
    held = []
    for arc in np.flatnonzero(wanted):
        if not (found.is_most[arc] and found.is_least[arc]):
            along = flow.along[arc]
            step = flow.twins[along] if found.is_most[arc] else along
            if _can_hold(flow, step, lacking, is_taken):
                _hold(flow, step, lacking, is_taken)
                held.append(step)
    return np.array(held)


@kernel
def settle_together(flow: Flow, bounds: Bounds, found: Found, wanted: Mask, worth: int) -> None:
    """Find the ends of many arcs at once, by flows in which as many as possible reach theirs.

    Args:
        flow: the network.
        bounds: what its arcs can carry, and what its nodes take in; some flow fulfils all of it.
        found: where the ends are noted.
        wanted: the arcs whose ends are looked for.
        worth: how many ends a flow must settle for another one to be tried.
    """
    nodes, new = len(bounds.taken), worth
    while new >= worth:
        lacking = _start(flow, bounds)
        held = _hold_pending(flow, lacking, found, wanted)
        total, aside = _open_supplies(flow, lacking), _aside(found)
        sent = send_most(flow, nodes, nodes + 1, total, aside)
        for step in held:  # what cannot be held gives way
            arc = flow.arcs[step]
            _give_room(flow, flow.twins[step], bounds.upper[arc] - bounds.lower[arc])
        send_most(flow, nodes, nodes + 1, total - sent, aside)
        _close_supplies(flow, len(bounds.lower))
        new = _note_all(flow, found, len(bounds.lower))


# -- the ends of single arcs -----------------------------------------------------------------------


@kernel
def _move(flow: Flow, step: int, found: Found) -> None:
    """Send as much as possible along a step and back another way."""
    back = flow.twins[step]
    room, room_back = flow.room[step], flow.room[back]
    _give_room(flow, step, 0)
    _give_room(flow, back, 0)
    sent = send_most(flow, flow.ends[step], flow.ends[back], room, found)
    _give_room(flow, step, room)
    _give_room(flow, back, room_back)
    _send(flow, step, sent)


@kernel
def settle_singly(flow: Flow, found: Found, wanted: Ints) -> None:
    """Find the ends of arcs that are not settled yet, one by one.

    Args:
        flow: the network, in which something flows that fulfils everything.
        found: where the ends are noted.
        wanted: the arcs whose ends are looked for.
    """
    for arc in wanted:
        step = flow.along[arc]
        if not found.is_most[arc]:
            _move(flow, step, found)
            found.most[arc] = flow.flow[arc]
            found.is_most[arc] = True
        if not found.is_least[arc]:
            _move(flow, flow.twins[step], found)
            found.least[arc] = flow.flow[arc]
            found.is_least[arc] = True


def warm_up() -> None:
    """Compile the kernels of this module."""
    tail, head = np.zeros(2, np.int64), np.ones(2, np.int64)
    flow = Flow.of(tail, head, 2)
    bounds = Bounds(np.zeros(2, np.int64), np.ones(2, np.int64), np.array([-1, 1]))
    found = Found.of(flow, bounds)
    fulfil(flow, bounds, found)
    settle_together(flow, bounds, found, np.ones(2, np.bool_), 1)
    settle_singly(flow, found, np.arange(2))
