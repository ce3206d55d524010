"""MASSC: micro agglomeration, substitution, subsampling and calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from itertools import pairwise
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

CATEGORIES = frozenset({Kind.NOMINAL, Kind.ORDINAL})
Rate = Annotated[float, Field(ge=0, le=1)]
Kept = Annotated[float, Field(gt=0, le=1)]


class Massc(Method):
    """Substitute and subsample by strata of risk, and calibrate the weights to the original totals.

    1. *Micro agglomeration*: f is the number of records with a record's combination of the
       attributes; `limits` c_1 < c_2 < ... make the risk strata f <= c_1, c_1 < f <= c_2, ...
    2. *Substitution*: a share `substitution` of each stratum, at random, takes the values of a
       partner: another record of the stratum that differs in as few attributes as can be.
    3. *Subsampling*: a share `sampling` of each stratum is kept, at random; weights are divided by
       the share that was kept.
    4. *Calibration*: weights w become w exp(x' l), so near as can be, by which the weighted totals
       of `calibrate` (the frequency of each category, the sum of numbers) are those of the original
       data: sum_i w'_i x_i = t.

    So nobody knows whether a record is in the file, nor whether it has its own values; a record of
    stratum h has both with probability (1 - psi_h) phi_h, which the notes tell.

    When not to use it: on tables of continuous attributes; without users who weight.

    >>> import tacita as ta
    >>> toy = ta.example("toy", 300)
    >>> safe = toy.apply(ta.Massc(["region", "education"]), seed=1)
    >>> len(safe), round(float(safe.weight.sum() / toy.weight.sum()), 9)
    (293, 1.0)
    """

    applies_to: ClassVar = CATEGORIES
    reference: ClassVar = (
        "Singh, Yu & Dunteman, MASSC: a new data mask for limiting statistical information loss "
        "and disclosure, Work Session on Statistical Data Confidentiality, Eurostat 2004"
    )
    missing: ClassVar = (
        "A blank is a category of its own for risk and calibration; it is never substituted."
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
    substitution: Annotated[
        tuple[Rate, ...],
        Field(description="The share of records that is substituted in each risk stratum."),
    ] = (0.3, 0.15, 0.05)
    sampling: Annotated[
        tuple[Kept, ...],
        Field(description="The share of records that is kept in each risk stratum."),
    ] = (0.8, 0.9, 0.98)
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
        strata = len(self.limits) + 1
        for name in ("substitution", "sampling"):
            if len(getattr(self, name)) != strata:
                raise ValueError(
                    f"`{name}` of `massc` needs a share for each of {strata} risk strata; found "
                    f"{len(getattr(self, name))}."
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
        masked, changed = self._substituted(data, names, risk, rng)
        kept, factors = self._sampled(risk, rng)
        sample = self._calibrated(data, masked.take(kept), factors, names)
        return sample.noting(strata=self._told(risk, changed, kept))

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

    def _substituted(
        self, data: Dataset, names: Sequence[str], risk: Ints, rng: np.random.Generator
    ) -> tuple[Dataset, Ints]:
        """Return the data with some combinations replaced, and the records that were."""
        wanted = _chosen(risk, self.substitution, rng)
        partner = partners([_codes(data, name) for name in names], risk, wanted, rng)
        changed, partner = wanted[partner != NOBODY], partner[partner != NOBODY]
        source = np.arange(len(data))
        source[changed] = partner
        for name in names:
            own = data.column(name)
            # A blank is neither filled nor passed on.
            values = own.take(pa.array(source))
            both = pc.and_(own.is_valid(), values.is_valid())
            data = data.with_column(data.attribute(name), pc.if_else(both, values, own))
        return data, changed

    def _sampled(self, risk: Ints, rng: np.random.Generator) -> tuple[Ints, Floats]:
        """Return the records that are kept, and by what their weights are multiplied."""
        kept = np.sort(_chosen(risk, self.sampling, rng, least=1))
        before, after = (
            np.bincount(part, minlength=len(self.sampling)) for part in (risk, risk[kept])
        )
        return kept, (before / np.maximum(after, 1))[risk[kept]]

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

    def _told(self, risk: Ints, changed: Ints, kept: Ints) -> list[dict[str, Any]]:
        counts = (
            np.bincount(part, minlength=len(self.sampling))
            for part in (risk, risk[changed], risk[kept])
        )
        rows = zip(*counts, self.substitution, self.sampling, strict=True)
        return [
            {
                "records": int(records),
                "substituted": int(substituted),
                "kept": int(left),
                "undisturbed": (1 - psi) * phi,
            }
            for records, substituted, left, psi, phi in rows
        ]


def _chosen(risk: Ints, shares: Sequence[float], rng: np.random.Generator, least: int = 0) -> Ints:
    """Choose a share of the records of every stratum at random, at least some where it has any."""
    shuffled = rng.permutation(len(risk))
    chosen = []
    for stratum, share in enumerate(shares):
        members = shuffled[risk[shuffled] == stratum]
        chosen.append(members[: max(round(share * len(members)), least)])
    return np.concatenate(chosen)


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
