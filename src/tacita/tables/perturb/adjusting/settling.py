"""How far every cell moves once the directions are chosen, in whole units that add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import ProtectionError
from tacita.solvers.duality import Rows
from tacita.solvers.integer import Effort, integer_optimum
from tacita.solvers.mixed import MixedProgram
from tacita.tables.perturb.adjusting.clock import Clock
from tacita.tables.perturb.adjusting.task import Task

Loss = Callable[[Floats], Floats]

LARGEST = 1e5  # the largest number that is handed to the solver
NEARLY = 1e-6  # how far from a whole number the solver's error may bring one
WINDOWS = (0, 1, 8, 64)  # units by which cells may be farther off than rounding brings them
NODES = 100
FINE = 10**6  # steps in which the losses of two neighbours are told apart


def nearest_moves(task: Task, rises: Mask, clock: Clock) -> Floats | None:
    """Return the moves whose sum, weighted and without their signs, is least.

    Args:
        task: the cells, relations and levels.
        rises: which sensitive cells rise.
        clock: the time that is left.

    Returns:
        The moves; None if there are none, or if they were not found in time.
    """
    from scipy.sparse import hstack

    lower, upper = task.room(rises)
    scale = max(float(np.maximum(np.abs(lower), np.abs(upper)).max(initial=1)) / LARGEST, 1.0)
    matrix = task.equations
    nothing = np.zeros(matrix.shape[0])
    cost = task.weight / task.weight.max()
    least = np.concatenate([np.maximum(lower, 0), np.maximum(-upper, 0)])
    most = np.concatenate([np.maximum(upper, 0), np.maximum(-lower, 0)])
    rows = Rows(hstack([matrix, -matrix], format="csr"), nothing, nothing)
    program = MixedProgram(np.tile(cost, 2), rows, least / scale, most / scale)
    found = program.minimize(effort=Effort(seconds=clock.seconds))
    if found is None or found.point is None or found.is_timed:
        return None
    moves: Floats = (found.point[: len(task)] - found.point[len(task) :]) * scale
    return moves


def whole_moves(task: Task, rises: Mask, moves: Floats, loss: Loss, clock: Clock) -> Ints:
    """Round moves to whole units so that every relation is kept.

    Moves that are not whole go to one of their two neighbours, all relations together, by an
    integer program; where no such rounding keeps all relations, a little farther, and those near
    to them as well.

    Args:
        task: the cells, relations and levels.
        rises: which sensitive cells rise.
        moves: what is rounded (units).
        loss: what moves cost, cell by cell.
        clock: the time that is left.

    Raises:
        ProtectionError: no rounding was found that keeps all relations.
    """
    lower, upper = task.room(rises)
    near = np.round(moves)
    whole = np.abs(moves - near) <= NEARLY * np.maximum(np.abs(moves), 1.0)
    below = np.where(whole, near, np.floor(moves)).astype(np.int64)
    above = np.where(whole, near, np.ceil(moves)).astype(np.int64)
    below, above = np.clip(below, lower, upper), np.clip(above, lower, upper)
    if (below == above).all() and task.holds(below):
        return below
    for is_loose, window in _rooms(task, ~whole):
        least = np.where(is_loose, np.maximum(below - window, lower), below)
        most = np.where(is_loose, np.minimum(above + window, upper), above)
        found = _rounded(task, (least, most), moves, loss, clock)
        if found is not None and task.holds(found):
            return found
        if clock.is_up:
            raise ProtectionError(
                "No values in the decimals of the table were found in time; allow more with "
                "`time_limit`."
            )
    raise ProtectionError(
        "No values in the decimals of the table were found that keep all relations and levels; "
        "write the values with one decimal more."
    )


def _rooms(task: Task, is_loose: Mask) -> Iterator[tuple[Mask, int]]:
    """Give which cells may be farther off, and by how many units: more and more of them."""
    together = abs(task.matrix)
    for window in WINDOWS:
        yield is_loose, window
        is_loose = is_loose | (together.T @ (together @ is_loose) > 0)
    for window in WINDOWS:
        yield np.ones(len(task), bool), window


def _rounded(
    task: Task, room: tuple[Ints, Ints], moves: Floats, loss: Loss, clock: Clock
) -> Ints | None:
    """Choose whole moves within narrow rooms, as steps up and down from the nearest."""
    from scipy.sparse import hstack

    (least, most), relations = room, task.equations.astype(np.int64)
    near = np.clip(np.round(moves).astype(np.int64), least, most)
    middle = near.astype(np.float64)
    here = loss(middle)
    steps = np.concatenate([loss(middle + 1.0) - here, loss(middle - 1.0) - here])
    largest = float(np.abs(steps).max(initial=0.0)) or 1.0
    try:
        found = integer_optimum(
            np.round(steps / largest * FINE).astype(np.int64),
            hstack([relations, -relations], format="csr"),
            -(relations @ near),
            np.zeros(len(steps)),
            np.concatenate([most - near, near - least]).astype(np.float64),
            direction="minimize",
            effort=Effort(NODES, clock.seconds),
        )
    except ProtectionError:  # no rounding within these rooms
        return None
    if found.point is None:
        return None
    rounded: Ints = near + found.point[: len(task)] - found.point[len(task) :]
    return rounded
