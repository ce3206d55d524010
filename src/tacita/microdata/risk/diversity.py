"""Diversity: how many confidential values an equivalence class leaves possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.arithmetic import exp, log
from tacita.data.classes import EquivalenceClasses, Floats, Ints, comparable
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.results import Measurement, Number, exactly, listed
from tacita.validity import NON_PERTURBATIVE, Use


class Diversities(NamedTuple):
    """How diverse the values of an attribute are, for each of some groups or records.

    Args:
        distinct: the number of different values.
        entropy: exp of the Shannon entropy of their shares: as many equally frequent values would
            be as hard to guess.
        recursive: the largest l with r_1 < c (r_l + ... + r_m), where r_1 >= ... >= r_m are the
            values' frequencies; 1 where there is none.
    """

    distinct: Ints
    entropy: Floats
    recursive: Ints

    def take(self, places: Ints) -> Diversities:
        """Return those at some places."""
        return Diversities._make(part[places] for part in self)

    def lowest_by(self, ids: Ints, g: int) -> Diversities:
        """Return the lowest number of each kind in each of `g` groups, none of them empty."""
        lowest = [np.empty(g, part.dtype) for part in self]
        for into, part in zip(lowest, self, strict=True):
            into[ids] = part  # some number of every group, to start from
            np.minimum.at(into, ids, part)
        return Diversities._make(lowest)


class Diversity(Method):
    """The share of records in classes with fewer than l values of some confidential attribute.

    Whoever knows that a respondent is in an equivalence class over the keys learns that the
    confidential value is one of those in the class, and which it is where there is only one: risk
    = records in classes with fewer than `l` distinct values of some attribute / records. `parts`
    has the share for every attribute, `per_record` the number of distinct values in a record's
    class, the lowest of all attributes.

    The figures are the lowest, mean (over records) and highest of every way to count well
    represented values, of the attribute for which it is lowest in the record's class; `details`
    has them for each attribute:

    - `distinct`: the number of different values;
    - `entropy`: exp(-sum p ln p) over the shares p of the values in the class;
    - `recursive`: the largest l for which the class is recursively (c, l)-diverse, that is
      r_1 < c (r_l + ... + r_m) for the values' frequencies r_1 >= ... >= r_m; 1 if there is none;
    - `multi_entropy` and `multi_recursive`, with two or more attributes: the same for an intruder
      who knows the other confidential values too, the lowest of the parts into which these divide
      the class and of all attributes.

    Numbers are different values unless they are exactly equal. An attribute that is both key and
    confidential is looked at in the classes over the other keys. Sampling weights are not used: the
    intruder sees the classes of the released file. sdcMicro's `ldiversity` gives the same figures
    of an attribute without blanks; it leaves blanks out of `recursive`, finds no value in a class
    of blanks, and writes 0 where there is one attribute and so no `multi_entropy`.

    When not to use it: for numbers that differ by little, which an intruder learns closely enough
    from a class of many distinct ones; for skewed attributes, where two values in a class can still
    tell more than the whole file does.

    >>> import tacita as ta
    >>> data = ta.example("conditions_4_anonymous")
    >>> print(ta.Diversity().measure(data, data).value)
    1/3
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = (
        "Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam, ACM TKDD 1(1):3, 2007"
    )
    missing: ClassVar = (
        "The blanks of a class are together one value, also where there is no other; blank keys "
        "agree with one another and with nothing else."
    )
    public: ClassVar = frozenset({"l", "c", "attributes", "keys"})
    shown_by_release: ClassVar = True

    l: Annotated[  # noqa: E741 - the field's name for it
        int,
        Field(description="Classes with fewer distinct values count as not diverse.", ge=2),
    ] = 2
    c: Annotated[
        float,
        Field(
            description="How often the other values of a recursively diverse class count (above "
            "0) against its most frequent value.",
            gt=0,
        ),
    ] = 2.0
    attributes: Annotated[
        AttributeNames | None,
        Field(
            description="The attributes to protect; by default those with the role confidential."
        ),
    ] = None
    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:  # noqa: ARG002
        """Count the confidential values in every class of the protected data."""
        keys = protected.classes(self.keys).keys
        single, multi = self._diversities(protected, keys)
        lowest = _lowest(single.values())
        figures = _summary(lowest)
        if len(single) > 1:
            told = _summary(_lowest(multi))
            figures |= {f"multi_{n}": v for n, v in told.items() if not n.startswith("distinct")}
        shares = {name: self._share(found) for name, found in single.items()}
        some = "" if len(single) == 1 else "at least one of "
        return Measurement(
            self.name,
            self.family,
            self._share(lowest),
            f"{self._low(lowest):,} of {len(protected):,} records are in classes of {listed(keys)} "
            f"with fewer than {self.l} values of {some}{listed(list(single))}",
            parts={name: _double(share) for name, share in shares.items()},
            per_record=lowest.distinct,
            parameters=self.parameters(),
            figures=figures,
            details=_table(single, shares),
        )

    def _diversities(
        self, data: Dataset, keys: tuple[str, ...]
    ) -> tuple[dict[str, Diversities], list[Diversities]]:
        """Return for every record what its class leaves possible of each attribute.

        Once for an intruder who knows the keys, once for one who also knows the other attributes.
        """
        codes = {name: _codes(data, name) for name in self._names(data)}
        c = exactly(self.c)
        single, multi = {}, []
        for name, own in codes.items():
            classes = classes_beside(data, keys, name)
            ids, g = classes.of_record, len(classes)
            single[name] = diversities(ids, own, g, c).take(ids)
            others = [codes[other] for other in codes if other != name]
            if others:
                multi.append(_within_parts(ids, g, others, own, c).take(ids))
        return single, multi

    def _names(self, data: Dataset) -> list[str]:
        asked = data.confidential if self.attributes is None else self.attributes
        names = [name for name in asked if name in data.attributes]
        if not names:
            raise InputError(
                "The protected data hold no confidential attribute; say which `attributes` to "
                "protect."
            )
        return names

    def _share(self, found: Diversities) -> Fraction | None:
        records = len(found.distinct)
        return Fraction(self._low(found), records) if records else None

    def _low(self, found: Diversities) -> int:
        return int(np.count_nonzero(found.distinct < self.l))


def diversities(ids: Ints, codes: Ints, g: int, c: Fraction) -> Diversities:
    """Return how diverse the codes of the records in each of `g` groups are, none of them empty.

    >>> ids, codes = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 1, 2, 2])
    >>> found = diversities(ids, codes, 2, Fraction(2))
    >>> found.distinct, found.entropy.round(3), found.recursive
    (array([2, 1]), array([1.89, 1.  ]), array([1, 1]))
    """
    from tacita.kernels.by_group import count_codes_per_group

    found = count_codes_per_group(ids, codes, g, int(codes.max(initial=-1)) + 1)
    groups, counts = found.groups, found.counts
    distinct = np.bincount(groups, minlength=g)
    entropy = entropy_diversity(groups, counts, np.bincount(ids, minlength=g))
    return Diversities(distinct, entropy, recursive_diversity(groups, counts, distinct, c))


def entropy_diversity(groups: Ints, counts: Ints, sizes: Ints) -> Floats:
    """Return exp of the entropy of the counts in every group, whose sums are the sizes."""
    shares = counts / sizes[groups]
    # Where all agree, ln 1 is 0: exactly one value.
    diversity: Floats = exp(np.bincount(groups, -shares * log(shares), len(sizes)))
    return diversity


def recursive_diversity(groups: Ints, counts: Ints, distinct: Ints, c: Fraction) -> Ints:
    """Return the largest l with r_1 < c (r_l + ... + r_m) of every group, else 1, exactly.

    The sums fall with l, so that it is one more than the number of l >= 2 that fulfil it.
    """
    apart = groups * (counts.max(initial=0) + 1)
    counts = apart - np.sort(apart - counts)  # falling within each group
    ends = np.cumsum(distinct)
    first = ends - distinct
    sums = np.cumsum(counts)
    rest = sums[ends - 1][groups] - sums + counts
    enough = rest > _quotients(counts[first], c)[groups]
    enough[first] = False  # l starts from 2
    return 1 + np.bincount(groups[enough], minlength=len(distinct))


def _quotients(counts: Ints, c: Fraction) -> Ints:
    """Return the whole part of each count over c: a whole number above it is above the quotient."""
    values = np.flatnonzero(np.bincount(counts))
    most = np.iinfo(np.int64).max
    of_value = np.zeros(counts.max(initial=0) + 1, np.int64)
    of_value[values] = [min(int(value / c), most) for value in values.tolist()]
    return of_value[counts]


def _within_parts(ids: Ints, g: int, others: list[Ints], codes: Ints, c: Fraction) -> Diversities:
    """Return the lowest diversities of the parts into which other attributes divide each group."""
    from tacita.kernels.grouping import group

    parts = group([ids, *others])
    return diversities(parts.ids, codes, len(parts.first), c).lowest_by(ids[parts.first], g)


def _codes(data: Dataset, name: str) -> Ints:
    from tacita.kernels.grouping import factorize

    return factorize(*comparable(data.column(name)))[0]


def classes_beside(data: Dataset, keys: Sequence[str] | None, name: str) -> EquivalenceClasses:
    """Return the classes over the keys but one confidential attribute, should it be a key too.

    Without any other key, everybody is in one class.
    """
    known = [key for key in data.classes(keys).keys if key != name]
    return data.classes(known) if known else EquivalenceClasses.of(data, ())


def _lowest(found: Iterable[Diversities]) -> Diversities:
    return Diversities._make(np.minimum.reduce(parts) for parts in zip(*found, strict=True))


def _summary(found: Diversities) -> dict[str, Number | None]:
    """Return the lowest, mean and highest number over records; none without records."""
    told: dict[str, Number | None] = {}
    for name, part in found._asdict().items():
        figures = (part.min().item(), _mean(part), part.max().item()) if len(part) else (None,) * 3
        told |= zip((f"{name}_min", f"{name}_mean", f"{name}_max"), figures, strict=True)
    return told


def _mean(part: Ints | Floats) -> Number:
    """Return the mean, exactly of whole numbers."""
    if part.dtype == np.int64:
        return Fraction(part.sum().item(), len(part))
    return float(part.mean())


def _table(single: Mapping[str, Diversities], shares: Mapping[str, Number | None]) -> pa.Table:
    rows = [{"share": shares[name], **_summary(found)} for name, found in single.items()]
    told = [{figure: _double(value) for figure, value in row.items()} for row in rows]
    figures = {figure: pa.array([row[figure] for row in told], pa.float64()) for figure in told[0]}
    return pa.table({"attribute": list(single)} | figures)


def _double(number: Number | None) -> float | None:
    return None if number is None else float(number)
