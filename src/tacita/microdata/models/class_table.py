"""Equivalence classes as models see them: their sizes and their confidential values, no records.

A table of classes is all that most promises need, and it can be rolled up: when keys are
generalized, classes merge, and the table of the merged classes is made from the one before without
looking at the records again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import EquivalenceClasses, Floats, Ints, Mask, comparable
from tacita.data.dataset import Dataset
from tacita.errors import HierarchyError, InputError
from tacita.microdata.comparing.representation import as_text
from tacita.microdata.risk.frequencies.population_counts import PopulationClasses

Codes = np.ndarray[Any, np.dtype[np.integer[Any]]]


@dataclass(frozen=True, eq=False)
class Domain:
    """The values that a confidential attribute takes, in their order.

    Args:
        attribute: the attribute.
        values: its distinct values: numbers and dates ascending, ordinal categories in their order,
            others by the alphabet; the blank, if there is one, is the last.
    """

    attribute: Attribute
    values: pa.Array

    @classmethod
    def of(cls, data: Dataset, name: str) -> tuple[Domain, Ints]:
        """Return the domain of an attribute and the place in it of every record's value."""
        domain, places = cls.with_places(data, name)
        return domain, places.astype(np.int64)

    @classmethod
    def with_places(cls, data: Dataset, name: str) -> tuple[Domain, Codes]:
        """Do as `of`, with places in 32 bits: of millions of records, room is what costs time."""
        column = data.column(name)
        if (ranked := _ranked(data.attribute(name), column)) is not None:
            return ranked
        codes, distinct = _numbered(column)
        domain, order = cls.over(data.attribute(name), distinct)
        place = np.empty(len(distinct) + 1, np.int32)
        place[order] = np.arange(len(distinct))
        place[-1] = len(distinct)  # a blank has the code -1
        if column.null_count:
            blank = pa.nulls(1, domain.values.type)
            domain = replace(domain, values=pa.concat_arrays([domain.values, blank]))
        return domain, place[codes]

    @classmethod
    def over(cls, attribute: Attribute, values: pa.Array) -> tuple[Domain, Ints]:
        """Return the domain of some distinct values, and the order in which they stand there."""
        order = _ascending(attribute, values)
        return cls(attribute, values.take(pa.array(order))), order

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_ordered(self) -> bool:
        """Whether it means something that one value is above another."""
        return self.attribute.kind in (Kind.CONTINUOUS, Kind.ORDINAL, Kind.DATE)

    @cached_property
    def ancestors(self) -> Ints:
        """Levels of the hierarchy below its root by values: the number of a value's ancestor.

        The blank is a branch of its own.
        """
        hierarchy, known = self.attribute.hierarchy, self.values.drop_null()
        if hierarchy is None:
            raise InputError(f"Attribute `{self.attribute.name}` has no hierarchy; declare one.")
        try:
            above = [hierarchy.labels(known, level) for level in range(1, hierarchy.height)]
        except HierarchyError as error:
            raise HierarchyError(f"Attribute `{self.attribute.name}`: {error}") from error
        numbers = [np.asarray(pc.dictionary_encode(labels).indices) for labels in above]
        levels = np.array([np.arange(len(known)), *numbers], np.int64)
        blank = np.full((len(levels), self.values.null_count), len(known))
        return np.hstack([levels, blank])


def _ranked(attribute: Attribute, column: pa.Array) -> tuple[Domain, Codes] | None:
    """Order whole numbers that lie close together, without a sort; None where they do not."""
    from tacita.kernels.ranking import dense_ranks

    if attribute.order is not None or column.null_count or not pa.types.is_integer(column.type):
        return None
    found = dense_ranks(column.to_numpy())
    if found is None:
        return None
    return Domain(attribute, pa.array(found[1]).cast(column.type)), found[0]


def _numbered(column: pa.Array) -> tuple[Codes, pa.Array]:
    """Give values numbers in the order in which they first occur, blanks -1; list them too."""
    from tacita.kernels.grouping import factorize

    if pa.types.is_string(column.type):
        encoded = pc.dictionary_encode(column)
        codes = encoded.indices.fill_null(-1) if column.null_count else encoded.indices
        return np.asarray(codes), encoded.dictionary
    numbers, first = factorize(*comparable(column))
    return numbers, column.take(pa.array(first))


def _ascending(attribute: Attribute, distinct: pa.Array) -> Ints:
    if attribute.order is not None:
        words = pa.array([str(category) for category in attribute.order], pa.string())
        places = np.asarray(pc.index_in(as_text(distinct), words).fill_null(len(words)))
        return np.argsort(places + np.asarray(distinct.is_null()), kind="stable")
    column = as_text(distinct) if pa.types.is_nested(distinct.type) else distinct
    return np.asarray(pc.sort_indices(column), np.int64)


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often every value of a confidential attribute occurs in every class; zeros are left out.

    Args:
        domain: the values.
        ends: of every class, where its entries end.
        codes: of every entry, the place of its value in the domain; ascending within a class.
        counts: of every entry, how many records of the class have the value, 1 or more.
        times: how many classes each class stands for, itself included; None where each stands for
            itself alone.
    """

    domain: Domain
    ends: Ints
    codes: Codes
    counts: Ints
    times: Ints | None = None

    @property
    def size(self) -> int:
        """The number of classes."""
        return len(self.ends)

    @property
    def distinct(self) -> Ints:
        """The number of different values in every class."""
        distinct = self.ends.copy()
        distinct[1:] -= self.ends[:-1]
        return distinct

    @cached_property
    def classes(self) -> Ints:
        """Of every entry, the class; ascending."""
        return np.repeat(np.arange(self.size), self.distinct)

    @property
    def whole(self) -> Ints:
        """How often every value of the domain occurs in all classes together."""
        from tacita.kernels.by_group import sum_by_code

        counts = self.counts if self.times is None else self.counts * self.times[self.classes]
        return sum_by_code(self.codes, counts, len(self.domain))

    def merged(self, into: Ints, size: int) -> Histogram:
        """Return the histogram after class c has become part of class `into[c]`."""
        from tacita.kernels.by_group import add_counts_per_group

        found = add_counts_per_group(into[self.classes], self.codes, self.counts, size)
        return Histogram(self.domain, *found)

    def taken(self, kept: Mask) -> Histogram:
        """Return the histogram of some classes only, numbered anew."""
        mine = kept[self.classes]
        ends = np.cumsum(self.distinct[kept])
        return Histogram(self.domain, ends, self.codes[mine], self.counts[mine])

    def with_empty(self, more: int) -> Histogram:
        """Return the histogram with some more classes, without records, at the end."""
        return replace(self, ends=np.append(self.ends, np.full(more, len(self.codes))))

    def emptied(self, gone: Mask) -> Histogram:
        """Return the histogram after some classes lost all their records."""
        left = ~gone[self.classes]
        ends = np.cumsum(np.where(gone, 0, self.distinct))
        return Histogram(self.domain, ends, self.codes[left], self.counts[left])


@dataclass(frozen=True, eq=False)
class ClassTable:
    """Equivalence classes as models see them.

    Args:
        sizes: the number of records in every class. Beside a population, 0 in a class that only the
            population has; no promise about released records is broken there.
        values: for each confidential attribute that was asked for, how its values are spread.
        weights: the sum of the sampling weights in every class, where there are weights.
        population: how many of the population are in every class, where there is a population; it
            may hold fewer than there are records, and a model says what then counts.
        keys: for each key the code of its value in every class, for models that compare classes by
            them; None where nothing is told of them.
    """

    sizes: Ints
    values: Mapping[str, Histogram] = field(default_factory=dict)
    weights: Floats | None = None
    population: Ints | None = None
    keys: Mapping[str, Ints] | None = None

    @classmethod
    def of(
        cls,
        classes: EquivalenceClasses,
        attributes: Sequence[str] = (),
        *,
        with_population: bool = False,
        with_keys: bool = False,
    ) -> ClassTable:
        """Tell of the classes of some data what models look at.

        Args:
            classes: the classes.
            attributes: the confidential attributes whose values are counted.
            with_population: whether to count the population beside the data, too; the classes that
                only it has come after those of the data.
            with_keys: whether to tell the key values of classes.
        """
        values = {name: histogram_of(classes, name) for name in attributes}
        weights = None if classes.data.weight is None else classes.weights
        keys = _codes_of(classes) if with_keys else None
        table = cls(classes.counts, values, weights, keys=keys)
        if not with_population:
            return table
        found = PopulationClasses.of(classes)
        return table.beside(found.inside, found.outside)

    def beside(self, inside: Ints, outside: Ints) -> ClassTable:
        """Return the table with a population, whose own classes come last.

        Args:
            inside: how many of the population are in every class.
            outside: how many are in every class that has no records.
        """
        more = len(outside)
        return ClassTable(
            np.append(self.sizes, np.zeros(more, np.int64)),
            {name: one.with_empty(more) for name, one in self.values.items()},
            None if self.weights is None else np.append(self.weights, np.zeros(more)),
            np.append(inside, outside),
        )

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def records(self) -> int:
        """The number of records in all classes."""
        return int(self.sizes.sum())

    def merged(self, into: Ints, size: int) -> ClassTable:
        """Return the table after class c has become part of class `into[c]`, of `size` classes."""
        return ClassTable(
            _added(into, self.sizes, size),
            {name: one.merged(into, size) for name, one in self.values.items()},
            None if self.weights is None else _summed(into, self.weights, size),
            None if self.population is None else _added(into, self.population, size),
        )

    def taken(self, kept: Mask) -> ClassTable:
        """Return the table of some classes only, numbered anew; the others are left out."""
        return replace(
            self,
            sizes=self.sizes[kept],
            values={name: one.taken(kept) for name, one in self.values.items()},
            weights=None if self.weights is None else self.weights[kept],
            population=None if self.population is None else self.population[kept],
            keys=None if self.keys is None else {k: codes[kept] for k, codes in self.keys.items()},
        )


def histogram_of(classes: EquivalenceClasses, name: str) -> Histogram:
    """Count the values of an attribute in every class."""
    from tacita.kernels.by_group import count_codes_per_group

    domain, codes = Domain.with_places(classes.data, name)
    found = count_codes_per_group(classes.of_record, codes, len(classes), len(domain))
    return Histogram(domain, *found)


def _codes_of(classes: EquivalenceClasses) -> dict[str, Ints]:
    """Return the codes of the key values in every class, alike where the values are."""
    data = classes.data
    return {
        name: EquivalenceClasses.of(data, [name]).of_record[classes.first] for name in classes.keys
    }


def _summed(into: Ints, weights: Floats, size: int) -> Floats:
    from tacita.kernels.by_group import sum_by_group

    return sum_by_group(into, weights, size)


def _added(into: Ints, counts: Ints, size: int) -> Ints:
    return np.bincount(into, counts, size).astype(np.int64)  # exact: far below 2^53
