"""Credibility: what is believed of confidential values in classes and in parts of classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from tacita.attacks.deducing.worlds import Counts, Fine, Rule, fine_worlds
from tacita.data.classes import Floats, Ints, Mask
from tacita.microdata.risk.linking.links import Links

Belief = tuple[Fraction, ...]  # how credible each value is


@dataclass(frozen=True, eq=False)
class Beliefs:
    """For every record, how credible its likeliest values are.

    Args:
        highest: the credibility of the likeliest sensitive value.
        exceeds: whether it is above 1/l, decided exactly.
        is_right: 1 where the true value is among the likeliest, else 0.
        ties: how many values are the likeliest (1 or more); those not sensitive count as one.
    """

    highest: Floats
    exceeds: Mask
    is_right: Ints
    ties: Ints

    @property
    def guessed(self) -> Fraction:
        """How many guesses of the likeliest value are expected to be right."""
        return Links(self.is_right, self.ties, len(self.ties)).expected

    @classmethod
    def plain(cls, classes: Ints, values: Ints, rule: Rule) -> Beliefs:
        """Believe a value as much as it is frequent in its class.

        Args:
            classes: the class of every record.
            values: its value: a sensitive one, from 0 on, or the number behind the last of these.
            rule: what classes must keep.
        """
        sizes, width = np.bincount(classes), rule.sensitive + 1
        keys = classes * width + values
        pairs, counts = np.unique(keys, return_counts=True)
        owner, own = pairs // width, counts[np.searchsorted(pairs, keys)]
        most, top = np.zeros((2, len(sizes)), np.int64)
        np.maximum.at(most, owner, counts)
        np.maximum.at(top, owner, np.where(pairs % width < rule.sensitive, counts, 0))
        ties = np.bincount(owner[counts == most[owner]], minlength=len(sizes))
        highest, size = top[classes], sizes[classes]
        is_right = (own == most[classes]).astype(np.int64)
        return cls(highest / size, rule.l * highest > size, is_right, ties[classes])

    def with_parts(
        self, parts: Iterator[tuple[Ints, Belief]], values: Ints, codes: Sequence[int], rule: Rule
    ) -> None:
        """Set what is believed of the records of some parts.

        Args:
            parts: the records of every part, with the credibility of the values in it.
            values: the value of every record.
            codes: the values that the credibilities are of.
            rule: what classes must keep.
        """
        for rows, belief in parts:
            credible = dict(zip(codes, belief, strict=True))
            most = max(belief)
            likeliest = [code for code in codes if credible[code] == most]
            top = max((one for code, one in credible.items() if code < rule.sensitive), default=0)
            self.highest[rows], self.exceeds[rows] = float(top), rule.l * top > 1
            self.is_right[rows] = np.isin(values[rows], likeliest)
            self.ties[rows] = len(likeliest)


@dataclass(frozen=True, eq=False)
class Divided:
    """A class that would have been several parts one level lower.

    Args:
        number: the number of the class.
        codes: the values that occur in it, sensitive ones first.
        counts: how often each of them does.
        parts: the records of every part.
        rule: what classes must keep.
    """

    number: int
    codes: tuple[int, ...]
    counts: Counts
    parts: list[Ints]
    rule: Rule

    @cached_property
    def fine(self) -> Fine | None:
        """The worlds in which all parts would have been fine; None if they take too long."""
        here = sum(code < self.rule.sensitive for code in self.codes)
        rule = Rule(self.rule.l, self.rule.k, here)
        return fine_worlds(self.counts, tuple(sorted(map(len, self.parts))), rule)

    def beliefs(self, others: Fraction = Fraction(1)) -> Iterator[tuple[Ints, Belief]]:
        """Return what is believed of the records of each part.

        Args:
            others: the share of worlds in which all other classes that may have been in need of
                generalization were not.
        """
        even = tuple(Fraction(count, sum(self.counts)) for count in self.counts)
        if self.fine is None or others * self.fine.share == 1:
            yield from ((rows, even) for rows in self.parts)
            return
        for rows in self.parts:
            size, fine = len(rows), self.fine.expected[len(rows)]
            scale = size * (1 - others * self.fine.share)
            left = (size * e - others * f for e, f in zip(even, fine, strict=True))
            yield rows, tuple(one / scale for one in left)

    @cached_property
    def highest(self) -> Fraction:
        """The credibility of the likeliest sensitive value, where the class itself was in need."""
        here = [place for place, code in enumerate(self.codes) if code < self.rule.sensitive]
        return max(
            (belief[place] for _, belief in self.beliefs() for place in here), default=Fraction(0)
        )


def divided(classes: Ints, lower: Ints, values: Ints, rule: Rule) -> list[Divided]:
    """Return the classes that would have been several parts one level lower on a key."""
    from tacita.kernels.grouping import group

    parts = group([classes, lower])
    several = np.bincount(classes[parts.first], minlength=1) > 1
    rows = np.flatnonzero(several[classes])
    rows = rows[np.lexsort([parts.ids[rows], classes[rows]])]
    edges = np.flatnonzero(np.diff(classes[rows])) + 1
    return [
        _divided(part, classes, parts.ids, values, rule)
        for part in np.split(rows, edges)
        if len(part)
    ]


def _divided(rows: Ints, classes: Ints, parts: Ints, values: Ints, rule: Rule) -> Divided:
    codes, counts = np.unique(values[rows], return_counts=True)
    pieces = np.split(rows, np.flatnonzero(np.diff(parts[rows])) + 1)
    return Divided(
        int(classes[rows[0]]), tuple(codes.tolist()), tuple(counts.tolist()), pieces, rule
    )
