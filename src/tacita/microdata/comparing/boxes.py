"""Boxes: what whole records may stand for, as products of the ranges behind their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tacita.data.classes import Ints
from tacita.microdata.comparing.coverage import Coverage


class Boxes(NamedTuple):
    """What records may stand for; records that stand for the same things are one owner of boxes.

    Args:
        low: the first cell of every box, boxes by attributes.
        high: the cell after the last of every box.
        owner: whose each box is; values of several runs make several boxes.
        of_record: the owner that every record belongs to.
        first: the first record of every owner.
    """

    low: Ints
    high: Ints
    owner: Ints
    of_record: Ints
    first: Ints


def boxes_of(covers: Sequence[Coverage]) -> Boxes:
    """Return the boxes of records, given what their values of every attribute stand for."""
    from tacita.kernels.grouping import group

    covers = [_gathered(cover) for cover in covers]
    cells = [_cells(cover) for cover in covers]
    pairs = zip(covers, cells, strict=True)
    groups = group([code for cover, ends in pairs for code in _identity(cover, *ends)])
    owner = np.arange(len(groups.first))
    runs: list[Ints] = []
    for cover in covers:
        which, run = cover.runs_of(groups.first[owner])
        runs = [*(column[which] for column in runs), run]
        owner = owner[which]
    low, high = (
        np.column_stack([ends[side][run] for ends, run in zip(cells, runs, strict=True)])
        for side in (0, 1)
    )
    return Boxes(low, high, owner, groups.ids, groups.first)


def _identity(cover: Coverage, low: Ints, high: Ints) -> list[Ints]:
    """Return what tells the released values of records apart that stand for different things."""
    if len(cover.value) > len(cover.lower):
        return [cover.of_record]
    return [low[cover.of_record], high[cover.of_record]]


def _gathered(cover: Coverage) -> Coverage:
    """Lay categories that are released together side by side, so that they make one run."""
    if cover.is_number or len(cover.value) == len(cover.lower):
        return cover
    lengths = (cover.stop - cover.start).astype(np.int64)
    value = np.repeat(cover.value, lengths)
    leaf = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    leaf += np.repeat(cover.start.astype(np.int64), lengths)
    sizes = np.bincount(value)
    widest = np.zeros(cover.size, np.int64)
    for pair in np.argsort(np.where(sizes < cover.size, sizes, 0)[value], kind="stable"):
        widest[leaf[pair]] = value[pair]
    place = np.argsort(np.lexsort((np.arange(cover.size), widest)))[leaf]
    order = np.lexsort((place, value))
    value, place = value[order], place[order]
    begins = np.append(True, (np.diff(value) != 0) | (np.diff(place) != 1))
    ends = np.append(begins[1:], True)
    return replace(
        cover,
        value=value[begins],
        start=place[begins].astype(np.float64),
        stop=place[ends] + 1.0,
    )


def _cells(cover: Coverage) -> tuple[Ints, Ints]:
    """Return each run as numbers of the pieces into which the ends of all runs cut the line."""
    cuts = np.unique(np.concatenate([cover.start, cover.stop]))
    return np.searchsorted(cuts, cover.start), np.searchsorted(cuts, cover.stop)
