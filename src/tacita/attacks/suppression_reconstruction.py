"""Suppression reconstruction: blanks filled in by what is left, and by why they were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from fractions import Fraction
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from tacita.attacks.baseline.naive import beside_naive
from tacita.attacks.deducing.filling_in import Blank
from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.confidence import share_interval
from tacita.microdata.comparing.nearness import codes, recoded_alike
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn
from tacita.microdata.risk.linking.links import known_attributes
from tacita.results import Measurement, counted, listed
from tacita.validity import OF_RESPONDENTS, Use


class SuppressionReconstruction(Method):
    """The share of suppressed values that an intruder recovers who knows why they are blank.

    A suppressed value v is guessed from all that is released of its record, as the one with the
    largest P(v) prod_a P(x_a | v) over the other attributes a, learnt from the records in which the
    value is there. So values that follow from others are recovered. Local suppression blanks values
    whose combination is rare: a value that would have made, with the other keys of the record, a
    combination that `k` or more records show would have stayed, and is ruled out where it is the
    only blank key.

    `naive_guess` is the share of values that are the most frequent one of their attribute, and
    `without_rarity` the share recovered when nothing is ruled out.

    When not to use it: where values are blank for other reasons, which rule out nothing; leave
    those out of `attributes`.

    >>> import tacita as ta
    >>> data = ta.example("toy", 1000)
    >>> keys = ["education", "zip", "disease"]
    >>> safe = data.apply(ta.LocalSuppression(3, keys, search="fast"))
    >>> found = ta.SuppressionReconstruction(keys, k=3).measure(data, safe)
    >>> found.value > found.figures["naive_guess"]
    True
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.RELEASE
    reference: ClassVar = (
        "Willenborg & de Waal, Elements of Statistical Disclosure Control, Springer 2001, ch. 6; "
        "Wong, Fu, Wang & Pei, Proc. VLDB 2007 (minimality)"
    )
    missing: ClassVar = (
        "Values that are blank in the original too are no targets; blanks of other attributes tell "
        "nothing."
    )
    public: ClassVar = frozenset({"attributes", "k", "sample"})
    costly: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(
            description="The attributes whose values were suppressed; by default those with the "
            "role key."
        ),
    ] = None
    _: KW_ONLY
    k: Annotated[
        int | None,
        Field(
            description="The number of records from which on a combination is not rare (1 or "
            "more); by default the least that share a released combination.",
            ge=1,
        ),
    ] = None
    sample: SampleSize = 10_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Guess the suppressed values, or a sample of them."""
        names = known_attributes(original, protected, self.attributes)
        k = protected.classes(names).smallest if self.k is None else self.k
        (known,) = recoded_alike([paired(original, protected)], original, protected, names)
        coded = {name: codes([known, protected], name) for name in names}
        blank = {name: released < 0 for name, (_, released) in coded.items()}
        blanks = np.sum(list(blank.values()), axis=0)
        cells = [np.flatnonzero(blank[name] & (coded[name][0] >= 0)) for name in names]
        total = sum(map(len, cells))
        targets = _parts(cells, drawn(total, self.sample, self.seed))
        found = _Right(0, 0, 0)
        for name, rows in zip(names, targets, strict=True):
            if len(rows) and not blank[name].all():
                truth, released = coded[name]
                hidden = Blank.of(protected, name, released, names, k)
                found = found.plus(_guessed(hidden, truth, rows, blanks == 1))
        return self._told(names, found, sum(map(len, targets)), total)

    def _told(self, names: Sequence[str], found: _Right, tried: int, total: int) -> Measurement:
        share, naive, plain = (Fraction(right, max(tried, 1)) for right in found)
        part = f" (on a random sample of {tried:,} of {total:,})" if tried < total else ""
        said = (
            f"{found.recovered:,} of {counted(tried, 'suppressed value')} of {listed(names)} are "
            f"recovered, {found.usual:,} by the most frequent value{part}"
        )
        return Measurement(
            self.name,
            self.family,
            share,
            said if total else f"not applicable: no value of {listed(names)} was suppressed",
            parameters=self.parameters(),
            figures={
                "suppressed": total,
                **beside_naive("guess", share, naive),
                "without_rarity": plain,
            },
            interval=share_interval(found.recovered, tried),
        )


class _Right(NamedTuple):
    """How many guesses are right: of the attack, of the usual value, and if nothing is rare."""

    recovered: int
    usual: int
    plain: int

    def plus(self, other: _Right) -> _Right:
        return _Right(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def _parts(cells: Sequence[Ints], chosen: Ints) -> list[Ints]:
    """Return the chosen ones of several lists that are numbered one behind the other."""
    ends = np.cumsum([len(part) for part in cells])
    joined, edges = np.concatenate(cells), np.searchsorted(chosen, ends)[:-1]
    return np.split(joined[chosen], edges)


def _guessed(hidden: Blank, truth: Ints, rows: Ints, is_alone: Mask) -> _Right:
    parts = list(hidden.guesses(rows, is_alone[rows]))
    plain, guesses = (np.concatenate(part) for part in zip(*parts, strict=True))
    meant = truth[rows]
    hits = (int(np.count_nonzero(meant == g)) for g in (guesses, hidden.usual, plain))
    return _Right(*hits)
