"""Rank-based linkage: the intruder compares ranks, which rank swapping moves only so far."""

from __future__ import annotations

from math import inf
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import InputError
from tacita.method import AttributeNames, Method
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn_records, told
from tacita.microdata.risk.linking.distances import Ranges, parts_of
from tacita.microdata.risk.linking.links import Found, Links, known_attributes, nearest_links
from tacita.microdata.risk.linking.nearest_records import Metric, Search
from tacita.results import Measurement, exactly, listed
from tacita.validity import OF_RESPONDENTS, Use

ORDERED = frozenset({Kind.CONTINUOUS, Kind.ORDINAL, Kind.DATE})


class RankLinkage(Method):
    """The share of released records that an intruder links to their own respondent by ranks.

    Rank swapping with parameter p moves no value by more than p % of the ranks. An intruder who
    knows p (`swap_range`) knows for each released value that its owner is among the respondents
    whose values lie within p % of the ranks around it; the owner of a whole record lies in the
    intersection of these sets over all attributes. With c_i respondents in it, the expected share
    of right links is (1/n) sum_i 1/c_i over the records whose own respondent is in it. Values that
    several records share occupy all ranks from the first to the last of them.

    Without `swap_range` the intruder links each released record to the respondent at the smallest
    Euclidean distance between ranks (average ranks of equal values, over the number of values),
    of equally near ones to one at random.

    When not to use it: on values that were generalized, whose ranks tell little.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.RankLinkage(["Chol", "Temp"], swap_range=0).measure(data, data).value
    Fraction(1, 1)
    """

    applies_to: ClassVar = ORDERED
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.VALUES
    links_records: ClassVar = True
    opens: ClassVar = True
    reference: ClassVar = (
        "Nin, Herranz & Torra, Data & Knowledge Engineering 64(1):346-364, 2008; "
        "Muralidhar & Domingo-Ferrer, in Privacy in Statistical Databases, 2016, pp. 225-240"
    )
    missing: ClassVar = (
        "A released blank tells nothing: every respondent fits it; an original blank has no rank "
        "and fits only a blank."
    )
    public: ClassVar = frozenset({"attributes", "sample"})

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default the ordered keys."),
    ] = None
    swap_range: Annotated[
        float | None,
        Field(
            description="The percentage of ranks by which values were swapped at most (0 to 100), "
            "if the intruder knows it.",
            ge=0,
            le=100,
        ),
    ] = None
    sample: SampleSize = 10_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Link the released records, or a sample of them, by ranks."""
        names = known_attributes(original, protected, self.attributes, ORDERED)
        own, rows = (
            paired_rows(original, protected),
            drawn_records(original, protected, self.sample, self.seed),
        )
        lines = parts_of(original, protected, own, np.arange(len(protected)), names)
        parts = [self._in_ranks(part, rows) for part in lines if isinstance(part, Ranges)]
        if not parts:
            raise InputError(
                f"Linkage by ranks needs released values in an order; found none in "
                f"{listed(names)}. Name others in `attributes`."
            )
        search = Search.of(parts, Metric(2, dict.fromkeys(names, 1.0), {}), own[rows])
        find = nearest_links if self.swap_range is None else _candidates
        found = find(search, own[rows], rows, len(protected))
        return found.links.measurement(
            self,
            f"{found.links.told()} by the ranks of {listed([part.name for part in parts])}"
            f"{told(len(rows), len(protected))}",
            found.figures,
            found.details,
        )

    def _in_ranks(self, part: Ranges, rows: Ints) -> Ranges:
        released, held = part.released, part.known[~np.isnan(part.known)]
        values, given = np.sort(held), np.sort(released[~np.isnan(released)])
        asked, blank = released[rows], np.isnan(released[rows])
        if self.swap_range is None:
            ranks = _relative_ranks(given, asked)
            low, high = np.where(blank, -inf, ranks), np.where(blank, inf, ranks)
            return Ranges(part.name, _relative_ranks(values, part.known), low, high)
        reach = int(exactly(self.swap_range) * len(values) / 100)
        low, high = _values_around(values, given, asked, reach)
        return Ranges(part.name, part.known, np.where(blank, -inf, low), np.where(blank, inf, high))


def _relative_ranks(ordered: Floats, values: Floats) -> Floats:
    """Return the average rank of each value over the number of values; NaN stays NaN."""
    first, behind = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return np.where(np.isnan(values), np.nan, (first + behind) / (2 * max(len(ordered), 1)))


def _values_around(
    values: Floats, given: Floats, asked: Floats, reach: int
) -> tuple[Floats, Floats]:
    """Return the least and the greatest original value within some ranks of released values.

    Args:
        values: the original values, ascending.
        given: the released values, ascending; if they are fewer, their ranks are stretched.
        asked: the released values to look around.
        reach: the number of ranks to each side.
    """
    if not len(values) or not len(given):
        return np.full(len(asked), -inf), np.full(len(asked), inf)
    first, behind = (np.searchsorted(given, asked, side) for side in ("left", "right"))
    start = first * len(values) // len(given) - reach
    stop = -(-behind * len(values) // len(given)) - 1 + reach
    last = len(values) - 1
    return values[np.clip(start, 0, last)], values[np.clip(stop, 0, last)]


def _candidates(search: Search, own: Ints, rows: Ints, records: int) -> Found:
    """Link every record to one of the respondents whose values all lie in its ranges."""
    asked = search.question
    questions = np.arange(len(search.questions.hints))
    fitting = search.within(questions, np.zeros(len(questions)))
    is_in = search.sums(asked, search.place[own]) == 0
    candidates = fitting[asked]
    links = Links(is_in.astype(np.int64), np.maximum(candidates, 1), records)
    details = {"record": rows, "own": own, "candidates": candidates}
    figures = {"mean_candidates": float(candidates.mean()) if len(rows) else None}
    return Found(links, figures, pa.table({**details, "probability": links.probability}))
