"""Fitting semantics: how many records fit the combinations of values behind a record's ranges."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from tacita.data.classes import EquivalenceClasses, Ints, Mask
from tacita.microdata.comparing.boxes import Boxes, boxes_of
from tacita.microdata.comparing.coverage import coverage
from tacita.microdata.comparing.shown_domain import shown_domain

EFFORT = 1_000_000  # comparisons that are made for a record before it is left undecided
Semantics = Annotated[
    Literal["equality", "fitting"],
    Field(
        description="Whether records are alike that have equal values (equality) or that may "
        "stand for the same values (fitting)."
    ),
]


class Fitting(NamedTuple):
    """Which classes may stand for something that too few records fit.

    Args:
        broken: for every class, whether it may.
        level: the least number of records that fit what a class stands for, k if none is broken.
        worst: a class that is fitted by no more than that, if one is broken.
        undecided: in how many classes it takes too long to find out; they count as broken.
    """

    broken: Mask
    level: int
    worst: int
    undecided: int


def fitting_of(classes: EquivalenceClasses, k: int) -> Fitting:
    """Find the classes behind whose ranges there is a combination that fewer than k records fit.

    A class of k records or more is never broken: its own records fit all that it stands for.
    """
    broken = np.zeros(len(classes), np.bool_)
    small = np.flatnonzero(classes.counts < k)
    if not len(small):
        return Fitting(broken, k, 0, 0)
    part = classes.data.take(classes.first)
    domain = shown_domain(part, classes.keys)
    boxes = boxes_of([coverage(domain, part, name) for name in classes.keys])
    sizes = np.bincount(boxes.of_record, classes.counts).astype(np.int64)
    k = min(k, int(sizes.sum()) + 1)  # so many records fit nothing
    owners, undecided = _uncovered(boxes, sizes, np.unique(boxes.of_record[small]), k)
    broken = np.isin(boxes.of_record, owners)
    in_doubt = int(np.count_nonzero(np.isin(boxes.of_record, undecided)))
    level = k
    worst = owners
    while len(owners):
        level, worst = level - 1, owners
        owners, _ = _uncovered(boxes, sizes, owners, level)
    return Fitting(broken, level, int(boxes.first[worst[0]]) if len(worst) else 0, in_doubt)


def _uncovered(boxes: Boxes, sizes: Ints, asked: Ints, times: int) -> tuple[Ints, Ints]:
    """Return the owners whose boxes are not surely covered so many times, and those in doubt."""
    from tacita.kernels.fitting import COVERED, UNCOVERED, uncovered

    places = np.flatnonzero(np.isin(boxes.owner, asked))
    owner = boxes.owner[places]
    answers = uncovered(
        boxes.low,
        boxes.high,
        boxes.owner,
        places,
        effort=EFFORT,
        times=times - sizes[owner],
        weights=sizes[boxes.owner],
    )
    not_covered = np.unique(owner[answers != COVERED])
    return not_covered, np.setdiff1d(not_covered, owner[answers == UNCOVERED])
