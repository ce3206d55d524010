"""Households: what is blanked of one member could be read from another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tacita.data.attribute import Role
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.microdata.masking.suppressing.records import (
    Chosen,
    Task,
    blank_in,
    blanked,
    choose,
)
from tacita.microdata.masking.suppressing.search import Search


def household_of(data: Dataset) -> Ints:
    """Return the number of every record's household; a blank one is a household of its own.

    Raises:
        InputError: no attribute tells households.
    """
    names = data.with_role(Role.HOUSEHOLD)
    if not names:
        raise InputError(
            "Keeping households alike needs an attribute with the role `household`; there is none."
        )
    classes, blank = data.classes(names[:1]), np.asarray(data.column(names[0]).is_null())
    return np.where(blank, len(classes) + np.arange(len(data)), classes.of_record)


def _shared(data: Dataset, names: Sequence[str], household: Ints) -> int:
    """Return the pattern of the attributes in which no two members of a household differ.

    A blank does not differ: nobody is told apart by it, and the other members tell what it hides.
    """
    from tacita.kernels.grouping import group

    pattern = 0
    for place, name in enumerate(names):
        known = np.flatnonzero(~blank_in(data, name))
        homes, codes = household[known], data.classes([name]).of_record[known]
        if len(group([homes, codes]).first) == len(np.unique(homes)):
            pattern |= 1 << place
    return pattern


def choose_alike(data: Dataset, task: Task, search: Search) -> Chosen:
    """Choose values so that those that a household shares are blanked in all members or in none.

    What is chosen without regard to households is made alike, and the file with these blanks is
    searched again, until nothing is left to be made alike. The bound is that of the first search:
    no other is dearer than it need be.
    """
    household = household_of(data)
    shared = _shared(data, task.names, household)
    first = chosen = choose(data, task, search)
    later = replace(search, depth="fast")
    while ((alike := made_alike(chosen.patterns, household, shared)) != chosen.patterns).any():
        blank = blanked(data, task.names, alike)
        again = choose(blank, task, later)
        chosen = replace(again, bound=first.bound, is_timed=first.is_timed)
    return chosen


def made_alike(patterns: Ints, household: Ints, shared: int) -> Ints:
    """Blank what is blanked of one member, of the attributes that they share, of all members.

    >>> made_alike(np.array([0b01, 0b10, 0b11]), np.array([7, 7, 8]), 0b01)
    array([1, 3, 3])
    """
    _, home = np.unique(household, return_inverse=True)
    united = np.zeros(home.max(initial=-1) + 1, np.int64)
    np.bitwise_or.at(united, home, patterns)
    return patterns | (united[home] & shared)
