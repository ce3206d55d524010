"""Attributes as factors and numbers, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.microdata.masking.perturbing.numbers import refuse_overflow
from tacita.microdata.synthesis.making.columns import Column, of_type
from tacita.microdata.synthesis.maximizing_entropy.constraints import Sample, known_numbers


class Factor(NamedTuple):
    """A categorical attribute, or where a number is blank.

    Args:
        name: the attribute; empty for a factor that stands for none.
        codes: the category of every record.
        values: what the categories are; of a number none: 0 is known, 1 blank.
        size: how many there are.
    """

    name: str
    codes: Ints
    values: pa.Array | None
    size: int


class Number(NamedTuple):
    """A number or date in standard deviations about its mean."""

    name: str
    mean: float
    unit: float
    blank: int  # the factor that tells where it is; -1 if it never is
    type: pa.DataType  # as which it is released


@dataclass(frozen=True, eq=False)
class Coding:
    """How the attributes of a data set are coded.

    Args:
        factors: the categories, and where numbers are blank; at least one.
        numbers: the numbers.
        sample: the records, coded.
    """

    factors: Sequence[Factor]
    numbers: Sequence[Number]
    sample: Sample

    @classmethod
    def of(cls, data: Dataset, names: Sequence[str]) -> Coding:
        """Code attributes; those of numbers are standardized."""
        factors: list[Factor] = []
        numbers: list[Number] = []
        rows: list[Floats] = []
        for name in names:
            held = Column.of(data, name)
            if held.numbers is None:
                factors.append(_categories(name, held))
                continue
            column, kind = held.numbers, held.values.type
            blank = np.isnan(column)
            at = len(factors) if blank.any() else -1
            factors += [Factor(name, blank.astype(np.int64), None, 2)] if at >= 0 else []
            mean, unit = _scale(column[~blank])
            kept = kind if pa.types.is_temporal(kind) else pa.float64()
            numbers.append(Number(name, mean, unit, at, kept))
            rows.append(np.where(blank, 0.0, (column - mean) / unit))
        nothing = Factor("", np.zeros(len(data), np.int64), None, 1)
        factors = factors or [nothing]
        codes = np.stack([factor.codes for factor in factors])
        found = np.array(rows).reshape(len(rows), len(data))
        return cls(
            factors, numbers, Sample(codes, found, known_numbers(codes, [n.blank for n in numbers]))
        )

    @property
    def sizes(self) -> list[int]:
        """How many categories every factor has."""
        return [factor.size for factor in self.factors]

    @property
    def blanks(self) -> list[int]:
        """For every number the factor that tells where it is blank."""
        return [number.blank for number in self.numbers]

    def pairs(self) -> list[tuple[int, ...]]:
        """Return all pairs of factors; the factor itself if there is one only."""
        places = range(len(self.factors))
        return [*combinations(places, 2)] if len(places) > 1 else [(0,)]

    def place(self, name: str) -> int | None:
        """Return the factor of an attribute, if it has one."""
        return next((at for at, one in enumerate(self.factors) if one.name == name), None)

    def columns(self, sample: Sample) -> dict[str, pa.Array]:
        """Return coded records as values."""
        found = {
            factor.name: factor.values.take(pa.array(codes))
            for factor, codes in zip(self.factors, sample.codes, strict=True)
            if factor.values is not None
        }
        for number, row, known in zip(self.numbers, sample.numbers, sample.known, strict=True):
            values = np.where(known, row * number.unit + number.mean, np.nan)
            found[number.name] = of_type(values, number.type)
        return found


def _categories(name: str, column: Column) -> Factor:
    """Give numbers to the categories that occur; a blank is one of them."""
    seen, codes = np.unique(column.codes, return_inverse=True)
    return Factor(name, codes, column.values.take(pa.array(column.examples[seen])), len(seen))


def _scale(column: Floats) -> tuple[float, float]:
    if not len(column):
        return 0.0, 1.0
    with np.errstate(over="ignore"):
        mean, unit = refuse_overflow(np.array([column.mean(), column.std()])).tolist()
    constant = column.min() == column.max()
    return (float(column[0]), 1.0) if constant else (mean, unit)
