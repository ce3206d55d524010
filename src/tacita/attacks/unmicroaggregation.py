"""Un-microaggregation: the intruder knows that records were averaged in groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.arithmetic import log
from tacita.attacks.inverting.aggregates import (
    Block,
    blocks_of,
    bounds_of,
    groups_of,
    smallest_class,
    smallest_group,
)
from tacita.attacks.inverting.linked import measured
from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import InputError
from tacita.method import AttributeNames, Method
from tacita.microdata.comparing.nearness import is_numeric, numbers, spread_of
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn_records
from tacita.microdata.risk.linking.distances import Ranges, parts_of
from tacita.microdata.risk.linking.links import Links, known_attributes
from tacita.results import Measurement, counted, listed
from tacita.validity import OF_RESPONDENTS, Use

if TYPE_CHECKING:
    from tacita.kernels.listed_points import Likeliest

NUMERIC = frozenset({Kind.CONTINUOUS, Kind.DATE})
ABSENT = 1e-6  # the likelihood of a group that is not near


class Unmicroaggregation(Method):
    """The share of records that an intruder links who knows that groups of records were averaged.

    Equal released values show the groups, and which attributes were grouped together (a block):
    those whose combinations each occur at least k times. A block tells the group of a record; the
    owner lies in the intersection of the groups over all blocks (Nin, Herranz & Torra 2008).

    - Of an attribute microaggregated alone, groups are runs of its ordered values, so that the
      owner's value lies between the averages of the runs before and behind: that is certain.
    - Of a block of several attributes, a respondent is in one of the 10 groups whose averages are
      nearest to the known values, in standard deviations of the original.

    Of the groups a respondent may be in, each has the likelihood d^-4 / sum d^-4 by the distances d
    to their averages, which no outlier dominates. A released record goes to the respondent with the
    greatest product over the blocks; a group that is none of these counts 10^-6. Where c
    respondents are equally likely, one is picked at random; of a single block, that cannot link
    more than one of k.

    Values behind averages of attributes microaggregated alone are bounded besides: by those of the
    neighbouring runs, and by the sum of the run. `bounded` is the share of these values that lie
    for certain within `width` standard deviations to each side of the middle of their bounds.

    When not to use it: on groups that were formed within strata or are represented by something
    else than their plain average; there bounds need not hold, and fewer records are linked.

    >>> import tacita as ta
    >>> data = ta.example("census", 400)
    >>> known = data.names[:6]
    >>> safe = data.apply(ta.Microaggregate(known, k=5, together=3), seed=0)
    >>> found = ta.Unmicroaggregation(known).measure(data, safe)
    >>> bool(found.value > found.figures["naive_linkage"])
    True
    """

    applies_to: ClassVar = NUMERIC
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.VALUES
    links_records: ClassVar = True
    reference: ClassVar = (
        "Nin, Herranz & Torra, On the disclosure risk of multivariate microaggregation, Data & "
        "Knowledge Engineering 67(3):399-412, 2008"
    )
    missing: ClassVar = "A blank tells nothing, be it released or known."
    example: ClassVar = {"attributes": ["age", "income"], "sample": 1000}
    public: ClassVar = frozenset({"attributes", "k", "width", "sample"})
    costly: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default the numeric keys."),
    ] = None
    _: KW_ONLY
    k: Annotated[
        int | None,
        Field(
            description="The smallest size of a group (2 or more); by default that of the "
            "smallest one that equal values show.",
            ge=2,
        ),
    ] = None
    width: Annotated[
        float,
        Field(description="How far bounds may go to each side, in standard deviations.", ge=0),
    ] = 0.05
    sample: SampleSize = 10_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Link the released records, or a sample of them, through their groups."""
        names = known_attributes(original, protected, self.attributes, NUMERIC)
        own, rows = (
            paired_rows(original, protected),
            drawn_records(original, protected, self.sample, self.seed),
        )
        parts = _numbers(original, protected, own, names)
        released = [part.released for part in parts] + _others(original, protected, names)
        k = smallest_group(released) if self.k is None else self.k
        blocks = blocks_of(released, k, len(parts))
        scales = np.array([spread_of(part.known, original.weight) or 1.0 for part in parts])
        found = _likeliest(blocks, parts, scales, own, rows)
        links = Links(found.is_own.astype(np.int64), np.maximum(found.likeliest, 1), len(protected))
        return measured(
            self,
            (original, protected),
            [part.name for part in parts],
            rows,
            links,
            f"by the groups of {counted(len(blocks), 'block')} of {listed(names)}",
            {
                "k": k,
                "blocks": len(blocks),
                "mean_candidates": float(found.everywhere.mean()) if len(rows) else None,
                "bounded": self._bounded(blocks, released, scales, k),
            },
            {"own": own[rows], "candidates": found.everywhere},
        )

    def _bounded(
        self, blocks: Sequence[Block], released: Sequence[Floats], scales: Floats, k: int
    ) -> Fraction | None:
        """Return the share of values averaged alone whose bounds are narrow."""
        narrow = values = 0
        for place in [block.places[0] for block in blocks if block.is_alone]:
            if smallest_class([released[place]]) >= k:
                low, high = bounds_of(released[place])
                narrow += int(np.count_nonzero(high - low <= 2 * self.width * scales[place]))
                values += int(np.count_nonzero(~np.isnan(released[place])))
        return Fraction(narrow, values) if values else None


def _numbers(
    original: Dataset, protected: Dataset, own: Ints, names: Sequence[str]
) -> list[Ranges]:
    """Return the attributes that were released as numbers.

    Raises:
        InputError: there are none.
    """
    parts = parts_of(original, protected, own, np.arange(len(protected)), names)
    exact = [part for part in parts if isinstance(part, Ranges) and part.is_exact]
    if not exact:
        raise InputError(
            f"Averages of groups are numbers; found none released in {listed(names)}. Name others "
            "in `attributes`."
        )
    return exact


def _others(original: Dataset, protected: Dataset, names: Sequence[str]) -> list[Floats]:
    """Return the released numbers that the intruder does not know of respondents."""
    return [
        numbers([protected], name)[0]
        for name in protected.names
        if name not in names and name in original.attributes and is_numeric([protected], name)
    ]


def _likeliest(
    blocks: Sequence[Block], parts: Sequence[Ranges], scales: Floats, own: Ints, rows: Ints
) -> Likeliest:
    """Find for released records the respondents that are likeliest to be in all their groups."""
    from tacita.kernels.listed_points import likeliest, lists_of

    found = [groups_of(block, parts, scales) for block in blocks]
    starts = np.cumsum([0, *(groups.count for groups in found)])
    most = max(groups.near.shape[1] for groups in found)
    named = np.full((len(parts[0].known), len(found), most), -1)
    logarithms = np.full(named.shape, log(ABSENT))
    asked = np.empty((len(rows), len(found)), np.int64)
    for block, (groups, start) in enumerate(zip(found, starts.tolist(), strict=False)):
        places = groups.near.shape[1]
        named[:, block, :places] = np.where(groups.near < 0, -1, groups.near + start)
        logarithms[:, block, :places] = log(np.maximum(groups.chances, ABSENT))
        of_record = groups.of_record[rows]
        asked[:, block] = np.where(of_record < 0, -1, of_record + start)
    return likeliest(lists_of(named, logarithms, log(ABSENT), int(starts[-1])), asked, own[rows])
