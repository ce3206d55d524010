"""Who contributes how much to every combination of values: the question, and sums that are exact.

Sums are made of whole numbers, so that no answer depends on the order of the records. Decimals are
told in units of their last digit. Other numbers are cut into three whole numbers, as weights are:
what stands before the point once the largest is below 2^31, the next 30 bits, and the 30 after
them. Bits beyond, 2^-90 of the largest number, are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import frexp
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Floats, Ints
from tacita.data.decimals import MOST_DECIMALS, in_units
from tacita.errors import InputError

LEVELS = 2  # at which a contributor may ask for protection
WHOLE = 2**53  # up to here every whole number has a double
FITS = 2**62  # what a sum may come to
TOP_BITS, STEP = 31, 2**30
MOST_BITS = 1000  # the power of two that numbers are multiplied with stays a double
HIGHEST = 1e290  # of a number, so that its product with a weight is one


@dataclass(frozen=True)
class Amount:
    """What is added up, each record counted with its sampling weight.

    Args:
        attribute: whose values; None counts 1 for every record.
        what: the values; their sizes (absolute values); 1 for every value that is known; or record
            keys, which have no weight.
        where: an attribute; records of which it is 0 or blank add nothing.
    """

    attribute: str | None = None
    what: Literal["value", "size", "known", "key"] = "value"
    where: str | None = None

    @property
    def is_weighted(self) -> bool:
        """Whether a record counts with its sampling weight."""
        return self.what != "key"


@dataclass(frozen=True)
class Breakdown:
    """A question to an engine: who contributes how much to every combination of key values.

    Args:
        keys: the attributes whose combinations are told apart.
        amounts: what is added up.
        size: the attribute by whose absolute values contributors are ranked; None if all are 1.
        weight: the sampling weights.
        contributor: who contributes; each record by itself when left out.
        request: an attribute that is 1 or 2 where a record asks for protection at that level.
        largest: how many of the largest contributions are kept.
        represented: whether a record stands for as many contributors of its size as its weight,
            rounded, says; otherwise it is one contributor, and its size is weighted. A named
            contributor is always one.
    """

    keys: tuple[str, ...]
    amounts: tuple[Amount, ...]
    size: str | None = None
    weight: str | None = None
    contributor: str | None = None
    request: str | None = None
    largest: int = 0
    represented: bool = False

    @property
    def repeats(self) -> bool:
        """Whether records stand for several contributors."""
        return self.represented and self.weight is not None and self.contributor is None

    @property
    def weighs_sizes(self) -> bool:
        """Whether contributions of single records are ranked by their weighted sizes."""
        return not self.represented and self.weight is not None and self.contributor is None

    @property
    def ranks(self) -> bool:
        """Whether an answer tells how large single contributions are."""
        return self.largest > 0 or self.request is not None

    @property
    def ranking(self) -> Amount:
        """What contributors are ranked by: of holdings the values, whose sum has a size."""
        is_signed = self.size is None or self.contributor is not None
        return Amount(self.size, "value" if is_signed else "size")

    @property
    def numeric(self) -> list[str]:
        """The attributes that must hold numbers, without the weight."""
        named = [name for amount in self.amounts for name in (amount.attribute, amount.where)]
        named.append(self.size)
        return list(dict.fromkeys(name for name in named if name is not None))

    @property
    def counts_requests(self) -> bool:
        """Whether requests are counted contributor by contributor."""
        return self.contributor is not None and self.request is not None


@dataclass(frozen=True)
class Extent:
    """What numbers an attribute holds.

    Args:
        decimals: how many digits after the point all of them have; None if they are no decimals.
        greatest: the largest absolute value.
        negative: whether some are below 0.
        blank: whether some are not known.
    """

    decimals: int | None = 0
    greatest: float = 1.0
    negative: bool = False
    blank: bool = False


@dataclass(frozen=True)
class Units:
    """The whole numbers that a weighted amount is told in: decimals, or three cuts of a double.

    Args:
        decimals: the digits after the point of the amount; None for cuts.
        weight_decimals: those of the weights.
        scale: the power of two that brings the largest product below 2^31 (for cuts).
    """

    decimals: int | None
    weight_decimals: int = 0
    scale: float = 1.0

    @classmethod
    def of(cls, amount: Extent, weight: Extent, records: int) -> Units:
        """Choose units in which the sum over all records fits 64 bits."""
        if amount.decimals is not None and weight.decimals is not None:
            most = _most(amount, amount.decimals) * _most(weight, weight.decimals)
            if most * max(records, 1) < FITS:
                return cls(amount.decimals, weight.decimals)
        bits = frexp(amount.greatest)[1] + frexp(weight.greatest)[1]
        return cls(None, 0, 2.0 ** min(TOP_BITS - bits, MOST_BITS))

    @property
    def digits(self) -> int | None:
        """How many digits after the point sums have; None for cuts."""
        return None if self.decimals is None else self.decimals + self.weight_decimals

    @property
    def cuts(self) -> int:
        """How many whole numbers tell an amount."""
        return 3 if self.decimals is None else 1

    def whole(self, amounts: Floats, weights: Floats | None) -> list[Ints]:
        """Return amounts, none of them blank, as whole numbers."""
        if self.decimals is not None:
            units = in_units(amounts, self.decimals)
            return [units if weights is None else units * in_units(weights, self.weight_decimals)]
        product = amounts if weights is None else amounts * weights
        return _cut(product * self.scale)

    def products(self, amounts: Floats, weights: Floats) -> Floats:
        """Return weighted amounts, none of them blank, as the doubles next to them."""
        if self.digits is None:
            return amounts * weights
        return self.number(np.array(self.whole(amounts, weights)))

    def product_sql(self, amount: str, weight: str) -> str:
        """Return the same as SQL, for columns of doubles."""
        if self.digits is None:
            return f"({amount} * {weight})"
        (whole,) = self.whole_sql(amount, weight)
        return f"(CAST({whole} AS DOUBLE) / {_double(10**self.digits)})"

    def whole_sql(self, amount: str, weight: str | None) -> list[str]:
        """Return the same as SQL, for columns of doubles."""
        if self.decimals is not None:
            units = _in_units_sql(amount, self.decimals)
            times = "" if weight is None else f" * {_in_units_sql(weight, self.weight_decimals)}"
            return [units + times]
        product = amount if weight is None else f"({amount} * {weight})"
        return _cut_sql(f"({product} * CAST('{self.scale!r}' AS DOUBLE))")

    def number(self, sums: Ints) -> Floats:
        """Return sums of whole numbers, one row each, as doubles."""
        if self.digits is not None:
            scale: Floats = sums[0] / 10.0**self.digits
            return scale
        whole, high, low = sums.astype(np.float64)
        joined: Floats = (whole + (high / STEP + low / (STEP * STEP))) / self.scale
        return joined

    def remainder(self, sums: Ints) -> Floats:
        """Return sums of whole numbers, one row each, modulo 1: doubles from 0 on and below 1.

        >>> Units(1).remainder(np.array([[4, 25, 30]]))
        array([0.4, 0.5, 0. ])
        """
        if self.digits is not None:
            one = 10**self.digits
            return np.asarray((sums[0] % one) / one)
        whole, high, low = sums
        high = high + low // STEP
        whole = whole + high // STEP
        one = int(self.scale)
        left = np.array([whole % one if one < FITS else whole, high % STEP, low % STEP])
        return np.minimum(self.number(left), np.nextafter(1.0, 0.0))


@dataclass(frozen=True, eq=False)
class Contributed:
    """What an engine answers, one row a combination of key values (and contributor).

    Args:
        keys: the combinations.
        holders: the number of the contributor; None if each record is one by itself.
        sums: one row each: the contributors, the whole numbers of every amount, and, where requests
            are counted, the records that ask at either level.
        units: the units of every amount.
        largest: the largest contributions in descending order, where there are no holders.
        asked: the largest contribution that asks for protection at either level, likewise; no
            columns where nobody can ask.
        negative: the attributes that hold values below 0.
    """

    keys: pa.Table
    holders: Ints | None
    sums: Ints
    units: tuple[Units, ...]
    largest: Floats
    asked: Floats
    negative: frozenset[str] = frozenset()


def units_of(asked: Breakdown, extents: Mapping[str, Extent], records: int) -> tuple[Units, ...]:
    """Choose the units of every amount."""
    weight = extents[asked.weight] if asked.weight is not None else Extent()
    ones = Extent()
    units = []
    for amount in asked.amounts:
        is_one = amount.attribute is None or amount.what == "known"
        extent = ones if is_one else extents[str(amount.attribute)]
        if not amount.is_weighted:
            _refuse_keys(str(amount.attribute), extent)
        units.append(Units.of(extent, weight if amount.is_weighted else ones, records))
    return tuple(units)


def _refuse_keys(name: str, extent: Extent) -> None:
    """Refuse record keys that are no numbers from 0 on and below 1."""
    if extent.blank or extent.negative or extent.greatest >= 1:
        found = "a blank" if extent.blank else "numbers beyond that"
        raise InputError(
            f"`{name}` must hold the key of every record, a number from 0 on and below 1; found "
            f"{found}."
        ).about(name)


def extent_of(name: str, numbers: Floats) -> Extent:
    """Find out what numbers, NaN where they are blank, an attribute holds."""
    known = numbers[~np.isnan(numbers)]
    greatest = float(np.abs(known).max(initial=0.0))
    refuse_infinite(name, greatest)
    decimals = next((d for d in _digits(greatest) if _are_decimals(known, d)), None)
    return Extent(decimals, greatest, bool((known < 0).any()), len(known) < len(numbers))


def extent_sql(column: str) -> list[str]:
    """Return what finds out the same of a column of doubles: four columns, then one a digit."""
    digits = (
        f"min(CASE WHEN round({column} * {_double(10**d)}) / {_double(10**d)} <> {column} "
        "THEN 0 ELSE 1 END)"
        for d in range(MOST_DECIMALS + 1)
    )
    extremes = f"max(abs({column}))", f"min({column})", f"count({column})", "count(*)"
    return [*extremes, *digits]


def extent_found(name: str, found: Sequence[Any]) -> Extent:
    """Return what the columns of `extent_sql` say."""
    greatest, lowest, known, records, *digits = found
    greatest = float(greatest or 0.0)
    refuse_infinite(name, greatest)
    decimals = next((d for d in _digits(greatest) if digits[d] in (1, None)), None)
    return Extent(decimals, greatest, (lowest or 0.0) < 0, known < records)


def refuse_infinite(name: str, greatest: float) -> None:
    """Refuse numbers that cannot be added up."""
    if greatest > HIGHEST:
        raise InputError(
            f"`{name}` holds values beyond {HIGHEST:g}, which cannot be added up; leave them blank."
        ).about(name)


# -- the question in SQL ---------------------------------------------------------------------------
#
# A row of the innermost query has the keys k0, k1, ..., the numbers x0, x1, ..., the weight w, the
# request q and the contributor h (with a number n where that is blank).


def titled(asked: Breakdown) -> list[tuple[str, str]]:
    """Return the numeric columns, and what they are called in a query."""
    named = [(name, f"x{i}") for i, name in enumerate(asked.numeric)]
    more = (asked.weight, "w"), (asked.request, "q")
    return named + [(name, title) for name, title in more if name is not None]


def answers_sql(asked: Breakdown, units: tuple[Units, ...]) -> list[str]:
    """Return the columns of the answer: n, the sums s0, s1, ..., then what is largest."""
    weight = None if asked.weight is None else "w"
    whole = [repeats_sql("w") if asked.repeats else "1"]
    for amount, unit in zip(asked.amounts, units, strict=True):
        whole += unit.whole_sql(_amount_sql(asked, amount), weight if amount.is_weighted else None)
    if asked.counts_requests:
        whole += [f"CASE WHEN q = {level + 1} THEN 1 ELSE 0 END" for level in range(LEVELS)]
    sums = [f"CAST(sum({word}) AS BIGINT) AS s{i}" for i, word in enumerate(whole)]
    return sums if asked.contributor is not None else sums + _largest_sql(asked, units)


def _largest_sql(asked: Breakdown, units: tuple[Units, ...]) -> list[str]:
    size, often = size_sql(asked, units), repeats_sql("w") if asked.repeats else "1"
    found = [
        f"max(CASE WHEN place = {i + 1} THEN {word} END) AS {title}{i}"
        for i in range(asked.largest)
        for word, title in ((size, "t"), (often, "r"))
    ]
    if asked.request is not None:
        found += [f"max(CASE WHEN q = {i + 1} THEN {size} END) AS a{i}" for i in range(LEVELS)]
    return found


def size_sql(asked: Breakdown, units: tuple[Units, ...]) -> str:
    """Return what records are ranked by."""
    size = _amount_sql(asked, Amount(asked.size, "size"))
    if not (asked.weighs_sizes and asked.ranks):
        return size
    return units[asked.amounts.index(asked.ranking)].product_sql(size, "w")


def _amount_sql(asked: Breakdown, amount: Amount) -> str:
    if amount.where is not None:
        everywhere = _amount_sql(asked, replace(amount, where=None))
        held = f"coalesce({_column_sql(asked, amount.where)}, {_double(0)})"
        return f"CASE WHEN {held} = {_double(0)} THEN {_double(0)} ELSE {everywhere} END"
    if amount.attribute is None:
        return _double(1)
    column = _column_sql(asked, amount.attribute)
    if amount.what == "known":
        return f"CASE WHEN {column} IS NULL THEN {_double(0)} ELSE {_double(1)} END"
    known = f"coalesce({column}, {_double(0)})"
    return f"abs({known})" if amount.what == "size" else known


def _column_sql(asked: Breakdown, name: str) -> str:
    return f"x{asked.numeric.index(name)}"


def answered(
    asked: Breakdown, units: tuple[Units, ...], keys: pa.Table, found: pa.Table
) -> Contributed:
    """Return the answer that the columns of a query tell."""
    rows = found.num_rows
    sums = [c for c in found.column_names if c[0] == "s"]
    added = np.array([found.column(c).to_numpy() for c in sums]).reshape(len(sums), rows)
    if asked.contributor is not None:
        nothing = np.zeros((rows, 0))
        return Contributed(keys, _numbered_holders(found), added, units, nothing, nothing)
    asking = _floats(found, [f"a{i}" for i in range(LEVELS if asked.request else 0)])
    return Contributed(keys, None, added, units, _repeated(found, asked.largest), asking)


def _floats(found: pa.Table, names: Sequence[str]) -> Floats:
    columns = [found.column(name).cast(pa.float64()).fill_null(0.0).to_numpy() for name in names]
    return np.column_stack(columns) if columns else np.zeros((found.num_rows, 0))


def _repeated(found: pa.Table, kept: int) -> Floats:
    """Repeat each of the largest contributions as often as it counts."""
    sizes = _floats(found, [f"t{i}" for i in range(kept)])
    often = _floats(found, [f"r{i}" for i in range(kept)])
    ends = np.cumsum(often, axis=1)
    # Place i is taken by the first contribution whose repeats reach beyond it.
    taken = (ends[:, None, :] <= np.arange(kept)[:, None]).sum(axis=2)
    padded = np.hstack([sizes, np.zeros((len(sizes), 1))])
    return np.take_along_axis(padded, taken, axis=1)


def _numbered_holders(found: pa.Table) -> Ints:
    holders = pc.dictionary_encode(found.column("h").combine_chunks())
    known = np.asarray(holders.indices.fill_null(0)).astype(np.int64)
    alone = found.column("n").to_numpy()
    return np.where(alone > 0, len(holders.dictionary) + alone, known)


def repeats_of(weights: Floats) -> Ints:
    """Return for how many contributors each record stands: its weight, rounded, 1 at least."""
    often: Ints = np.maximum(np.floor(weights + 0.5), 1.0).astype(np.int64)
    return often


def repeats_sql(weight: str) -> str:
    """Return the same as SQL."""
    return f"CAST(greatest(floor({weight} + CAST(0.5 AS DOUBLE)), 1) AS BIGINT)"


def _most(extent: Extent, decimals: int) -> int:
    return int(extent.greatest * 10.0**decimals) + 1


def _digits(greatest: float) -> Iterator[int]:
    """Give the numbers of digits after the point with which every unit still has a double."""
    for digits in range(MOST_DECIMALS + 1):
        if greatest * 10.0**digits < WHOLE:
            yield digits


def _are_decimals(known: Floats, decimals: int) -> bool:
    scale = 10.0**decimals
    return bool((np.round(known * scale) / scale == known).all())


def _in_units_sql(column: str, decimals: int) -> str:
    return f"CAST(round({column} * {_double(10**decimals)}) AS BIGINT)"


def _double(number: int) -> str:
    return f"CAST({number} AS DOUBLE)"


def _cut(numbers: Floats) -> list[Ints]:
    # Cut towards 0, so that a number and its opposite add up to nothing.
    sign, rest, cuts = np.sign(numbers), np.abs(numbers), []
    for _ in range(3):
        whole = np.floor(rest)
        cuts.append((sign * whole).astype(np.int64))
        rest = (rest - whole) * STEP
    return cuts


def _cut_sql(number: str) -> list[str]:
    rest, cuts = f"abs({number})", []
    for _ in range(3):
        cuts.append(f"CAST(sign({number}) * floor({rest}) AS BIGINT)")
        rest = f"(({rest} - floor({rest})) * {_double(STEP)})"
    return cuts
