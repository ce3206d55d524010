"""Between the records of a file and the rows of a problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from tacita.data.classes import EquivalenceClasses, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.microdata.masking.suppressing.problem import (
    BLANK,
    Places,
    Problem,
    cost_of,
    whole_units,
)
from tacita.microdata.masking.suppressing.search import Search
from tacita.microdata.masking.suppressing.solving import solve


@dataclass(frozen=True)
class Task:
    """What is asked of a file.

    Args:
        k: how many records must share a combination.
        weights: what a value of each attribute that may be blanked costs.
        by: the attributes that make strata.
    """

    k: int
    weights: Mapping[str, float]
    by: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The attributes that may be blanked; the pattern of a record has their bits in order."""
        return list(self.weights)


@dataclass(frozen=True, eq=False)
class Chosen:
    """What is blanked.

    Args:
        patterns: the pattern of every record.
        cost: what it costs.
        bound: what nothing that fulfils the task costs less than.
        is_timed: whether a clock ended the search.
    """

    patterns: Ints
    cost: Fraction
    bound: Fraction
    is_timed: bool


def choose(data: Dataset, task: Task, search: Search) -> Chosen:
    """Choose the values of a file that are blanked."""
    units, scale = whole_units(list(task.weights.values()))
    problem = problem_of(data, task, units)
    found = solve(problem, search)
    return Chosen(
        _patterns(data, task, problem, found.placed),
        cost_of(problem, found.placed) / scale,
        found.bound / scale,
        found.is_timed,
    )


def problem_of(data: Dataset, task: Task, units: Ints) -> Problem:
    """Return the problem of a file: one row for each combination of keys and strata.

    A value that is missing for a stated reason is a value like others: a reader sees the reason.
    """
    classes = data.classes([*task.by, *task.names])
    strata = strata_of(data, task).of_record[classes.first]
    values = np.empty((len(classes), len(task.names)), np.int64)
    for place, name in enumerate(task.names):
        values[:, place] = data.classes([name]).of_record[classes.first] + 1
        values[blank_in(data, name)[classes.first], place] = BLANK
    return Problem(values, strata, classes.counts, units, task.k)


def strata_of(data: Dataset, task: Task) -> EquivalenceClasses:
    """Return the strata; all records are one where no attribute makes any."""
    return EquivalenceClasses.of(data, task.by)


def blank_in(data: Dataset, name: str) -> Mask:
    """Tell the records whose value of an attribute a reader cannot tell from a suppressed one."""
    blank = np.asarray(data.column(name).is_null())
    if name in data.missing_reasons:
        blank = blank & (data.missing_reasons[name] == 0)
    return blank


def _patterns(data: Dataset, task: Task, problem: Problem, placed: Places) -> Ints:
    """Return the pattern of every record; of equal records the first ones keep the most."""
    rows, places = np.nonzero(placed.T)
    pattern = np.empty(len(data), np.int64)
    order = np.argsort(data.classes([*task.by, *task.names]).of_record, kind="stable")
    pattern[order] = np.repeat(problem.patterns[places], placed[places, rows])
    return pattern


def blanked(data: Dataset, names: Iterable[str], patterns: Ints) -> Dataset:
    """Return the data in which the values of every record's pattern are suppressed."""
    for place, name in enumerate(names):
        new = (patterns >> place & 1).astype(np.bool_) & ~blank_in(data, name)
        if new.any():
            kept = pa.array(np.arange(len(data)), mask=new)
            column = data.column(name).take(kept)
            suppressed = data.suppressed_in(name) | new
            data = data.with_column(data.attribute(name), column, suppressed)
    return data
