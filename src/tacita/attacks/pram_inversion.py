"""PRAM inversion: the intruder knows with what probability categories were changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, replace
from fractions import Fraction
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.attacks.baseline.naive import beside_naive, linked_naively
from tacita.attacks.deducing.channels import Channel, likeliest, likeliest_categories
from tacita.data.attribute import Kind
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.method import AttributeName, AttributeNames, Method
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn_records, told
from tacita.microdata.masking.randomizing.markov import Matrix, refuse_other_than_markov
from tacita.microdata.risk.linking.links import Links, known_attributes
from tacita.results import Measurement, Number, listed
from tacita.validity import OF_RESPONDENTS, Use

CATEGORIES = frozenset({Kind.NOMINAL, Kind.ORDINAL})


class PramInversion(Method):
    """The share of records that an intruder links who knows the Markov matrices of PRAM.

    A released record r is linked to the respondent x for whom it is likeliest, the largest
    sum_j log p_j(r_j | x_j) over the attributes j: an agreement on an attribute that is mostly kept
    counts more than one on an attribute that is mostly changed. Where c respondents are equally
    likely, one is picked at random.

    True categories are guessed besides, by Bayes' rule from all released attributes together: with
    the frequencies t of combinations, estimated from the release and the matrices, the guess of x_j
    maximizes sum over the others of t(x) prod_i p_i(r_i | x_i). `guessed` is the share of changed
    attributes' values guessed rightly, `naive_guess` that of released categories that are true.
    The parts tell the gain of every attribute.

    An attribute without a matrix is taken to be kept with the probability `kept`, and else to
    become each of the other categories alike.

    When not to use it: on data whose categories were not changed at random; where all attributes
    have one matrix of equal chances, it links hardly more than distance-based linkage. Blanks are
    linked with blanks, which distance-based linkage does not do: compare on complete records.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> safe = data.apply(ta.Pram("education", minimum_diagonal=0.3), seed=0)
    >>> safe = safe.apply(ta.Pram("zip", minimum_diagonal=0.9), seed=1)
    >>> known = ["education", "region", "zip", "disease"]
    >>> found = ta.PramInversion(known).measure(data, safe)
    >>> found.value > found.figures["naive_linkage"]
    True
    """

    applies_to: ClassVar = CATEGORIES
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.VALUES
    links_records: ClassVar = True
    reference: ClassVar = (
        "Gouweleeuw, Kooiman, Willenborg & de Wolf, J. Official Statistics 14(4), 1998; "
        "Agrawal & Aggarwal, Proc. PODS 2001 (estimation)"
    )
    missing: ClassVar = (
        "A blank stays one, which links blanks with blanks; if more are released, values are taken "
        "to be suppressed at random. Blanks are not guessed."
    )
    public: ClassVar = frozenset({"attributes", "sample"})
    costly: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The categories the intruder knows; by default those with the role key."),
    ] = None
    _: KW_ONLY
    matrices: Annotated[
        Mapping[AttributeName, Matrix] | None,
        Field(
            description="The published matrices: for an attribute, for every category the "
            "probabilities with which categories are released in its place."
        ),
    ] = None
    kept: Annotated[
        float | None,
        Field(
            description="The probability (0 to 1) that a category is kept, where no matrix is "
            "given; by default the share of an attribute's values that were.",
            ge=0,
            le=1,
        ),
    ] = None
    sample: SampleSize = 2_000
    seed: SampleSeed = 0

    @model_validator(mode="after")
    def _are_markov(self) -> Self:
        for name, matrix in (self.matrices or {}).items():
            refuse_other_than_markov(f"the matrix of `{name}`", matrix)
        return self

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Link released records by likelihood and guess their true categories."""
        names = self._names(original, protected)
        own = paired_rows(original, protected)
        rows = drawn_records(original, protected, self.sample, self.seed)
        given = self.matrices or {}
        channels = [
            Channel.of(original, protected, own, name, given.get(name), self.kept) for name in names
        ]
        links = Links(*likeliest(channels, own, rows), len(protected))
        share = links.expected / len(rows) if len(rows) else None
        gains, guessed = _guessed(channels, own, rows)
        found = links.measurement(
            self,
            f"{links.told()} by the likelihood of {listed(names)}{told(len(rows), len(protected))}",
            {
                **beside_naive("linkage", share, linked_naively(original, protected, names, rows)),
                **guessed,
            },
        )
        return replace(found, parts=gains)

    def _names(self, original: Dataset, protected: Dataset) -> list[str]:
        asked = self.attributes
        if asked is None and self.matrices:
            asked = tuple(dict.fromkeys([*protected.keys, *self.matrices]))
        return known_attributes(original, protected, asked, CATEGORIES)


def _guessed(
    channels: Sequence[Channel], own: Ints, rows: Ints
) -> tuple[dict[str, float | None], dict[str, Number | None]]:
    """Return what guesses gain over released categories, by attribute and together."""
    gains: dict[str, float | None] = {}
    right = naive = values = 0
    for channel, guess in zip(channels, likeliest_categories(channels, rows), strict=True):
        truth, released = channel.known[own[rows]], channel.released[rows]
        there = (truth >= 0) & (released >= 0)
        if not channel.is_changed or not there.any():
            continue
        hits, same = (int(np.count_nonzero((x == truth)[there])) for x in (guess, released))
        size = int(np.count_nonzero(there))
        gains[channel.name] = (hits - same) / size
        right, naive, values = right + hits, naive + same, values + size
    share, before = (Fraction(hits, values) if values else None for hits in (right, naive))
    return gains, {"guessed": share, **beside_naive("guess", share, before)}
