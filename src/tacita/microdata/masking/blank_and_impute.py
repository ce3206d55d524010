"""Blank and impute: some values are deleted, and others put in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from tacita.arithmetic import least_squares, product
from tacita.data.attribute import Kind
from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, ProtectionError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.features import features
from tacita.microdata.masking.generalize import generalized
from tacita.microdata.masking.partitions.mixed import How, representatives
from tacita.microdata.masking.perturbing.numbers import refuse_overflow, refuse_rounding
from tacita.preserved import Statistic, expected
from tacita.validity import Change


class BlankAndImpute(Method):
    """Delete the values of some records and impute new ones.

    The records are a random `share` of all, one at least, or the given ones. Their values of the
    attributes are deleted, and become, by `how`,

    - *mean*: the average over the records that agree with them in `by` (over all records without
      it), the mean of numbers and dates, the median of ordinal and the mode of other values. The
      deleted values count in it, unless `others_only` is yes;
    - *hot_deck*: the value of a random record, a donor, of the same group that was not chosen;
    - *regression*: the value that the attributes `by` predict by least squares over the records
      that were not chosen, and, where `residuals` is yes, the residual of a random one of these;
      categories are 0/1 columns there. For continuous attributes.

    A group without any value to average or a donor uses all records; the notes count how often, and
    how many of the values are as they were. `levels` says how far up their hierarchies attributes
    of `by` are read: two birthdays of one month agree at level 1 of months and years. Sampling
    weights do not count.

    When not to use it: with means, on groups of one, whose average is the value itself; set
    `others_only`. On many records, where all methods but the hot deck narrow the distribution.

    >>> import tacita as ta
    >>> chosen = ta.BlankAndImpute("DH", records=[3, 5, 8, 11], by="Disease")
    >>> ta.example("medical").apply(chosen).column("DH").to_pylist()[2]
    23.5
    """

    applies_to: ClassVar = ANY_KIND - {Kind.SET_VALUED}
    keeps: ClassVar = (
        expected(
            Statistic.MEANS,
            of="numbers",
            given={"how": "mean", "others_only": False, "records": None},
            simulated={"attributes": ["income", "wealth"]},
        ),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Federal Committee on Statistical Methodology, Statistical Policy Working Paper 22, 1994"
    )
    missing: ClassVar = "Missing and suppressed values stay as they are, and are never imputed."
    example: ClassVar = {"attributes": ["income"], "share": 0.2, "by": ["education"]}
    public: ClassVar = frozenset({"attributes", "how", "by", "levels"})
    draws: ClassVar = True

    attributes: Annotated[AttributeNames, Field(description="The attributes to blank and impute.")]
    _: KW_ONLY
    share: Annotated[
        float | None,
        Field(description="The share of records to choose (above 0, at most 1).", gt=0, le=1),
    ] = None
    records: Annotated[
        tuple[Annotated[int, Field(ge=1)], ...] | None,
        Field(description="The records to choose instead, by their numbers from 1.", min_length=1),
    ] = None
    how: Annotated[
        Literal["mean", "hot_deck", "regression"],
        Field(description="What values are imputed by."),
    ] = "mean"
    by: Annotated[
        AttributeNames | None,
        Field(description="The attributes that make the groups, or that predict."),
    ] = None
    levels: Annotated[
        Mapping[str, Annotated[int, Field(ge=0)]] | None,
        Field(description="The levels of their hierarchies at which attributes of `by` are read."),
    ] = None
    others_only: Annotated[
        bool, Field(description="Whether means are those of the records that were not chosen.")
    ] = False
    residuals: Annotated[
        bool, Field(description="Whether regression adds the residual of a random record.")
    ] = False

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.share is None) == (self.records is None):
            raise ValueError("`blank_and_impute` needs one of `share` and `records`.")
        if self.others_only and self.how != "mean":
            raise ValueError("`others_only` of `blank_and_impute` is for means.")
        if self.residuals and self.how != "regression":
            raise ValueError("`residuals` of `blank_and_impute` is for regression.")
        if self.how == "regression" and self.by is None:
            raise ValueError("Regression of `blank_and_impute` needs attributes to predict by.")
        for name in self.levels or ():
            if name not in (self.by or ()):
                raise ValueError(f"`levels` of `blank_and_impute` has `{name}`, not in `by`.")
        both = next((name for name in self.by or () if name in self.attributes), None)
        if both is not None:
            raise ValueError(f"`by` of `blank_and_impute` names `{both}`, which is blanked itself.")
        return self

    def named_attributes(self) -> list[str]:
        """Return the attributes that must be of a kind it applies to; those of `by` may be any."""
        return list(self.attributes)

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with values imputed."""
        chosen = self._chosen(data, rng)
        known = self._known(data)
        notes = {}
        for name in self.attributes:
            wanted = chosen & np.asarray(data.column(name).is_valid())
            if wanted.any():
                data, notes[name] = self._imputed(data, known, name, wanted, rng)
        return data.noting(imputed=notes)

    def _chosen(self, data: Dataset, rng: np.random.Generator) -> Mask:
        chosen = np.zeros(len(data), np.bool_)
        if self.records is None:
            number = max(round(float(self.share or 0) * len(data)), 1)
            chosen[rng.choice(len(data), number, replace=False) if len(data) else []] = True
            return chosen
        last = max(self.records)
        if last > len(data):
            raise ParameterError(
                f"`records` of `blank_and_impute` names record {last:,} of {len(data):,}."
            )
        chosen[np.array(self.records) - 1] = True
        return chosen

    def _known(self, data: Dataset) -> Dataset:
        """Return the data with the attributes of `by` as they are compared."""
        for name, level in (self.levels or {}).items():
            data = generalized(data, name, level)
        return data

    def _imputed(
        self, data: Dataset, known: Dataset, name: str, wanted: Mask, rng: np.random.Generator
    ) -> tuple[Dataset, dict[str, int]]:
        """Return the data with some values of an attribute imputed, and what there is to tell."""
        task = _Task(data, name, wanted, rng)
        if self.how == "regression":
            values, strayed = _predicted(task, known, self.by or (), self.residuals), 0
        else:
            groups = known.classes(self.by).of_record if self.by else np.zeros(len(data), np.int64)
            impute = self._averages if self.how == "mean" else _donated
            values, strayed = impute(task, groups)
        if pa.types.is_float64(values.type):
            refuse_rounding(data, name)
        before = data.column(name).cast(values.type, safe=False)
        after = pc.replace_with_mask(before, pa.array(wanted), values)
        same = int(np.count_nonzero(np.asarray(pc.equal(before, after))[wanted]))
        told = {"records": int(wanted.sum()), "unchanged": same, "from_all_records": strayed}
        return data.with_column(data.attribute(name), after), told

    def _averages(self, task: _Task, groups: Ints) -> tuple[pa.Array, int]:
        """Average over groups, or over all records where a group has nothing to average."""
        members = task.others if self.others_only else task.there
        everybody = _standing(task, np.where(members, 0, -1))
        found = _standing(task, np.where(members, groups, -1)).take(_among(groups, task, members))
        return found.fill_null(everybody[0]), found.null_count


@dataclass(frozen=True, eq=False)
class _Task:
    """Values of an attribute to impute.

    Args:
        data: the records.
        name: the attribute.
        wanted: the records whose values are imputed; they have one.
        rng: where chances come from.
    """

    data: Dataset
    name: str
    wanted: Mask
    rng: np.random.Generator

    @property
    def there(self) -> Mask:
        """The records that have a value."""
        return np.asarray(self.data.column(self.name).is_valid())

    @property
    def others(self) -> Mask:
        """The records whose values are left.

        Raises:
            ProtectionError: there are none.
        """
        left = self.there & ~self.wanted
        if not left.any():
            raise ProtectionError(
                f"`blank_and_impute` deletes every value of `{self.name}` and has none left to "
                "impute from; choose fewer records."
            )
        return np.asarray(left)


def _standing(task: _Task, groups: Ints) -> pa.Array:
    """Return the average of every group: of numbers and dates the mean, else median or mode."""
    how: How | None = "mode" if task.data.attribute(task.name).kind is Kind.NOMINAL else None
    return representatives(task.data, task.name, groups, how)


def _among(groups: Ints, task: _Task, members: Mask) -> pa.Array:
    """Return the groups of the wanted records, where they have members."""
    wanted = groups[task.wanted]
    return pa.array(wanted, mask=np.isin(wanted, groups[members], invert=True))


def _donated(task: _Task, groups: Ints) -> tuple[pa.Array, int]:
    """Draw a donor for every wanted record, from its group or else from all records."""
    donors = np.flatnonzero(task.others)
    donors = donors[np.argsort(groups[donors], kind="stable")]
    wanted = groups[task.wanted]
    first, last = (np.searchsorted(groups[donors], wanted, side=side) for side in ("left", "right"))
    alone = first == last
    first, last = np.where(alone, 0, first), np.where(alone, len(donors), last)
    drawn = donors[task.rng.integers(first, last)]
    return task.data.column(task.name).take(pa.array(drawn)), int(alone.sum())


def _predicted(task: _Task, known: Dataset, by: Sequence[str], residuals: bool) -> pa.Array:
    """Predict the wanted values by least squares over the others."""
    kind = task.data.attribute(task.name).kind
    if kind is not Kind.CONTINUOUS:
        raise ParameterError(
            f"Regression of `blank_and_impute` predicts numbers; `{task.name}` is {kind}. Use the "
            "hot deck."
        )
    predictors = np.column_stack([np.ones(len(known)), *features([known], by).dummies()])
    numbers, others = task.data.numbers(task.name), task.others
    with np.errstate(all="ignore"):
        # The solution of least length is defined whatever predictors depend on each other.
        fitted = product(predictors, least_squares(predictors[others], numbers[others]))
        found = fitted[task.wanted]
        if residuals:
            found = found + task.rng.choice((numbers - fitted)[others], len(found))
    return pa.array(refuse_overflow(found))
