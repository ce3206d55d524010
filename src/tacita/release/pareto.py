"""The Pareto front: what nothing else beats in both risk and loss."""

from __future__ import annotations

from collections.abc import Sequence


def pareto_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the places of the points that no other one dominates, by the first number ascending.

    One point dominates another if neither of its numbers is higher and one is lower; numbers are
    compared as they are. Of equal points none dominates another.

    >>> pareto_front([(3, 1), (1, 3), (2, 2), (3, 3), (2, 2)])
    [1, 2, 4, 0]
    """
    front: list[int] = []
    for place in sorted(range(len(points)), key=lambda place: points[place]):
        # All before it are as low or lower in the first number, so only the second decides.
        if (
            not front
            or points[place][1] < points[front[-1]][1]
            or points[place] == points[front[-1]]
        ):
            front.append(place)
    return front
