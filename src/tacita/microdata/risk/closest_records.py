"""Distance to the closest record: whether a release repeats the records it was made from."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.confidence import CONFIDENCE
from tacita.microdata.comparing.nearness import known_in_terms, points
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn, told
from tacita.microdata.risk.learners import gain
from tacita.results import Interval, Measurement, counted
from tacita.validity import ANY_CHANGE, Use

Found = tuple[Floats, Ints]  # the distance of the closest record, and which one it is
QUANTILES = {"fifth_percentile": 0.05, "median": 0.5}


class ClosestRecords(Method):
    """Whether released records lie closer to the original data than to data they never saw.

    For every released record the closest original and the closest holdout record are found. If the
    release says nothing about single original records, all n + m of both are equally likely to be
    the closest, so that n / (n + m) of the released records are expected to have an original one
    as their closest. With the observed share s (a tie counts as a half), the number is

        (s - n / (n + m)) / (1 - n / (n + m)), at least 0:

    0 where the release knows the original data no better than the holdout, 1 where every released
    record lies closer to an original record; for a holdout as large as the data it is 2 s - 1.
    Neither file is cut to the size of the other: that would hide copies of the records cut off.
    The interval is that of a random division of all n + m records into original and holdout ones.
    Numbers and dates count in standard deviations, other values 0 if the same and 1 if not.

    When not to use it: with a holdout much smaller than the data, for which the interval is wide;
    `membership_inference` keeps its strength there.

    >>> import tacita as ta
    >>> data = ta.example("toy", 200)
    >>> copied = data.with_external(holdout=ta.example("toy", 200, seed=1))
    >>> ta.ClosestRecords().measure(copied, data).value
    Fraction(1, 1)
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = ANY_CHANGE
    uses: ClassVar = Use.VALUES
    at_everything: ClassVar = True
    reference: ClassVar = (
        "Platzer & Reutterer, Holdout-based empirical assessment of mixed-type synthetic data, "
        "Frontiers in Big Data 4:679939, 2021"
    )
    missing: ClassVar = "A blank is as far from a value as another category, and equal to a blank."
    needs: ClassVar = frozenset({"holdout"})
    by_contents: ClassVar = True
    public: ClassVar = frozenset({"attributes"})

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes to compare; by default all that tell of respondents."),
    ] = None
    sample: SampleSize = 2_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Find the closest records."""
        names, *before = known_in_terms(original, protected, self.attributes)
        rows = drawn(len(protected), self.sample, self.seed)
        known, other, released = points([*before, protected.take(rows)], names)
        ours, theirs = released.closest(known), released.closest(other)
        won = np.append(_won(ours, theirs, len(known)), _won(theirs, ours, len(other)))
        share = Fraction(int(won[: len(known)].sum()), 2 * max(len(rows), 1))
        expected = Fraction(len(known), max(len(known) + len(other), 1))
        return Measurement(
            self.name,
            self.family,
            gain(share, expected) if len(rows) and len(other) else None,
            f"the closest record to {float(share):.1%} of the released records is an original one, "
            f"expected {float(expected):.1%}, by {counted(len(names), 'attribute')}"
            f"{told(len(rows), len(protected))}",
            parameters=self.parameters(),
            figures={
                "share_nearer": share,
                "expected_share": expected,
                "copies": Fraction(int(np.count_nonzero(ours[0] == 0)), max(len(rows), 1)),
                **_quantiles("original", ours[0]),
                **_quantiles("holdout", theirs[0]),
            },
            interval=_interval(share, expected, won / 2, len(rows)),
        )


def _won(ours: Found, theirs: Found, records: int) -> Ints:
    """Count for every record of one side how often it is the closest: 2, or 1 for a tie."""
    got = 2 * (ours[0] < theirs[0]) + (ours[0] == theirs[0])
    there = ours[1] >= 0
    return np.bincount(ours[1][there], got[there], records).astype(np.int64)


def _interval(share: Fraction, expected: Fraction, won: Floats, released: int) -> Interval:
    """Return where the number lies if chance decides which records of both are original ones.

    Released records with the same closest record are not independent of one another, so that a
    share of so many trials would be too sure of itself.
    """
    from scipy.special import ndtri

    if released == 0 or len(won) < 2:  # noqa: PLR2004 - one record has no variance
        return Interval(0.0, 1.0)
    variance = float(expected * (1 - expected)) * len(won) * float(np.var(won, ddof=1))
    reach = float(ndtri((1 + CONFIDENCE) / 2)) * np.sqrt(variance) / released
    lower, upper = max(float(share) - reach, 0.0), min(float(share) + reach, 1.0)
    return Interval(float(gain(lower, expected)), float(gain(upper, expected)))


def _quantiles(whose: str, distances: Floats) -> dict[str, float | None]:
    """Return low and middle distances by their names; None where there are no records."""
    finite = distances[np.isfinite(distances)]
    return {
        f"{name}_to_{whose}": float(np.quantile(finite, share)) if len(finite) else None
        for name, share in QUANTILES.items()
    }
