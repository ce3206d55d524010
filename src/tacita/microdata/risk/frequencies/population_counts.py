"""How many of the population share the key values of each released record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacita.data.classes import EquivalenceClasses, Floats, Ints, comparable
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.comparing.representation import common_codes
from tacita.microdata.risk.frequencies.key_counts import KeyCounts
from tacita.results import counted, listed


@dataclass(frozen=True, eq=False)
class PopulationCounts:
    """The combinations of key values of a population, and those of the released records in it.

    Keys that masking recoded (every original value became one released value) are recoded alike
    in the population, where the values that the sample does not hold stay apart.

    Args:
        sizes: how many of the population share each of its combinations.
        of_record: how many share each released record's, and at least as many as are released.
        lacking: the released records of combinations that the population holds fewer of.
    """

    sizes: Ints
    of_record: Ints
    lacking: int

    @classmethod
    def of(
        cls, original: Dataset, protected: Dataset, keys: Sequence[str] | None
    ) -> PopulationCounts:
        """Find the released records' combinations in the population beside the original data.

        Raises:
            InputError: there is no population, or it lacks a key.
        """
        released = protected.classes(keys)
        people, own, size = _numbered(original, protected, released.keys)
        sizes = np.bincount(people, minlength=size)
        found = sizes[own]
        least = released.size_of_record
        lacking = int(np.count_nonzero(found < least))
        return cls(sizes[sizes > 0], np.maximum(found, least), lacking)

    def told(self) -> str:
        """Say how many released records contradict the population; nothing when none does."""
        if not self.lacking:
            return ""
        return (
            f"; of the key values of {counted(self.lacking, 'record')} the population holds fewer "
            "than the release, which then counts"
        )


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The frequency F in the population of each released record's key values.

    Args:
        of_record: the frequencies, whole numbers unless they were estimated from weights.
        told: where they come from, in words.
    """

    of_record: Ints | Floats
    told: str

    @classmethod
    def of(cls, original: Dataset, protected: Dataset, keys: Sequence[str] | None) -> Frequencies:
        """Count in the population, else estimate from the weights, else bound by the sample."""
        if original.external.population is not None:
            found = PopulationCounts.of(original, protected, keys)
            return cls(found.of_record, f" in the population{found.told()}")
        if protected.weight is not None:
            counts = KeyCounts.of(protected, keys, alpha=None)
            by_weight = counts.population[counts.of_record]
            return cls(by_weight, " in the population, which the sampling weights estimate")
        bound = " in the release, a bound since there is neither a population nor weights"
        return cls(protected.classes(keys).size_of_record, bound)


class PopulationClasses(NamedTuple):
    """The population beside some data, by the classes of the data and by others that it has.

    Args:
        inside: how many of the population are in every class of the data.
        outside: how many are in every class that the data have no record of.
        first: a record of the population in every class of the latter.
    """

    inside: Ints
    outside: Ints
    first: Ints

    @classmethod
    def of(cls, classes: EquivalenceClasses) -> PopulationClasses:
        """Count the population beside the data, whose keys are taken as they stand.

        Raises:
            InputError: there is no population, or it lacks a key.
        """
        people, own, size = _numbered(classes.data, classes.data, classes.keys)
        sizes = np.bincount(people, minlength=size)
        only_there = sizes > 0
        only_there[own] = False
        first = np.zeros(size, np.int64)
        first[people[::-1]] = np.arange(len(people))[::-1]
        return cls(sizes[own[classes.first]], sizes[only_there], first[only_there])


def _numbered(original: Dataset, protected: Dataset, keys: Sequence[str]) -> tuple[Ints, Ints, int]:
    """Give numbers, alike in the population and the release, to combinations of key values."""
    from tacita.kernels.grouping import group

    population = _population(original, keys)
    own = protected if original is protected else paired(original, protected)
    codes = [
        np.concatenate(_recoded(*(data.column(name) for data in (own, population, protected))))
        for name in keys
    ]
    told_why = [name for name in keys if name in protected.missing_reasons]
    codes += [_reasons(name, population, protected) for name in told_why]
    ids, first, _ = group(codes)
    return ids[: len(population)], ids[len(population) :], len(first)


def _population(original: Dataset, keys: Sequence[str]) -> Dataset:
    population = original.external.population
    if population is None:
        raise InputError(
            "This measure needs the population that the data are a sample of; give it beside the "
            "data."
        )
    missing = [name for name in keys if name not in population.attributes]
    if missing:
        raise InputError(f"The population lacks the keys {listed(missing)}; leave them out or add.")
    return population


def _reasons(name: str, *datasets: Dataset) -> Ints:
    """Give numbers to why values are missing, alike in all data sets; 0 where nobody says."""
    numbers: dict[str, int] = {}
    parts = []
    for data in datasets:
        codes = data.attribute(name).meaning.missing_codes
        number = np.array([0, *(numbers.setdefault(str(c), len(numbers) + 1) for c in codes)])
        parts.append(number[data.missing_reasons.get(name, np.zeros(len(data), np.int64))])
    return np.concatenate(parts)


def _recoded(own: pa.Array, known: pa.Array, released: pa.Array) -> tuple[Ints, Ints]:
    """Return codes of a population's and the released values of a key; a blank has -1."""
    from tacita.kernels.grouping import factorize

    before, codes = common_codes(own, known)
    after = factorize(*comparable(released))[0]
    there = after >= 0
    last = max(int(part.max(initial=-1)) for part in (before, codes))
    # Values that nobody in the sample has get codes of their own; the last place is for the blank.
    new = after.max(initial=-1) + 1 + np.arange(last + 2)
    new[-1] = -1
    new[before[there]] = after[there]
    if (new[before[there]] == after[there]).all():
        return new[codes], after
    return common_codes(known, released)
