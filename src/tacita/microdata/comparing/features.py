"""Features: attributes of all kinds as numbers that a model can learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind, Role
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.microdata.comparing.representation import as_text

CATEGORIES = 50  # kept apart in one attribute; rarer ones count as one category
LEFT_OUT = (Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD)


@dataclass(frozen=True, eq=False)
class Features:
    """The same attributes of several data sets, coded alike.

    Numbers and dates are numbers (a blank is NaN). Categories are numbered from 0, the most
    frequent first, beyond 50 together as one; a blank is a category of its own.

    Args:
        names: the attributes, one a column of each matrix.
        categories: how many categories each has; 0 for numbers.
        matrices: one matrix of records by attributes for every data set.
    """

    names: tuple[str, ...]
    categories: tuple[int, ...]
    matrices: tuple[Floats, ...]

    def dummies(self) -> list[Floats]:
        """Return every matrix for linear models: categories as 0/1 columns but the first.

        Numbers are standardized over all data sets together; a blank is the mean, and a column of
        its own tells it where there are any.
        """
        joined = np.concatenate(self.matrices)
        columns = [
            column
            for place, categories in enumerate(self.categories)
            for column in _columns(joined[:, place], categories)
        ]
        made = np.column_stack(columns) if columns else np.zeros((len(joined), 0))
        ends = np.cumsum([len(matrix) for matrix in self.matrices])[:-1]
        return np.split(made, ends)


def features(datasets: Sequence[Dataset], names: Sequence[str]) -> Features:
    """Code attributes that all of some data sets hold.

    >>> import tacita as ta
    >>> toy = ta.example("toy", 40)
    >>> coded = features([toy, toy], ["age", "stratum"])
    >>> coded.categories, coded.matrices[0].shape
    ((0, 3), (40, 2))
    """
    coded = [_coded(datasets, name) for name in names]
    sizes = [len(data) for data in datasets]
    matrices = [
        np.column_stack([columns[place] for _, columns in coded]) if coded else np.zeros((size, 0))
        for place, size in enumerate(sizes)
    ]
    return Features(tuple(names), tuple(count for count, _ in coded), tuple(matrices))


def shared(datasets: Sequence[Dataset]) -> list[str]:
    """Return the attributes that all of some data sets hold and that tell of respondents."""
    first, *others = datasets
    gone = {name for role in LEFT_OUT for name in first.with_role(role)}
    return [
        name
        for name in first.names
        if name not in gone and all(name in other.attributes for other in others)
    ]


def _coded(datasets: Sequence[Dataset], name: str) -> tuple[int, list[Floats]]:
    columns = [data.column(name) for data in datasets]
    kinds = {data.attribute(name).kind for data in datasets}
    if kinds == {Kind.CONTINUOUS}:
        return 0, [data.numbers(name) for data in datasets]
    if kinds == {Kind.DATE} and all(pa.types.is_temporal(column.type) for column in columns):
        return 0, [_days(column) for column in columns]
    return _numbered([as_text(column) for column in _of_one_type(columns)])


def _of_one_type(columns: list[pa.Array]) -> list[pa.Array]:
    """Let numbers that one data set holds as whole numbers and another as fractions be equal."""
    types = {column.type for column in columns}
    if len(types) > 1 and all(_is_number(kind) for kind in types):
        return [column.cast(pa.float64(), safe=False) for column in columns]
    return columns


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _days(column: pa.Array) -> Floats:
    moments = column.cast(pa.timestamp("s"), safe=False).cast(pa.int64()).cast(pa.float64())
    return np.asarray(moments.to_numpy(zero_copy_only=False)) / 86400


def _numbered(columns: list[pa.Array]) -> tuple[int, list[Floats]]:
    """Count categories and number them by how often they occur in all columns together."""
    values, often = pc.value_counts(pa.concat_arrays(columns)).flatten()
    # Ties are broken by the text itself, so that the order of the records does not matter.
    order = pc.sort_indices(
        pa.table({"words": values, "often": often, "there": values.is_valid()}),
        [("often", "descending"), ("there", "ascending"), ("words", "ascending")],
    )
    place = np.empty(len(order), np.int64)
    place[np.asarray(order)] = np.minimum(np.arange(len(order)), CATEGORIES)
    codes = [
        place[np.asarray(pc.index_in(column, values, skip_nulls=False))].astype(np.float64)
        for column in columns
    ]
    return min(len(order), CATEGORIES + 1), codes


def _columns(values: Floats, categories: int) -> list[Floats]:
    if categories:
        return [(values == code).astype(np.float64) for code in range(1, categories)]
    blank = np.isnan(values)
    if blank.all():
        return []
    # By a power of two, which costs no digit: squares of the largest numbers have no double.
    values = np.ldexp(values, -int(np.frexp(np.nanmax(np.abs(values)))[1]))
    mean, spread = float(np.nanmean(values)), float(np.nanstd(values))
    scaled = np.where(blank, 0.0, (values - mean) / (spread or 1.0))
    return [scaled, blank.astype(np.float64)] if blank.any() else [scaled]
