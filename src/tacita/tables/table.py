"""A table: cells spanned by attributes, with totals and subtotals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pyarrow as pa

from tacita.data.classes import Ints
from tacita.data.decimals import decimals_of
from tacita.errors import InputError, did_you_mean, load_extra
from tacita.tables.cells import Cells, named_apart
from tacita.tables.dimension import NONE, Dimension, Places
from tacita.tables.status import Status
from tacita.tables.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Statistic = Literal["count", "sum", "mean", "ratio", "percentage", "median"]
Weighting = Literal["respondents", "represented"]
BY_HAND = "by hand"
RESPONDENTS, REPRESENTED = "respondents", "represented"
LARGEST = 2**62  # combinations of codes that a table can number


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A table of counts or magnitudes. Never changed in place.

    Only cells that somebody contributes to (or that are known not to be structural zeros) are
    listed; every other combination of codes is a structural zero.

    Args:
        name: what the table is called.
        dimensions: the attributes that span it.
        places: for each cell the place of its code in every dimension, in ascending order.
        cells: what is known of each cell.
        variable: the attribute whose values add up, or None for a table of counts.
        statistic: what the table shows.
        perturbed_by: the method whose values it shows instead of the true ones, or None. The bounds
            of its cells are what a reader who knows the method knows of the true values.
        weighting: how records count that have sampling weights, as rules look at contributors:
            `respondents` as one each, with the weighted contribution, or `represented` as often as
            the weight says; None without weights, or if records are not known.
        digits: how many digits after the point sums of the tabulated records can have, the same in
            every table of them; None if they have no last digit, or records are not known.

    >>> import numpy as np
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), Cells.of([7, 3, 4]))
    >>> table
    people: 3 cells over sex, 0 sensitive
    """

    name: str
    dimensions: tuple[Dimension, ...]
    places: Places
    cells: Cells
    variable: str | None = None
    statistic: Statistic = "count"
    perturbed_by: str | None = None
    weighting: Weighting | None = None
    digits: int | None = None

    def __post_init__(self) -> None:
        size = 1
        for dimension in self.dimensions:
            size *= len(dimension)
        if size >= LARGEST:
            raise InputError(
                f"A table can number up to {LARGEST:,} combinations of codes; `{self.name}` has "
                f"{size:,}. Leave out an attribute or a level."
            )

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        over = " x ".join(dimension.name for dimension in self.dimensions)
        sensitive = int(self.cells.sensitive.sum())
        secondary = int((self.cells.status == Status.SECONDARY).sum())
        more = f", {secondary:,} secondary" if secondary else ""
        told = f"{self.name}: {len(self):,} cells over {over}"
        if self.perturbed_by is not None:
            return f"{told}, perturbed by {self.perturbed_by}"
        as_ = ", records judged as often as their weights" if self.weighting == REPRESENTED else ""
        return f"{told}, {sensitive:,} sensitive{more}{as_}"

    # -- where cells are -------------------------------------------------------------------------

    @cached_property
    def strides(self) -> Ints:
        """How far apart neighbours of a dimension lie when all combinations are numbered."""
        sizes = [len(dimension) for dimension in self.dimensions]
        return np.array([int(np.prod(sizes[i + 1 :], dtype=np.int64)) for i in range(len(sizes))])

    @cached_property
    def numbers(self) -> Ints:
        """The number of every cell among all combinations of codes, ascending."""
        return numbers_of(self.places, self.strides)

    def find(self, numbers: Ints) -> Ints:
        """Return the rows of some combinations of codes, -1 where there is no cell."""
        row = np.searchsorted(self.numbers, numbers)
        found = np.minimum(row, max(len(self) - 1, 0))
        hit = self.numbers[found] == numbers if len(self) else np.zeros(len(numbers), bool)
        return np.where(hit, found, NONE)

    def row(self, /, **codes: str) -> int:
        """Return the row of the cell with these codes; attributes left out are at their total.

        Raises:
            InputError: there is no such attribute, code or cell.
        """
        names = [dimension.name for dimension in self.dimensions]
        for name in codes:
            if name not in names:
                raise InputError(
                    f"`{self.name}` is not spanned by `{name}`.{did_you_mean(name, names)}"
                )
        place = [d.place(codes.get(d.name, d.total)) for d in self.dimensions]
        found = int(self.find(numbers_of(np.array([place]), self.strides))[0])
        if found == NONE:
            raise InputError(f"Nobody contributes to the cell {self._named(place)}.")
        return found

    def codes_of(self, row: int) -> tuple[str, ...]:
        """Return the codes of a cell."""
        return tuple(d.codes[p] for d, p in zip(self.dimensions, self.places[row], strict=True))

    def name_of(self, row: int) -> str:
        """Return how a person names a cell."""
        return self._named(self.places[row])

    def _named(self, place: Iterable[int]) -> str:
        told = [f"{d.name} {d.codes[p]}" for d, p in zip(self.dimensions, place, strict=True) if p]
        return f"({', '.join(told)})" if told else "(the grand total)"

    @property
    def is_additive(self) -> bool:
        """Whether totals are the sums of their parts; medians are not."""
        return self.statistic != "median"

    # -- how cells hang together -----------------------------------------------------------------

    def system(self, *, rounding: float = 0.0) -> System:
        """Return the cells with every relation between totals and their parts.

        Those of a perturbed table are the published values, which need not add up; what they tell
        of the true ones is in the system of `as_known`.

        Args:
            rounding: how far published values may be from the true ones (units of the values).

        Raises:
            InputError: the table is empty or does not add up.
        """
        relations = self._relations()
        rhs = np.zeros(relations.shape[0])
        is_count = self.statistic == "count" and self.weighting is None
        made = System(
            self.cells,
            relations,
            rhs,
            self.name_of,
            digits=self.digits,
            counts_records=is_count,
        )
        if self.perturbed_by is not None:
            return replace(made, decimals=decimals_of(self.cells.value))
        return made.checked(rounding=rounding)

    def _relations(self) -> csr_array:
        """Make one row for every total that has parts, along every hierarchy of a dimension."""
        from scipy.sparse import coo_array

        rows, columns, signs, made = [], [], [], 0
        for axis, dimension in enumerate(self.dimensions if self.is_additive else ()):
            for parents in dimension.parents:
                parts, wholes = self._parts(axis, parents)
                whole_rows, relation = np.unique(wholes, return_inverse=True)
                rows += [made + relation, made + np.arange(len(whole_rows))]
                columns += [parts, whole_rows]
                signs += [np.ones(len(parts), np.int64), np.full(len(whole_rows), -1)]
                made += len(whole_rows)
        shape = (made, len(self))
        if not made:
            return coo_array(shape, dtype=np.int64).tocsr()
        entries = (np.concatenate(signs), (np.concatenate(rows), np.concatenate(columns)))
        relations = coo_array(entries, shape).tocsr()
        relations.sort_indices()
        is_nested = all(len(dimension.parents) == 1 for dimension in self.dimensions)
        return relations if is_nested else _each_once(relations)

    def _parts(self, axis: int, parents: Places) -> tuple[Ints, Ints]:
        """Return the rows of the cells below others along a hierarchy, and of those above."""
        codes = self.places[:, axis]
        above = parents[codes]
        parts = np.flatnonzero(above != NONE)
        step = (above[parts].astype(np.int64) - codes[parts]) * self.strides[axis]
        wholes = self.find(self.numbers[parts] + step)
        lacking = np.flatnonzero(wholes == NONE)
        if lacking.size:
            raise InputError(
                f"The total above {self.name_of(int(parts[lacking[0]]))} along "
                f"`{self.dimensions[axis].name}` is not in the table; add it, or say that absent "
                "cells are not published."
            )
        return parts, wholes

    # -- changed copies --------------------------------------------------------------------------

    def with_cells(self, **columns: Any) -> Self:
        """Return a copy in which some columns of the cells are replaced."""
        return replace(self, cells=replace(self.cells, **columns))

    def with_more(self, numbers: Ints, cells: Cells) -> Self:
        """Return a copy with further cells.

        Args:
            numbers: their numbers among all combinations of codes.
            cells: what is known of them.
        """
        sizes = [len(dimension) for dimension in self.dimensions]
        places = np.column_stack(np.unravel_index(numbers, sizes)).astype(np.int32)
        order = np.argsort(np.concatenate([self.numbers, numbers]))
        return replace(
            self,
            places=np.concatenate([self.places, places])[order],
            cells=Cells.joined(self.cells, cells).take(order),
        )

    def suppress(self, *cells: Mapping[str, str]) -> Self:
        """Return a copy in which further cells are suppressed by hand, to protect others.

        Args:
            cells: the codes of each cell; attributes left out are at their total.

        Raises:
            InputError: there is no such cell, or it must be published.
        """
        status, reason = self.cells.status.copy(), self.cells.reason.copy()
        for row in [self.row(**codes) for codes in cells]:
            if status[row] == Status.PUBLISHED:
                raise InputError(
                    f"The cell {self.name_of(row)} must be published and cannot be suppressed; "
                    "choose another, or do not ask for it to be published."
                )
            if status[row] == Status.SAFE:
                status[row], reason[row] = Status.SECONDARY, BY_HAND
        return self.with_cells(status=status, reason=reason)

    def published(self) -> Self:
        """Return what a reader sees: suppressed cells are blank, and nothing tells their value."""
        return replace(self, cells=self.cells.published())

    def as_known(self) -> Self:
        """Return what a reader knows of the true cells, which is everything if these are they.

        Of perturbed cells no true value is known, but its bounds and that all of them add up.
        """
        if self.perturbed_by is None:
            return self
        blank, hidden = np.full(len(self), np.nan), np.full(len(self), Status.SECONDARY, np.int8)
        unknown = self.with_cells(value=blank, shown=blank, total=blank, cost=blank, status=hidden)
        return replace(unknown, perturbed_by=None)

    # -- going out -------------------------------------------------------------------------------

    def to_arrow(self) -> pa.Table:
        """Return one row a cell: its codes, and what is known of it; unknown values are missing.

        A column that would be called like an attribute has `cell_` before its name.
        """
        codes = {
            dimension.name: pa.DictionaryArray.from_arrays(
                pa.array(self.places[:, axis], pa.int32()), pa.array(dimension.codes)
            ).cast(pa.string())
            for axis, dimension in enumerate(self.dimensions)
        }
        cells = self.cells
        words = [Status(int(status)).word for status in cells.status]
        told = {
            **{name: _column(getattr(cells, name)) for name in SHOWN_COLUMNS},
            "status": pa.array(words, pa.string()),
            "reason": pa.array(list(cells.reason), pa.string()),
        }
        return pa.table({**codes, **named_apart(told, codes)})

    def to_polars(self) -> Any:
        """Return one row a cell as a Polars frame."""
        return load_extra("polars", "frames").from_arrow(self.to_arrow())

    def to_pandas(self) -> Any:
        """Return one row a cell as a pandas frame."""
        load_extra("pandas", "frames")
        return self.to_arrow().to_pandas()


SHOWN_COLUMNS = (
    "value",
    "shown",
    "frequency",
    "contributors",
    "cost",
    "lower_level",
    "upper_level",
    "sliding_level",
)


def numbers_of(places: Any, strides: Ints) -> Ints:
    """Return the numbers of combinations of codes, the last dimension fastest.

    >>> numbers_of(np.array([[0, 2], [1, 0]]), np.array([3, 1]))
    array([2, 3])
    """
    found: Ints = np.asarray(places, np.int64) @ strides
    return found


def _each_once(relations: csr_array) -> csr_array:
    """Drop relations that say what an earlier one says: hierarchies may share branches."""
    bounds = pairwise(relations.indptr)
    first = {
        (relations.indices[a:b].tobytes(), relations.data[a:b].tobytes()): row
        for row, (a, b) in reversed(list(enumerate(bounds)))
    }
    return relations if len(first) == relations.shape[0] else relations[sorted(first.values())]


def _column(values: Any) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))
