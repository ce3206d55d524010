"""Sets of values that a condition on one attribute describes, as intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats
from tacita.queries.language.expressions import (
    Call,
    DistinctValues,
    Expression,
    Literal,
    Named,
    holds_in_rows,
    leaves,
)

COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">=", "IN"})
LOGIC = frozenset({"AND", "OR", "NOT"})
LARGEST = 1e300


@dataclass(frozen=True, eq=False)
class ValueSet:
    """A union of intervals.

    Args:
        edges: the ends of the intervals, one after the other; whether they belong to them is left
            open.
    """

    edges: Floats

    def eroded(self, by: float) -> ValueSet:
        """Return the values that stay in the set if they are changed by so much.

        >>> ValueSet(np.array([1.0, 5.0, 8.0, 9.0])).eroded(1).edges
        array([2., 4.])
        """
        lower, upper = self.edges[::2] + by, self.edges[1::2] - by
        left = lower < upper
        return ValueSet(np.column_stack([lower[left], upper[left]]).ravel())


def is_simple(condition: Expression, name: str) -> bool:
    """Tell whether a condition compares one attribute with written numbers, and nothing else."""
    if not isinstance(condition, Call):
        return False
    if condition.function in LOGIC:
        return all(is_simple(one, name) for one in condition.arguments)
    numbers = [one for one in condition.arguments if one != Named(name)]
    return (
        condition.function in COMPARISONS
        and len(numbers) == len(condition.arguments) - 1
        and all(map(_is_number, numbers))
    )


def value_sets(condition: Expression, name: str) -> tuple[ValueSet, ValueSet]:
    """Return where a simple condition holds, and where it does not.

    Between two of the numbers that are written in it, a condition holds everywhere or nowhere.

    >>> is_between = Call(">", (Named("x"), Literal(3))), Call("<=", (Named("x"), Literal(9)))
    >>> [one.edges.tolist() for one in value_sets(Call("AND", is_between), "x")]
    [[3.0, 9.0], [-inf, 3.0, 9.0, inf]]
    """
    numbers = {float(one.value) for one in leaves(condition) if isinstance(one, Literal)}  # type: ignore[arg-type]
    cuts = np.array(sorted(numbers))
    first, last = cuts[0] - max(1.0, abs(cuts[0])), cuts[-1] + max(1.0, abs(cuts[-1]))
    between = np.concatenate([[first], cuts[:-1] / 2 + cuts[1:] / 2, [last]])
    columns = DistinctValues(name, pa.array(between))
    holds = holds_in_rows(condition, columns, len(between))
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    at_cuts = holds_in_rows(condition, DistinctValues(name, pa.array(cuts)), len(cuts))
    return _joined(ends, holds, at_cuts), _joined(ends, ~holds, ~at_cuts)


def _joined(ends: Floats, inside: np.ndarray, at_ends: np.ndarray) -> ValueSet:
    """Return the pieces that are inside; two that meet in a point that is, too, are one."""
    edges: list[float] = []
    for place in np.flatnonzero(inside):
        if edges and edges[-1] == ends[place] and at_ends[place - 1]:
            edges.pop()
        else:
            edges.append(float(ends[place]))
        edges.append(float(ends[place + 1]))
    return ValueSet(np.array(edges))


def _is_number(expression: Expression) -> bool:
    value = expression.value if isinstance(expression, Literal) else None
    # Beyond a number as large, the next one is out of what doubles can say.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST
