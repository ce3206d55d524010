"""Moving records between classes as long as the loss falls and every class keeps the promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Ints
from tacita.microdata.anonymize.partitioning.partition import Partition
from tacita.microdata.anonymize.partitioning.setting import Setting

if TYPE_CHECKING:
    from tacita.kernels.box_cuts import Rulers
    from tacita.kernels.box_moves import Boxes, Near

REACH = 8  # classes that a record looks at to each side in each order
ENOUGH = 1e-5  # a sweep that gains less for each record is the last


def moved(
    setting: Setting, rulers: Rulers, start: Partition, allowed: int, sweeps: int
) -> Partition:
    """Return a partition that loses less: records moved, classes dissolved, records taken in.

    Where a model asks for more than sizes, the records that are left out stay the same, as others
    would change what classes are compared with.

    Args:
        setting: the data and what must hold.
        rulers: how wide the keys of classes are.
        start: classes that keep every promise.
        allowed: how many records may be left out.
        sweeps: how often to go through all classes, at most.
    """
    from tacita.kernels.box_moves import gathered, neighbours, sweep

    if not len(start) or not sweeps:
        return start
    near = neighbours(setting.codes, _orders(setting), REACH)
    if not setting.asks_for_sizes_only:
        return _moved_in_rounds(setting, rulers, start, near, sweeps)
    boxes = gathered(setting.codes, start.of_record, rulers, 0, once=False)
    # Records are left out at last, so that a higher limit never makes the result worse.
    for may_leave in dict.fromkeys((0, allowed - start.left_out)):
        boxes.left[1] += may_leave
        for _ in range(sweeps):
            if sweep(boxes, rulers, near, setting.least) < ENOUGH * len(setting.data):
                break
    return Partition.of(boxes.labels)


def _orders(setting: Setting) -> list[list[int]]:
    """Return one order for each key, in which neighbours differ in this key first of all.

    Keys of few values come first: to differ in one of them costs most.
    """
    columns = range(len(setting.scales))
    by_size = sorted(columns, key=lambda column: len(setting.scales[column].words))
    return [[other for other in by_size if other != last] + [last] for last in columns]


def _moved_in_rounds(
    setting: Setting, rulers: Rulers, start: Partition, near: Near, sweeps: int
) -> Partition:
    """Let every class take part in one step a round, and take back the steps that break a model."""
    from tacita.kernels.box_moves import gathered, sweep

    k = max(setting.least, int(np.diff(start.edges).min()))
    for _ in range(sweeps):
        boxes = gathered(setting.codes, start.of_record, rulers, 0, once=True)
        gained = sweep(boxes, rulers, near, k)
        labels = _without_broken_steps(setting, start, boxes)
        start = Partition.of(labels)
        if gained < ENOUGH * len(setting.data):
            break
    return start


def _without_broken_steps(setting: Setting, start: Partition, boxes: Boxes) -> Ints:
    """Return the class of every record after the steps that break no promise."""
    labels, before = boxes.labels.copy(), start.of_record
    while not np.array_equal(labels, before):
        now = Partition.of(labels)
        broken = setting.broken(now)
        if not broken.any():
            break
        steps = boxes.steps[labels[now.ids[now.edges[:-1]]]][broken]
        back = np.isin(boxes.steps[before], steps[steps >= 0]) & (labels != before)
        # A promise about the whole file may be broken where no step was taken.
        labels = np.where(back, before, labels) if back.any() else before
    return labels
