"""Several releases: what one release hides, several of the same file may tell together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from fractions import Fraction
from os import PathLike, fspath
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from tacita.attacks.baseline.naive import beside_naive, linked_naively
from tacita.attacks.deducing.composing import (
    Candidates,
    learned,
    merged,
    nearest_rows,
    places_in,
    together,
)
from tacita.attacks.deducing.secrets import secret_of
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.data.pairing import POSITION, are_paired, as_pair, paired_rows
from tacita.data.read import read_beside
from tacita.errors import InputError
from tacita.method import ANY_KIND, AttributeName, AttributeNames, Method
from tacita.microdata.comparing.confidence import share_interval
from tacita.microdata.comparing.nearness import codes
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn_records, told
from tacita.microdata.risk.linking.links import known_attributes
from tacita.results import Measurement, Number, counted, listed, show
from tacita.validity import OF_RESPONDENTS, Use


def _said(release: Any) -> str:
    """Say which release it is: its path, or what data set it is."""
    if isinstance(release, str | PathLike):
        return fspath(release)
    return f"a data set of {len(release):,} records"


Release = Annotated[
    Any, PlainSerializer(_said, return_type=str), WithJsonSchema({"type": "string"})
]
Releases = Annotated[
    tuple[Release, ...],
    BeforeValidator(lambda said: said if isinstance(said, list | tuple) else [said]),
]


# The share with all releases and with the last alone, what it is a share of, and further figures.
Outcome = tuple[Fraction | None, Fraction | None, str, dict[str, Number | None]]


class SeveralReleases(Method):
    """The share of respondents of whom several releases of one file tell what one does not.

    With the aim `learn` (composition attack) the intruder knows the keys of a respondent. In each
    release the respondent is among the records of one class, and has one of its confidential
    values: the sets of values of all releases are intersected, and the number is the share of
    respondents for whom only the true value is left. If records stand in one order in all releases
    (`aligned`), the classes themselves are intersected. `guessed` is the expected share of true
    values among those left with the largest product of frequencies. A respondent whose own record
    in some release does not fit the known keys, as noise does, is not learned.

    With the aim `reidentify`, records that were masked independently are brought together, those of
    one place if releases are `aligned`, else each with the nearest by all that both releases hold.
    Numbers are replaced by their means, in which noise cancels out, categories by their majority;
    then every record is linked to the nearest respondent. The number is the share of right links.

    `naive_one_release` is the same number for the last release alone.

    When not to use it: with the aim `learn` on releases whose classes overlap, in which a
    respondent fits more records than are counted, so that the share is an upper bound.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> first, last = (data.apply(ta.AddNoise("income", alpha=0.3), seed=seed) for seed in (1, 2))
    >>> attack = ta.SeveralReleases([first], keys=["income"], aim="reidentify", aligned=True)
    >>> found = attack.measure(data, last)
    >>> found.value > found.figures["naive_one_release"]
    True
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.VALUES
    reference: ClassVar = (
        "Ganta, Kasiviswanathan & Smith, Composition attacks and auxiliary information in data "
        "privacy, Proc. KDD 2008"
    )
    missing: ClassVar = (
        "Blank keys agree with one another and with nothing else; respondents with a blank "
        "confidential value are not learned, and blanks count neither in means nor in majorities."
    )
    public: ClassVar = frozenset({"keys", "attribute", "aim", "aligned", "sample"})
    costly: ClassVar = True

    earlier: Annotated[
        Releases,
        Field(
            description="The other releases of the file: paths, data sets or data frames; by "
            "default those that lie in the folder of the release."
        ),
    ] = ()
    _: KW_ONLY
    keys: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default those with the role key."),
    ] = None
    attribute: Annotated[
        AttributeName | None,
        Field(description="The attribute to learn; by default the first confidential categories."),
    ] = None
    aim: Annotated[
        Literal["learn", "reidentify"],
        Field(description="Whether confidential values are learned or records linked."),
    ] = "learn"
    aligned: Annotated[
        bool,
        Field(description="Whether the records stand in the same order in all releases."),
    ] = False
    sample: SampleSize = 2_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Attack all releases together, and the last one alone."""
        earlier = self.earlier or original.external.earlier
        releases = [protected, *(self._read(one, original) for one in earlier)]
        names = known_attributes(original, protected, self.keys)
        rows = drawn_records(original, protected, self.sample, self.seed)
        attack = self._learned if self.aim == "learn" else self._linked
        share, alone, what, figures = attack(original, releases, names, rows)
        tried = len(rows)
        return Measurement(
            self.name,
            self.family,
            share,
            f"{show(share and share * tried)} of {tried:,} respondents {what} by {listed(names)} "
            f"from {counted(len(releases), 'release')}, {show(alone and alone * tried)} from the "
            f"last alone{told(tried, len(protected))}",
            parameters=self.parameters(),
            figures={
                "releases": len(releases),
                **beside_naive("one_release", share, alone),
                **figures,
            },
            interval=share_interval(float(share or 0) * tried, tried),
        )

    def _read(self, source: Any, original: Dataset) -> Dataset:
        """Read an earlier release; where all stand in one order, its records are paired by it."""
        release = _read(source, original)
        if not self.aligned or are_paired(original, release):
            return release
        return as_pair(original, release, POSITION)[1]

    def _learned(
        self, original: Dataset, releases: Sequence[Dataset], names: Sequence[str], rows: Ints
    ) -> Outcome:
        targets = paired_rows(original, releases[0])[rows]
        name = secret_of(original, releases[0], self.attribute)
        held = [one for one in releases if name in one.attributes]
        truth, *values = codes([original, *held], name)
        found = [
            Candidates.of(original, release, names, coded, targets)
            for release, coded in zip(held, values, strict=True)
        ]
        ours = learned([together(found)] if self.aligned else found, truth[targets])
        before = learned(found[:1], truth[targets])
        guessed: dict[str, Number | None] = {
            "guessed": ours.guessed,
            "guessed_from_one_release": before.guessed,
        }
        return ours.certain, before.certain, f"have their {name} learned", guessed

    def _linked(
        self, original: Dataset, releases: Sequence[Dataset], names: Sequence[str], rows: Ints
    ) -> Outcome:
        protected, *others = releases
        part, targets = protected.take(rows), paired_rows(original, protected)[rows]
        beside = [
            (one, places_in(original, one)[targets] if self.aligned else nearest_rows(part, one))
            for one in others
        ]
        known = merged(part, beside, names)
        every = np.arange(len(rows))
        share, alone = (linked_naively(original, one, names, every) for one in (known, part))
        return share, alone, "are expected to be linked", {}


def _read(source: Any, like: Dataset) -> Dataset:
    """Read a release in the terms of the original data, masked attributes in its own."""
    names = like.names
    while True:
        try:
            release = read_beside(source, like)
        except InputError as error:
            if error.attribute is None or error.attribute not in like.attributes:
                raise
            like = like.without([error.attribute])
        else:
            return _of_the_same(release, names, source)


def _of_the_same(release: Dataset, names: Sequence[str], source: Any) -> Dataset:
    """Return a release; refuse one that cannot be of the same file."""
    if not set(names) & set(release.names):
        raise InputError(
            f"An earlier release must be of the same file; {_said(source)} has none of its "
            f"attributes ({listed(names, 4)})."
        )
    return release
