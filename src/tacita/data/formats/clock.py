"""How statistics programs count time: dates, moments and times of day as numbers."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ticks = np.ndarray[Any, np.dtype[np.int64]]  # microseconds
Shape = Literal["date", "moment", "time", "whole", "number"]

CALENDAR = ("date", "moment", "time")
DAY = 86_400_000_000  # microseconds
YEARS = (-62_135_596_800_000_000, 253_402_300_799_999_999)  # 1 to 9999, from 1970 on


class Clock(NamedTuple):
    """How a program counts time.

    Args:
        origin: the day it counts from, in days from 1970-01-01 on.
        date_unit: how many microseconds the number of a date counts.
        unit: how many microseconds the number of a moment or a time of day counts.
        first: the first moment it knows, in microseconds from 1970-01-01 on.
    """

    origin: int
    date_unit: int
    unit: int
    first: int

    def values(self, numbers: Floats, shape: Shape) -> pa.Array | None:
        """Return numbers as dates, moments or times of day; None if one of them is none.

        A date with a time of day is a moment. What does not say the same number when it is counted
        again (a fraction of a microsecond) is none of the three.
        """
        missing = np.isnan(numbers)
        ticks = self._ticks(np.where(missing, 0, numbers), shape)
        if ticks is None:
            return None
        if shape == "time":
            within = ((ticks >= 0) & (ticks < DAY)).all()
            return pa.array(ticks, pa.time64("us"), mask=missing) if within else None
        if shape == "date" and not (ticks % DAY).any():
            return pa.array(ticks // DAY, pa.int32(), mask=missing).cast(pa.date32())
        return pa.array(ticks, pa.timestamp("us"), mask=missing)

    def numbers(self, column: pa.Array, shape: Shape) -> Floats | None:
        """Return how the program counts dates, moments or times; None if not all, or not exactly.

        Blanks count as some valid number.
        """
        moments, width, length = COUNTED[shape]
        try:
            counts = column.cast(moments).cast(width)
        except pa.ArrowInvalid:  # nanoseconds, or beyond all years
            return None
        ticks = np.asarray(pc.fill_null(counts, 0)).astype(np.int64) * length
        if shape != "time" and ((ticks < self.first) | (ticks > YEARS[1])).any():
            return None
        unit = self._unit(shape)
        counted, part = np.divmod(ticks - self._start(shape), unit)
        numbers: Floats = counted + part / unit
        again = self._ticks(numbers, shape)
        return numbers if again is not None and (again == ticks).all() else None

    def _unit(self, shape: Shape) -> int:
        return self.date_unit if shape == "date" else self.unit

    def _start(self, shape: Shape) -> int:
        return 0 if shape == "time" else self.origin * DAY

    def _ticks(self, numbers: Floats, shape: Shape) -> Ticks | None:
        """Return the microseconds that numbers stand for; None if some have none in our years."""
        unit, start = self._unit(shape), self._start(shape)
        rough = numbers * unit + start
        if not ((rough >= YEARS[0]) & (rough <= YEARS[1])).all():
            return None
        counted = np.floor(numbers)
        part = np.rint((numbers - counted) * unit / 1000) * 1000
        # doubles lie too far apart to tell a whole millisecond from its neighbours
        part = np.where(counted + part / unit == numbers, part, np.rint((numbers - counted) * unit))
        if not (counted + part / unit == numbers).all():
            return None
        return counted.astype(np.int64) * unit + part.astype(np.int64) + start


COUNTED = {  # the type of each shape, the type of its count, and what it counts
    "date": (pa.date32(), pa.int32(), DAY),
    "moment": (pa.timestamp("us"), pa.int64(), 1),
    "time": (pa.time64("us"), pa.int64(), 1),
}
