"""A table as a workbook to be read and printed: marked suppressions, a footnote, nothing hidden.

The workbook is made from the published table alone, so that no value of a suppressed cell can be in
it: not in a cell, a formula, a comment, a name or a property. One sheet a grid: the first attribute
goes down, the last across, and tables with more attributes have a sheet for each combination of the
others' codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from tacita.data.decimals import WHOLE
from tacita.data.formats.atomic import atomic_file
from tacita.data.formats.excel import CHARACTERS, COLUMNS, CREATED, ROWS, Exact
from tacita.errors import OutputError, ParameterError, load_extra, shown
from tacita.tables.dimension import NONE
from tacita.tables.formats.grid import Grid, Heading, decimals_shown, grids, values_name
from tacita.tables.status import Status
from tacita.tables.table import Table

MARKER = "x"
EMPTY = "-"
KINDS = {"sensitive": Status.SENSITIVE, "secondary": Status.SECONDARY}
MEANINGS = {
    "alike": "suppressed to protect respondents",
    "sensitive": "suppressed because it would disclose respondents (primary suppression)",
    "secondary": "suppressed to protect other cells (secondary suppression)",
}
COLOURS = {"alike": "#E6E8EA", "sensitive": "#FBD9C8", "secondary": "#D3E5F4"}
MOST_SHEETS = 200
TOP = 4  # rows above the first row of values: title, what it is, a blank one, the headings
NARROW, WIDE = 8, 60  # characters of a column, at least and at most
DEEPEST = 15  # steps of indentation that Excel has


def write(
    table: Table, path: str | PathLike[str], *, markers: Mapping[str, str] | None = None
) -> None:
    """Write a published table as a workbook; equal tables give equal bytes.

    Args:
        table: the table; of its suppressed cells only the marks are written.
        path: the workbook; one that exists is replaced.
        markers: what stands for `sensitive` and for `secondary` cells; x for both when left out, so
            that the pattern does not tell which is which.

    Raises:
        ParameterError: the markers are not for these two.
        OutputError: the table does not fit a workbook, or the file cannot be written.
    """
    chosen = _markers(markers)
    every = list(_sheets(table))
    xlsxwriter = load_extra("xlsxwriter", "excel")
    with atomic_file(Path(path)) as temporary:
        try:
            with xlsxwriter.Workbook(temporary, {"in_memory": True}) as book:
                book.set_properties({"title": table.name, "created": CREATED})
                press = Press(book, table.published(), chosen)
                for number, grid in enumerate(every, start=1):
                    press.print_sheet(f"Table {number}" if len(every) > 1 else "Table", grid)
        except xlsxwriter.exceptions.FileCreateError as error:
            raise error.args[0] from error  # what the system said


def _markers(said: Mapping[str, str] | None) -> dict[str, str]:
    chosen = {**dict.fromkeys(KINDS, MARKER), **(said or {})}
    if set(chosen) != set(KINDS) or not all(isinstance(m, str) and m for m in chosen.values()):
        raise ParameterError(
            f"`markers` gives the text for {' and '.join(KINDS)} cells; found {shown(said)}."
        )
    return chosen


def _sheets(table: Table) -> Iterator[Grid]:
    """Return the grids of a table, if a workbook can hold them."""
    for number, grid in enumerate(grids(table), start=1):
        if number > MOST_SHEETS:
            raise OutputError(
                f"`{table.name}` needs more than {MOST_SHEETS} sheets, one for each combination of "
                f"{', '.join(name for name, _ in grid.of)}; write a CSV file, or leave out an "
                "attribute."
            )
        _refuse_size(table, grid)
        yield grid


def _refuse_size(table: Table, grid: Grid) -> None:
    rows, columns = len(grid.down) + 2 * TOP, len(grid.across) + 1
    if rows > ROWS or columns > COLUMNS:
        raise OutputError(
            f"A sheet has {ROWS:,} rows and {COLUMNS:,} columns; `{table.name}` needs {rows:,} and "
            f"{columns:,}. Write a CSV file, or leave out a level."
        )
    longest = max((heading.text for heading in (*grid.down, *grid.across)), key=len)
    if len(longest) > CHARACTERS:
        raise OutputError(
            f"A cell of a sheet has {CHARACTERS:,} characters; {shown(longest)} more."
        )


class Press:
    """Prints grids into a workbook.

    Args:
        book: the workbook.
        table: a published table.
        markers: what stands for sensitive and for secondary cells.
    """

    def __init__(self, book: Any, table: Table, markers: Mapping[str, str]) -> None:
        self._book, self._table = book, table
        self._marks = _marks(markers)
        self._decimals = decimals_shown(table.cells.shown)
        self._formats: dict[tuple[Any, ...], Any] = {}

    def print_sheet(self, name: str, grid: Grid) -> None:
        """Print a grid on a sheet of its own."""
        sheet = self._book.add_worksheet(name)
        self._print_top(sheet, grid)
        for row, heading in enumerate(grid.down, start=TOP):
            depth = min(heading.depth, DEEPEST)
            sheet.write_string(
                row, 0, heading.text, self._format(bold=heading.is_total, indent=depth)
            )
            for column, cell in enumerate(grid.rows[row - TOP].tolist(), start=1):
                self._print_cell(sheet, row, column, cell)
        self._print_notes(sheet, grid)
        sheet.freeze_panes(TOP, 1)
        sheet.repeat_rows(TOP - 1)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)

    def _print_top(self, sheet: Any, grid: Grid) -> None:
        table = self._table
        by = ", ".join(dimension.name for dimension in table.dimensions)
        what = f"{values_name(table)} by {by}"
        sheet.write_string(0, 0, table.name, self._format(bold=True, font_size=14))
        sheet.write_string(1, 0, f"{what}; {grid.title}" if grid.of else what)
        corner = " / ".join(dict.fromkeys((table.dimensions[0].name, table.dimensions[-1].name)))
        bar = {"bottom": 1, "bold": True}
        sheet.write_string(TOP - 1, 0, corner, self._format(**bar))
        for column, heading in enumerate(grid.across, start=1):
            sheet.write_string(TOP - 1, column, heading.text, self._format(align="right", **bar))
        sheet.set_column(0, 0, _width([corner, *map(_indented, grid.down)]))
        for column, heading in enumerate(grid.across, start=1):
            sheet.set_column(column, column, _width([heading.text, self._longest]))

    def _print_cell(self, sheet: Any, row: int, column: int, cell: int) -> None:
        if cell == NONE:
            sheet.write_string(row, column, EMPTY, self._format(align="right"))
        elif mark := self._marks.get(int(self._table.cells.status[cell])):
            text, kind = mark
            colour = self._format(align="right", bg_color=COLOURS[kind])
            sheet.write_string(row, column, text, colour)
        else:
            value = float(self._table.cells.shown[cell])
            number = int(value) if value.is_integer() and abs(value) < WHOLE else Exact(value)
            sheet.write_number(row, column, number, self._format(num_format=self._number_format))

    def _print_notes(self, sheet: Any, grid: Grid) -> None:
        """Say below a grid what its marks mean."""
        held = grid.rows[grid.rows != NONE]
        statuses = set(self._table.cells.status[held].tolist())
        told = dict.fromkeys(self._marks[s] for s in sorted(statuses) if s in self._marks)
        notes = [f"{text}: {MEANINGS[kind]}." for text, kind in told]
        if (grid.rows == NONE).any():
            notes.append(f"{EMPTY}: nobody contributes.")
        for row, note in enumerate(notes, start=TOP + len(grid.down) + 1):
            sheet.write_string(row, 0, note, self._format(italic=True))

    @property
    def _number_format(self) -> str:
        return "#,##0" + ("." + "0" * self._decimals if self._decimals else "")

    @property
    def _longest(self) -> str:
        known = self._table.cells.shown[~np.isnan(self._table.cells.shown)]
        return f"{np.abs(known).max(initial=0):,.{self._decimals}f}"

    def _format(self, **properties: Any) -> Any:
        """Return a format, made once."""
        key = tuple(sorted(properties.items()))
        if key not in self._formats:
            self._formats[key] = self._book.add_format(properties)
        return self._formats[key]


def _marks(markers: Mapping[str, str]) -> dict[int, tuple[str, str]]:
    """Return for each status that is not shown the mark, and what kind of mark it is."""
    is_alike = len(set(markers.values())) == 1
    return {
        int(KINDS[kind]): (text, "alike" if is_alike else kind) for kind, text in markers.items()
    }


def _indented(heading: Heading) -> str:
    return "  " * heading.depth + heading.text


def _width(texts: list[str]) -> int:
    return min(max(NARROW, *map(len, texts)) + 2, WIDE)
