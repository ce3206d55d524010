"""What the only contributor of a cell can work out of other contributors' sensitive cells.

It knows the cell, whatever is published. With it, cells follow that nobody else can compute: those
of the same row first, then those of their columns, and so on. A sensitive cell that follows in the
end must be possible by a unit more or less though that cell is known.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.data.classes import Mask
from tacita.tables.protect.attacker import Attacker
from tacita.tables.protect.deviation import Deviations
from tacita.tables.protect.problem import Level, Problem
from tacita.tables.system import System


def insider_levels(problem: Problem, pattern: Mask) -> list[Level]:
    """Return what must be asked for besides, so that no only contributor learns a sensitive cell.

    Args:
        problem: the cells, relations and levels.
        pattern: the cells that are suppressed so far.

    Returns:
        A level for each cell that would be learnt, except for those that no pattern can hide from
        the contributor, as they are one and the same cell.
    """
    cells = np.flatnonzero(pattern)
    within = problem.only(cells)
    attacker = Attacker(within)
    attacker.open(np.ones(len(within)))
    deviations, everywhere = Deviations(problem), np.ones(len(problem), bool)
    found = []
    for alone, others in _strangers(within):
        for cell in _learnt(within, attacker, alone, others):
            level = Level(int(cells[cell]), 1, problem.unit, int(cells[alone]))
            for turned in (level, level._replace(sign=-1)):
                if deviations.cheapest(turned, np.zeros(len(problem)), everywhere) is not None:
                    found.append(turned)
                    break
    return found


def _strangers(within: Problem) -> Iterator[tuple[int, list[int]]]:
    """Give every cell with one contributor, with the sensitive cells that have others."""
    cells = within.system.cells.take(within.places)
    sensitive = np.flatnonzero(cells.sensitive)
    for alone in np.flatnonzero(cells.contributors == 1):
        below = _below(within.system, int(within.places[alone]))
        own = {int(alone)} | set(np.flatnonzero(np.isin(within.places, list(below))).tolist())
        yield int(alone), [cell for cell in sensitive.tolist() if cell not in own]


def _below(system: System, total: int) -> set[int]:
    """Return the cells that a total is the sum of, and those below them: its contributor's own."""
    columns, rows = system.relations.tocsc(), system.relations
    found: set[int] = set()
    waiting = [total]
    while waiting:
        cell = waiting.pop()
        at = slice(*columns.indptr[cell : cell + 2])
        for row in columns.indices[at][columns.data[at] < 0]:
            parts = set(rows.indices[slice(*rows.indptr[row : row + 2])].tolist()) - {cell}
            waiting += sorted(parts - found)
            found |= parts
    return found


def _learnt(within: Problem, attacker: Attacker, alone: int, others: list[int]) -> Iterator[int]:
    """Give the cells that cannot move while a known one stays."""
    waiting = dict.fromkeys(others)
    while waiting:
        cell = next(iter(waiting))
        del waiting[cell]
        moved = _moved(within, attacker, cell, alone)
        if moved is None:
            yield cell
        else:
            waiting = {other: None for other in waiting if not moved[other]}


def _moved(within: Problem, attacker: Attacker, cell: int, alone: int) -> Mask | None:
    for sign in (1, -1):
        deviation = attacker.reaching(Level(cell, sign, within.unit, alone))
        if deviation is not None:
            moved: Mask = np.abs(deviation) >= within.unit
            return moved
    return None
