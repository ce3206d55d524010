"""Contingency tables: how many records are counted in other cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import prod
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import InputError
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.representation import recoded
from tacita.microdata.utility.discrepancy import by_name
from tacita.microdata.utility.distributions import (
    BLANK,
    BLANK_COUNTS,
    Bins,
    Categorical,
    Margin,
    Pair,
    between,
    categorical,
    margin_of,
    mean_of,
    tabled,
    total_variation,
)
from tacita.microdata.utility.structure import PAPER
from tacita.results import Measurement, counted

Names = tuple[str, ...]


class ContingencyTables(Method):
    """The share of the records that contingency tables count in other cells (CTBIL, scaled).

    Every table of 1 to `dimension` attributes is counted on the original and on the protected data,
    by the sampling weights of each. A table loses sum_c |n_c - n'_c N / N'| / (2 N) over its cells
    c, N and N' being the totals: from 0 to 1, whatever its size. The value is the mean over the
    tables; `loss_of_dimension_1` and so on are the means of one dimension, the parts are the
    one-way tables and `details` has them all. `ctbil` is the measure as the paper has it,
    the sum over all tables of sum_c |n_c - n'_c|, and `ctbil_per_cell` that over the number of
    cells. Which record comes from which respondent does not matter.

    Values are counted as released: a generalized category is another cell. `recoded_alike` is the
    value after the original data were recoded alike, where the release shows how: it is what is
    lost to somebody who only needs the coarser tables. Numbers and dates are counted only if
    `attributes` names them, in `bins` classes. At most 200 tables of a dimension are counted
    (pairs of the first 20 attributes, triples of the first 11), unless `attributes` names more.

    When not to use it: with attributes that have almost as many categories as there are records.

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> coarse = data.apply(ta.Generalize("region", level=1), seed=0)
    >>> found = ta.ContingencyTables(["region", "stratum"]).measure(data, coarse)
    >>> round(found.parts["region"], 3), found.parts["stratum"], found.figures["recoded_alike"]
    (0.966, 0.0, 0.0)
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = PAPER
    missing: ClassVar = BLANK_COUNTS
    public: ClassVar = frozenset({"attributes", "dimension", "bins"})

    attributes: Categorical = None
    dimension: Annotated[
        int, Field(description="Tables of up to so many attributes are counted (1 or more).", ge=1)
    ] = 2
    bins: Bins = 20

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the tables."""
        names, pair = categorical(original, self.attributes), Pair.of(original, protected)
        margins = {name: pair.margin(name, self.bins) for name in names}
        chosen = self._chosen(names)
        tables = _counted(pair, margins, chosen)
        losses = np.array([table.loss for table in tables])
        largest = max(map(len, chosen))
        ctbil, cells = sum(table.ctbil for table in tables), sum(table.cells for table in tables)
        return Measurement(
            self.name,
            self.family,
            mean_of(losses),
            f"share of the records that {counted(len(tables), 'table')} of up to "
            f"{counted(largest, 'attribute')} count in other cells, on average",
            by_name(names, losses[: len(names)]),
            parameters=self.parameters(),
            figures={
                "ctbil": ctbil,
                "ctbil_per_cell": ctbil / cells if cells else None,
                **_by_dimension(chosen, losses),
                "recoded_alike": _recoded_alike(pair, margins, chosen, mean_of(losses)),
            },
            details=_details(chosen, tables),
        )

    def _chosen(self, names: Sequence[str]) -> list[Names]:
        """Return the attributes of every table, one-way tables first."""
        return [
            table
            for dimension in range(1, self.dimension + 1)
            for table in combinations(
                names if self.attributes or dimension == 1 else tabled(names, dimension), dimension
            )
        ]


class _Table(NamedTuple):
    """What one table lost."""

    loss: float
    ctbil: float
    cells: int


def _table(pair: Pair, margins: Sequence[Margin]) -> _Table:
    before, after = pair.counts(margins)
    return _Table(
        between(before, after, total_variation),
        float(np.abs(before - after).sum()),
        prod(_categories(margin) for margin in margins),
    )


def _categories(margin: Margin) -> int:
    """Count the categories that occur, a blank among them."""
    return int(np.count_nonzero(_held(margin.before, margin) | _held(margin.after, margin)))


def _held(codes: Ints, margin: Margin) -> Mask:
    return np.bincount(codes, minlength=margin.size) > 0


def _counted(pair: Pair, margins: Mapping[str, Margin], chosen: Sequence[Names]) -> list[_Table]:
    return [_table(pair, [margins[name] for name in names]) for names in chosen]


def _by_dimension(chosen: Sequence[Names], losses: Floats) -> dict[str, float | None]:
    dimensions = np.array([len(names) for names in chosen])
    return {
        f"loss_of_dimension_{dimension}": mean_of(losses[dimensions == dimension])
        for dimension in np.unique(dimensions).tolist()
    }


def _recoded_alike(
    pair: Pair, margins: Mapping[str, Margin], chosen: Sequence[Names], loss: float | None
) -> float | None:
    """Return the loss once the original is recoded as the release is; None without known pairs."""
    try:
        rows = paired_rows(pair.original, pair.protected)
    except InputError:
        return None
    alike = {name: _recoded(pair, margin, rows) for name, margin in margins.items()}
    if all(alike[name] is margin for name, margin in margins.items()):
        return loss
    return mean_of(np.array([table.loss for table in _counted(pair, alike, chosen)]))


def _recoded(pair: Pair, margin: Margin, rows: Ints) -> Margin:
    held = _held(margin.before, margin)
    held[BLANK] = True
    if held[margin.after].all():
        return margin
    known, released = (data.column(margin.name) for data in (pair.original, pair.protected))
    kind = pair.original.attribute(margin.name).kind
    column = recoded(known, rows, released, kind)
    return margin if column is known else margin_of(margin.name, column, released)


def _details(chosen: Sequence[Names], tables: Sequence[_Table]) -> pa.Table:
    return pa.table(
        {
            "attributes": pa.array([" x ".join(names) for names in chosen], pa.string()),
            "dimension": pa.array([len(names) for names in chosen], pa.int64()),
            "loss": pa.array([table.loss for table in tables], pa.float64(), from_pandas=True),
            "ctbil": pa.array([table.ctbil for table in tables], pa.float64()),
            "cells": pa.array([float(table.cells) for table in tables], pa.float64()),
        }
    )
