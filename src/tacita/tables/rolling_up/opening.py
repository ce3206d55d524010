"""Opening forks one after the other, as long as no sensitive cell appears."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from tacita.data.classes import Mask
from tacita.tables.rolling_up.cuts import Cut
from tacita.tables.rolling_up.task import Task


def opened(task: Task, cuts: Sequence[Cut]) -> list[Cut]:
    """Open further forks of some cuts, those that show most first, until none can be opened.

    What shows too many sensitive cells now shows them for good: opening others only adds cells.
    So every fork is tried once.
    """
    now = list(cuts)
    kept = [ways.kept(cut) for ways, cut in zip(task.cuts, now, strict=True)]
    waiting: list[tuple[float, int, int]] = []
    seen: set[tuple[int, int]] = set()

    def list_next(axis: int) -> None:
        for fork in task.cuts[axis].next(now[axis]):
            if (axis, fork) not in seen:
                seen.add((axis, fork))
                left = task.rows_of(_with(task, kept, axis, now[axis], fork))
                heapq.heappush(waiting, (task.loss(left), axis, fork))

    for axis in range(len(now)):
        list_next(axis)
    while waiting:
        _, axis, fork = heapq.heappop(waiting)
        tried = _with(task, kept, axis, now[axis], fork)
        if int((task.rows_of(tried) & task.table.cells.sensitive).sum()) <= task.remaining:
            kept = tried
            now[axis] = Cut(now[axis].hierarchy, now[axis].opened | {fork})
            list_next(axis)
    return now


def _with(task: Task, kept: Sequence[Mask], axis: int, cut: Cut, fork: int) -> list[Mask]:
    """Return the codes that are kept once a fork is open."""
    made = list(kept)
    made[axis] = task.cuts[axis].kept(Cut(cut.hierarchy, cut.opened | {fork}))
    return made


def coarsest(task: Task) -> list[Cut]:
    """Return the coarsest cuts that keep every cell that must stay."""
    codes = [np.unique(task.table.places[task.must_stay, axis]) for axis in range(len(task.cuts))]
    found = []
    for cuts, stays in zip(task.cuts, codes, strict=True):
        cut, forks = cuts.coarsest, cuts.forks[0]
        needed = {fork for code in stays for fork in cuts.needs[0][code]}
        while above := {forks[fork].above for fork in needed} - needed - {-1}:
            needed |= above
        found.append(Cut(0, cut.opened | needed))
    return found
