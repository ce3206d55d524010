"""What a distribution of records is to keep: margins of categories, moments of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tacita.arithmetic import power
from tacita.data.classes import Floats, Ints, Mask


class Sample(NamedTuple):
    """Records as factors and numbers.

    Args:
        codes: factors by records: the category of each, from 0.
        numbers: numbers by records; 0 where they are not known.
        known: where they are.
    """

    codes: Ints
    numbers: Floats
    known: Mask

    def take(self, chosen: Ints | Mask) -> Sample:
        """Return some of the records."""
        return Sample(self.codes[:, chosen], self.numbers[:, chosen], self.known[:, chosen])


def known_numbers(codes: Ints, blanks: Sequence[int]) -> Mask:
    """Tell where numbers are known: where their factor, if they have one, is 0."""
    known = np.ones((len(blanks), codes.shape[1]), np.bool_)
    for row, factor in zip(known, blanks, strict=True):
        if factor >= 0:
            row[:] = codes[factor] == 0
    return known


@dataclass(frozen=True)
class Constraints:
    """Functions of records whose means are kept.

    Args:
        sizes: how many categories each factor has.
        margins: the factors of each table that is kept.
        order: the order up to which moments of numbers are kept.
        relations: whether products of numbers, and means of numbers by category, are kept.
    """

    sizes: Sequence[int]
    margins: Sequence[tuple[int, ...]]
    order: int
    relations: bool

    def functions(self, sample: Sample) -> Iterator[Floats]:
        """Return every function of the records, one at a time."""
        for margin in self.margins:
            sizes = [self.sizes[factor] for factor in margin]
            cells = np.ravel_multi_index(tuple(sample.codes[list(margin)]), sizes)
            yield from ((cells == cell).astype(np.float64) for cell in range(np.prod(sizes)))
        for number in sample.numbers:
            yield from (power(number, times) for times in range(1, self.order + 1))
        if self.relations:
            yield from (one * other for one, other in combinations(sample.numbers, 2))
            yield from self._by_category(sample)

    def _by_category(self, sample: Sample) -> Iterator[Floats]:
        for number in sample.numbers:
            for factor, size in enumerate(self.sizes):
                codes = sample.codes[factor]
                yield from (np.where(codes == code, number, 0.0) for code in range(1, size))

    def count(self, numbers: int) -> int:
        """Return how many functions there are, of so many numbers."""
        cells = sum(int(np.prod([self.sizes[factor] for factor in each])) for each in self.margins)
        by_category = sum(self.sizes) - len(self.sizes)
        pairs = numbers * (numbers - 1) // 2 + numbers * by_category if self.relations else 0
        return cells + numbers * self.order + pairs

    def targets(self, sample: Sample, weights: Floats | None) -> tuple[Floats, Floats]:
        """Return the mean of every function, and its root mean square (1 where that is 0)."""
        found = [
            (np.average(row, weights=weights), np.average(row**2, weights=weights))
            for row in self.functions(sample)
        ]
        means, squares = np.array(found).T
        return means, np.sqrt(np.where(squares > 0, squares, 1.0))
