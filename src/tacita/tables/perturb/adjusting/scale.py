"""The sizes in which tasks are handed to the solver."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacita.data.classes import Floats
from tacita.tables.perturb.adjusting.task import NEVER, Task

LARGEST = 1e4  # the largest level that is handed to the solver
DEAREST = 1e3  # the largest cost


class Scale(NamedTuple):
    """Lengths and costs as the solver takes them.

    Args:
        length: the units that the solver takes for one.
        cost: what it costs to move each cell by that.
        worth: what a cost of one is worth in the loss.
    """

    length: float
    cost: Floats
    worth: float


def scale_of(task: Task) -> Scale:
    """Return the sizes in which a task is solved well."""
    levels = np.concatenate([task.below, task.above])
    length = max(float(levels[levels < NEVER].max(initial=1)) / LARGEST, 1.0)
    dearest = float(task.weight.max())
    cost = task.weight / dearest * DEAREST
    return Scale(length, cost, length * float(task.unit) * dearest / DEAREST)
