"""Date shifting: a respondent's dates move together, by a secret number of days."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from tacita.data.attribute import Kind
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError
from tacita.mechanisms.keyed import keyed_digests, secret_key
from tacita.method import AttributeNames, Method
from tacita.preserved import Statistic, always
from tacita.validity import Change

Days = np.ndarray[Any, np.dtype[np.int64]]
STEPS = {"day": 1, "week": 7}
FIRST, LAST, YEAR_LONG = 1, 9999, 365
TICKS = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


class ShiftDates(Method):
    """Move all dates of a respondent by the same secret offset, so that intervals stay.

    d' = d + o(r) for every date d of respondent r, in all the attributes and records that are r's.
    The offset o(r) is uniform on the multiples of `unit` from -`days` to `days`, computed from a
    keyed hash of the respondent: BLAKE2b(key, r) mod the number of offsets. Intervals between the
    dates of one respondent are exact; with `unit: week` days of the week stay too. Seasons are
    blurred, and dates of different respondents can no longer be compared. Times with a time zone
    keep their exact distances, so that a clock shows another hour across the change to summer time.

    When not to use it: where a date is known to the public (a death, an accident); one known date
    gives the offset away, and with it all dates of that respondent. Generalize such dates.

    >>> import tacita as ta, pyarrow as pa, datetime as dt
    >>> visits = pa.table({"who": ["a", "a"], "day": [dt.date(2024, 1, 1), dt.date(2024, 1, 31)]})
    >>> shifted = ta.read(visits).apply(ta.ShiftDates("day", respondent="who"), seed=1)
    >>> first, second = shifted.column("day").to_pylist()
    >>> (second - first).days
    30
    """

    applies_to: ClassVar = frozenset({Kind.DATE})
    keeps: ClassVar = (always(Statistic.INTERVALS, of="the dates of one respondent"),)
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Hripcsak et al., Preserving temporal relations in clinical data while maintaining "
        "privacy, J. Am. Medical Informatics Association 23(6), 2016"
    )
    missing: ClassVar = (
        "Missing dates stay missing; a record of nobody known moves by an offset of its own."
    )
    example: ClassVar = {"attributes": ["born"], "respondent": "household"}
    by_record: ClassVar = True
    public: ClassVar = frozenset({"attributes", "days", "unit"})
    draws: ClassVar = True

    attributes: Annotated[AttributeNames, Field(description="The dates that move together.")]
    _: KW_ONLY
    respondent: Annotated[
        str | None,
        Field(
            description="The attribute that says whose record it is; when left out, each record "
            "is a respondent of its own.",
            min_length=1,
        ),
    ] = None
    days: Annotated[
        int, Field(description="The largest offset (days, 1 to 36,500).", ge=1, le=36_500)
    ] = 365
    unit: Annotated[
        Literal["day", "week"],
        Field(description="Offsets are multiples of it; whole weeks keep the day of the week."),
    ] = "day"
    key_from: Annotated[
        str | None,
        Field(
            description="The environment variable that holds the secret key (text), so that "
            "several files of the same respondents move alike; without it a key is drawn."
        ),
    ] = None

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.days < STEPS[self.unit]:
            raise ValueError(
                f"`days` of `shift_dates` must be {STEPS[self.unit]} or more to shift by whole "
                f"{self.unit}s; found {self.days}."
            )
        if self.key_from is not None and self.respondent is None:
            raise ValueError("`key_from` of `shift_dates` needs `respondent`: whose dates to move.")
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the dates shifted."""
        if self.respondent is not None:
            _refuse_sets(data, self.respondent)
        offsets = self._offsets(data, rng)
        for name in self.attributes:
            values = _shifted(name, data.column(name), offsets)
            data = data.with_column(data.attribute(name), values)
        return data

    def _offsets(self, data: Dataset, rng: np.random.Generator) -> Days:
        """Return how many days each record moves."""
        most = self.days // STEPS[self.unit]
        steps: Days = rng.integers(-most, most, len(data), endpoint=True)
        if self.respondent is not None:
            whose = pc.dictionary_encode(data.column(self.respondent))
            key = secret_key(self.name, self.key_from, rng)
            digests = keyed_digests(whose.dictionary.cast(pa.string()).to_pylist(), key)
            own = [int.from_bytes(digest, "big") % (2 * most + 1) - most for digest in digests]
            known = np.asarray(whose.indices.is_valid())
            steps[known] = np.array(own, np.int64)[np.asarray(whose.indices.drop_null())]
        return steps * STEPS[self.unit]


def _refuse_sets(data: Dataset, respondent: str) -> None:
    if data.attribute(respondent).kind is Kind.SET_VALUED:
        raise ParameterError(
            f"`respondent` of `shift_dates` names one respondent a record; `{respondent}` is "
            "set-valued."
        )


def _shifted(name: str, column: pa.Array, days: Days) -> pa.Array:
    ticks = TICKS[column.type.unit] if pa.types.is_timestamp(column.type) else 1
    if pa.types.is_date64(column.type):
        ticks = TICKS["ms"]
    _refuse_sentinel(name, column)
    width = pa.int32() if pa.types.is_date32(column.type) else pa.int64()
    try:
        moves = pa.array(days * ticks, width)
        shifted = pc.add_checked(column.cast(width), moves).cast(column.type)
        years = pc.min_max(pc.year(shifted)).as_py()
    except pa.ArrowInvalid as error:
        raise _far_off(name, days) from error
    if len(column) > column.null_count and not FIRST <= years["min"] <= years["max"] <= LAST:
        raise _far_off(name, days)
    return shifted


def _far_off(name: str, days: Days) -> InputError:
    return InputError(
        f"Attribute `{name}` holds a date so far off that it cannot be shifted by up to "
        f"{int(np.abs(days).max()):,} days; correct it or declare it missing."
    )


def _refuse_sentinel(name: str, column: pa.Array) -> None:
    """Refuse the date that stands for none: shifted, it would show everybody the offset."""
    last = pc.and_(pc.equal(pc.year(column), LAST), pc.equal(pc.day_of_year(column), YEAR_LONG))
    if pc.any(last).as_py():
        raise InputError(
            f"Attribute `{name}` holds 9999-12-31, which stands for no date and would show the "
            "offset; declare it missing."
        )
