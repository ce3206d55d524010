"""The data behind the guard: classes of records that public attributes cannot tell apart.

A question names its query set by public attributes, so a query set is a set of classes, and two
records of one class are in the same query sets. Policies think on the classes, and counts, sums and
means are answered from them; nothing that an analyst wrote ever reaches the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Attribute, Kind, Role
from tacita.data.classes import EquivalenceClasses, Floats, Ints, Mask, comparable
from tacita.data.dataset import Dataset
from tacita.data.decimals import decimals_of, in_units
from tacita.errors import InputError

Numbers = TypeVar("Numbers", Floats, Ints)
WHOLE = 2**62  # up to here whole sums are safe in 64 bits
PUBLIC = frozenset({Role.KEY, Role.NON_CONFIDENTIAL, Role.STRATUM})


@dataclass(frozen=True, eq=False)
class PublicColumn:
    """The values of a public attribute: of every class a code, of every code a value.

    Args:
        codes: the place of every class's value in `values`; -1 where it is blank.
        values: the distinct values.
    """

    codes: Ints
    values: pa.Array

    def of_classes(self) -> pa.Array:
        """Return the value of every class."""
        return self.values.take(pa.array(self.codes, mask=self.codes < 0))


@dataclass(frozen=True, eq=False)
class Totals:
    """The sum of an attribute over every class, and how many of its records have a value.

    Args:
        sums: the sums, in units of the last decimal where all values are decimals.
        known: the records with a value.
        decimals: how many digits after the point the values have; None where they are no decimals,
            or too large to be added up as whole numbers.
    """

    sums: Ints | Floats
    known: Ints
    decimals: int | None

    def over(self, classes: Mask | Ints) -> float | int:
        """Return the sum over some classes; exact where the values are decimals.

        Whole sums are added without rounding, so that a total is the sum of its parts.
        """
        total = self.sums[classes].sum()
        if self.decimals is None:
            return float(total)
        return int(total) / 10**self.decimals if self.decimals else int(total)


@dataclass(frozen=True, eq=False)
class PublicClasses:
    """The records of a protected view, class by class.

    Args:
        view: what the view is called in queries.
        attributes: the attributes of the view, without identifiers.
        columns: the public attributes.
        sizes: the number of records in every class.
        starts: where the records of every class start in the hidden columns; one more at the end.
        hidden: the confidential attributes, their records in the order of the classes.
        order: the record of the source that stands at each place of the hidden columns.
        weights: the weight of every record, in the order of the classes, if there are weights.
        weight: the name of the weight attribute, so that `sum(x * weight)` is understood.
        known: the classes whose records an insider is taken to know.
        identifiers: the identifiers, in the order of the source; nobody may name their values.
    """

    view: str
    attributes: Mapping[str, Attribute]
    columns: Mapping[str, PublicColumn]
    sizes: Ints
    starts: Ints
    hidden: Mapping[str, pa.Array]
    order: Ints
    weights: Floats | None = None
    weight: str | None = None
    known: Mask = field(default_factory=lambda: np.zeros(0, bool))
    identifiers: Mapping[str, pa.Array] = field(default_factory=dict)

    @classmethod
    def of(
        cls, data: Dataset, view: str, known: Mask | None = None, apart: Ints | None = None
    ) -> PublicClasses:
        """Make the classes of a data set.

        Args:
            data: the records.
            view: what the view is called in queries.
            known: the records that an insider is taken to know; each is a class of its own.
            apart: a number of every record; records of different numbers are in different classes.
        """
        attributes = _attributes(data)
        public = [name for name, one in attributes.items() if one.roles & PUBLIC]
        hidden = [name for name, one in attributes.items() if name not in public]
        classes, known_classes = _classes(data, public, known, apart)
        order = np.argsort(classes.of_record, kind="stable")
        rows = pa.array(order)
        return cls(
            view=view,
            attributes=attributes,
            columns={name: _column(data, name, classes.first) for name in public},
            sizes=classes.counts,
            starts=np.append(0, np.cumsum(classes.counts)),
            hidden={name: data.column(name).take(rows) for name in hidden},
            order=order,
            weights=None if data.weight is None else data.weight[order],
            weight=next(iter(data.with_role(Role.WEIGHT)), None),
            known=known_classes,
            identifiers={name: data.column(name) for name in data.with_role(Role.IDENTIFIER)},
        )

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def records(self) -> int:
        """The number of records."""
        return len(self.order)

    @cached_property
    def of_record(self) -> Ints:
        """The class of every record, in the order of the classes."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def is_public(self, name: str) -> bool:
        """Tell whether an attribute is public, so that it may name query sets."""
        return name in self.columns

    def numbers(self, name: str) -> Floats:
        """Return the values of a numeric attribute, records in the order of the classes.

        A blank is NaN. Public numbers are spread over the records of their class.
        """
        if name not in self._numbers:
            self._numbers[name] = self._as_numbers(name)
        return self._numbers[name]

    def respondents(self, name: str) -> Ints:
        """Return of every record, in the order of the classes, a number of who it is about.

        Args:
            name: the identifier that tells respondents apart; a blank is one of them.
        """
        if name not in self._respondents:
            encoded = self.identifiers[name].dictionary_encode(null_encoding="encode")
            self._respondents[name] = np.asarray(encoded.indices, np.int64)[self.order]
        return self._respondents[name]

    def has_values(self, names: Sequence[str]) -> Mask:
        """Tell of every record, in the order of the classes, whether all have a value in it."""
        there = np.ones(self.records, np.bool_)
        for name in names:
            if name in self.hidden:
                there &= np.asarray(self.hidden[name].is_valid())
            elif name in self.columns:
                there &= (self.columns[name].codes >= 0)[self.of_record]
        return there

    def known_values(self, names: tuple[str, ...]) -> Ints:
        """Return of every class the number of records in which attributes all have a value."""
        if names not in self._known_values:
            there = self.has_values(names).astype(np.int64)
            self._known_values[names] = self._by_class(there)
        return self._known_values[names]

    def totals(self, name: str, *, weighted: bool = False) -> Totals:
        """Return the sums of a numeric attribute over every class."""
        if (name, weighted) not in self._totals:
            self._totals[name, weighted] = self._totalled(name, weighted)
        return self._totals[name, weighted]

    @cached_property
    def _numbers(self) -> dict[str, Floats]:
        return {}

    @cached_property
    def _respondents(self) -> dict[str, Ints]:
        return {}

    @cached_property
    def _known_values(self) -> dict[tuple[str, ...], Ints]:
        return {}

    @cached_property
    def _totals(self) -> dict[tuple[str, bool], Totals]:
        return {}

    def _as_numbers(self, name: str) -> Floats:
        if self.attributes[name].kind is not Kind.CONTINUOUS:
            kind = self.attributes[name].kind.value
            raise InputError(f"Only numbers can be added up; `{name}` is {kind}.").about(name)
        if name in self.hidden:
            column = self.hidden[name]
        else:
            column = self.columns[name].of_classes().take(pa.array(self.of_record))
        # Whole numbers beyond 2^53 are rounded, as in every database that turns them into doubles.
        return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))

    def _totalled(self, name: str, weighted: bool) -> Totals:
        with np.errstate(over="ignore", invalid="ignore"):  # what is too large is told as blank
            whole = None if weighted else self._whole(name)
            return self._rounded(name, weighted) if whole is None else whole

    def _whole(self, name: str) -> Totals | None:
        """Return the sums of confidential whole numbers, where they fit, without rounding any."""
        column = self.hidden.get(name)
        if column is None or not pa.types.is_integer(column.type):
            return None
        if np.nansum(np.abs(self.numbers(name))) >= WHOLE:
            return None
        values = np.asarray(column.fill_null(0)).astype(np.int64)
        known = np.asarray(column.is_valid()).astype(np.int64)
        return Totals(self._by_class(values), self._by_class(known), 0)

    def _rounded(self, name: str, weighted: bool) -> Totals:
        values = self.numbers(name)
        there = ~np.isnan(values)
        values = np.where(there, values, 0.0)
        if weighted and self.weights is not None:
            values = values * self.weights
        known = self._by_class(there.astype(np.int64))
        decimals = decimals_of(values)
        if decimals is None or np.abs(values).sum() >= WHOLE / 10.0**decimals:
            return Totals(self._by_class(values), known, None)
        return Totals(self._by_class(in_units(values, decimals)), known, decimals)

    def _by_class(self, values: Numbers) -> Numbers:
        """Add up the values of every class, in order."""
        added: Numbers = np.add.reduceat(values, self.starts[:-1]) if len(self) else values[:0]
        return added


def _attributes(data: Dataset) -> dict[str, Attribute]:
    """Return what analysts may name: everything but identifiers and weights."""
    unnamed = (Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD)
    return {
        name: data.attribute(name)
        for name in data.names
        if not any(data.attribute(name).is_a(role) for role in unnamed)
    }


def _classes(
    data: Dataset, public: Sequence[str], known: Mask | None, apart: Ints | None
) -> tuple[EquivalenceClasses, Mask]:
    """Return the classes of public attributes, and which of them an insider knows."""
    classes = data.classes(public)
    known = np.zeros(len(data), bool) if known is None else known
    if apart is None and not known.any():
        return classes, np.zeros(len(classes), bool)
    from tacita.kernels.grouping import group

    alone = np.where(known, np.arange(1, len(data) + 1), 0)
    apart = np.zeros(len(data), np.int64) if apart is None else apart
    groups = group([classes.of_record, alone, apart])
    split = EquivalenceClasses(data, tuple(public), groups.ids, groups.first, groups.counts)
    return split, known[groups.first]


def _column(data: Dataset, name: str, first: Ints) -> PublicColumn:
    from tacita.kernels.grouping import factorize

    column = data.column(name).take(pa.array(first))
    codes, where = factorize(*comparable(column))
    return PublicColumn(np.asarray(codes, np.int64), column.take(pa.array(where)))
