"""The distinct values of a column, in order and counted: what hierarchies are made from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind
from tacita.data.hierarchies.intervals import ROOT
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class Values:
    """The distinct values of an attribute, without blanks.

    Args:
        kind: what can be computed with them.
        values: ascending; ordinal categories in their order.
        counts: how many records have each, 1 or more.
        places: for every record the place of its value; -1 where it is blank.
    """

    kind: Kind
    values: pa.Array
    counts: Ints
    places: Ints

    @classmethod
    def of(cls, column: pa.Array, kind: Kind, order: tuple[Any, ...] | None = None) -> Values:
        """Count the values of a column.

        Raises:
            HierarchyError: they are sets, of which none is more general than another.
        """
        if kind is Kind.SET_VALUED:
            raise HierarchyError(
                "A hierarchy is made from single values; this attribute is set-valued."
            )
        if pa.types.is_null(column.type):  # whose dictionary would hold a blank
            column = column.cast(pa.string())
        encoded = pc.dictionary_encode(column)
        distinct = encoded.dictionary
        ranked = (
            distinct if order is None else pc.index_in(distinct, pa.array(order, distinct.type))
        )
        ascending = np.asarray(pc.sort_indices(ranked), np.int64)
        place = np.empty(len(distinct) + 1, np.int64)
        place[ascending] = np.arange(len(distinct))
        place[-1] = -1
        places = place[np.asarray(encoded.indices.fill_null(-1), np.int64)]
        counts = np.bincount(places[places >= 0], minlength=len(distinct)).astype(np.int64)
        return cls(kind, distinct.take(pa.array(ascending)), counts, places)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def words(self) -> list[str]:
        """The values as text."""
        words: list[str] = self.values.cast(pa.string()).to_pylist()
        return words

    @property
    def numbers(self) -> Floats:
        """The values as doubles."""
        return np.asarray(self.values.cast(pa.float64(), safe=False))

    def with_one_zero(self) -> Values:
        """Return the values with -0.0 and 0.0, which Arrow tells apart, as one number."""
        if not pa.types.is_floating(self.values.type):
            return self
        first = np.append(True, self.numbers[1:] != self.numbers[:-1])
        place = np.append(np.cumsum(first) - 1, -1)
        counts = np.bincount(place[:-1], self.counts).astype(np.int64)  # exact: far below 2^53
        return replace(
            self, values=self.values.filter(first), counts=counts, places=place[self.places]
        )

    def refuse_other_than(self, way: str, kinds: Iterable[Kind], needed: str) -> None:
        """Refuse values that a way cannot be made from.

        Raises:
            HierarchyError: they are of another kind.
        """
        if self.kind not in kinds:
            raise HierarchyError(f"`{way}` needs {needed}; this attribute is {self.kind}.")


def free(label: str, taken: Iterable[str]) -> str:
    """Return a label that is no value yet, in as many parentheses as that needs.

    >>> free("(other)", ["a", "(other)"])
    '((other))'
    """
    held = set(taken)
    while label in held:
        label = f"({label})"
    return label


def tree_of(words: Sequence[str], above: Sequence[Sequence[str]]) -> Tree:
    """Make a tree of some values, their labels at every level and one root."""
    return Tree(tuple(zip(words, *above, [free(ROOT, words)] * len(words), strict=True)))
