"""What everybody knows: who is in the data, by public attributes, and how query sets are named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.classes import Ints, Mask
from tacita.errors import InputError, did_you_mean
from tacita.queries.language.expressions import Literal
from tacita.queries.language.writing import quoted, written
from tacita.queries.public_classes import PublicClasses


@dataclass(frozen=True, eq=False)
class Condition:
    """A condition on public attributes: as SQL, and the classes it holds in.

    Args:
        text: the condition; it is true or false of every record, never unknown.
        holds: of every class of the register whether it holds there.
    """

    text: str
    holds: Mask

    def __and__(self, other: Condition) -> Condition:
        return Condition(f"({self.text} AND {other.text})", self.holds & other.holds)

    def __or__(self, other: Condition) -> Condition:
        return Condition(f"({self.text} OR {other.text})", self.holds | other.holds)

    def __invert__(self) -> Condition:
        return Condition(f"(NOT {self.text})", ~self.holds)


@dataclass(frozen=True, eq=False)
class Register:
    """The public attributes of everybody in the data, as a register or a phone book has them.

    Args:
        view: what the view is called in queries.
        names: the public attributes.
        classes: the combinations of values that occur; None where a value is blank.
        sizes: the number of records of each.
        is_sure: whether the numbers are known, and not partly guessed.

    >>> register = Register("firms", ("sector",), (("IT",), ("HC",), (None,)), np.array([3, 4, 1]))
    >>> one = register.where("sector", ["IT"])
    >>> print(one.text)
    ("sector" = 'IT' AND "sector" IS NOT NULL)
    >>> register.size(one), register.size(~one)
    (3, 5)
    """

    view: str
    names: tuple[str, ...]
    classes: tuple[tuple[Any, ...], ...]
    sizes: Ints
    is_sure: bool = True

    @classmethod
    def of(cls, data: PublicClasses) -> Register:
        """Return the register of a database that one has at hand."""
        columns = {name: column.of_classes() for name, column in data.columns.items()}
        names = [name for name, column in columns.items() if not pa.types.is_list(column.type)]
        rows = zip(*[columns[name].to_pylist() for name in names], strict=True)
        return cls.counted(data.view, names, zip(rows, data.sizes.tolist(), strict=True))

    @classmethod
    def counted(
        cls, view: str, names: Iterable[str], rows: Iterable[tuple[tuple[Any, ...], int]]
    ) -> Register:
        """Make a register of values with their numbers of records."""
        counts: Counter[tuple[Any, ...]] = Counter()
        for values, number in rows:
            counts[values] += int(number)
        return cls(view, tuple(names), tuple(counts), np.array([*counts.values()], np.int64))

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.sizes.sum())

    def size(self, condition: Condition) -> int:
        """Return the number of records that a condition chooses."""
        return int(self.sizes[condition.holds].sum())

    def values(self, name: str) -> dict[Any, int]:
        """Return the values of an attribute with their numbers of records, in order."""
        counts: Counter[Any] = Counter()
        for value, number in zip(self._column(name), self.sizes.tolist(), strict=True):
            counts[value] += number
        known = sorted(value for value in counts if value is not None)
        return {value: counts[value] for value in [*known, *([None] if None in counts else [])]}

    def where(self, name: str, chosen: Collection[Any]) -> Condition:
        """Return the condition that an attribute has one of some values; None stands for blank."""
        column = self._column(name)
        known = [literal(value) for value in chosen if value is not None]
        found = f"= {known[0]}" if len(known) == 1 else f"IN ({', '.join(known)})"
        parts = [f"{quoted(name)} {found}"] if known else []
        if parts and None in column:
            parts = [f"({parts[0]} AND {quoted(name)} IS NOT NULL)"]
        if None in chosen:
            parts.append(f"{quoted(name)} IS NULL")
        text = parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"
        return Condition(text, np.array([value in chosen for value in column], bool))

    def all_of(self, known: Mapping[str, Any]) -> Condition:
        """Return the condition that attributes have these values; without any, everybody."""
        parts = [self.where(name, [value]) for name, value in known.items()]
        text = f"({' AND '.join(part.text for part in parts)})" if parts else "(1 = 1)"
        holds = np.ones(len(self.classes), bool)
        for part in parts:
            holds &= part.holds
        return Condition(text, holds)

    def any_of(self, places: Iterable[int]) -> Condition:
        """Return the condition that somebody is in one of some classes, said by their numbers."""
        places = list(places)
        values = [dict(zip(self.names, self.classes[one], strict=True)) for one in places]
        text = " OR ".join(self.all_of(one).text for one in values)
        holds = np.zeros(len(self.classes), bool)
        holds[places] = True
        return Condition(f"({text})", holds)

    def everybody(self) -> Condition:
        """Return the condition that holds of everybody."""
        return self.all_of({})

    def class_of(self, condition: Condition) -> int:
        """Return the number of the only class that a condition chooses."""
        return int(np.flatnonzero(condition.holds)[0])

    def unique(self) -> Iterator[dict[str, Any]]:
        """Return the public values of those who are the only ones of their kind."""
        for values, number in zip(self.classes, self.sizes, strict=True):
            if number == 1:
                yield dict(zip(self.names, values, strict=True))

    def halves(self) -> list[Condition]:
        """Return conditions on one attribute, those that choose about half of the records first.

        Of every attribute these are its single values and its first values up to a half.
        """
        found = []
        for name in self.names:
            values = self.values(name)
            found += [self.where(name, [value]) for value in values]
            until = np.cumsum([*values.values()]) <= self.records / 2
            first = [value for value, taken in zip(values, until, strict=True) if taken]
            if len(first) > 1:
                found.append(self.where(name, first))
        return sorted(found, key=lambda one: abs(2 * self.size(one) - self.records))

    def _column(self, name: str) -> list[Any]:
        if name not in self.names:
            raise InputError(
                f"There is no public attribute `{name}` in the view `{self.view}`."
                f"{did_you_mean(name, self.names)}"
            ).about(name)
        place = self.names.index(name)
        return [values[place] for values in self.classes]


def literal(value: Any) -> str:
    """Return a value as SQL writes it.

    >>> print(literal("O'Neil"), literal(3), literal(True))
    'O''Neil' 3 TRUE
    """
    return written(Literal(value))
