"""Cutting records into classes from the top down, as long as every class keeps the promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.microdata.anonymize.partitioning.partition import Partition
from tacita.microdata.anonymize.partitioning.setting import Codes, Setting

if TYPE_CHECKING:
    from tacita.kernels.box_cuts import Rows, Rule, Rulers


def cut_classes(
    setting: Setting,
    rulers: Rulers,
    rule: Rule,
    start: Partition,
    targets: Codes | None = None,
) -> Partition:
    """Cut classes into smaller ones, each of which keeps every promise.

    Args:
        setting: the data and what must hold.
        rulers: how wide the keys of classes are.
        rule: how to cut.
        start: the classes to cut; they keep every promise.
        targets: for every record, what a cut should tell of, if it should.
    """
    from tacita.kernels.box_cuts import arranged, cut_down

    rows = arranged(setting.codes, start.ids, targets)
    if setting.asks_for_sizes_only:
        edges = cut_down(rows, rulers, rule, start.edges)
    else:
        edges = _cut_in_rounds(setting, rows, rulers, rule, start.edges)
    return Partition.cut(len(setting.data), rows.ids, edges)


def _cut_in_rounds(setting: Setting, rows: Rows, rulers: Rulers, rule: Rule, edges: Ints) -> Ints:
    """Cut every class in two at a time, and take back the cuts that would break a promise.

    A class whose cut was taken back is cut in its next best key in the next round. Models see all
    classes of a round at once, those that are not cut any more included.
    """
    from tacita.kernels.box_cuts import NOWHERE, cut_once

    skipped = np.zeros(len(edges) - 1, np.int64)  # the keys that were tried; -1 once all were
    while len(waiting := np.flatnonzero(skipped >= 0)):
        boxes = np.column_stack([edges[waiting], edges[waiting + 1]])
        cut = np.full(len(skipped), NOWHERE)
        cut[waiting] = cut_once(rows, rulers, rule, boxes, skipped[waiting])
        kept = _allowed(setting, rows, edges, cut)
        skipped = np.where(kept, 0, np.where(cut == NOWHERE, -1, skipped + 1))
        skipped = np.repeat(skipped, np.where(kept, 2, 1))
        edges = np.sort(np.append(edges, cut[kept]))
    return edges


def _allowed(setting: Setting, rows: Rows, edges: Ints, cut: Ints) -> Mask:
    """Tell which cuts can be made together without breaking a promise."""
    kept = cut >= 0
    while kept.any():
        now = np.sort(np.append(edges, cut[kept]))
        broken = setting.broken(Partition.cut(len(setting.data), rows.ids, now))
        if not broken.any():
            break
        parents = np.repeat(np.arange(len(cut)), np.where(kept, 2, 1))
        blamed = kept & (np.bincount(parents[broken], minlength=len(cut)) > 0)
        # A promise about the whole file may be broken where nothing was cut.
        kept = kept & ~blamed if blamed.any() else np.zeros_like(kept)
    return kept
