"""How many records share a combination of keys in the sample and, by its weights, the population.

With `alpha` a blank may stand for any value. Counting goes by patterns of blanks, not by pairs of
records: two combinations can be of one respondent when they agree on the keys blank in neither, so
those of two patterns are matched by grouping them on these keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, compress
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.classes import Floats, Ints, Mask, comparable
from tacita.data.dataset import Dataset
from tacita.method import AttributeNames

SPACE = 2**62  # of the integers that combinations are packed into
Keys = Annotated[
    AttributeNames | None,
    Field(description="The attributes an intruder knows; by default those with the role key."),
]
Alpha = Annotated[
    float | None,
    Field(
        description="How much a record with blank keys counts where it could belong (0 to 1); None "
        "lets a blank agree with a blank only.",
        ge=0,
        le=1,
    ),
]
MISSING = (
    "Missing and suppressed values agree with one another and with nothing else; with `alpha` they "
    "stand for any value."
)


@dataclass(frozen=True, eq=False)
class KeyCounts:
    """The combinations of key values of a data set, with their frequencies.

    With `alpha`, a combination with blanks counts the complete ones that it could be in full, and
    every combination counts those with other blanks that it could be `alpha` each. A record without
    any key value could be everybody: it counts all records, and counts for no complete one.

    Args:
        keys: the attributes.
        of_record: the combination of every record.
        sample: how many records share each combination (f_k in the literature), 1 or more.
        population: the sum of their sampling weights (F_k), `sample` where that is more or where
            there are no weights.
    """

    keys: tuple[str, ...]
    of_record: Ints
    sample: Floats
    population: Floats

    @classmethod
    def of(cls, data: Dataset, keys: Sequence[str] | None, alpha: float | None) -> KeyCounts:
        """Count the combinations of a data set.

        Raises:
            InputError: there are no keys.
        """
        classes = data.classes(keys)
        if alpha is None:
            held = classes.counts.astype(np.float64), classes.weights
            return cls._made(classes.keys, classes.of_record, *held)
        return cls._made(classes.keys, *_wildcards(data, classes.keys, alpha))

    @classmethod
    def _made(
        cls, keys: tuple[str, ...], of_record: Ints, sample: Floats, population: Floats
    ) -> KeyCounts:
        # A population is at least as large as its sample, whatever small weights say.
        return cls(keys, of_record, sample, np.maximum(sample, population))


@dataclass(frozen=True, eq=False)
class _Lot:
    """The combinations that are blank in the same keys, each packed into few integers.

    Args:
        at: where they stand among all combinations.
        blank: the keys that are blank in them.
        digits: for each key the part of the integer that it makes; 0 for a blank.
        words: for each key the integer that it is packed into.
    """

    at: slice
    blank: Mask
    digits: list[Ints]
    words: list[int]

    def __len__(self) -> int:
        return int(self.at.stop - self.at.start)

    def packed(self, hidden: Mask) -> list[Ints]:
        """Return the combinations as integers, without some keys that are blank elsewhere."""
        made = [np.zeros(len(self), np.int64) for _ in range(max(self.words) + 1)]
        for digit, word in compress(zip(self.digits, self.words, strict=True), ~hidden):
            made[word] += digit
        return made


def _wildcards(data: Dataset, keys: Sequence[str], alpha: float) -> tuple[Ints, Floats, Floats]:
    """Return the combination of every record, and the frequencies of combinations."""
    from tacita.kernels.by_group import sum_by_group
    from tacita.kernels.grouping import factorize, group

    columns = [factorize(*comparable(data.column(name)))[0] for name in keys]
    ids, first, counts = group(columns)
    codes = [column[first] + 1 for column in columns]
    patterns = group([code == 0 for code in codes])
    order = np.argsort(patterns.ids, kind="stable")
    of_record = np.argsort(order, kind="stable")[ids]
    lots = list(_lots([code[order] for code in codes], patterns.counts))
    held = [counts[order].astype(np.float64)]
    weight = data.weight
    held.append(held[0] if weight is None else sum_by_group(of_record, weight, len(order)))
    sample, population = _matched(lots, held, alpha)
    return of_record, sample, population


def _lots(codes: list[Ints], sizes: Ints) -> Iterator[_Lot]:
    """Yield the lots of combinations that stand one after the other."""
    digits, words, space = [], [0], 1
    for code in codes:
        radix = int(code.max(initial=0)) + 1
        overflows = space * radix > SPACE
        words.append(words[-1] + overflows)
        space = 1 if overflows else space
        digits.append(code * space)
        space *= radix
    ends = np.cumsum(sizes)
    for start, stop in zip(ends - sizes, ends, strict=True):
        at = slice(int(start), int(stop))
        blank = np.array([code[start] == 0 for code in codes])
        yield _Lot(at, blank, [digit[at] for digit in digits], words[1:])


def _matched(lots: list[_Lot], held: list[Floats], alpha: float) -> list[Floats]:
    """Add to what each combination holds what the others hold that it could be."""
    total = [part.copy() for part in held]
    for pair in combinations(lots, 2):
        few, many = sorted(pair, key=len)
        to_few = _share(few.blank, many.blank, alpha)
        to_many = _share(many.blank, few.blank, alpha)
        if to_few or to_many:
            place, found, at = _met(few, many)
            for into, part in zip(total, held, strict=True):
                theirs = np.bincount(at, part[many.at][found], len(few))[place]
                ours = np.bincount(place, part[few.at], len(few))[at]
                into[few.at] += to_few * theirs
                into[many.at][found] += to_many * ours
    for lot in lots:
        if lot.blank.all():
            for into, part in zip(total, held, strict=True):
                into[lot.at] = part.sum()
    return total


def _met(few: _Lot, many: _Lot) -> tuple[Ints, Ints, Ints]:
    """Find the combinations of two lots that agree on the keys blank in neither.

    Returns the place of each of the few among their distinct values, those of the many that agree
    with some of the few, and their places. Looking up the many takes one pass over them.
    """
    ours, others = _single(few.packed(many.blank), many.packed(few.blank))
    values, place = np.unique(ours, return_inverse=True)
    at = np.asarray(pc.index_in(pa.array(others), pa.array(values)).fill_null(-1))
    found = np.flatnonzero(at >= 0)
    return place, found, at[found]


def _single(ours: list[Ints], others: list[Ints]) -> tuple[Ints, Ints]:
    """Return two lots of packed combinations with one integer for each."""
    from tacita.kernels.grouping import group

    if len(ours) == 1:
        return ours[0], others[0]
    ids = group([np.concatenate(pair) for pair in zip(ours, others, strict=True)]).ids
    return ids[: len(ours[0])], ids[len(ours[0]) :]


def _share(blank: Mask, gaps: Mask, alpha: float) -> float:
    """Return how much a combination with some gaps counts in one that is blank elsewhere."""
    if not gaps.any():
        return 1.0
    return 0.0 if gaps.all() and not blank.any() else alpha
