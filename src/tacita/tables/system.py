"""Cells and the linear relations between them: what an intruder who can add and subtract sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.decimals import decimals_of, in_units
from tacita.errors import InputError
from tacita.results import counted, show
from tacita.tables.cells import Cells

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NEARLY = 1e-9  # of what is added up: how far sums of doubles may be from their total
SHOWN = 3  # relations named in a message


@dataclass(frozen=True, eq=False)
class System:
    """All cells of one or several tables, and every relation that holds between them.

    Args:
        cells: what is known of each cell; a cell that several tables share is there once.
        relations: one row a relation, one column a cell, with whole coefficients: 1 for the parts,
            -1 for their total.
        rhs: what each relation comes to; 0 for sums.
        name_of: how to name a cell in a message, by its place.
        known: cells whose value can be read somewhere although they are suppressed elsewhere.
        decimals: how many digits after the point the values have, or None if they are no decimals.
        digits: how many digits after the point values can have by the records they were made of, or
            None. Values of one table may happen to have fewer, so that what is published of a cell
            follows these: then no other cell changes it.
        counts_records: whether it is known that values are numbers of records, each counted once.
    """

    cells: Cells
    relations: csr_array
    rhs: Floats
    name_of: Callable[[int], str] = str
    known: Mask | None = None
    decimals: int | None = None
    digits: int | None = None
    counts_records: bool = False

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def unknown(self) -> Mask:
        """Which cells an intruder has to work out."""
        hidden = self.cells.suppressed
        return hidden if self.known is None else hidden & ~self.known

    def checked(self, *, rounding: float = 0.0) -> Self:
        """Return the system, with its decimals found out, if everything in it adds up.

        Args:
            rounding: how far published values may be from the true ones (units of the values).

        Raises:
            InputError: some relations do not add up; the message says which and by how much.
        """
        if not len(self):
            raise InputError("The table is empty; it needs at least one cell.")
        self._check_values()
        self._check_bounds()
        decimals = decimals_of(np.concatenate([self.cells.value, self.rhs]))
        wrong = not_adding_up(self.relations, self.cells.value, self.rhs, rounding=rounding)
        if wrong.size:
            raise InputError(self._told(wrong))
        return replace(self, decimals=decimals)

    def refuse_unknown(self, what: str) -> None:
        """Refuse a system in which the value of a cell is not known.

        Args:
            what: what needs all values, as the message begins.

        Raises:
            InputError: a cell has no value.
        """
        for place in np.flatnonzero(np.isnan(self.cells.value))[:1]:
            raise InputError(
                f"{what} needs the value of every cell; {self.name_of(int(place))} has none. Start "
                "from the table before it was suppressed."
            )

    def _check_values(self) -> None:
        lacking = np.flatnonzero(~np.isfinite(self.cells.value) & ~self.cells.suppressed)
        if lacking.size:
            raise InputError(
                f"{counted(lacking.size, 'published cell')} of the table "
                f"{'has' if lacking.size == 1 else 'have'} no value, such as "
                f"{self.name_of(int(lacking[0]))}; give the value or say that the cell is "
                "suppressed."
            )

    def _check_bounds(self) -> None:
        cells = self.cells
        outside = (cells.value < cells.lower_bound) | (cells.value > cells.upper_bound)
        for place in np.flatnonzero(outside)[:1]:
            raise InputError(
                f"Cell {self.name_of(int(place))} is {show(cells.value[place])}, outside what is "
                f"said to be known of it beforehand ({show_bound(cells.lower_bound[place])} to "
                f"{show_bound(cells.upper_bound[place])})."
            )

    def _told(self, wrong: Any) -> str:
        residual = self.relations @ np.nan_to_num(self.cells.value) - self.rhs
        worst = wrong[np.argsort(-np.abs(residual[wrong]), kind="stable")][:SHOWN]
        told = "; ".join(self._told_one(int(row), float(residual[row])) for row in worst)
        more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
        return (
            f"{counted(len(wrong), 'relation')} of the table "
            f"{'does' if len(wrong) == 1 else 'do'} not add up: {told}{more}. Mend the values, or "
            "say how far published values are rounded."
        )

    def _told_one(self, row: int, residual: float) -> str:
        start, stop = self.relations.indptr[row : row + 2]
        cells, signs = self.relations.indices[start:stop], self.relations.data[start:stop]
        wholes = [self.name_of(int(cell)) for cell in cells[signs < 0]]
        what = f"the parts of {wholes[0]}" if wholes else f"relation {row + 1}"
        side = "more" if residual > 0 else "less"
        return f"{what} are {show(abs(round(residual, 9)))} {side} than their total"


def not_adding_up(
    relations: csr_array, value: Floats, rhs: Floats, *, rounding: float = 0.0
) -> Ints:
    """Return the relations that some values do not fulfil; unknown values are asked nothing.

    Decimals are added up exactly, other numbers to what sums of doubles can be off.

    Args:
        relations: one row a relation, one column a value, with whole coefficients.
        value: the values, NaN where they are not known.
        rhs: what each relation comes to.
        rounding: how far the values may be from the true ones.

    >>> from scipy.sparse import csr_array
    >>> sums = csr_array([[-1, 1, 1]])
    >>> [not_adding_up(sums, np.array(v), np.zeros(1)).size for v in ([0.3, 0.1, 0.2], [5.0, 1, 2])]
    [0, 1]
    """
    complete = abs(relations) @ np.isnan(value).astype(np.int64) == 0
    known = np.nan_to_num(value)
    decimals = None if rounding else decimals_of(np.concatenate([known, rhs]))
    if decimals is not None:
        off = relations.astype(np.int64) @ in_units(known, decimals) != in_units(rhs, decimals)
    else:
        gross = abs(relations) @ np.abs(known) + np.abs(rhs)
        allowed = NEARLY * gross + rounding * abs(relations).sum(axis=1)
        off = np.abs(relations @ known - rhs) > allowed
    return np.flatnonzero(complete & off)


def show_bound(bound: float) -> str:
    """Return a bound as a person reads it.

    >>> show_bound(np.inf), show_bound(3.0)
    ('unbounded', '3')
    """
    return show(bound) if np.isfinite(bound) else "unbounded"
