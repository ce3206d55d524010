"""Attribute inference: the intruder reads a confidential value off the nearest released record."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from math import sqrt
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.confidence import share_interval
from tacita.microdata.comparing.nearness import holdout_of, points, recoded_alike
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn, told
from tacita.microdata.risk.learners import Secret, confidential_in, gain, keys_in, simultaneous
from tacita.results import Interval, Measurement
from tacita.validity import ANY_CHANGE, Use


class AttributeInference(Method):
    """How much better an intruder guesses confidential values of respondents than of strangers.

    The intruder knows the keys of a target, takes the released records that are nearest on them and
    guesses their most frequent confidential value, of numbers the median. A guess is right when it
    is the true category, or not more than `width` (weighted) standard deviations away. The same
    guesses of holdout records, which the release was not made from, tell what holds for everybody.
    With the shares r of respondents and c of strangers guessed rightly, the risk of an attribute is

        (r - c) / (1 - c), at least 0;

    the number is that of the attribute most at risk. The interval takes both shares at bounds that
    hold together, and all attributes at once.

    When not to use it: on a holdout from another population, for which other values are usual.

    >>> import tacita as ta
    >>> data = ta.example("toy", 200)
    >>> beside = data.with_external(holdout=ta.example("toy", 200, seed=1))
    >>> ta.AttributeInference(["disease"]).measure(beside, data).value
    Fraction(1, 1)
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = ANY_CHANGE
    uses: ClassVar = Use.VALUES
    reference: ClassVar = (
        "Giomi, Boenisch, Wehmeyer & Tasnadi, A unified framework for quantifying privacy risk in "
        "synthetic data, PoPETs 2023(2):312"
    )
    missing: ClassVar = (
        "Targets with a blank confidential value are left out; the guess of a blank is wrong."
    )
    needs: ClassVar = frozenset({"holdout"})
    by_contents: ClassVar = True
    public: ClassVar = frozenset({"attributes", "keys", "width"})

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes to guess; by default those with the role confidential."),
    ] = None
    keys: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default those with the role key."),
    ] = None
    width: Annotated[
        float, Field(description="How far a right guess may be off, in standard deviations.", ge=0)
    ] = 0.1
    sample: SampleSize = 2_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Guess the values of respondents and of strangers."""
        holdout_of(original)
        names = confidential_in(original, protected, self.attributes)
        nearest = cache(partial(self._nearest, original, protected))
        found = {
            name: self._guessed(
                original, protected, name, nearest(*keys_in(original, protected, self.keys, name))
            )
            for name in names
        }
        worst = max(found, key=lambda name: found[name].risk)
        chosen = found[worst]
        return Measurement(
            self.name,
            self.family,
            chosen.risk if chosen.respondents and chosen.strangers else None,
            f"{worst} is guessed rightly of {chosen.right:,} of {chosen.respondents:,} respondents "
            f"and of {chosen.right_of_strangers:,} of {chosen.strangers:,} strangers"
            f"{told(len(drawn(len(original), self.sample, self.seed)), len(original))}",
            parts={name: float(one.risk) for name, one in found.items()},
            parameters=self.parameters(),
            figures={
                "right_of_respondents": Fraction(chosen.right, max(chosen.respondents, 1)),
                "right_of_strangers": Fraction(chosen.right_of_strangers, max(chosen.strangers, 1)),
            },
            interval=chosen.interval(simultaneous(len(found))),
        )

    def _targets(self, original: Dataset, protected: Dataset, *names: str) -> list[Dataset]:
        """Return at most `sample` respondents and strangers, in the terms of the release."""
        sides = original, holdout_of(original)
        targets = [data.take(drawn(len(data), self.sample, self.seed)) for data in sides]
        return recoded_alike(targets, original, protected, names)

    def _nearest(self, original: Dataset, protected: Dataset, *keys: str) -> _Nearest:
        """Find for the targets of each side the released records that are nearest on some keys."""
        targets = self._targets(original, protected, *keys)
        *seen, released = points([*targets, protected], keys)
        distinct, of_record = released.distinct()
        return _Nearest([target.closest(distinct)[1] for target in seen], of_record, len(distinct))

    def _guessed(
        self, original: Dataset, protected: Dataset, name: str, nearest: _Nearest
    ) -> _Guessed:
        """Guess one attribute of the targets of each side from the nearest released records."""
        targets = self._targets(original, protected, name)
        secret = Secret.of([*targets, protected], name, self.width)
        usual = np.append(secret.usual_in(-1, nearest.of_record, nearest.classes), np.nan)
        counts: list[int] = []
        for places, truth in zip(nearest.places, secret.values, strict=False):
            guesses = usual[places]
            counts += [_count(secret.hits(guesses, truth)), _count(~np.isnan(truth))]
        return _Guessed(*counts)


class _Nearest(NamedTuple):
    """The classes of released records with the same keys that are nearest to targets."""

    places: list[Ints]  # for the targets of each side: the nearest class
    of_record: Ints  # for every released record: its class
    classes: int


@dataclass(frozen=True)
class _Guessed:
    """How many values of respondents and of strangers were guessed rightly."""

    right: int
    respondents: int
    right_of_strangers: int
    strangers: int

    @property
    def risk(self) -> Fraction:
        ours = Fraction(self.right, max(self.respondents, 1))
        return gain(ours, Fraction(self.right_of_strangers, max(self.strangers, 1)))

    def interval(self, confidence: float) -> Interval:
        """Return the risks at the bounds of both shares, which are independent of each other."""
        each = sqrt(confidence)
        ours = share_interval(self.right, self.respondents, each)
        theirs = share_interval(self.right_of_strangers, self.strangers, each)
        bounds = gain(ours.lower, Fraction(theirs.upper)), gain(ours.upper, Fraction(theirs.lower))
        return Interval(*map(float, bounds))


def _count(mask: Mask) -> int:
    return int(np.count_nonzero(mask))
