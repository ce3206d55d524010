"""A line: the values of an attribute in ascending order, so that ranges of them can be said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute
from tacita.data.classes import Floats, Ints, comparable
from tacita.data.dataset import Dataset
from tacita.data.hierarchies.tree import Tree
from tacita.errors import InputError, shown
from tacita.microdata.comparing.coverage import EXACT, are_digits, ascends, leaves_in_order
from tacita.microdata.comparing.representation import as_text

Places = np.ndarray[Any, np.dtype[np.int32]]
Said = Callable[[Ints], pa.Array]


@dataclass(frozen=True, eq=False)
class Line:
    """The distinct values of an attribute, ascending, and which of them every record has.

    Numbers and codes of as many digits each lie at their value, dates and times at their day,
    other categories at their place among the categories in their order (ordinal ones), along their
    tree, or in the alphabet.

    Args:
        attribute: the attribute.
        at: where the distinct values lie, ascending; integers where only whole numbers lie there.
        examples: one value of the attribute that lies there, each.
        values: what lies there, as text.
        place: the number of every record's value among them; -1 for a blank.
        said: the text of any whole numbers on the line; None if others lie there too.
        ends: the first and the last that lie on the line; None if nothing does.
        is_exact: whether different values of the attribute lie at different places.
    """

    attribute: Attribute
    at: Ints | Floats
    examples: pa.Array
    values: pa.Array
    place: Places
    said: Said | None
    ends: tuple[Any, Any] | None
    is_exact: bool

    @classmethod
    def of(cls, data: Dataset, name: str) -> Line:
        """Lay the values of an attribute on a line."""
        from tacita.kernels.grouping import factorize

        attribute, column = data.attribute(name), data.column(name)
        codes, first = factorize(*comparable(column))
        distinct = column.take(pa.array(first))
        lying = _lying(attribute, distinct)
        at: Any
        at, example, number = np.unique(lying.at, return_index=True, return_inverse=True)
        place = np.append(number, -1).astype(np.int32)[codes]  # a blank has the code -1
        examples = distinct.take(pa.array(example))
        values = as_text(examples) if lying.said is None else lying.said(at)
        ends = (lying.ends or (at[0], at[-1])) if len(at) else None
        is_exact = len(at) == len(first)
        return cls(attribute, at, examples, values, place, lying.said, ends, is_exact)

    @property
    def counts(self) -> Ints:
        """How many records have each of the distinct values."""
        return np.bincount(self.place + 1, minlength=len(self.at) + 1)[1:]

    def ranges(self, low: Ints, high: Ints) -> pa.Array:
        """Say ranges from one of the distinct values to another; a single value says itself."""
        ends = self.values.take(pa.array(low)), self.values.take(pa.array(high))
        return self.said_as_ranges(*ends)

    def said_as_ranges(self, low: pa.Array, high: pa.Array) -> pa.Array:
        """Write `[low;high]`, and the value itself where the two are the same.

        Raises:
            InputError: an end has a semicolon, as ranges have, so that nobody could read it.
        """
        both = pc.binary_join_element_wise("[", low, ";", high, "]", "")
        several = pc.not_equal(low, high)
        wrong = both.filter(pc.and_(several, pc.greater(pc.count_substring(both, ";"), 1)))
        if len(wrong):
            raise InputError(
                f"A range is written `[a;b]`, and values of `{self.attribute.name}` hold "
                f"semicolons or are ranges already; found {shown(wrong[0].as_py())}. Recode or "
                "generalize them in place of this."
            ).about(self.attribute.name)
        return pc.if_else(several, both, low)


class _Lying(NamedTuple):
    """Where distinct values lie, how whole numbers there are said, and the ends of the domain."""

    at: Ints | Floats
    said: Said | None
    ends: tuple[int, int] | None = None


def _lying(attribute: Attribute, distinct: pa.Array) -> _Lying:
    kind = distinct.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        days = distinct.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
        return _Lying(np.asarray(days) // 86_400_000_000, _days)
    if pa.types.is_integer(kind) and ascends(attribute):
        if (pc.max(distinct).as_py() or 0) > np.iinfo(np.int64).max:
            return _on_numbers(attribute, distinct)
        return _Lying(np.asarray(distinct.cast(pa.int64())), _whole_numbers)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _on_numbers(attribute, distinct)
    if _are_codes(attribute, distinct):
        width = len(distinct[0].as_py())
        codes = np.asarray(distinct.cast(pa.int64()))
        return _Lying(codes, lambda at: pc.utf8_lpad(_whole_numbers(at), width, padding="0"))
    words = as_text(distinct)
    leaves, _ = leaves_in_order(attribute, distinct, words)
    at = np.asarray(pc.index_in(words, leaves), np.int64)
    return _Lying(at, lambda at: leaves.take(pa.array(at)), (0, len(leaves) - 1))


def _on_numbers(attribute: Attribute, distinct: pa.Array) -> _Lying:
    """Lay numbers on the line as doubles.

    Raises:
        InputError: doubles are too coarse to tell some apart, and no range would hold them all.
    """
    numbers = np.asarray(distinct.cast(pa.float64(), safe=False))
    if not pa.types.is_floating(distinct.type) and len(np.unique(numbers)) < len(numbers):
        raise InputError(
            f"`{attribute.name}` holds numbers that differ in more digits than doubles have, so "
            "that no ranges of them can be said; round them first, or declare them nominal."
        ).about(attribute.name)
    if (numbers == np.floor(numbers)).all() and (np.abs(numbers) < EXACT).all():
        return _Lying(numbers.astype(np.int64), _whole_numbers)
    return _Lying(numbers, None)


def _are_codes(attribute: Attribute, distinct: pa.Array) -> bool:
    is_text = pa.types.is_string(distinct.type) and not isinstance(attribute.hierarchy, Tree)
    return is_text and ascends(attribute) and are_digits(distinct)


def _whole_numbers(at: Ints) -> pa.Array:
    return pa.array(at).cast(pa.string())


def _days(at: Ints) -> pa.Array:
    return pa.array(at.astype(np.int32), pa.int32()).cast(pa.date32()).cast(pa.string())
