"""A table as HTML: no script, no network, nothing beside the file.

The internal view colours every cell by its status and tells on hover what is known of it. The
public view shows suppressed cells by one mark, whatever the reason; their values, intervals and
reasons are nowhere in its text. Colours keep apart for readers who see them differently, and no
status is told by its colour alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from tacita.data.classes import Mask
from tacita.data.formats.atomic import atomic_file
from tacita.errors import InputError, ParameterError, shown
from tacita.results import counted, show
from tacita.tables.dimension import NONE
from tacita.tables.formats.csv import View
from tacita.tables.formats.grid import Grid, Heading, decimals_shown, grids, values_name
from tacita.tables.status import Status
from tacita.tables.table import Table, Weighting

if TYPE_CHECKING:
    from jinja2 import Template

MARKER = "x"
EMPTY = "-"
MOST_CELLS = 10_000  # drawn in one page
MOST_COLUMNS = 250
WEIGHTS: dict[Weighting, str] = {
    "respondents": "Values are weighted; rules judge respondents, one a record.",
    "represented": "Values are weighted; rules judge those whom the records represent.",
}
MARKS = {
    "safe": ("", "safe"),
    "sensitive": ("\N{BLACK CIRCLE}", "sensitive: primary suppression"),
    "secondary": ("\N{WHITE CIRCLE}", "secondary suppression"),
    "published": ("\N{BLACK DIAMOND}", "must be published"),
    "exposed": ("!", "disclosed, or protected less than required"),
    "suppressed": (MARKER, "suppressed to protect respondents"),
    "empty": (EMPTY, "nobody contributes"),
}


class Audited(Protocol):
    """What an audit found of each cell of a table."""

    @property
    def lower(self) -> Any:
        """The least that each cell can be."""

    @property
    def upper(self) -> Any:
        """The most that each cell can be."""

    @property
    def disclosed(self) -> Any:
        """Which suppressed cells can be worked out exactly."""

    @property
    def is_protected(self) -> Any:
        """Which cells are protected as required."""


class Drawn(NamedTuple):
    """A cell on the page.

    Args:
        kind: its status, by which it is coloured.
        text: what it shows.
        mark: what tells its status without colour.
        told: what is told on hover and to readers who hear the page, line by line.
    """

    kind: str
    text: str
    mark: str = ""
    told: tuple[str, ...] = ()


class DrawnGrid(NamedTuple):
    """A grid on the page: its title, its columns, and its rows with their headings."""

    title: str
    across: tuple[Heading, ...]
    rows: tuple[tuple[Heading, tuple[Drawn, ...]], ...]


def write(
    table: Table,
    path: str | PathLike[str],
    *,
    view: View = "public",
    audit: Audited | None = None,
) -> None:
    """Write a table as one HTML page.

    Args:
        table: the table, with its statuses.
        path: the page; one that exists is replaced.
        view: `public`, what a reader may see; or `internal`, with values, reasons and intervals.
        audit: what an audit found of each cell, for the internal view.

    Raises:
        ParameterError: the view is unknown, or an audit was given for the public view.
        InputError: the audit is of another table.
        OutputError: the page cannot be written.
    """
    page = _rendered("page.html.j2", table, view, audit)
    with atomic_file(Path(path)) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")


def fragment(table: Table, *, view: View = "public", audit: Audited | None = None) -> str:
    """Return a table as HTML to be put into a page, with its own style.

    Args:
        table: the table, with its statuses.
        view: `public`, what a reader may see; or `internal`, with values, reasons and intervals.
        audit: what an audit found of each cell, for the internal view.

    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.ready import ready_table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> table = ready_table("people", [sex], {"sex": ["Total", "f", "m"]},
    ...                     {"value": [739, 3, 736], "status": [0, 1, 2]})
    >>> "739" in fragment(table), "736" in fragment(table)
    (True, False)
    >>> "736" in fragment(table, view="internal")
    True
    """
    return _rendered("table.html.j2", table, view, audit)


def _rendered(template: str, table: Table, view: View, audit: Audited | None) -> str:
    _check(table, view, audit)
    artist: Public | Internal
    artist = Public(table.published()) if view == "public" else Internal(table, audit)
    drawn = tuple(_drawn(grid, artist) for grid in _some(table))
    return _template(template).render(
        table=table,
        view=view,
        values=values_name(table),
        summary=artist.summary(),
        weights="" if table.weighting is None else WEIGHTS[table.weighting],
        legend=_legend(drawn),
        grids=drawn,
        left_out=_left_out(table, drawn),
    )


def _check(table: Table, view: str, audit: Audited | None) -> None:
    if view not in ("internal", "public"):
        raise ParameterError(f"`view` is internal or public; found {shown(view)}.")
    if audit is None:
        return
    if view == "public":
        raise ParameterError(
            "What an audit found is for the internal view; leave it out of the public one."
        )
    if len(audit.lower) != len(table):
        raise InputError(
            f"The audit is of {len(audit.lower):,} cells; `{table.name}` has {len(table):,}. Audit "
            "this table."
        )


# -- which cells are drawn -----------------------------------------------------------------------


def _some(table: Table) -> Iterator[Grid]:
    """Return the first grids of a table, and of very large ones the first rows and columns."""
    left = MOST_CELLS
    for grid in grids(table):
        across = grid.across[:MOST_COLUMNS]
        down = grid.down[: left // len(across)]
        if not down:
            return
        yield Grid(grid.of, down, across, grid.rows[: len(down), : len(across)])
        left -= len(down) * len(across)


def _left_out(table: Table, drawn: Iterable[DrawnGrid]) -> str:
    """Say how many cells are not drawn, if any."""
    seen = sum(cell.kind != "empty" for grid in drawn for _, row in grid.rows for cell in row)
    if seen == len(table):
        return ""
    return f"Drawn are the first {seen:,} of {len(table):,} cells; the others are left out here."


# -- how a cell is drawn -------------------------------------------------------------------------


def _drawn(grid: Grid, artist: Public | Internal) -> DrawnGrid:
    empty = Drawn("empty", EMPTY)
    rows = tuple(
        (heading, tuple(empty if row == NONE else artist.draw(row) for row in rows))
        for heading, rows in zip(grid.down, grid.rows.tolist(), strict=True)
    )
    return DrawnGrid(grid.title, grid.across, rows)


@dataclass(frozen=True)
class Public:
    """Draws what a reader may see.

    Args:
        table: a published table.
    """

    table: Table

    def draw(self, row: int) -> Drawn:
        """Return a cell as it is drawn."""
        if self.hidden[row] and self.table.perturbed_by is not None:
            return Drawn("suppressed", self._interval(row), told=("an interval",))
        if self.hidden[row]:
            return Drawn("suppressed", MARKER, told=(MARKS["suppressed"][1],))
        return Drawn("shown", _number(self.table.cells.shown[row], self.decimals))

    def _interval(self, row: int) -> str:
        """Return the interval that a perturbed table publishes in the place of a value."""
        ends = (self.table.cells.lower_bound[row], self.table.cells.upper_bound[row])
        lower, upper = (
            _number(end, self.decimals) if np.isfinite(end) else "unbounded" for end in ends
        )
        return f"{lower} to {upper}"

    def summary(self) -> str:
        """Say how many cells are suppressed, or published as intervals."""
        hidden = int(self.hidden.sum())
        verb = "is" if hidden == 1 else "are"
        done = "suppressed" if self.table.perturbed_by is None else "published as intervals"
        return f"{counted(len(self.table), 'cell')}, of which {hidden:,} {verb} {done}."

    @cached_property
    def hidden(self) -> Mask:
        """Which cells are suppressed."""
        return self.table.cells.suppressed

    @cached_property
    def decimals(self) -> int:
        """How many digits after the point the values have."""
        return decimals_shown(self.table.cells.shown)


@dataclass(frozen=True)
class Internal:
    """Draws all that is known.

    Args:
        table: a table.
        audit: what an audit found of its cells.
    """

    table: Table
    audit: Audited | None

    def draw(self, row: int) -> Drawn:
        """Return a cell as it is drawn."""
        kind = Status(int(self.table.cells.status[row])).word
        mark = MARKS[kind][0]
        if self._is_exposed(row):
            kind, mark = f"{kind} exposed", mark + MARKS["exposed"][0]
        return Drawn(kind, self._number(self.table.cells.shown[row]), mark, tuple(self._told(row)))

    def summary(self) -> str:
        """Say how many cells have which status, and what the audit found."""
        cells = self.table.cells
        primary, secondary = (
            int((cells.status == status).sum()) for status in (Status.SENSITIVE, Status.SECONDARY)
        )
        said = (
            f"{counted(len(self.table), 'cell')}, of which {primary:,} sensitive and {secondary:,} "
            "suppressed to protect them."
        )
        if self.audit is None:
            return said
        exact = int((cells.sensitive & self.audit.disclosed).sum())
        weak = int((cells.sensitive & ~self.audit.is_protected).sum())
        return (
            f"{said} Sensitive cells worked out exactly: {exact:,}; protected less than required: "
            f"{weak:,}."
        )

    def _told(self, row: int) -> Iterator[str]:
        """Tell what is known of a cell, a line each."""
        cells = self.table.cells
        yield f"{self.table.name_of(row)}: {self._number(cells.shown[row])}"
        if cells.status[row] != Status.SAFE:
            by = f", by {cells.reason[row]}" if cells.reason[row] else ""
            yield f"{MARKS[Status(int(cells.status[row])).word][1]}{by}"
        if not np.isnan(cells.value[row]) and cells.value[row] != cells.shown[row]:
            yield f"adds up as: {self._precise(cells.value[row])}"
        for name in ("frequency", "contributors"):
            number = getattr(cells, name)[row]
            if not np.isnan(number):
                yield f"{name}: {show(number)}"
        if self.hidden[row]:
            yield from self._protection(row)

    def _protection(self, row: int) -> Iterator[str]:
        cells = self.table.cells
        value, below, above = cells.value[row], cells.lower_level[row], cells.upper_level[row]
        if below > 0 or above > 0:
            yield f"must be possible: {self._span(value - below, value + above)}"
        if cells.sliding_level[row] > 0:
            yield f"must be uncertain by: {self._precise(cells.sliding_level[row])}"
        if self.audit is not None:
            yield f"is possible: {self._span(self.audit.lower[row], self.audit.upper[row])}"
            yield f"verdict: {self._verdict(row)}"

    def _verdict(self, row: int) -> str:
        if self.audit is not None and self.audit.disclosed[row]:
            return "can be worked out exactly"
        return "protected less than required" if self._is_exposed(row) else "protected"

    def _is_exposed(self, row: int) -> bool:
        if self.audit is None or not self.hidden[row]:
            return False
        return bool(self.audit.disclosed[row]) or not self.audit.is_protected[row]

    def _span(self, lower: float, upper: float) -> str:
        return f"{self._precise(lower)} to {self._precise(upper)}"

    def _precise(self, value: float) -> str:
        """Return a number with two digits more than the table prints, where they say something."""
        more = _number(value, self.decimals + 2)
        return self._number(value) if more.endswith("00") else more

    @cached_property
    def hidden(self) -> Mask:
        """Which cells are suppressed."""
        return self.table.cells.suppressed

    @cached_property
    def decimals(self) -> int:
        """How many digits after the point the values have."""
        return decimals_shown(self.table.cells.shown)

    def _number(self, value: float) -> str:
        return _number(value, self.decimals)


def _number(value: float, decimals: int) -> str:
    """Return a number as it is printed."""
    if np.isnan(value):
        return MARKER
    return f"{value:,.{decimals}f}" if np.isfinite(value) else "no limit"


# -- the page ------------------------------------------------------------------------------------


def _legend(drawn: Iterable[DrawnGrid]) -> list[tuple[str, str, str]]:
    """Return the kinds of cells that need a word, each with its mark and its meaning."""
    cells = (cell for grid in drawn for _, row in grid.rows for cell in row)
    kinds = {word for cell in cells for word in cell.kind.split()}
    return [(kind, *MARKS[kind]) for kind in MARKS if kind in kinds]


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("tacita.tables.formats"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
