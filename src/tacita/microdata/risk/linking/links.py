"""Links: what an intruder's guesses at the owners of released records come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.confidence import share_interval
from tacita.microdata.risk.linking.nearest_records import Search
from tacita.results import Measurement, Number, show


@dataclass(frozen=True, eq=False)
class Links:
    """For every linked record, in how many of how many equally likely guesses its owner is named.

    Args:
        right: the guesses that are right (whole numbers).
        guesses: all guesses (1 or more).
        records: the number of released records, linked or not.
    """

    right: Ints
    guesses: Ints
    records: int

    @property
    def probability(self) -> Floats:
        """The probability with which each record is linked to its owner."""
        return np.asarray(self.right / self.guesses)

    @property
    def expected(self) -> Fraction:
        """The expected number of right links, exactly: there are few different fractions."""
        size = int(self.guesses.max(initial=0)) + 1
        kinds, counts = np.unique(self.right * size + self.guesses, return_counts=True)
        rows = zip(kinds.tolist(), counts.tolist(), strict=True)
        return sum((n * Fraction(kind // size, kind % size) for kind, n in rows), Fraction(0))

    def told(self) -> str:
        """Say how many links are right."""
        return (
            f"{show(self.expected)} of {len(self.right):,} records are expected to be linked to "
            "their own respondent"
        )

    def measurement(
        self,
        method: Method,
        sentence: str,
        figures: Mapping[str, Number | None] | None = None,
        details: pa.Table | None = None,
    ) -> Measurement:
        """Return the share of right links with its confidence interval.

        The numbers of single records stand with the measurement if all were linked, else only in
        the details, whose rows are the linked records.
        """
        linked, expected = len(self.right), self.expected
        return Measurement(
            method.name,
            method.family,
            expected / linked if linked else None,
            sentence,
            per_record=self.probability if linked == self.records else None,
            parameters=method.parameters(),
            figures={
                "linked": linked,
                "right_links": expected,
                "certain_links": int(np.count_nonzero(self.right == self.guesses)),
                "owner_among_guesses": int(np.count_nonzero(self.right)),
                **(figures or {}),
            },
            interval=share_interval(float(expected), linked),
            details=details,
        )


def known_attributes(
    original: Dataset,
    protected: Dataset,
    asked: Sequence[str] | None,
    kinds: frozenset[Kind] = ANY_KIND,
) -> list[str]:
    """Return the attributes by which records are linked: those asked for, else the keys.

    Raises:
        InputError: there are none of these kinds, or none was released.
    """
    if asked is None and not protected.keys:
        protected.classes()  # says so
    names = [
        name
        for name in (protected.keys if asked is None else asked)
        if name in protected.attributes
        and name in original.attributes
        and original.attribute(name).kind in kinds
    ]
    if not names:
        wanted = ", ".join(kind.value for kind in Kind if kind in kinds)
        raise InputError(
            "Records can be linked only by attributes that are released; found no such attribute "
            f"({wanted}) among those an intruder knows. Name others in `attributes`."
        )
    return names


@dataclass(frozen=True, eq=False)
class Found:
    """What a search for owners found.

    Args:
        links: the guesses it comes to.
        figures: further numbers.
        details: one row a linked record.
        way: what is to be said of the way of linking.
    """

    links: Links
    figures: Mapping[str, Number | None]
    details: pa.Table
    way: str = ""


def nearest_links(search: Search, own: Ints, rows: Ints, records: int) -> Found:
    """Link every released record to its nearest known one; equally near ones share the link.

    Args:
        search: the search for the linked records.
        own: the known record that each of them comes from.
        rows: their numbers in the release.
        records: the number of released records, linked or not.
    """
    places, sums = search.nearest(3)  # the third tells whether others share the second place
    asked, metric = search.question, search.metric
    own_sums = search.sums(asked, search.place[own])
    limits = metric.limit(sums)
    shared = np.flatnonzero(sums[:, 1] <= limits[:, 0])
    near = search.sizes[places[:, 0]]
    near[shared] = search.within(shared, limits[shared, 0])
    is_near = own_sums <= limits[asked, 0]
    links = Links(is_near.astype(np.int64), near[asked], records)
    behind = search.sizes[places[:, 1]]
    shared = np.flatnonzero((near == 1) & (sums[:, 2] <= limits[:, 1]))
    behind[shared] = np.maximum(search.within(shared, limits[shared, 1]) - 1, 1)
    # The owner may also stand second, behind one nearest record, and share that place with others.
    is_second = ~is_near & (near[asked] == 1) & (own_sums <= limits[asked, 1])
    among_two = np.where(is_near, np.minimum(2 / near[asked], 1.0), is_second / behind[asked])
    distances = metric.distance(sums)[asked]
    total = fsum(distances[:, 0])
    details = _nearest_table(search, places, distances, own_sums, own, rows, links)
    figures = {
        "right_among_two": fsum(among_two),
        "mean_distance": total / len(rows) if len(rows) else None,
        "total_distance": total,
    }
    return Found(links, figures, details)


def _nearest_table(
    search: Search,
    places: Ints,
    distances: Floats,
    own_sums: Floats,
    own: Ints,
    rows: Ints,
    links: Links,
) -> pa.Table:
    """List every link: the nearest known record and the next one."""
    first, second = places[search.question, :2].T
    twice = search.sizes[first] > 1
    nearest = search.members[search.starts[first]]
    # The next may agree with the nearest in everything; there is none if only one is known.
    next_place = np.where(twice, first, second)
    at = np.minimum(search.starts[next_place] + twice, len(search.members) - 1)
    next_distance = np.where(twice, distances[:, 0], distances[:, 1])
    none = ~np.isfinite(next_distance)
    return pa.table(
        {
            "record": rows,
            "own": own,
            "own_distance": search.metric.distance(own_sums),
            "nearest": nearest,
            "distance": distances[:, 0],
            "second": pa.array(search.members[at], mask=none),
            "second_distance": pa.array(next_distance, mask=none),
            "probability": links.probability,
        }
    )
