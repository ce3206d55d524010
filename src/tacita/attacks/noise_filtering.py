"""Noise filtering: the intruder knows the variance of the noise that was added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from math import inf, log1p
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.arithmetic import exp, product
from tacita.attacks.baseline.naive import beside_naive
from tacita.attacks.inverting.filtering import (
    LEAST,
    Estimate,
    Noisy,
    bounded_shares,
    logarithms,
    on_a_line,
    variances_of,
)
from tacita.attacks.inverting.linked import measured
from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import InputError
from tacita.method import AttributeName, AttributeNames, Method
from tacita.microdata.comparing.nearness import spread_of
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn_records
from tacita.microdata.risk.linking.distances import Ranges
from tacita.microdata.risk.linking.links import known_attributes, nearest_links
from tacita.microdata.risk.linking.nearest_records import Metric, Search
from tacita.results import Measurement, Number, listed
from tacita.validity import OF_RESPONDENTS, Use

NUMERIC = frozenset({Kind.CONTINUOUS})
Told = Annotated[float, Field(ge=0)]


class NoiseFiltering(Method):
    """The share of records that an intruder links who knows the variance of the noise.

    Noise e with covariances N was added: z = x + e, or, transformed so that variances stay as with
    Kim's noise, z = m + c (x - m) + e with c^2 = 1 - share and the share of noise in the variance.
    A released record is linked to the respondent for whom it is likeliest, the smallest Mahalanobis
    distance (z - E(z | x))' N^-1 (z - E(z | x)): where noise is correlated as the attributes are,
    small differences across their main direction tell much. Where c respondents are equally likely,
    one is picked at random. After `multiplicative` noise logarithms are compared, to which half the
    variance of the factors' is added back; signs and zeros are never changed.

    Values are estimated besides, from the release and the variance of the noise alone: `bayes` is
    m + (V - N) V^-1 (z - m) with the released covariances V, which borrows from the other
    attributes what noise hides in one (Huang, Du & Chen 2005); `spectral` keeps the principal
    components that are larger than noise could be (Kargupta et al. 2003). `guessed` is the share of
    original values that lie within `width` standard deviations of the estimate (after
    multiplicative noise, within that share of the estimate), `naive_guess` that of the released
    values, and the errors are the root of the mean square in these units.

    Without `alpha`, `variance` or `deviation` the intruder compares the variances of the release
    with those of the known values.

    When not to use it: to link after uncorrelated noise in proportion to the variances, where
    distance-based linkage is already the likeliest one; there it estimates values only.

    >>> import tacita as ta
    >>> data = ta.example("census", 400)
    >>> known = data.names[:6]
    >>> safe = data.apply(ta.AddNoise(known, alpha=0.2, kind="correlated"), seed=0)
    >>> found = ta.NoiseFiltering(known, kind="correlated", alpha=0.2).measure(data, safe)
    >>> bool(found.value > found.figures["naive_linkage"])
    True
    """

    applies_to: ClassVar = NUMERIC
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.VALUES
    links_records: ClassVar = True
    reference: ClassVar = (
        "Kargupta, Datta, Wang & Sivakumar, Proc. ICDM 2003, pp. 99-106; Huang, Du & Chen, Proc. "
        "SIGMOD 2005, pp. 37-48"
    )
    missing: ClassVar = (
        "A blank tells nothing; where noise is correlated it counts as the mean. Blanks are not "
        "estimated."
    )
    example: ClassVar = {"attributes": ["age", "income"], "alpha": 0.1, "sample": 1000}
    public: ClassVar = frozenset({"attributes", "kind", "transformed", "estimate", "width"})
    costly: ClassVar = True
    by_contents: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default the continuous keys."),
    ] = None
    _: KW_ONLY
    kind: Annotated[
        Literal["uncorrelated", "correlated", "multiplicative"],
        Field(description="What noise it is."),
    ] = "uncorrelated"
    alpha: Annotated[
        float | None,
        Field(description="The variance of added noise, in variances of the data.", gt=0),
    ] = None
    variance: Annotated[
        Mapping[AttributeName, Told] | None,
        Field(
            description="Instead of `alpha`, the variance of the noise in the released values of "
            "each attribute; those not named have none."
        ),
    ] = None
    deviation: Annotated[
        float | None,
        Field(description="The standard deviation of the factors of multiplicative noise.", gt=0),
    ] = None
    transformed: Annotated[
        bool,
        Field(description="Whether values were moved so that their variances are as before."),
    ] = False
    estimate: Annotated[
        Estimate, Field(description="How true values are estimated from the released ones.")
    ] = "bayes"
    width: Annotated[
        float, Field(description="How far off an estimate may be (standard deviations).", ge=0)
    ] = 0.05
    sample: SampleSize = 10_000
    seed: SampleSeed = 0

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        is_product = self.kind == "multiplicative"
        given = [n for n in ("alpha", "variance", "deviation") if getattr(self, n) is not None]
        allowed = {"deviation"} if is_product else {"alpha", "variance"}
        if len(given) > 1 or not allowed.issuperset(given):
            raise ValueError(
                f"`noise_filtering` of {self.kind} noise takes one of "
                f"{' and '.join(f'`{name}`' for name in sorted(allowed))}; found {listed(given)}."
            )
        if self.transformed and (is_product or not given):
            raise ValueError(
                "`transformed` noise is added and leaves the variances as they are, which then do "
                "not show it: give `alpha` or `variance`, and no multiplicative `kind`."
            )
        return self

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Link the released records, or a sample of them, and estimate their values."""
        names = self._names(original, protected)
        own, rows = (
            paired_rows(original, protected),
            drawn_records(original, protected, self.sample, self.seed),
        )
        files = [
            np.column_stack([data.numbers(name) for name in names])
            for data in (original, protected)
        ]
        known, released = files if self.kind != "multiplicative" else map(logarithms, files)
        noisy = self._noisy(names, known, released)
        search = self._search(names, noisy, known, files, own, rows)
        found = nearest_links(search, own[rows], rows, len(protected))
        guesses = self._guesses(names, noisy, files[0], files[1], own)
        linked = measured(
            self,
            (original, protected),
            names,
            rows,
            found.links,
            f"by the likelihood of {self.kind} noise in {listed(names)}",
            guesses.figures,
            {name: found.details.column(name) for name in ("own", "nearest", "distance")},
        )
        return replace(linked, parts=guesses.parts)

    def _names(self, original: Dataset, protected: Dataset) -> list[str]:
        """Return the attributes that are numbers in both files.

        Raises:
            InputError: there are none.
        """
        names = known_attributes(original, protected, self.attributes, NUMERIC)
        numeric = [name for name in names if protected.attribute(name).kind is Kind.CONTINUOUS]
        if not numeric:
            raise InputError(
                f"Noise leaves numbers; found none released in {listed(names)}. Name others in "
                "`attributes`."
            )
        return numeric

    def _noisy(self, names: Sequence[str], known: Floats, released: Floats) -> Noisy:
        """Return the released numbers, or logarithms, with what is known of their noise."""
        before, after = variances_of(known), variances_of(released)
        shares = bounded_shares(self._variances(names, before, after), after)
        if self.kind == "correlated":  # of one share: rounded ones would hide what adds up
            noisy = shares > LEAST
            shares = np.where(noisy, shares[noisy].mean() if noisy.any() else LEAST, LEAST)
        # The logarithm of a factor with mean 1 has the mean -v / 2.
        values = released + shares * after / 2 if self.kind == "multiplicative" else released
        return Noisy.of(values, shares, self.kind == "correlated", self.transformed)

    def _variances(self, names: Sequence[str], before: Floats, after: Floats) -> Floats:
        """Return the variance of the noise in each attribute, estimated where it is not told."""
        if self.alpha is not None:
            return after * (self.alpha / (1 + self.alpha))
        if self.variance is not None:
            return np.array([self.variance.get(name, 0.0) for name in names])
        if self.deviation is not None:
            return np.full(len(names), log1p(self.deviation**2))
        if self.kind == "multiplicative":  # all attributes have factors of one variance
            return np.full(len(names), np.mean(after - before))
        ratios = np.divide(after, before, out=np.ones(len(names)), where=before > 0)
        return after * (1 - 1 / max(float(ratios.mean()), 1.0))

    def _search(
        self,
        names: Sequence[str],
        noisy: Noisy,
        known: Floats,
        files: Sequence[Floats],
        own: Ints,
        rows: Ints,
    ) -> Search:
        """Prepare the search for the likeliest respondents."""
        sides = noisy.expected(known), noisy.values
        scales = np.sqrt(np.diag(noisy.noise))
        if self.kind == "multiplicative":
            sides = on_a_line(files[0], sides[0]), on_a_line(files[1], sides[1])
        elif self.kind == "correlated":
            turn, scales = noisy.whitening()[0], np.ones(len(names))
            left, right = (product(np.nan_to_num(side - noisy.means), turn) for side in sides)
            sides = left, right
        parts = [
            _axis(name, before, after)
            for name, before, after in zip(names, sides[0].T, sides[1][rows].T, strict=True)
        ]
        units = np.where(scales > 0, scales, 1.0).tolist()
        return Search.of(parts, Metric(2, dict(zip(names, units, strict=True)), {}), own[rows])

    def _guesses(
        self, names: Sequence[str], noisy: Noisy, original: Floats, released: Floats, own: Ints
    ) -> _Guesses:
        """Compare the estimated and the released values with the original ones."""
        filtered = noisy.filtered(self.estimate)
        if self.kind == "multiplicative":
            with np.errstate(over="ignore"):
                sizes = exp(filtered)
            filtered = np.where(released == 0, 0.0, np.sign(released) * sizes)
            units = np.abs(original[own])
        else:
            units = np.array([[spread_of(column) for column in original.T]])
        return _Guesses.of(names, self.width, units, original[own], filtered, released)


def _axis(name: str, known: Floats, released: Floats) -> Ranges:
    blank = np.isnan(released)
    low, high = np.where(blank, -inf, released), np.where(blank, inf, released)
    return Ranges(name, known, np.ascontiguousarray(low), np.ascontiguousarray(high))


@dataclass(frozen=True)
class _Guesses:
    """How near estimated values come to the original ones, by attribute and beside the released."""

    parts: Mapping[str, float | None]
    figures: Mapping[str, Number | None]

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        width: float,
        units: Floats,
        truth: Floats,
        filtered: Floats,
        released: Floats,
    ) -> _Guesses:
        there = ~np.isnan(truth) & ~np.isnan(released)
        hits, naive = (
            there & (np.abs(np.where(there, guess - truth, inf)) <= width * units)
            for guess in (filtered, released)
        )
        shares = [_share(found, there) for found in (hits, naive)]
        errors = [_error(guess - truth, units, there) for guess in (filtered, released)]
        each = [_share(hits[:, j], there[:, j]) for j in range(len(names))]
        return cls(
            {n: None if s is None else float(s) for n, s in zip(names, each, strict=True)},
            {
                "guessed": shares[0],
                **beside_naive("guess", *shares),
                "error": errors[0],
                "naive_error": errors[1],
            },
        )


def _share(some: Mask, among: Mask) -> Fraction | None:
    total = int(np.count_nonzero(among))
    return Fraction(int(np.count_nonzero(some)), total) if total else None


def _error(misses: Floats, units: Floats, there: Mask) -> float | None:
    """Return the root of the mean square of what is missed, in units; None without any."""
    scales = np.broadcast_to(units, misses.shape)
    counts = there & (scales > 0)
    if not counts.any():
        return None
    return float(np.sqrt(np.mean(np.square(misses[counts] / scales[counts]))))
