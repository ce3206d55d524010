"""MASSC: micro agglomeration, substitution, subsampling and calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from tacita.data.attribute import Attribute, Kind, Role
from tacita.data.classes import Floats, Ints, comparable
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.method import AttributeNames, Method, refuse_kind
from tacita.microdata.masking.perturbing.numbers import refuse_overflow
from tacita.microdata.masking.subsampling.calibrating import calibrated
from tacita.microdata.masking.subsampling.partners import NOBODY, partners
from tacita.microdata.masking.subsampling.rates import Rates, optimal_rates
from tacita.preserved import Statistic, always
from tacita.validity import Change

CATEGORIES = frozenset({Kind.NOMINAL, Kind.ORDINAL})
Rate = Annotated[float, Field(ge=0, le=1)]
Kept = Annotated[float, Field(gt=0, le=1)]
RISK = 0.3


class Massc(Method):
    """Substitute and subsample by strata of risk, and calibrate the weights to the original totals.

    1. *Micro agglomeration*: f is the number of records with a record's combination of the
       attributes; `limits` c_1 < c_2 < ... make the risk strata f <= c_1, c_1 < f <= c_2, ...
    2. *Substitution*: a share psi_h of each stratum, at random, takes the values of a partner:
       another record of the stratum with the same blanks that differs in as few attributes as can
       be.
    3. *Subsampling*: a share phi_h of each stratum is kept, at random; weights are divided by it.
    4. *Calibration*: weights w become w exp(x' l), so near as can be, by which the weighted totals
       of `calibrate` (the frequency of each category, the sum of numbers) are those of the original
       data: sum_i w'_i x_i = t.

    A record has its own values and is in the file with probability (1 - psi_h) phi_h, so that an
    intruder who takes one of the records with a respondent's values is right with at most this
    probability, and with at most 1 / f. The rates are optimal: of all with (1 - psi_h) phi_h at
    most `risk` they add least to the squared errors of estimates in the categories a of the
    attributes, sum_a (sum_h n_ha (1 / phi_h - 1) + (sum_h d_ha psi_h)^2) / n_a: the variance of
    totals by subsampling and the squared bias by the d_ha records that leave their category, in
    units of what sampling n_a records has. Records that nobody of their stratum can stand for are
    a stratum of their own, only subsampled, and classes with 1 / f <= `risk` are the last one,
    which stays. Rates may be given instead, as `substitution` and `sampling`; the notes tell what
    they were.

    When not to use it: on tables of continuous attributes; without users who weight; where the
    intruder must not be sure of what is in large classes.

    >>> import tacita as ta
    >>> toy = ta.example("toy", 300)
    >>> safe = toy.apply(ta.Massc(["region", "education"]), seed=1)
    >>> len(safe), round(float(safe.weight.sum() / toy.weight.sum()), 9)
    (299, 1.0)
    """

    applies_to: ClassVar = CATEGORIES
    keeps: ClassVar = (
        always(Statistic.SHARES, of="what is calibrated, by the new weights"),
        always(
            Statistic.TOTALS,
            of="what is calibrated, by the new weights",
            about=("calibrate",),
            simulated={"calibrate": ["income", "region"]},
        ),
    )
    changes: ClassVar = frozenset({Change.SAMPLING, Change.PERTURBATION})
    reference: ClassVar = (
        "Singh, Yu & Dunteman, MASSC: a new data mask for limiting statistical information loss "
        "and disclosure, Work Session on Statistical Data Confidentiality, Eurostat 2004"
    )
    missing: ClassVar = (
        "A blank is a category of its own for risk and calibration; it is never substituted, and a "
        "record takes the values only of one with the same blanks."
    )
    example: ClassVar = {"attributes": ["education", "region"]}
    public: ClassVar = frozenset({"attributes", "calibrate", "weight"})
    draws: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(description="What an intruder knows, and is substituted; by default the keys."),
    ] = None
    _: KW_ONLY
    limits: Annotated[
        tuple[Annotated[int, Field(ge=1)], ...],
        Field(description="The largest classes of all risk strata but the last, ascending."),
    ] = (1, 4)
    risk: Annotated[
        float | None,
        Field(
            description="The largest probability with which an intruder finds a respondent (above "
            f"0 to 1), for which rates are optimized; by default {RISK} where no rates are given.",
            gt=0,
            le=1,
        ),
    ] = None
    substitution: Annotated[
        tuple[Rate, ...] | None,
        Field(
            description="Instead of `risk`, the share of records that is substituted in each risk "
            "stratum."
        ),
    ] = None
    sampling: Annotated[
        tuple[Kept, ...] | None,
        Field(
            description="Instead of `risk`, the share of records that is kept in each risk stratum."
        ),
    ] = None
    calibrate: Annotated[
        AttributeNames | None,
        Field(
            description="The attributes whose totals are kept, categories or numbers; by default "
            "those that are substituted."
        ),
    ] = None
    weight: Annotated[
        str,
        Field(description="The weight attribute to add where the data have none.", min_length=1),
    ] = "weight"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if any(a >= b for a, b in pairwise(self.limits)):
            raise ValueError(f"`limits` of `massc` must ascend; found {list(self.limits)}.")
        fixed = [self.substitution, self.sampling]
        if fixed.count(None) == 1:
            raise ValueError("`massc` needs `substitution` and `sampling` together, or `risk`.")
        if self.risk is not None and None not in fixed:
            raise ValueError("`risk` of `massc` sets the rates; leave out the others.")
        strata = len(self.limits) + 1
        for name, given in zip(("substitution", "sampling"), fixed, strict=True):
            if given is not None and len(given) != strata:
                raise ValueError(
                    f"`{name}` of `massc` needs a share for each of {strata} risk strata; found "
                    f"{len(given)}."
                )
        return self

    def named_attributes(self) -> list[str]:
        """Return the attributes that must be categories; those calibrated may be numbers."""
        return list(self.attributes or ())

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the masked sample with its weights."""
        names = self._names(data)
        if not len(data):
            return data
        sizes = data.classes(names).size_of_record
        risk = np.searchsorted(np.array(self.limits), sizes, side="left")
        partner = self._partners(data, names, risk, rng)
        strata = self._strata(data, names, risk, partner)
        chosen = strata.drawn(strata.rates.substitution, rng)
        changed = chosen[partner[chosen] != NOBODY]
        kept = np.sort(strata.drawn(strata.rates.sampling, rng))
        masked = _substituted(data, names, changed, partner[changed])
        sample = self._calibrated(data, masked.take(kept), strata.factors(kept), names)
        return sample.noting(strata=strata.told(changed, kept))

    def _names(self, data: Dataset) -> Sequence[str]:
        names = data.keys if self.attributes is None else self.attributes
        if not names:
            raise InputError("No attribute has the role `key`; say which `attributes` to mask.")
        for name in names:
            refuse_kind(self, data, name)
        held = data.with_role(Role.WEIGHT)
        if not held and self.weight in data.attributes:
            raise ParameterError(
                f"`weight` of `massc` names `{self.weight}`, which is in the data already; give it "
                "the role `weight`, or choose another name."
            )
        return names

    def _partners(
        self, data: Dataset, names: Sequence[str], risk: Ints, rng: np.random.Generator
    ) -> Ints:
        """Return for every record one whose values it may take, if there is any."""
        from tacita.kernels.grouping import group

        codes = [_codes(data, name) for name in names]
        alike = group([risk, *(part < 0 for part in codes)]).ids
        return partners(codes, alike, np.arange(len(data)), rng)

    def _strata(self, data: Dataset, names: Sequence[str], risk: Ints, partner: Ints) -> _Strata:
        """Return the strata, and their rates: as given, or optimal."""
        if self.substitution is not None and self.sampling is not None:
            rates = Rates(np.array(self.substitution), np.array(self.sampling))
            return _Strata(risk, rates, least=1)
        most = RISK if self.risk is None else self.risk
        safe = 2 * (len(self.limits) + 1)
        enough = data.classes(names).size_of_record >= ceil(1 / Fraction(str(most)))
        strata = np.where(enough, safe, 2 * risk + (partner == NOBODY))
        counts = [_categories(data, name, strata, partner, safe + 1) for name in names]
        members, leaving = (np.hstack(part) for part in zip(*counts, strict=True))
        undisturbed = np.append(np.full(safe, most), 1.0)
        return _Strata(strata, optimal_rates(members, leaving, undisturbed), least=0)

    def _calibrated(
        self, original: Dataset, sample: Dataset, factors: Floats, names: Sequence[str]
    ) -> Dataset:
        """Return the sample with weights that reach the totals of the original data."""
        before = np.ones(len(original)) if original.weight is None else original.weight
        design = factors if sample.weight is None else sample.weight * factors
        columns = _Columns.of(original, sample, names if self.calibrate is None else self.calibrate)
        with np.errstate(all="ignore"):
            totals = refuse_overflow(columns.totals(before))
        weights = calibrated(design, columns.sample, totals)
        held = sample.with_role(Role.WEIGHT)
        if held:
            return sample.with_column(sample.attribute(held[0]), pa.array(weights))
        added = Attribute(self.weight, frozenset({Role.WEIGHT}), Kind.CONTINUOUS)
        return sample.with_new_column(added, pa.array(weights))


class _Strata(NamedTuple):
    """The stratum of every record, and the rates of all.

    Args:
        of_record: the stratum of every record.
        rates: of all strata.
        least: the records that are kept of a stratum, at least; with 0 the expected numbers are
            exact, chance deciding on the last record, and nobody is kept more often than he may.
    """

    of_record: Ints
    rates: Rates
    least: int

    def drawn(self, shares: Floats, rng: np.random.Generator) -> Ints:
        """Draw a share of the records of every stratum."""
        shuffled = rng.permutation(len(self.of_record))
        least = self.least if shares is self.rates.sampling else 0
        chosen = [
            members[: max(self._count(share * len(members), rng), least)]
            for stratum, share in enumerate(shares)
            if len(members := shuffled[self.of_record[shuffled] == stratum])
        ]
        return np.concatenate(chosen)

    def _count(self, expected: float, rng: np.random.Generator) -> int:
        """Return a whole number near the expected one; of no given rate, at random."""
        if self.least:
            return round(expected)
        whole = floor(expected)
        return whole + int(rng.random() < expected - whole)

    def factors(self, kept: Ints) -> Floats:
        """Return by what the weights of the records that are kept are multiplied."""
        strata = self.of_record[kept]
        if not self.least:
            return 1 / self.rates.sampling[strata]
        before, after = (
            np.bincount(part, minlength=len(self.rates.sampling))
            for part in (self.of_record, strata)
        )
        return (before / np.maximum(after, 1))[strata]

    def told(self, changed: Ints, kept: Ints) -> list[dict[str, Any]]:
        """Tell of every stratum what was done, and how probably a record is as it was."""
        counts = (
            np.bincount(part, minlength=len(self.rates.sampling))
            for part in (self.of_record, self.of_record[changed], self.of_record[kept])
        )
        rows = zip(*counts, *self.rates, strict=True)
        return [
            {
                "records": int(records),
                "substituted": int(substituted),
                "kept": int(left),
                "undisturbed": float((1 - psi) * phi),
            }
            for records, substituted, left, psi, phi in rows
        ]


def _substituted(data: Dataset, names: Sequence[str], changed: Ints, partner: Ints) -> Dataset:
    """Return the data in which some records have the values of partners with the same blanks."""
    source = np.arange(len(data))
    source[changed] = partner
    for name in names:
        values = data.column(name).take(pa.array(source))
        data = data.with_column(data.attribute(name), values)
    return data


def _categories(
    data: Dataset, name: str, strata: Ints, partner: Ints, size: int
) -> tuple[Floats, Floats]:
    """Count for every stratum who is in each category, and who leaves it when substituted."""
    codes = _codes(data, name)
    known = codes >= 0
    leaves = known & (partner != NOBODY) & (codes[partner] != codes)
    columns = int(codes.max(initial=-1)) + 1
    at = strata * columns + codes
    return tuple(  # type: ignore[return-value]
        np.bincount(at[some], minlength=size * columns).reshape(size, columns).astype(np.float64)
        for some in (known, leaves)
    )


def _codes(data: Dataset, name: str) -> Ints:
    """Return numbers that are equal where categories are; a blank has -1."""
    from tacita.kernels.grouping import factorize

    return factorize(*comparable(data.column(name)))[0]


class _Columns(NamedTuple):
    """What is calibrated, as sparse columns of the original data and of the sample."""

    original: Any
    sample: Any

    @classmethod
    def of(cls, original: Dataset, sample: Dataset, names: Sequence[str]) -> _Columns:
        from scipy.sparse import hstack

        ones = tuple(_indicators(np.zeros(len(data), np.int64), 1) for data in (original, sample))
        pairs = [ones, *(_columns(original, sample, name) for name in names)]
        return cls(*(hstack(side, "csr") for side in zip(*pairs, strict=True)))

    def totals(self, weights: Floats) -> Floats:
        """Return the weighted totals of the original data."""
        return np.asarray(self.original.T @ weights)


def _columns(original: Dataset, sample: Dataset, name: str) -> tuple[Any, Any]:
    """Return an attribute as a column of numbers, or as one column of 0 and 1 a category."""
    from scipy.sparse import csr_array

    kind = original.attribute(name).kind
    if kind is Kind.CONTINUOUS:
        numbers = (np.nan_to_num(data.numbers(name)) for data in (original, sample))
        one, other = (csr_array(values[:, None]) for values in numbers)
        return one, other
    if kind not in CATEGORIES:
        raise ParameterError(
            f"`calibrate` of `massc` takes categories and numbers; `{name}` is {kind}."
        )
    found = pc.dictionary_encode(original.column(name), null_encoding="encode")
    values, size = found.dictionary, len(found.dictionary)
    codes = np.asarray(pc.index_in(sample.column(name), values))
    gone = np.flatnonzero(np.bincount(codes, minlength=size) == 0)
    if len(gone):
        raise ProtectionError(
            f"No record with {values[int(gone[0])].as_py()!r} of `{name}` was kept, whose total "
            "`massc` cannot reach; keep more records, recode the attribute, or do not calibrate it."
        )
    one, other = (_indicators(part, size) for part in (np.asarray(found.indices), codes))
    return one, other


def _indicators(codes: Ints, size: int) -> Any:
    from scipy.sparse import csr_array

    rows = np.arange(len(codes))
    return csr_array((np.ones(len(codes)), (rows, codes)), shape=(len(codes), size))
