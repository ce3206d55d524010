"""Inferential disclosure: confidential values are predicted better with the release."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.pairing import are_paired
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.confidence import share_interval
from tacita.microdata.comparing.nearness import points, recoded_alike
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn, told
from tacita.microdata.risk.learners import (
    Secret,
    confidential_in,
    gain,
    keys_in,
    predictions,
    simultaneous,
)
from tacita.results import Interval, Measurement
from tacita.validity import OF_RESPONDENTS, Use


class InferentialDisclosure(Method):
    """How much better confidential values are predicted with the release than without it.

    An intruder learns from the released records how the keys tell a confidential attribute (by
    decision trees) and predicts the respondents from their true keys, recoded as the release is. A
    prediction is right when it is the true category, or not more than `width` (weighted) standard
    deviations of the attribute away. Without the release the intruder guesses the most frequent
    category or the median of the original data; if there is a holdout, the same trees are learnt
    from it, so that what holds for everybody is not called disclosure. The risk of an attribute is

        (right with - right without) / (1 - right without), at least 0,

    the share of wrong guesses that the release puts right; the number is that of the attribute most
    at risk. Of each side's trees (leaves of at least 1 and of at least 20 records) the best count.
    Where records times categories are above 2^24, trees learn from a random part of the records and
    those of the respondents to predict, which says too much rather than too little.

    When not to use it: without a holdout as proof of disclosure. A release that serves statistics
    well predicts well, for respondents and for everybody else.

    >>> import tacita as ta
    >>> data = ta.example("conditions")
    >>> ta.InferentialDisclosure().measure(data, data).value
    Fraction(1, 1)
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.VALUES
    reference: ClassVar = "Duncan & Lambert, Journal of Business & Economic Statistics 7:207, 1989"
    missing: ClassVar = (
        "Blank confidential values are neither learnt nor predicted; a blank key is a value."
    )
    by_contents: ClassVar = True
    public: ClassVar = frozenset({"attributes", "keys", "width"})
    costly: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(
            description="The attributes to predict; by default those with the role confidential."
        ),
    ] = None
    keys: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default those with the role key."),
    ] = None
    width: Annotated[
        float,
        Field(description="How far a right prediction may be off, in standard deviations.", ge=0),
    ] = 0.1
    sample: SampleSize = 10_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Predict every confidential attribute."""
        known = _respondents(original, protected)
        rows = drawn(len(known), self.sample, self.seed)
        beside = original.external.holdout
        others = [] if beside is None else [beside]
        names = confidential_in(original, protected, self.attributes)
        found = {}
        for name in names:
            keys = keys_in(original, protected, self.keys, but=name)
            seen = recoded_alike([known, *others], original, protected, [*keys, name])
            found[name] = self._predicted([*seen, protected], name, keys, rows)
        worst = max(found, key=lambda name: found[name].risk)
        chosen = found[worst]
        return Measurement(
            self.name,
            self.family,
            chosen.risk if chosen.targets else None,
            f"{worst} is predicted rightly for {chosen.right:,} of {chosen.targets:,} respondents "
            f"with the release and for {chosen.right_without:,} without it"
            f"{told(len(rows), len(known))}",
            parts={name: float(one.risk) for name, one in found.items()},
            parameters=self.parameters(),
            figures={
                "right_with": chosen.share(chosen.right),
                "right_without": chosen.share(chosen.right_without),
            },
            interval=chosen.interval(simultaneous(len(found))),
        )

    def _predicted(
        self, datasets: list[Dataset], name: str, keys: list[str], rows: Ints
    ) -> _Predicted:
        """Count the right predictions of an attribute; respondents first, the release last."""
        secret = Secret.of(datasets, name, self.width)
        matrices = [one.columns for one in points(datasets, keys)]
        truth = secret.values[0][rows]
        right = [
            _best(secret, predictions(secret, place, matrices, rows), truth)
            for place in range(1, len(datasets))
        ]
        usual = _best(secret, [np.full(len(rows), secret.usual(0))], truth)
        return _Predicted(
            int(np.count_nonzero(~np.isnan(truth))), right[-1], max([usual, *right[:-1]])
        )


@dataclass(frozen=True)
class _Predicted:
    """How many of some respondents were predicted rightly, with the release and without it."""

    targets: int
    right: int
    right_without: int

    @property
    def risk(self) -> Fraction:
        return gain(self.share(self.right), self.share(self.right_without))

    def share(self, right: int) -> Fraction:
        return Fraction(right, max(self.targets, 1))

    def interval(self, confidence: float) -> Interval:
        """Return where the risk lies; what is known without the release is taken as it is."""
        shares = share_interval(self.right, self.targets, confidence)
        without = self.share(self.right_without)
        bounds = (float(gain(bound, without)) for bound in (shares.lower, shares.upper))
        return Interval(*bounds)


def _best(secret: Secret, guesses: list[Floats], truth: Floats) -> int:
    counts = (int(np.count_nonzero(secret.hits(guess, truth))) for guess in guesses)
    return max(counts, default=0)


def _respondents(original: Dataset, protected: Dataset) -> Dataset:
    """Return the respondents of the release; all original ones where nobody knows which they are.

    Synthetic records belong to nobody and may be more or fewer than the original ones.
    """
    if not (are_paired(original, protected) or protected.is_synthetic):
        return original
    return paired(original, protected)
