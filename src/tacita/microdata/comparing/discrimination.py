"""Rules by which a group is decided about more often than others: lifts, and what bounds them.

A potentially discriminatory rule A, B -> C says of the records that have the values A of protected
attributes (the group) and B of others (the context) how often they have the decision C. Its
confidence conf(A, B -> C) is the share of them that do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from math import ceil, comb
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import ParameterError
from tacita.microdata.comparing.near_ties import above
from tacita.results import exactly

Places = tuple[int, ...]
Lift = Literal["elift", "slift"]
BLANKS_ARE_VALUES = "Blanks are a value of their own, of groups, contexts and decisions alike."
MOST_SETS = 4096  # of attributes that are looked at together

Decision = Annotated[
    str | None,
    Field(description="The decision that is bad to get; by default every value in turn."),
]
LiftName = Annotated[
    Lift,
    Field(
        description="What a group is compared with: all in its context (elift), or all others in "
        "it (slift)."
    ),
]
Support = Annotated[
    float,
    Field(
        description="The least share of all records that must be in the group, the context and the "
        "decision for a rule to count (0 to 1); one record at least.",
        ge=0,
        le=1,
    ),
]
Alpha = Annotated[
    float, Field(description="The lift from which on a rule discriminates (above 1).", gt=1)
]


@dataclass(frozen=True, eq=False)
class Cells:
    """Records counted by the values that rules look at; one entry a combination.

    Args:
        protected: the codes of every protected attribute.
        others: those of the attributes that contexts are made of.
        records: how many records have the combination.
        decided: for every decision that is looked at, how many of them have it.
    """

    protected: tuple[Ints, ...]
    others: tuple[Ints, ...]
    records: Ints
    decided: tuple[Ints, ...]

    def least(self, support: float) -> int:
        """Return how many records a share of all of them is, one at least."""
        return max(1, ceil(Fraction(exactly(support)) * int(self.records.sum())))


@dataclass(frozen=True, eq=False)
class Rules:
    """All rules of a decision whose values are of the same attributes; one entry a rule.

    Args:
        decision: the place of the decision.
        group: the places of the attributes of the group among the protected ones.
        context: those of the context among the others.
        of_cell: the rule that every combination of values is in.
        first: a combination that is in the rule.
        records: how many records the group has in the context.
        decided: how many of them have the decision.
        all_records: how many records the context has.
        all_decided: how many of them have the decision.
        counts: which rules count: their support is enough, and somebody in the context is not in
            the group, so that there is something to compare with.
    """

    decision: int
    group: Places
    context: Places
    of_cell: Ints
    first: Ints
    records: Ints
    decided: Ints
    all_records: Ints
    all_decided: Ints
    counts: Mask

    def quotients(self, lift: Lift) -> tuple[Ints, Ints]:
        """Return the lift of every rule as a quotient of whole numbers; over 0 it has no bound."""
        if lift == "elift":
            return self.decided * self.all_records, self.records * self.all_decided
        others, other_decided = self.all_records - self.records, self.all_decided - self.decided
        return self.decided * others, self.records * other_decided


def rules_of(cells: Cells, length: int | None, support: float = 0.0) -> Iterator[Rules]:
    """Give all rules, with contexts of up to so many values; None allows any number.

    Args:
        cells: the records.
        length: the most values in a context.
        support: the least share of all records that are in group, context and decision.

    >>> one = np.array([0, 1, 1])
    >>> cells = Cells((one,), (), np.array([4, 3, 1]), (np.array([3, 1, 0]),))
    >>> [(rules.records.tolist(), rules.decided.tolist()) for rules in rules_of(cells, None)]
    [([4, 4], [3, 1])]
    """
    least = cells.least(support)
    decisions = [(d, decided) for d, decided in enumerate(cells.decided) if decided.sum() >= least]
    for context in subsets(len(cells.others), length):
        inside = _Parts.of([cells.others[place] for place in context], cells)
        for group in subsets(len(cells.protected), None, least=1):
            part = _Parts.of([inside.of_cell, *(cells.protected[place] for place in group)], cells)
            above_it = inside.of_cell[part.first]
            records, around = part.sums(cells.records), inside.sums(cells.records)[above_it]
            for decision, has_it in decisions:
                decided, bad = part.sums(has_it), inside.sums(has_it)[above_it]
                counts = (decided >= least) & (records < around)
                yield Rules(
                    decision,
                    group,
                    context,
                    part.of_cell,
                    part.first,
                    records,
                    decided,
                    around,
                    bad,
                    counts,
                )


@dataclass(frozen=True, eq=False)
class Redlining:
    """Rules D, B -> C about no group, with what they prove of a group A; one entry a pair of both.

    Args:
        decision: the place of the decision.
        group: the places of the attributes of A among the protected ones.
        context: those of B among the others.
        redline: those of D among the others.
        first: a combination of values that is in A, B and D.
        tops: the lower bound of the elift of A, B -> C as a quotient of whole numbers.
        bottoms: what it is divided by.
        counts: which of them count: D, B -> C has enough support, and somebody in B is not in A.
    """

    decision: int
    group: Places
    context: Places
    redline: Places
    first: Ints
    tops: Ints
    bottoms: Ints
    counts: Mask


def redlining_of(cells: Cells, length: int, support: float = 0.0) -> Iterator[Redlining]:
    """Give what rules about no group prove of groups, by what is known of who is in them.

    Whoever knows the shares conf(A, B -> D) and conf(D, B -> A) knows how many have A, B and D.
    With n the numbers of records, at least n(A B D) + n(D B C) - n(D B) of these have C as well, so

        elift(A, B -> C) >= (n(A B D) + n(D B C) - n(D B)) n(B) / (n(A B) n(B C)).

    Args:
        cells: the records.
        length: the most values in D and B together.
        support: the least share of all records that are in D, B and the decision.
    """
    least = cells.least(support)
    decisions = [(d, decided) for d, decided in enumerate(cells.decided) if decided.sum() >= least]
    for both in subsets(len(cells.others), length, least=1):
        for redline in chain.from_iterable(combinations(both, k) for k in range(1, len(both) + 1)):
            context = tuple(place for place in both if place not in redline)
            inside = _Parts.of([cells.others[place] for place in context], cells)
            lined = _Parts.of([cells.others[place] for place in both], cells)
            for group in subsets(len(cells.protected), None, least=1):
                members = [cells.protected[place] for place in group]
                mine = _Parts.of([inside.of_cell, *members], cells)
                part = _Parts.of([lined.of_cell, *members], cells)
                a, b, d = (one.of_cell[part.first] for one in (mine, inside, lined))
                n_abd = part.sums(cells.records)
                n_ab, n_b, n_db = (
                    one.sums(cells.records)[at] for one, at in ((mine, a), (inside, b), (lined, d))
                )
                for decision, has_it in decisions:
                    n_bc, n_dbc = inside.sums(has_it)[b], lined.sums(has_it)[d]
                    tops = np.maximum(n_abd + n_dbc - n_db, 0) * n_b
                    counts = (n_dbc >= least) & (n_ab < n_b)
                    yield Redlining(
                        decision, group, context, redline, part.first, tops, n_ab * n_bc, counts
                    )


def subsets(size: int, most: int | None, *, least: int = 0) -> list[Places]:
    """Return the sets of up to so many of some places, the smallest first.

    Raises:
        ParameterError: there are too many.
    """
    top = size if most is None else min(most, size)
    count = sum(comb(size, k) for k in range(least, top + 1))
    if count > MOST_SETS:
        raise ParameterError(
            f"Contexts of {size} attributes are values of {count:,} sets of them, more than "
            f"{MOST_SETS:,}; say as `length` how many values a context has at most, or name fewer "
            "`keys`."
        )
    return list(chain.from_iterable(combinations(range(size), k) for k in range(least, top + 1)))


@dataclass(frozen=True, eq=False)
class _Parts:
    """Combinations of values put together by some of the attributes.

    Args:
        of_cell: the part that every combination is in.
        first: a combination that is in the part.
    """

    of_cell: Ints
    first: Ints

    @classmethod
    def of(cls, columns: Sequence[Ints], cells: Cells) -> _Parts:
        from tacita.kernels.grouping import group

        groups = group(list(columns), records=len(cells.records))
        return cls(groups.ids, groups.first)

    def sums(self, counts: Ints) -> Ints:
        """Add up whole numbers in every part."""
        sums = np.zeros(len(self.first), np.int64)
        np.add.at(sums, self.of_cell, counts)
        return sums


def lifts(tops: Ints, bottoms: Ints) -> Floats:
    """Return quotients as doubles, infinite over 0; nothing over nothing is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(tops == 0, 0.0, tops / bottoms)


def reach(tops: Ints, bottoms: Ints, alpha: float) -> Mask:
    """Tell which quotients are alpha or more, exactly.

    >>> reach(np.array([6, 12, 1]), np.array([5, 11, 0]), 1.2).tolist()
    [True, False, True]
    """
    bound = exactly(alpha)

    def at_least(places: Ints) -> Mask:
        pairs = zip(tops[places].tolist(), bottoms[places].tolist(), strict=True)
        return np.array([t * bound.denominator >= b * bound.numerator for t, b in pairs], np.bool_)

    return above(lifts(tops, bottoms), bound, at_least)
