"""Hierarchies of dates: day, month, quarter, year, decade."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.hierarchies import not_covered
from tacita.errors import HierarchyError, shown

Ints = np.ndarray[Any, np.dtype[np.int64]]

ROOT = "*"
TICKS = {unit: 86_400 * 1000**power for power, unit in enumerate(("s", "ms", "us", "ns"))}
# One day less than Arrow's calendar has, for whoever lives in another time zone.
FIRST_DAY, LAST_DAY = (
    int(np.datetime64(day).astype(int)) for day in ("-32767-01-01", "32767-12-31")
)


def _year(values: pa.Array) -> pa.Array:
    return pc.strftime(values, "%Y")


def _quarter(values: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(_year(values), pc.quarter(values).cast(pa.string()), "-Q")


def _decade(values: pa.Array) -> pa.Array:
    tenth = pc.floor(pc.divide(pc.year(values).cast(pa.float64()), 10))
    decade = pc.multiply(tenth, 10).cast(pa.int64())
    return pc.binary_join_element_wise(decade.cast(pa.string()), "s", "")


UNITS: dict[str, Callable[[pa.Array], pa.Array]] = {
    "day": lambda values: pc.strftime(values, "%Y-%m-%d"),
    "month": lambda values: pc.strftime(values, "%Y-%m"),
    "quarter": _quarter,
    "year": _year,
    "decade": _decade,
}


@dataclass(frozen=True)
class Dates:
    """Generalize dates to ever longer calendar units, then to `*`.

    Args:
        units: from the finest to the coarsest, of day, month, quarter, year, decade. There are no
            weeks: one may lie in two years, so they nest in nothing longer.

    >>> import datetime
    >>> day = pa.array([datetime.date(1964, 9, 27)])
    >>> dates = Dates(("month", "quarter", "year"))
    >>> [dates.labels(day, level)[0].as_py() for level in (1, 2, 3, 4)]
    ['1964-09', '1964-Q3', '1964', '*']
    """

    units: tuple[str, ...]

    def __post_init__(self) -> None:
        known = list(UNITS)
        places = [known.index(unit) for unit in self.units if unit in known]
        if not places or len(places) < len(self.units) or places != sorted(set(places)):
            raise HierarchyError(
                f"`dates` takes some of {', '.join(known)} from fine to coarse; "
                f"found {shown(self.units)}."
            )

    @classmethod
    def from_units(cls, units: Sequence[str]) -> Dates:
        """Make the hierarchy from a list of units."""
        if not isinstance(units, str | list | tuple):
            raise HierarchyError(f"`dates` takes a list of units; found {shown(units)}.")
        return cls((units,) if isinstance(units, str) else tuple(units))

    @property
    def height(self) -> int:
        """One level a unit, and the root."""
        return len(self.units) + 1

    def labels(self, values: pa.Array, level: int) -> pa.Array:
        """Return the calendar unit each date lies in, or the root at the last level."""
        _check_calendar(values)
        if level == self.height:
            return pa.array([ROOT] * len(values), pa.string())
        try:
            return UNITS[self.units[level - 1]](values)
        except pa.ArrowInvalid as error:
            raise HierarchyError(
                f"The dates lie in the time zone {values.type.tz!r}, which this system does not "
                "know; convert them to a zone that it knows, such as UTC."
            ) from error

    def specification(self) -> dict[str, Any]:
        """Return `{dates: [units]}`."""
        return {"dates": list(self.units)}


def _check_calendar(values: pa.Array) -> None:
    """Refuse what is no date, or one that the calendar does not reach."""
    if not (pa.types.is_date(values.type) or pa.types.is_timestamp(values.type)):
        raise not_covered(values, "this hierarchy needs dates")
    days = _days(values)
    beyond = pa.array((days <= FIRST_DAY) | (days >= LAST_DAY))
    if pc.any(beyond).as_py():
        raise not_covered(
            values.filter(beyond).cast(pa.string()),
            "the calendar reaches from the year -32767 to 32767",
        )


def _days(values: pa.Array) -> Ints:
    """Count the days from 1970 to each date, in the time zone of Greenwich."""
    if pa.types.is_date32(values.type):
        return np.asarray(values.cast(pa.int32()), np.int64)
    unit = "ms" if pa.types.is_date64(values.type) else values.type.unit
    days: Ints = np.asarray(values.cast(pa.int64())) // TICKS[unit]
    return days
