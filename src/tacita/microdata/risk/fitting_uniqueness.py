"""Fitting uniqueness: the records that stand alone behind generalized values."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.boxes import boxes_of
from tacita.microdata.comparing.confidence import share_interval
from tacita.microdata.comparing.coverage import coverage
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn, told
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.results import Interval, Measurement, Number, listed
from tacita.validity import NON_PERTURBATIVE, Use


class FittingUniqueness(Method):
    """The share of records that may be the only one to fit somebody, whatever was generalized.

    A released value stands for some values of its attribute: `[24-28]` for five ages, `937**` for a
    hundred postal codes, a blank for every value. A record is unique if among the combinations of
    values behind it there is one that no other record fits, that is, has in its own ranges: the
    worst case assumes that this one is the truth. Exact: the product of the ranges of a record is
    a box, and it is unique unless the boxes of the others cover it. Of numbers, dates and codes of
    digits every value in a range counts, of categories those of the hierarchy or of the data.

    A box that takes more than `effort` comparisons is left undecided and counted as unique; then
    the interval holds both counts. Records that share their values with another are never unique;
    beyond `sample` others, a random sample of them is asked.

    When not to use it: on perturbed keys, whose combinations say nothing of the population.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> ages = ta.read(pa.table({"age": [26, 25, 31]}), roles={"age": "key"})
    >>> coarse = ta.read(pa.table({"age": ["26", "[24-28]", "31"]}), roles={"age": "key"})
    >>> ta.FittingUniqueness().measure(*ta.pair(ages, coarse, "position")).per_record
    array([False,  True,  True])
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = "Sanchez, Martinez & Domingo-Ferrer, Science 351(6279):1274, 2016, eq. 1"
    missing: ClassVar = "Missing and suppressed values stand for every value of their attribute."
    by_contents: ClassVar = True
    public: ClassVar = frozenset({"keys", "effort", "sample", "seed"})

    keys: Keys = None
    effort: Annotated[
        int,
        Field(
            description="At most so many comparisons are made for a record (1 or more).",
            ge=1,
            le=10**15,
        ),
    ] = 1_000_000
    sample: SampleSize = 10_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Count the records that may be alone in fitting somebody."""
        from tacita.kernels.fitting import UNCOVERED, UNDECIDED, uncovered

        keys = protected.classes(self.keys).keys
        boxes = boxes_of([coverage(original, protected, name) for name in keys])
        alone = np.sort(boxes.first[np.bincount(boxes.of_record) == 1])
        asked = alone[drawn(len(alone), self.sample, self.seed)]
        record = boxes.first[boxes.owner]
        places = np.flatnonzero(np.isin(record, asked))
        answers = uncovered(boxes.low, boxes.high, boxes.owner, places, effort=self.effort)
        fit = {
            answer: np.bincount(record[places[answers == answer]], minlength=len(protected))
            for answer in (UNCOVERED, UNDECIDED)
        }
        sure = fit[UNCOVERED] > 0
        possible = sure | (fit[UNDECIDED] > 0)
        return self._told(keys, sure, possible, alone, asked)

    def _told(
        self, keys: Sequence[str], sure: Mask, possible: Mask, alone: Ints, asked: Ints
    ) -> Measurement:
        records = len(sure)
        certain, most = int(np.count_nonzero(sure)), int(np.count_nonzero(possible))
        # Nobody who shares all values with another is unique, so that only the others are asked.
        part: Number = Fraction(len(alone), records * len(asked)) if len(asked) else Fraction(0)
        if len(asked) < len(alone):
            part = float(part)
        undecided = f"; {most - certain:,} of them undecided" if most > certain else ""
        return Measurement(
            self.name,
            self.family,
            most * part if records else None,
            f"{most:,} of {len(asked):,} records that share their values with no other may be "
            f"alone in fitting somebody on {listed(keys)}{undecided}"
            f"{told(len(asked), len(alone))}",
            per_record=possible if len(asked) == len(alone) else None,
            parameters=self.parameters(),
            figures={
                "unshared": Fraction(len(alone), records) if records else None,
                "surely_unique": certain * part if records else None,
                "undecided": (most - certain) * part if records else None,
            },
            interval=_interval(certain, most, len(asked), len(alone), records),
        )


def _interval(certain: int, most: int, asked: int, alone: int, records: int) -> Interval | None:
    if not records or (asked == alone and certain == most):
        return None
    part = alone / records
    if asked == alone:
        return Interval(part * certain / asked, part * most / asked, confidence=1.0)
    lower, upper = share_interval(certain, asked), share_interval(most, asked)
    return Interval(part * lower.lower, part * upper.upper)
