"""What measures of generalization share: how much of its domain each released value stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.data.hierarchies.tree import Tree
from tacita.data.pairing import paired_rows
from tacita.errors import InputError
from tacita.method import AttributeNames
from tacita.microdata.comparing.coverage import STARS, Coverage, coverage

MEASURED = frozenset({Kind.CONTINUOUS, Kind.DATE})
BLANK_LOSES_ALL = (
    "A blank stands for every value; one that was blank in the original data lost nothing."
)
Keys = Annotated[
    AttributeNames | None,
    Field(description="The attributes that were generalized; by default those with the role key."),
]


class Cells(NamedTuple):
    """The values of an attribute as released: the share of the domain that each stands for."""

    cover: Coverage  # of the released values or, if the attribute was left out, of the originals
    share: Floats  # of every released record
    known: Mask  # of every released record: whether there was an original value
    base: float  # the share of an exact value
    left_out: Mask  # of every original record: whether its value is in no released record

    @property
    def values(self) -> int:
        """The number of original values."""
        return int(self.cover.counts.sum())

    @property
    def mean(self) -> float:
        """The mean share; a value of a record that was left out stands for the whole domain."""
        left_out, shares = int(np.count_nonzero(self.left_out)), self.share[self.known]
        values = left_out + len(shares)
        return (float(shares.sum()) + left_out) / values if values else 0.0

    @property
    def loss(self) -> float:
        """The mean share, from 0 for exact values to 1 for the whole domain."""
        return normalized(self.mean, self.base) if self.values else 0.0


def cells(original: Dataset, protected: Dataset, keys: Sequence[str] | None) -> dict[str, Cells]:
    """Return the released values of the keys (by default those of the original data).

    Raises:
        InputError: nobody said which attributes are keys.
    """
    names = original.classes(keys).keys
    return {name: _cells(original, protected, name) for name in names}


def _cells(original: Dataset, protected: Dataset, name: str) -> Cells:
    if name not in protected.attributes:
        protected = original.take(np.zeros(0, np.int64))
    cover = coverage(original, protected, name)
    attribute = original.attribute(name)
    by_width = attribute.kind in MEASURED and not isinstance(attribute.hierarchy, Tree)
    share, base = _widths(cover) if by_width and cover.is_number else _counts(cover)
    gone = left_out(original, protected) & ~np.isnan(cover.known)
    return Cells(cover, share, ~np.isnan(cover.own), base, gone)


def _widths(cover: Coverage) -> tuple[Floats, float]:
    """Return widths over the range of the original values, whatever perturbed ones lie beyond."""
    if cover.size <= 1:
        return _counts(cover)
    # Halves, as the range of the largest doubles is none.
    least, most = cover.leaf[[0, -1]] / 2
    lower, upper = (np.clip(ends / 2, least, most) for ends in (cover.lower, cover.upper))
    return ((upper - lower) / (most - least))[cover.of_record], 0.0


def _counts(cover: Coverage) -> tuple[Floats, float]:
    size = max(cover.size, 1)
    return cover.leaves / size, 1 / size


def normalized(number: float, least: float, most: float = 1.0) -> float:
    """Return where a number lies between the least and the most there can be, from 0 to 1.

    >>> normalized(0.75, 0.5), normalized(1, 1)
    (0.5, 0.0)
    """
    return max(0.0, (number - least) / (most - least)) if most > least else 0.0


def exact_loss(cost: Fraction, least: Fraction, most: Fraction) -> Fraction:
    """Return where a cost lies between that of the original data and the most there can be."""
    return max(Fraction(0), (cost - least) / (most - least)) if most > least else Fraction(0)


def left_out(original: Dataset, protected: Dataset) -> Mask:
    """Tell the original records that no protected record comes from."""
    gone = np.ones(len(original), np.bool_)
    gone[paired_rows(original, protected)] = False
    return gone


def is_suppressed(column: pa.Array) -> Mask:
    """Tell where a value is blank or nothing but stars."""
    blank = np.asarray(column.is_null())
    if not pa.types.is_string(column.type):
        return blank
    stars = pc.match_substring_regex(column, f"^{STARS}$").fill_null(False)
    return np.asarray(blank | np.asarray(stars))


class Sizes(NamedTuple):
    """The classes of a file over its keys, with the records that say nothing apart."""

    kept: Mapping[int, int]  # how many classes there are of every size
    suppressed: int  # records left out, or with every key blank


def class_sizes(original: Dataset, data: Dataset, keys: Sequence[str]) -> Sizes:
    """Count the classes of the original data or of what was made of them.

    Raises:
        InputError: there are more records than in the original data.
    """
    if len(data) > len(original):
        raise InputError(
            f"The protected data have {len(data):,} records and the original {len(original):,}; "
            "the sizes of classes compare only if none was added."
        )
    left = [name for name in keys if name in data.attributes]
    silent = np.ones(len(data), np.bool_)
    for name in left:
        silent &= is_suppressed(data.column(name))
    classes = data.classes(left) if left else None
    sizes = np.zeros(0, np.int64) if classes is None else classes.counts[~silent[classes.first]]
    counts = dict(zip(*map(np.ndarray.tolist, np.unique(sizes, return_counts=True)), strict=True))
    return Sizes(counts, len(original) - int(sizes.sum()))
