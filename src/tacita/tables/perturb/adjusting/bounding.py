"""How little an adjustment can lose: distances without directions, by linear programs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats
from tacita.solvers.duality import no_rows
from tacita.solvers.integer import Effort
from tacita.solvers.lazy_cuts import Cut
from tacita.solvers.mixed import MixedProgram
from tacita.tables.perturb.adjusting.clock import Clock
from tacita.tables.perturb.adjusting.polygons import Polygons
from tacita.tables.perturb.adjusting.scale import Scale, scale_of
from tacita.tables.perturb.adjusting.task import Task

ROUNDS = 40
TAILING = 1e-5  # of the bound: less than that gained in a round is not worth another


class Distances(NamedTuple):
    """The least distances that every adjustment keeps.

    Args:
        bound: what they cost, and no adjustment can lose less than.
        gross: how far each cell moves (units).
        polygons: the inequalities that they were asked to fulfil.
    """

    bound: float
    gross: Floats
    polygons: Polygons


def least_distances(task: Task, clock: Clock) -> Distances:
    """Find the cheapest distances that reach all levels and fulfil the polygon inequalities.

    How far cells move, without their signs, is at least the lesser level of each sensitive cell,
    and no member of a relation moves by more than all its others together. So

        min  sum_i w_i g_i   subject to   g_s >= min(below_s, above_s),   polygons,

    bounds what any adjustment loses, whatever the directions. Inequalities are added where they
    are violated.

    Args:
        task: the cells, relations and levels.
        clock: the time that is left.
    """
    scale = scale_of(task)
    program, gross = _program(task, scale)
    polygons, bound = Polygons(task.matrix), float(product(scale.cost, gross))
    for _ in range(ROUNDS):
        cuts = [Cut(one.cells, one.signs, 0.0) for one in polygons.add(gross)]
        if not cuts:
            break
        program.add(cuts)
        found = program.minimize(effort=Effort(seconds=clock.seconds))
        if found is None:  # the search for directions will say so
            break
        if found.is_timed or found.point is None:
            clock.cut("the lower bound")
            break
        gained, bound, gross = found.bound - bound, max(bound, found.bound), found.point
        if gained <= TAILING * bound:
            break
    return Distances(bound * scale.worth, gross * scale.length, polygons)


def _program(task: Task, scale: Scale) -> tuple[MixedProgram, Floats]:
    """Return the program without inequalities, and the least distances by levels alone."""
    least = np.zeros(len(task))
    least[task.sensitive] = np.minimum(task.below, task.above) / scale.length
    most = np.maximum(np.maximum(task.down, task.up) / scale.length, least)
    return MixedProgram(scale.cost, no_rows(len(task)), least, most), least
