"""What is known of the cells of a table, one row a cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.engines.contributions import LEVELS
from tacita.errors import InputError
from tacita.tables.status import Status, Statuses, is_suppressed

Words = np.ndarray[Any, np.dtype[np.object_]]
ASKED_LEVELS = LEVELS  # at which a respondent may ask for protection


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a table, column by column. NaN is what is not known.

    Args:
        value: what adds up: the sum of the variable, or the number of respondents.
        shown: what the table prints: the value, or a mean, ratio, percentage or median.
        frequency: the records behind a cell, each counted with its sampling weight.
        contributors: the respondents behind a cell; a holding with several records is one, and so
            is a record with a sampling weight unless the table's `weighting` is `represented`.
        total: the sum of the contributions' sizes, which rules compare the largest with.
        largest: the largest contributions of single contributors, in descending order; 0 where
            there are no more.
        asked: the largest contribution of a contributor who asked for protection, for each of the
            two levels at which one may ask; 0 where nobody asked, NaN where that is not known.
        cost: what is lost when the cell is suppressed.
        status: what was decided about the cell.
        reason: who decided it: the name of a rule, `given`, or nothing.
        lower_level: how far below its value the cell must be possible (units of the value, 0 or
            more); `upper_level` likewise above it; `sliding_level` for the whole width.
        lower_bound: what everybody knows beforehand that the cell is at least; `upper_bound` at
            most.
        cell_key: the sum of the keys of its records modulo 1, a secret: the same for the same
            records in whatever table.
    """

    value: Floats
    shown: Floats
    frequency: Floats
    contributors: Floats
    total: Floats
    largest: Floats
    asked: Floats
    cost: Floats
    status: Statuses
    reason: Words
    lower_level: Floats
    upper_level: Floats
    sliding_level: Floats
    lower_bound: Floats
    upper_bound: Floats
    cell_key: Floats

    def __post_init__(self) -> None:
        for part in fields(self):
            column = getattr(self, part.name)
            if len(column) != len(self.value):
                raise InputError(
                    f"A table has {len(self.value):,} values; its column `{part.name}` has "
                    f"{len(column):,}."
                )

    @classmethod
    def of(cls, value: Any, **known: Any) -> Self:
        """Make cells from their values and whatever else is known of them.

        Values that are left out are taken as: `shown`, `total` and `cost` like the value, no
        sensitive cells, and nobody knows more beforehand than that a table without negative values
        has none.

        >>> Cells.of([3.0, 4.0], frequency=[2, 5]).frequency
        array([2., 5.])
        """
        value = np.asarray(value, np.float64)
        n = len(value)
        negative = bool((value[~np.isnan(value)] < 0).any())
        usual = {
            "shown": value,
            "frequency": np.full(n, np.nan),
            "contributors": known.get("frequency", np.full(n, np.nan)),
            "total": np.abs(value),
            "largest": np.full((n, 0), np.nan),
            "asked": np.full((n, ASKED_LEVELS), np.nan),
            "cost": np.nan_to_num(np.abs(value)),
            "lower_level": np.zeros(n),
            "upper_level": np.zeros(n),
            "sliding_level": np.zeros(n),
            "lower_bound": np.full(n, -np.inf if negative else 0.0),
            "upper_bound": np.full(n, np.inf),
            "cell_key": np.full(n, np.nan),
        }
        columns = {
            name: np.array(known.pop(name, column), np.float64) for name, column in usual.items()
        }
        status = np.array(known.pop("status", np.zeros(n)), np.int8)
        reason = np.array(known.pop("reason", np.full(n, "", object)), object)
        return cls(value=value, status=status, reason=reason, **columns, **known)

    def __len__(self) -> int:
        return len(self.value)

    @property
    def suppressed(self) -> Mask:
        """Which cells are not shown."""
        return is_suppressed(self.status)

    @property
    def sensitive(self) -> Mask:
        """Which cells are primary suppressions."""
        primary: Mask = self.status == Status.SENSITIVE
        return primary

    @classmethod
    def joined(cls, *several: Cells) -> Self:
        """Put cells below each other; of all of them, the same number of contributions is known."""
        return cls(
            **{
                part.name: np.concatenate([getattr(cells, part.name) for cells in several])
                for part in fields(cls)
            }
        )

    def take(self, rows: Ints | Mask) -> Self:
        """Return some of the cells."""
        return replace(self, **{part.name: getattr(self, part.name)[rows] for part in fields(self)})

    def published(self) -> Self:
        """Return what a reader sees: nothing that would tell the value of a suppressed cell."""
        hidden = self.suppressed
        blank: dict[str, Any] = {
            name: _blanked(getattr(self, name), hidden)
            for name in ("value", "shown", "frequency", "contributors", "total", "cost")
        }
        nothing = np.zeros(len(self))
        return replace(
            self,
            **blank,
            reason=np.where(hidden, "", self.reason),
            asked=np.full_like(self.asked, np.nan),
            cell_key=np.full(len(self), np.nan),
            largest=np.full((len(self), 0), np.nan),
            lower_level=nothing,
            upper_level=nothing,
            sliding_level=nothing,
        )


def _blanked(column: Floats, hidden: Mask) -> Floats:
    shown = column.copy()
    shown[hidden] = np.nan
    return shown


def named_apart(columns: Mapping[str, Any], attributes: Iterable[str]) -> dict[str, Any]:
    """Return columns that tell of cells, under names that no attribute has.

    >>> named_apart({"value": [7], "status": ["safe"]}, ["region", "status"])
    {'value': [7], 'cell_status': ['safe']}
    """
    taken, apart = frozenset(attributes), {}
    for name, column in columns.items():
        while name in taken:
            name = f"cell_{name}"  # noqa: PLW2901 - until it is free
        apart[name] = column
    return apart
