"""Rounding a network at random: what is moved round a cycle leaves every relation as it is.

Cells are arcs; those with a rest over a multiple of the base are *open*. A node never has just one
open arc, for what flows through it is a whole number of bases: whoever walks along open arcs comes
back to a node and has walked a cycle. Moving an amount round the cycle, one way or the other, until
the first arc on it is a multiple, closes that arc. With the chances chosen so that the mean of the
move is 0 the mean of every cell stays what it was.

Cox (1987), A constructive procedure for unbiased controlled rounding, JASA 82, 520-524.
"""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Ints
from tacita.tables.network import Network


def rounded_at_random(network: Network, rest: Ints, units: int, rng: np.random.Generator) -> Ints:
    """Return for every cell whether it is rounded up (1) or down (0); multiples are 0.

    Args:
        network: the cells as arcs; what flows through every node is a multiple of `units`.
        rest: what every cell has over a multiple, 0 or more and fewer than `units`.
        units: how many units the base has.
        rng: where the randomness comes from.
    """
    walk = _Walk(network, rest, units, rng)
    for node in range(network.nodes):
        walk.close_all(node)
    return np.array(walk.carried, np.int64) // units


class _Walk:
    """Walks along open arcs, and closes at least one of every cycle that it comes to.

    Args:
        network: the cells as arcs.
        rest: what every arc carries over a multiple.
        units: how many units the base has.
        rng: where the randomness comes from.
    """

    def __init__(self, network: Network, rest: Ints, units: int, rng: np.random.Generator) -> None:
        self.tail, self.head = network.tail.tolist(), network.head.tolist()
        self.carried: list[int] = rest.tolist()
        self.units, self.rng = units, rng
        self.open_at: list[list[int]] = [[] for _ in range(network.nodes)]
        for arc in np.flatnonzero(rest).tolist():
            self.open_at[self.tail[arc]].append(arc)
            self.open_at[self.head[arc]].append(arc)

    def close_all(self, node: int) -> None:
        """Walk from a node until none of its arcs is open."""
        nodes, seen = [node], {node: 0}
        arcs: list[int] = []
        while (arc := self._next(nodes[-1], arcs[-1] if arcs else None)) is not None:
            end = self.head[arc] if self.tail[arc] == nodes[-1] else self.tail[arc]
            arcs.append(arc)
            first = seen.setdefault(end, len(nodes))
            if first == len(nodes):
                nodes.append(end)
                continue
            self._move(nodes[first:], arcs[first:])
            kept = next(at for at in range(first, len(arcs)) if not self._is_open(arcs[at]))
            for left in nodes[kept + 1 :]:
                del seen[left]
            del nodes[kept + 1 :], arcs[kept:]

    def _next(self, node: int, came_by: int | None) -> int | None:
        """Return an open arc at a node, another one than the walk came by."""
        arcs = self.open_at[node]
        while arcs and not self._is_open(arcs[-1]):
            arcs.pop()
        if not arcs or arcs[-1] != came_by:
            return arcs[-1] if arcs else None
        while len(arcs) > 1 and not self._is_open(arcs[-2]):
            del arcs[-2]
        return arcs[-2] if len(arcs) > 1 else None

    def _is_open(self, arc: int) -> bool:
        return 0 < self.carried[arc] < self.units

    def _move(self, nodes: list[int], arcs: list[int]) -> None:
        """Move as much as can be moved round a cycle, one way or the other, without bias."""
        along = [arc for node, arc in zip(nodes, arcs, strict=True) if self.tail[arc] == node]
        against = [arc for node, arc in zip(nodes, arcs, strict=True) if self.tail[arc] != node]
        carried, units = self.carried, self.units
        on = min([units - carried[arc] for arc in along] + [carried[arc] for arc in against])
        back = min([carried[arc] for arc in along] + [units - carried[arc] for arc in against])
        amount = on if self.rng.integers(0, on + back) < back else -back
        for arc in along:
            carried[arc] += amount
        for arc in against:
            carried[arc] -= amount
