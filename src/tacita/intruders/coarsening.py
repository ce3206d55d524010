"""Coarsening: values as an intruder holds them who does not tell all of them apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.arithmetic import exp, log, log1p
from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.hierarchies import generalize
from tacita.errors import HierarchyError
from tacita.intruders.accuracy import Accuracy
from tacita.microdata.comparing.representation import as_text

# Numbers within two standard deviations to either side are not told apart.
APART = 4


def coarsened(data: Dataset, name: str, accuracy: Accuracy, like: Attribute) -> Dataset | None:
    """Return data with the values of an attribute that are held as one value made one.

    Args:
        data: the data; they may have the attribute in other terms than `like`.
        name: the attribute.
        accuracy: how it is held.
        like: the attribute as the intruder's source has it.

    Returns:
        None where the data no longer hold it in terms that can be put together in this way.
    """
    if accuracy.level is not None:
        return _generalized(data, name, accuracy.level, like)
    if accuracy.prefix is not None:
        letters = pc.utf8_slice_codeunits(as_text(data.column(name)), 0, accuracy.prefix)
        return data.with_column(data.attribute(name).recoded(), letters)
    if accuracy.unit is not None:
        return _by_calendar(data, name, accuracy.unit)
    if accuracy.coarse:
        return _with_numbers(data, name, partial(_put_together, accuracy=accuracy))
    return data


def _generalized(data: Dataset, name: str, level: int, like: Attribute) -> Dataset | None:
    try:
        labels = generalize(data.column(name), like.hierarchy, level)  # type: ignore[arg-type]
    except HierarchyError:
        return None
    return data.with_column(data.attribute(name).recoded(), labels)


def _by_calendar(data: Dataset, name: str, unit: str) -> Dataset | None:
    column = data.column(name)
    if not pa.types.is_temporal(column.type):
        return None
    floor = pc.floor_temporal(column, unit=unit).cast(column.type)
    return data.with_column(data.attribute(name), floor)


def blurred(data: Dataset, name: str, accuracy: Accuracy) -> Dataset | None:
    """Return data with numbers put together that a normal error hides from one another.

    Classes are four standard deviations wide; by a relative error they grow with the numbers.
    """
    if accuracy.absolute_error is not None:
        width = APART * accuracy.absolute_error
        return _with_numbers(data, name, partial(_rounded, base=width))
    if accuracy.relative_error is not None:
        step = log1p(APART * accuracy.relative_error)
        return _with_numbers(data, name, partial(_rounded_by_size, step=step))
    return data


def _with_numbers(data: Dataset, name: str, change: Callable[[Floats], Floats]) -> Dataset | None:
    """Return data with changed numbers, None where there are none."""
    attribute, column = data.attribute(name), data.column(name)
    if attribute.kind is not Kind.CONTINUOUS or pa.types.is_string(column.type):
        return None
    numbers = data.numbers(name)
    changed = change(numbers)
    return data.with_column(
        replace(attribute, hierarchy=None), pa.array(changed, mask=np.isnan(numbers))
    )


def _put_together(numbers: Floats, accuracy: Accuracy) -> Floats:
    if accuracy.rounded is not None:
        return _rounded(numbers, accuracy.rounded)
    cuts = np.array(accuracy.classes)
    width = float(np.diff(cuts).mean()) if len(cuts) > 1 else 1.0
    edges = np.concatenate([[cuts[0] - width], cuts, [cuts[-1] + width]])
    place: Ints = np.searchsorted(cuts, numbers, side="right")
    return np.where(np.isnan(numbers), np.nan, ((edges[:-1] + edges[1:]) / 2)[place])


def _rounded(numbers: Floats, base: float) -> Floats:
    """Return the nearest multiples of a base; halves go up.

    >>> _rounded(np.array([12.0, 12.5, -3.0]), 5.0).tolist()
    [10.0, 15.0, -5.0]
    """
    with np.errstate(over="ignore"):
        steps = np.floor(numbers / base + 0.5)
        return np.where(np.isfinite(steps), steps * base, numbers) + 0.0


def _rounded_by_size(numbers: Floats, step: float) -> Floats:
    """Return numbers rounded on the scale of their logarithms; 0 stays 0."""
    with np.errstate(divide="ignore"):
        sizes = log(np.abs(numbers))
    rounded = exp(np.floor(sizes / step + 0.5) * step)
    return np.where(numbers == 0, 0.0, np.sign(numbers) * rounded)
