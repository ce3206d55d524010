"""Hierarchies of dates: day, month, quarter, year, decade."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.hierarchies import not_covered
from tacita.errors import HierarchyError, shown

ROOT = "*"


def _year(values: pa.Array) -> pa.Array:
    return pc.strftime(values, "%Y")


def _quarter(values: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(_year(values), pc.quarter(values).cast(pa.string()), "-Q")


def _decade(values: pa.Array) -> pa.Array:
    decade = pc.multiply(pc.divide(pc.year(values), 10), 10)
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
        units: from the finest to the coarsest, of day, month, quarter, year, decade.

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
        if not pa.types.is_temporal(values.type):
            raise not_covered(values, "this hierarchy needs dates")
        if level == self.height:
            return pa.array([ROOT] * len(values), pa.string())
        return UNITS[self.units[level - 1]](values)

    def specification(self) -> dict[str, Any]:
        """Return `{dates: [units]}`."""
        return {"dates": list(self.units)}
