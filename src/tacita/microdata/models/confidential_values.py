"""What the models of confidential values share: one judgement for each attribute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import AttributeNames, Method
from tacita.microdata.models.alike_classes import alike_classes
from tacita.microdata.models.class_table import ClassTable, Histogram
from tacita.microdata.models.verdicts import (
    Judged,
    confidential_attributes,
    verdict_of,
)
from tacita.microdata.risk.diversity import classes_beside
from tacita.results import Number, Verdict


class ValueModel(Protocol):
    """A promise about the confidential values in every class, for each attribute apart."""

    @property
    def attribute(self) -> AttributeNames | None:
        """The attributes that it protects; by default those with the role confidential."""

    @property
    def keys(self) -> AttributeNames | None:
        """The attributes an intruder knows; by default those with the role key."""

    def judged(self, sizes: Ints, values: Histogram) -> Judged:
        """Judge classes, none of them empty, by their sizes and the values of one attribute."""


def check_values(
    model: Method, data: Dataset, kept: str, missed: str, *, lowest: bool = False
) -> Verdict:
    """Check a promise on some data.

    Args:
        model: the promise.
        data: the data.
        kept: what every class does if it holds; the attribute follows.
        missed: what the others do.
        lowest: whether the lowest level is the worst one.
    """
    promise: ValueModel = model  # type: ignore[assignment]
    found = []
    for name in confidential_attributes(data, promise.attribute):
        classes, values = alike_classes(classes_beside(data, promise.keys, name), name)
        found.append((classes, _judged(promise, classes.counts, values)))
    return verdict_of(model, found, kept, missed, lowest=lowest)


def breaks_values(model: ValueModel, classes: ClassTable) -> Mask:
    """Tell for every class whether it breaks a promise for some attribute.

    The attributes are those that the model names, else all whose values the table has.
    """
    there = classes.sizes > 0
    table = classes if there.all() else classes.taken(there)
    broken = np.zeros(len(classes), np.bool_)
    for name in model.attribute or tuple(table.values):
        broken[there] |= _judged(model, table.sizes, table.values[name]).broken
    return broken


def _judged(model: ValueModel, sizes: Ints, values: Histogram) -> Judged:
    if not values.size:
        return Judged(np.zeros(0, np.bool_), 0, 0, values.domain.attribute.name)
    return model.judged(sizes, values)


def judgement(
    values: Histogram,
    broken: Mask,
    levels: Floats | Ints,
    *,
    lowest: bool = False,
    exact: Callable[[int], Number] | None = None,
) -> Judged:
    """Name the worst class, one that breaks the promise if any does; of equals the first.

    Args:
        values: the values that were judged.
        broken: for every class, whether it breaks the promise.
        levels: the level of every class.
        lowest: whether the lowest level is the worst one.
        exact: returns the level of a class exactly; by default as it is.
    """
    pick = np.argmin if lowest else np.argmax
    worst = int(pick(levels))
    if not broken[worst] and broken.any():  # its level is no worse than that of one that breaks it
        among = np.flatnonzero(broken)
        worst = int(among[pick(levels[among])])
    value = levels[worst].item() if exact is None else exact(worst)
    return Judged(broken, worst, value, values.domain.attribute.name, values.times)


def distinct_values(values: Histogram) -> Ints:
    """Return how many different values every class has."""
    return values.distinct


def in_any(values: Histogram, entries: Mask) -> Mask:
    """Tell for every class whether any of its entries is marked."""
    marked = np.zeros(values.size, np.bool_)
    marked[values.classes[entries]] = True
    return marked


def highest(values: Histogram, levels: Floats | Ints) -> Ints:
    """Return the entry of every class, none of them empty, with the highest level."""
    entries: Ints = np.lexsort((-levels, values.classes))[np.append(0, values.ends[:-1])]
    return entries
