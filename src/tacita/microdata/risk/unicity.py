"""Unicity: respondents whom a few of their records single out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.attribute import Role
from tacita.data.classes import Ints, Mask, comparable
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import InputError
from tacita.method import ANY_KIND, AttributeName, AttributeNames, Method
from tacita.microdata.comparing.confidence import share_interval
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn
from tacita.results import Measurement, counted, listed
from tacita.validity import NON_PERTURBATIVE, Use

AT_ONCE = 2**22  # respondents looked through at a time


class Unicity(Method):
    """The share of respondents who are the only one with a few of their records, drawn at random.

    Where respondents have several records each (purchases, places, hospital stays), an intruder may
    know the key values of `points` of them. Drawn at random for every respondent, the known records
    single her out if no other respondent has records with all those combinations of key values. A
    respondent with fewer records is known by all of them. With one record each and one point known
    it is the uniqueness of records, of which it is a new name (Sanchez, Martinez & Domingo-Ferrer,
    Science 351(6279):1274, 2016).

    When not to use it: to conclude that a respondent of a sample is unique in the population.

    >>> import tacita as ta
    >>> table = pa.table({"who": ["a", "a", "b", "b"], "ward": [1, 2, 1, 1]})
    >>> stays = ta.read(table, roles={"ward": "key"})
    >>> print(ta.Unicity("who").measure(stays, stays).value)
    1/2
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = (
        "de Montjoye, Hidalgo, Verleysen & Blondel, Scientific Reports 3:1376, 2013; "
        "de Montjoye, Radaelli, Singh & Pentland, Science 347(6221):536-539, 2015"
    )
    missing: ClassVar = (
        "Blank keys agree with one another and with nothing else; a record whose respondent is "
        "blank is taken for a respondent of its own."
    )
    example: ClassVar = {"respondent": "household"}
    by_contents: ClassVar = True
    public: ClassVar = frozenset({"respondent", "points", "keys"})

    respondent: Annotated[
        AttributeName | None,
        Field(description="The original attribute that tells respondents apart (the identifier)."),
    ] = None
    points: Annotated[
        int, Field(description="How many records of a respondent the intruder knows.", ge=1)
    ] = 4
    keys: Annotated[
        AttributeNames | None,
        Field(description="The attributes known of them; by default those with the role key."),
    ] = None
    sample: Annotated[
        SampleSize, Field(description="At most so many respondents are measured (None: all).")
    ] = 10_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Draw records of respondents and look for others who have them too."""
        classes = protected.classes(self.keys)
        respondents = _respondents(original, protected, self._who(original))
        held = Held.of(respondents, classes.of_record)
        chosen = drawn(held.respondents, self.sample, self.seed)
        known = held.points(chosen, self.points, np.random.default_rng(self.seed))
        alone = held.others_with(known) == 1
        unique, measured = int(np.count_nonzero(alone)), len(chosen)
        whole = measured == held.respondents
        exact = whole and held.most_records <= self.points
        every = "" if whole else f" (of {held.respondents:,}, sampled at random)"
        return Measurement(
            self.name,
            self.family,
            Fraction(unique, measured) if measured else None,
            f"{unique:,} of {counted(measured, 'respondent')}{every} are the only one with "
            f"{counted(self.points, 'record')} known by {listed(classes.keys)}",
            per_record=alone[respondents] if whole else None,
            parameters=self.parameters(),
            interval=None if exact else share_interval(unique, measured),
        )

    def _who(self, original: Dataset) -> str:
        if self.respondent is not None:
            return self.respondent
        names = original.with_role(Role.IDENTIFIER)
        if len(names) != 1:
            raise InputError(
                f"Expected one identifier that tells respondents apart, found {len(names)}; "
                "name the attribute in `respondent`."
            )
        return names[0]


def _respondents(original: Dataset, protected: Dataset, name: str) -> Ints:
    """Give the respondents of the released records numbers; a blank is one more."""
    from tacita.kernels.grouping import factorize

    rows = pa.array(paired_rows(original, protected))
    codes, first = factorize(*comparable(original.column(name).take(rows)))
    blank = codes < 0
    numbers: Ints = np.where(blank, len(first) - 1 + np.cumsum(blank), codes)
    return numbers


@dataclass(frozen=True, eq=False)
class Held:
    """Who has records of which class.

    Args:
        of_record: the respondent of every record, sorted.
        class_of_record: the class of every such record.
        by_class: respondent and class of every distinct pair in one number, sorted by class.
        classes: how many classes there are.
        respondents: how many respondents there are.
    """

    of_record: Ints
    class_of_record: Ints
    by_class: Ints
    classes: int
    respondents: int

    @classmethod
    def of(cls, respondents: Ints, classes: Ints) -> Held:
        """Sort the records by respondent and, once more, by class."""
        order = np.argsort(respondents, kind="stable")
        people = int(respondents.max(initial=-1)) + 1
        return cls(
            respondents[order],
            classes[order],
            np.unique(classes * people + respondents),
            int(classes.max(initial=-1)) + 1,
            people,
        )

    @property
    def most_records(self) -> int:
        """How many records the respondent with most of them has."""
        return int(np.bincount(self.of_record).max(initial=0))

    def points(self, chosen: Ints, points: int, rng: np.random.Generator) -> Ints:
        """Draw records of some respondents without replacement.

        Returns a row of classes for each, in ascending order; who has fewer repeats the last.
        """
        # A random order of all records, respondents kept together, has random ones at its head.
        order = np.lexsort((rng.random(len(self.of_record)), self.of_record))
        begins, ends = (np.searchsorted(self.of_record, chosen, side) for side in ("left", "right"))
        places = np.minimum(begins[:, None] + np.arange(points), (ends - 1)[:, None])
        return np.sort(self.class_of_record[order][places], axis=1)

    def others_with(self, known: Ints) -> Ints:
        """Count, for each row of classes, the respondents who have records of all of them."""
        sets, place = np.unique(known, axis=0, return_inverse=True)
        return np.concatenate([np.empty(0, np.int64), *self._counted(sets)])[place.ravel()]

    def _counted(self, sets: Ints) -> Iterator[Ints]:
        """Look through the respondents of each set's rarest class, some sets at a time."""
        edges = np.searchsorted(self.by_class, np.arange(self.classes + 1) * self.respondents)
        sizes = np.diff(edges)
        rarest = np.take_along_axis(sets, np.argmin(sizes[sets], axis=1)[:, None], axis=1)[:, 0]
        part = np.cumsum(sizes[rarest]) // AT_ONCE
        for some in np.split(np.arange(len(sets)), np.flatnonzero(np.diff(part)) + 1):
            many = sizes[rarest[some]]
            row = np.repeat(np.arange(len(some)), many)
            within = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
            people = self.by_class[edges[rarest[some]][row] + within] % self.respondents
            has_all = self._have(people, sets[some][row])
            yield np.bincount(row[has_all], minlength=len(some))

    def _have(self, people: Ints, classes: Ints) -> Mask:
        """Tell which respondents have records of all the classes in their row."""
        have = np.ones(len(people), np.bool_)
        for column in classes.T:
            wanted = column * self.respondents + people
            place = np.searchsorted(self.by_class, wanted)
            have &= np.append(self.by_class, -1)[place] == wanted
        return have
