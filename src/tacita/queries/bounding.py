"""Bounds of what is computed from protected numbers that have bounds.

Everything here sees what is told anyway, or what camouflage could tell: intervals, and the made-up
data sets that they come from. The truth is not at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite
from typing import Any

import pyarrow as pa

from tacita.queries.answer import Released
from tacita.queries.camouflage.forms import Affine, Interval, Ratio
from tacita.queries.camouflage.intervals import outward
from tacita.queries.language.functions import apply

COMPARED = frozenset({"=", "<>", "<", "<=", ">", ">="})
BY_OTHERS = frozenset({"other policies"})  # what bounds come from that are not of a protection set


@dataclass(frozen=True, eq=False, slots=True)
class Span:
    """The bounds of an expression.

    Args:
        lower: the least it can be.
        upper: the most it can be.
        sources: what its bounds come from: two expressions without a common one vary freely.
        ratio: what it is over the protection set of one attribute, where that tells all.
        is_outer: whether it may be narrower than the bounds say.
        is_certain: whether the truth is in between for sure, and not with some confidence only.
    """

    lower: float
    upper: float
    sources: frozenset[str] = frozenset()
    ratio: Ratio | None = None
    is_outer: bool = False
    is_certain: bool = True

    @classmethod
    def of_value(cls, value: Any) -> Span | None:
        """Return the bounds of a value that is known; None where it is no number."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return cls(value, value, ratio=Ratio(Affine(value))) if is_number else None

    @classmethod
    def of_answer(cls, released: Released) -> Span | None:
        """Return the bounds of a protected number; None where it is no number."""
        if released.lower is None or released.upper is None:
            return cls.of_value(released.value)
        linear = released.linear
        ratio = None if linear is None else Ratio(Affine(0.0, ((1.0, linear),)))
        source = BY_OTHERS if released.of is None else frozenset({released.of})
        return cls(released.lower, released.upper, source, ratio, False, released.is_certain)

    @property
    def bounds(self) -> Interval:
        """The bounds."""
        return self.lower, self.upper

    @property
    def middle(self) -> float:
        """What the expression is put in order by."""
        return self.lower / 2 + self.upper / 2


def computed(function: str, arguments: Sequence[Span | None]) -> Span | None:
    """Return the bounds of a function of bounded arguments; None where there are none to tell.

    Where all is one ratio of linear statistics of a camouflaged attribute, they are its least and
    its largest value. Elsewhere every argument varies in its bounds: exact where arguments vary
    freely, else an outer bound. Several bounds of some confidence each have none together.

    >>> one, other = Span(1.0, 2.0, frozenset({"x"})), Span(4.0, 5.0, frozenset({"y"}))
    >>> computed("/", [one, other]).bounds, computed("-", [one, one]).is_outer
    ((0.2, 0.5), True)
    """
    if function == "coalesce":
        return arguments[0]
    known = [one for one in arguments if one is not None]
    if len(known) < len(arguments) or function not in WAYS:
        return None
    if sum(bool(one.sources) for one in known) > 1 and not all(one.is_certain for one in known):
        return None
    ratio = _ratio(function, [one.ratio for one in known])
    found = None if ratio is None else ratio.bounds()
    if ratio is None or found is None:
        ratio, found = None, WAYS[function](*(one.bounds for one in known))
    elif ratio.of is not None:
        found = outward(found)
    if found is None or not all(map(isfinite, found)):
        return None
    sources = frozenset().union(*(one.sources for one in known))
    shared = ratio is None and sum(len(one.sources) for one in known) > len(sources)
    is_outer = shared or any(one.is_outer for one in known)
    return Span(*found, sources, ratio, is_outer, all(one.is_certain for one in known))


def _ratio(function: str, parts: Sequence[Ratio | None]) -> Ratio | None:
    """Return a function of ratios of one attribute as such a ratio; None where it is none."""
    ratios = [one for one in parts if one is not None]
    named = {one.of for one in ratios} - {None}
    if len(ratios) < len(parts) or len(named) > 1 or function not in RATIOS:
        return None
    return RATIOS[function](*ratios)


def _product(one: Ratio, other: Ratio) -> Ratio | None:
    if other.of is None:
        return one.scaled(other.above.constant)
    return other.scaled(one.above.constant) if one.of is None else None


RATIOS: Mapping[str, Callable[..., Ratio | None]] = {
    "+": Ratio.plus,
    "-": lambda one, other: one.plus(other.scaled(-1.0)),
    "*": _product,
    "/": Ratio.over,
    "DOUBLE": lambda one: one,
}


def _divided(one: Interval, other: Interval) -> Interval | None:
    if other[0] <= 0 <= other[1]:
        return None
    return _multiplied(one, (1 / other[1], 1 / other[0]))


def _multiplied(one: Interval, other: Interval) -> Interval:
    products = [a * b for a, b in product(one, other)]
    return min(products), max(products)


def _absolute(one: Interval) -> Interval:
    lower, upper = sorted(map(abs, one))
    return (0.0 if one[0] <= 0 <= one[1] else lower), upper


def _growing(function: str) -> Callable[..., Interval | None]:
    """Return what a function that never falls makes of bounds; others of its arguments are said."""

    def way(one: Interval, *said: Interval) -> Interval | None:
        words = [pa.scalar(int(number)) for number, _ in said]
        ends = [apply(function, pa.scalar(end), *words).as_py() for end in one]
        return None if None in ends else (ends[0], ends[1])

    return way


WAYS: Mapping[str, Callable[..., Interval | None]] = {
    "+": lambda one, other: (one[0] + other[0], one[1] + other[1]),
    "-": lambda one, other: (one[0] - other[1], one[1] - other[0]),
    "*": _multiplied,
    "/": _divided,
    "abs": _absolute,
    "DOUBLE": lambda one: one,
    **{name: _growing(name) for name in ("round", "floor", "ceil", "BIGINT")},
}


# -- conditions ----------------------------------------------------------------------------------


def compared(function: str, one: Span | None, other: Span | None) -> bool | None:
    """Tell whether a comparison holds whatever the values are; None if that depends on them.

    >>> one, other = Span(1.0, 2.0), Span(3.0, 4.0)
    >>> compared("<", one, other), compared("=", one, other), compared("<=", one, one)
    (True, False, None)
    """
    if one is None or other is None:
        return None
    if function in (">", ">="):
        return compared("<" if function == ">" else "<=", other, one)
    if function == "<":
        return True if one.upper < other.lower else False if one.lower >= other.upper else None
    if function == "<=":
        return True if one.upper <= other.lower else False if one.lower > other.upper else None
    equal = one.lower == one.upper == other.lower == other.upper
    apart = one.upper < other.lower or other.upper < one.lower
    if not (equal or apart):
        return None
    return equal if function == "=" else apart
