"""Blocking: only records that agree on some attributes are compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from tacita.data.classes import Ints

Agreeing = Literal["all", "any"]


class Blocks(NamedTuple):
    """The block of every known and every released record; -1 for a record in none."""

    known: Ints
    released: Ints


def blocks(coded: Sequence[tuple[Ints, Ints]], records: Blocks, agreeing: Agreeing) -> list[Blocks]:
    """Return one pass of blocks, or as many as there are attributes where one has to agree.

    A pair is compared in the first pass in which it shares a block. Without attributes all records
    are in one block; a record with a blank is in none.

    >>> codes = [(np.array([0, 1]), np.array([1, -1])), (np.array([5, 5]), np.array([5, 5]))]
    >>> [part.tolist() for part in blocks(codes, Blocks(*codes[0]), "all")[0]]
    [[0, 1], [1, -1]]

    Args:
        coded: for each attribute, the codes of the known and of the released values; -1 is blank.
        records: any codes of the known and the released records; only their numbers count.
        agreeing: whether pairs have to agree on all attributes, or on any.
    """
    if not coded:
        return [Blocks(*(np.zeros(len(side), np.int64) for side in records))]
    if agreeing == "any":
        return [Blocks(*sides) for sides in coded]
    return [_joint(coded)]


def _joint(coded: Sequence[tuple[Ints, Ints]]) -> Blocks:
    from tacita.kernels.grouping import group

    columns = [np.concatenate(sides) for sides in coded]
    ids = group(columns).ids.copy()
    for column in columns:
        ids[column < 0] = -1
    known = len(coded[0][0])
    return Blocks(ids[:known], ids[known:])
