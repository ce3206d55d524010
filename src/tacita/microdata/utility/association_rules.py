"""Association rules: whether data mining finds the same in the protected data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, pairwise
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints, comparable
from tacita.data.dataset import Dataset, of_kind
from tacita.method import AttributeNames, Method
from tacita.microdata.comparing.features import shared
from tacita.microdata.comparing.nearness import is_numeric, numbers
from tacita.microdata.utility.distributions import released_in, same_codes, weights_of
from tacita.microdata.utility.structure import ROUNDING, quantiles
from tacita.results import Measurement, Number, counted

KINDS = frozenset(Kind) - {Kind.SET_VALUED}
SECONDS = 86_400  # of a day, in which dates are counted
MOST = 15  # attributes; the sets of them grow with a power

Item = tuple[int, int]  # the place of an attribute and the code of one of its values
Items = tuple[Item, ...]
Rule = tuple[Items, Items]  # antecedent and consequent


class AssociationRules(Method):
    """The share of association rules that are found in one of the two data sets only.

    A rule says that records with some values (the antecedent) mostly have some others as well (the
    consequent): age <= 25 => marital status = single. Its support is the share of all records
    that have both, its confidence the share of those with the antecedent that have the consequent,
    by sampling weights where there are any. Rules with enough of both, of up to `length` values,
    are searched in the original data, R, and in the protected data, R'; the number is

        1 - |R and R'| / |R or R'|.

    Figures: `lost` rules are only in R, `ghost` rules only in R'; `misses_cost` is the share of
    lost rules in R, `artifactual_patterns` that of ghost rules in R' (Oliveira & Zaiane, 2002).
    Numbers and dates are cut at quantiles of the original data. Categories that were recoded are
    other values. `details` has all rules; a support is blank there where it is too small. Of more
    than 15 attributes the first 15 are searched, unless `attributes` names more.

    When not to use it: where nobody mines; one support just above its threshold and just below it
    afterwards counts as much as a rule that vanished.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> ta.AssociationRules().measure(data, data).value
    Fraction(0, 1)
    """

    applies_to: ClassVar = KINDS
    reference: ClassVar = (
        "Agrawal & Srikant, Fast algorithms for mining association rules, VLDB 1994; Oliveira & "
        "Zaiane, Privacy preserving frequent itemset mining, IEEE ICDM Workshop, 2002"
    )
    missing: ClassVar = "A blank is no value: it is in no rule, but its record counts."
    public: ClassVar = frozenset({"attributes", "support", "confidence", "length", "classes"})

    attributes: Annotated[
        AttributeNames | None,
        Field(
            description="The attributes to search; by default the first 15 that tell of "
            "respondents, without sets."
        ),
    ] = None
    support: Annotated[
        float, Field(description="The least share of records (above 0 to 1).", gt=0, le=1)
    ] = 0.1
    confidence: Annotated[
        float, Field(description="The least confidence (above 0 to 1).", gt=0, le=1)
    ] = 0.6
    length: Annotated[int, Field(description="The most values in a rule (2 to 6).", ge=2, le=6)] = 3
    classes: Annotated[
        int, Field(description="Into so many classes numbers are cut (2 or more).", ge=2)
    ] = 4

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Search both data sets for rules."""
        columns = [
            _Column.of(original, protected, name, self.classes) for name in self._chosen(original)
        ]
        before = self._mined([column.before for column in columns], original)
        after = self._mined([column.after for column in columns], protected)
        union, apart = before.rules | after.rules, before.rules ^ after.rules
        return Measurement(
            self.name,
            self.family,
            _share(len(apart), len(union)),
            _told(before.rules, after.rules),
            parts=_parts(columns, union, apart),
            parameters=self.parameters(),
            figures=_figures(before.rules, after.rules),
            details=_details(columns, before, after),
        )

    def _chosen(self, original: Dataset) -> list[str]:
        if self.attributes is not None:
            return list(self.attributes)
        told = set(shared([original]))
        return [name for name in of_kind(original, KINDS) if name in told][:MOST]

    def _mined(self, columns: list[Ints], data: Dataset) -> _Mined:
        supports = frequent(columns, weights_of(data), self.support, self.length)
        return _Mined(supports, frozenset(rules(supports, self.confidence)))


class _Mined(NamedTuple):
    """The frequent sets of values with their supports, and the rules that they make."""

    supports: Mapping[Items, float]
    rules: frozenset[Rule]


def frequent(
    columns: Sequence[Ints], weights: Floats, support: float, length: int
) -> dict[Items, float]:
    """Return the sets of up to `length` values that are frequent, with their supports.

    >>> both = [np.array([0, 0, 1]), np.array([5, 5, -1])]
    >>> list(frequent(both, np.ones(3), support=0.5, length=2))
    [((0, 0),), ((0, 0), (1, 5)), ((1, 5),)]

    Args:
        columns: the code of every record's value, one column an attribute; a blank is -1.
        weights: how much each record counts.
        support: the least share of the weights.
        length: the most values in a set.
    """
    total = float(weights.sum())
    # A share that is a whole number of records must not be missed by rounding.
    least = support * total * (1 - ROUNDING)
    singles = [_single(place, codes, weights, least) for place, codes in enumerate(columns)]
    return {
        items: float(weight) / total
        for place, single in enumerate(singles)
        for found in _extended(single, singles[place + 1 :], weights, least, length)
        for items, weight in zip(found.sets, found.sums, strict=True)
    }


def rules(supports: Mapping[Items, float], confidence: float) -> Iterator[Rule]:
    """Return the rules that frequent sets of values make with enough confidence.

    >>> a, b = (0, 0), (1, 5)
    >>> list(rules({(a,): 0.5, (b,): 0.25, (a, b): 0.25}, confidence=0.6))
    [(((1, 5),), ((0, 0),))]
    """
    for items, support in supports.items():
        for size in range(1, len(items)):
            for antecedent in combinations(items, size):
                if support >= confidence * supports[antecedent] * (1 - ROUNDING):
                    yield antecedent, tuple(item for item in items if item not in antecedent)


@dataclass(frozen=True, eq=False)
class _Frequent:
    """The frequent sets of values of the same attributes.

    Args:
        sets: the values.
        sums: the weight of the records that have them.
        joint: the combination of values that every record has.
        place: the place of each combination among the sets; their number if it is not frequent.
    """

    sets: list[Items]
    sums: Floats
    joint: Ints
    place: Ints

    @cached_property
    def codes(self) -> Ints:
        """The place of every record's values among the sets."""
        return self.place[self.joint]


def _single(at: int, codes: Ints, weights: Floats, least: float) -> _Frequent:
    """Return the frequent values of one attribute."""
    sums = np.asarray(np.bincount(codes + 1, weights, 1), np.float64)
    sums[0] = 0.0  # blanks
    kept = np.flatnonzero(sums >= least) if len(codes) else np.zeros(0, np.int64)
    sets: list[Items] = [((at, code),) for code in (kept - 1).tolist()]
    return _Frequent(sets, sums[kept], codes + 1, _places(kept, len(sums)))


def _joined(one: _Frequent, other: _Frequent, weights: Floats, least: float) -> _Frequent:
    """Return the frequent sets that are made of sets of each."""
    width = len(other.sets) + 1
    joint = one.codes * width + other.codes
    sums = np.asarray(np.bincount(joint, weights, (len(one.sets) + 1) * width), np.float64)
    rows, columns = np.nonzero(sums.reshape(-1, width)[:-1, :-1] >= least)
    kept = rows * width + columns
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    sets = [one.sets[row] + other.sets[column] for row, column in pairs]
    return _Frequent(sets, sums[kept], joint, _places(kept, len(sums)))


def _places(kept: Ints, size: int) -> Ints:
    place = np.full(size, len(kept))
    place[kept] = np.arange(len(kept))
    return place


def _extended(
    found: _Frequent, others: Sequence[_Frequent], weights: Floats, least: float, length: int
) -> Iterator[_Frequent]:
    """Return frequent sets and all that become of them with values of other attributes."""
    if not found.sets:
        return
    yield found
    if length > 1:
        for at, other in enumerate(others):
            joined = _joined(found, other, weights, least)
            yield from _extended(joined, others[at + 1 :], weights, least, length - 1)


@dataclass(frozen=True, eq=False)
class _Column:
    """The values of an attribute in both data sets, coded alike; a blank is -1.

    Args:
        name: the attribute.
        before: the codes of the original records.
        after: those of the protected records.
        classes: what the first codes mean where numbers were cut into classes.
        values: original and protected values, for the meaning of the others.
    """

    name: str
    before: Ints
    after: Ints
    classes: list[str]
    values: tuple[pa.Array, pa.Array]

    @classmethod
    def of(cls, original: Dataset, protected: Dataset, name: str, classes: int) -> _Column:
        known = original.column(name)
        is_held = name in protected.attributes
        released = released_in(original, protected, name)
        if not is_numeric([original], name):
            return cls(name, *same_codes(known, released), [], (known, released))
        edges = _edges(original, name, classes)
        before = _cut(numbers([original], name)[0], edges)
        if is_held and is_numeric([original, protected], name):
            after = _cut(numbers([protected], name)[0], edges)
        else:
            after = _beyond(released, len(edges) + 1)
        texts = [_shown(edge, original.attribute(name).kind) for edge in edges]
        return cls(name, before, after, _ranges(texts), (known, released))

    def told(self, code: int) -> str:
        """Say what a code means."""
        if code < len(self.classes):
            return f"{self.name} {self.classes[code]}"
        known, released = self.values
        if (self.before == code).any():
            return f"{self.name} = {known[int(np.argmax(self.before == code))]}"
        return f"{self.name} = {released[int(np.argmax(self.after == code))]}"


def _edges(data: Dataset, name: str, classes: int) -> Floats:
    """Return where numbers are cut, so that about as many records are in each class."""
    values = numbers([data], name)[0]
    edges = np.unique(quantiles(values, data.weight, np.arange(1, classes) / classes))
    return edges[~np.isnan(edges)]


def _cut(values: Floats, edges: Floats) -> Ints:
    return np.where(np.isnan(values), -1, np.searchsorted(edges, values))


def _beyond(column: pa.Array, start: int) -> Ints:
    """Give values that are in no class numbers of their own."""
    from tacita.kernels.grouping import factorize

    codes = factorize(*comparable(column))[0]
    return np.where(codes < 0, -1, codes + start)


def _shown(edge: float, kind: Kind) -> str:
    if kind is not Kind.DATE:
        return f"{edge:.15g}"
    moment = np.datetime64(round(edge * SECONDS), "s")
    return str(moment.astype("datetime64[D]") if edge == int(edge) else moment)


def _ranges(edges: list[str]) -> list[str]:
    """Name the classes between edges, which belong to the class below.

    >>> _ranges(["25", "40"])
    ['<= 25', '> 25 to 40', '> 40']
    """
    if not edges:
        return ["= any number"]
    between = [f"> {low} to {high}" for low, high in pairwise(edges)]
    return [f"<= {edges[0]}", *between, f"> {edges[-1]}"]


def _share(part: int, whole: int) -> Fraction:
    """Return a share; none of nothing is 0."""
    return Fraction(part, max(whole, 1))


def _told(before: frozenset[Rule], after: frozenset[Rule]) -> str:
    if not before | after:
        return "no association rule has enough support and confidence in either data set"
    return (
        f"of {counted(len(before | after), 'association rule')}, {len(before - after):,} are lost "
        f"and {len(after - before):,} are ghosts, found in the protected data only"
    )


def _figures(before: frozenset[Rule], after: frozenset[Rule]) -> dict[str, Number | None]:
    lost, ghost = len(before - after), len(after - before)
    return {
        "rules_original": len(before),
        "rules_protected": len(after),
        "lost": lost,
        "ghost": ghost,
        "misses_cost": _share(lost, len(before)),
        "artifactual_patterns": _share(ghost, len(after)),
    }


def _parts(
    columns: Sequence[_Column], union: frozenset[Rule], apart: frozenset[Rule]
) -> dict[str, float | None]:
    """Return the same share among the rules with values of each attribute; None without any."""
    all_of, apart_of = (
        Counter(place for rule in some for place, _ in chain(*rule)) for some in (union, apart)
    )
    return {
        column.name: apart_of[place] / all_of[place] if all_of[place] else None
        for place, column in enumerate(columns)
    }


def _details(columns: Sequence[_Column], before: _Mined, after: _Mined) -> pa.Table:
    """List every rule with its support and confidence in both data sets."""
    every = sorted(before.rules | after.rules)
    told = {item: columns[item[0]].told(item[1]) for item in {i for r in every for i in chain(*r)}}
    sides = [[" and ".join(told[item] for item in part) for part in rule] for rule in every]
    table = pa.table(
        {
            "antecedent": pa.array([one for one, _ in sides], pa.string()),
            "consequent": pa.array([other for _, other in sides], pa.string()),
        }
    )
    for name, mined in (("original", before), ("protected", after)):
        supports = [mined.supports.get(tuple(sorted(chain(*rule)))) for rule in every]
        confidences = [
            None if support is None else support / mined.supports[rule[0]]
            for rule, support in zip(every, supports, strict=True)
        ]
        table = table.append_column(f"support_{name}", pa.array(supports, pa.float64()))
        table = table.append_column(f"confidence_{name}", pa.array(confidences, pa.float64()))
    return table
