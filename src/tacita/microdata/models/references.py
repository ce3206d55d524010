"""What classes are compared with: the whole file, or a distribution that somebody gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BeforeValidator, Field

from tacita.data.attribute import Attribute
from tacita.data.classes import Ints
from tacita.data.hierarchies import some_of
from tacita.errors import InputError
from tacita.microdata.models.class_table import Domain, Histogram
from tacita.results import exactly

MOST = 2**31  # as many records as there can be: products of two counts then fit 64 bits


def _in_words(said: Any) -> Any:
    if not isinstance(said, Mapping):
        return said
    words = ["" if value is None else str(value) for value in said]
    if len(set(words)) < len(words):
        raise ValueError("`distribution` gives a value twice; give it once.")
    return dict(zip(words, said.values(), strict=True))


Distribution = Annotated[
    Annotated[Mapping[str, Annotated[float, Field(gt=0)]], Field(min_length=1)] | None,
    BeforeValidator(_in_words),
    Field(
        description="What to compare with: of every value, how often it occurs or its share, above "
        "0; an empty text stands for blank. By default, all records that are looked at."
    ),
]


@dataclass(frozen=True, eq=False)
class Beside:
    """The values of classes beside those of the whole that they are compared with.

    Args:
        values: the values of the classes, over the domain of the whole.
        whole: how often each value of the domain occurs in the whole.
    """

    values: Histogram
    whole: Ints

    @property
    def total(self) -> int:
        """How many there are in the whole."""
        return int(self.whole.sum())

    def without_absent(self) -> Beside:
        """Leave out the values of the domain that the whole has not, and no class therefore."""
        there = self.whole > 0
        if there.all():
            return self
        place = np.cumsum(there) - 1
        domain = replace(self.values.domain, values=self.values.domain.values.filter(there))
        values = replace(self.values, domain=domain, codes=place[self.values.codes])
        return Beside(values, self.whole[there])


def beside_whole(values: Histogram, distribution: Mapping[str, float] | None) -> Beside:
    """Put the values of classes beside those of all classes, or beside a distribution.

    Raises:
        InputError: the distribution lacks a value of the classes, or cannot be read.
    """
    if distribution is None:
        return Beside(values, values.whole)
    domain, whole, place = _given(values.domain, tuple(distribution.items()))
    return Beside(replace(values, domain=domain, codes=place[values.codes]), whole)


@lru_cache(maxsize=4)  # a search asks for the same thousands of times
def _given(domain: Domain, said: tuple[tuple[str, float], ...]) -> tuple[Domain, Ints, Ints]:
    """Return the domain of a distribution, its counts, and where the values of another are."""
    name = domain.attribute.name
    words = values_of(domain.attribute, (word for word, _ in said), domain.values.type)
    if len(words.unique()) < len(words):
        raise InputError(f"`distribution` gives a value of `{name}` twice; give it once.")
    given, order = Domain.over(domain.attribute, words)
    counts = _whole_numbers([share for _, share in said], name)
    place = pc.index_in(domain.values, given.values)
    if place.null_count:
        lacking = some_of(domain.values.filter(place.is_null()).to_pylist())
        raise InputError(
            f"`distribution` must have every value of `{name}` that is found; it lacks {lacking}."
        )
    return given, counts[order], np.asarray(place, np.int64)


def values_of(attribute: Attribute, words: Iterable[str], kind: pa.DataType) -> pa.Array:
    """Return values of an attribute that were said as text; an empty text is a blank.

    Raises:
        InputError: the text is no value of that attribute.
    """
    said = pa.array([word or None for word in words], pa.string())
    try:
        return said.cast(kind)
    except pa.ArrowException as error:
        raise InputError(
            f"Values of `{attribute.name}` are of type {kind}; found {some_of(said.to_pylist())}."
        ) from error


def _whole_numbers(shares: Iterable[float], name: str) -> Ints:
    """Return counts in the proportion of some shares, exactly.

    Raises:
        InputError: they have too many digits.
    """
    fractions = [Fraction(exactly(share)) for share in shares]
    unit = lcm(*(share.denominator for share in fractions))
    counts = [int(share * unit) for share in fractions]
    common = gcd(*counts)
    if sum(counts) // common > MOST:
        raise InputError(
            f"`distribution` of `{name}` needs counts that add up to 2^31 at most, or shares with "
            "at most nine decimals; round it."
        )
    return np.array([count // common for count in counts], np.int64)
