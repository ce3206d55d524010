"""Tables that list their cells: a line a cell, its codes and then what is known of it.

Blanks around a code only align it and are no part of it; an empty code is the total, unless it is
a code of its own. A comma in a number is a decimal comma where it does not part the fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tacita.data.classes import Floats, Mask
from tacita.errors import InputError, OutputError
from tacita.tables.dimension import Dimension
from tacita.tables.formats.attributes import Spans
from tacita.tables.formats.text import lines_of, refusal, refuse_negative_levels, spelled
from tacita.tables.ready import ready_table
from tacita.tables.status import Status
from tacita.tables.table import Statistic, Table

Spanning = Sequence[str | Dimension]
UNSAID = Spans()

UNKNOWN = {"", "x"}  # what stands for a value that is held back
CODE, STATUS, LARGEST, UNUSED = "code", "status", "largest", "unused"
LEFT_OUT = "not published"
UNFIT = re.compile("[\r\n\0\ud800-\udfff]")  # what no line of a text file holds


class Row(NamedTuple):
    """A line of a list.

    Args:
        line: its number.
        fields: what stands between the separators, without quotes and without blanks around it.
        quoted: how many fields at its begin stand in quotes.
    """

    line: int
    fields: tuple[str, ...]
    quoted: int


class Meaning(NamedTuple):
    """What a word for a status means.

    Args:
        status: what was decided; None for a cell that nobody can contribute to.
        reason: who decided it.
    """

    status: Status | None
    reason: str = ""


@dataclass(frozen=True)
class Listing:
    """How the cells of a file are listed.

    Args:
        path: the file.
        rows: its lines.
        roles: what each field of a line is: a code, a column of `Cells`, a status, or unused.
        statuses: what the words for statuses mean.
        names: the attributes that the codes are of, where the file says them.
        variable: the attribute whose values add up.
        statistic: what the table shows.
    """

    path: Path
    rows: Sequence[Row]
    roles: Sequence[str]
    statuses: Mapping[str, Meaning]
    names: Sequence[str] = ()
    variable: str | None = None
    statistic: Statistic = "sum"

    def table(self, by: Spanning | None, spans: Spans = UNSAID) -> Table:
        """Make the table.

        Args:
            by: the attributes that span it, by their names or as dimensions; as the list names
                them when None.
            spans: what is said of those that are named.

        Raises:
            InputError: a line cannot be understood, or contradicts another.
        """
        codes = self.codes()
        axes = self._dimensions(codes, by, spans)
        _check_names(self.path, axes)
        codes = [_with_total(axis, held) for axis, held in zip(axes, codes, strict=True)]
        self._check_cells(axes, codes)
        meanings = self._meanings()
        empty = np.array([meaning.status is None for meaning in meanings], bool)
        columns = self._columns(meanings)
        self._check_empty(columns["value"], empty)
        refuse_negative_levels(columns, lambda row: f"{self.path}, line {self.rows[row].line}")
        kept = np.flatnonzero(~empty)
        if not kept.size:
            raise InputError(f"{self.path} lists empty cells only; a table needs another.")
        by_name = {axis.name: _taken(held, kept) for axis, held in zip(axes, codes, strict=True)}
        table = ready_table(
            self.path.name,
            axes,
            by_name,
            {name: column[kept] for name, column in columns.items()},
            variable=self.variable,
            statistic=self.statistic,
        )
        self._refuse_empty_totals(table, codes, empty)
        return table

    def codes(self) -> list[list[str]]:
        """Return the codes of every line, attribute by attribute."""
        self._check_lengths()
        return [self._fields(place) for place in self._places(CODE)]

    def _places(self, role: str) -> list[int]:
        return [place for place, known in enumerate(self.roles) if known == role]

    def _fields(self, place: int) -> list[str]:
        return [row.fields[place] for row in self.rows]

    def _check_lengths(self) -> None:
        for row in self.rows:
            if len(row.fields) != len(self.roles):
                raise refusal(
                    self.path,
                    row.line,
                    f"expected {len(self.roles)} fields ({', '.join(self._told())}); found "
                    f"{len(row.fields)}.",
                )

    def _told(self) -> Iterable[str]:
        return (role.replace("_", " ") for role in self.roles)

    def _dimensions(
        self, codes: list[list[str]], by: Spanning | None, spans: Spans
    ) -> list[Dimension]:
        numbered = [f"attribute_{axis + 1}" for axis in range(len(codes))]
        said = by if by is not None else self.names or numbered
        self._check_number(len(said), len(codes))
        spans.refuse_unspanned([one.name if isinstance(one, Dimension) else one for one in said])
        try:
            return [
                one if isinstance(one, Dimension) else spans.dimension(one, held)
                for one, held in zip(said, codes, strict=True)
            ]
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from error

    def _check_number(self, said: int, held: int) -> None:
        if said != held:
            raise InputError(
                f"{self.path} has {held} codes a line; `by` names {said} attributes. Name one for "
                "each, in the order of the fields."
            )

    def _check_cells(self, axes: Sequence[Dimension], codes: Sequence[list[str]]) -> None:
        """Refuse codes that an attribute does not have, and cells that are listed twice."""
        first: dict[tuple[str, ...], int] = {}
        for row, cell in zip(self.rows, zip(*codes, strict=True), strict=True):
            for axis, code in zip(axes, cell, strict=True):
                try:
                    axis.place(code)
                except InputError as error:
                    raise refusal(self.path, row.line, str(error)).about(axis.name) from error
            if first.setdefault(cell, row.line) != row.line:
                raise refusal(
                    self.path,
                    row.line,
                    f"the cell ({', '.join(cell)}) is listed a second time; it stands in line "
                    f"{first[cell]}.",
                )

    def _meanings(self) -> list[Meaning]:
        places = self._places(STATUS)
        if not places:
            return [Meaning(Status.SAFE)] * len(self.rows)
        return [self._meaning(row, row.fields[places[0]]) for row in self.rows]

    def _meaning(self, row: Row, word: str) -> Meaning:
        if word not in self.statuses:
            raise refusal(
                self.path,
                row.line,
                f"expected a status ({', '.join(self.statuses)}); found `{word}`.",
            )
        return self.statuses[word]

    def _columns(self, meanings: Sequence[Meaning]) -> dict[str, Any]:
        decided = [Status.SAFE if one.status is None else one.status for one in meanings]
        empty = [one.status is None for one in meanings]
        columns: dict[str, Any] = {
            role: self._numbers(self.roles.index(role), empty)
            for role in dict.fromkeys(self.roles)
            if role not in {CODE, STATUS, LARGEST, UNUSED}
        }
        largest = [self._numbers(place, empty) for place in self._places(LARGEST)]
        if largest:
            columns["largest"] = np.column_stack(largest)
        columns["status"] = np.array(decided, np.int8)
        columns["reason"] = np.array([one.reason for one in meanings], object)
        return columns

    def _numbers(self, place: int, empty: Sequence[bool]) -> Floats:
        return np.array(
            [
                self._number(row, place, is_empty=gone)
                for row, gone in zip(self.rows, empty, strict=True)
            ],
            np.float64,
        )

    def _number(self, row: Row, place: int, *, is_empty: bool) -> float:
        word = row.fields[place]
        if is_empty and word == "-":
            return 0.0
        if word.lower() in UNKNOWN:
            return np.nan
        found = number_of(word)
        if found is None:
            role = self.roles[place].replace("_", " ")
            raise refusal(self.path, row.line, f"expected a number for the {role}; found `{word}`.")
        return found

    def _check_empty(self, value: Floats, empty: Mask) -> None:
        for place in np.flatnonzero(empty & (np.nan_to_num(value) != 0)).tolist()[:1]:
            raise refusal(
                self.path,
                self.rows[place].line,
                f"the cell is said to be empty, but its value is {spelled(value[place])}.",
            )

    def _refuse_empty_totals(self, table: Table, codes: Sequence[list[str]], empty: Mask) -> None:
        """Refuse an empty cell that is the total of cells that are not."""
        made_up = {table.codes_of(int(r)) for r in np.flatnonzero(table.cells.reason == LEFT_OUT)}
        cells = list(zip(*codes, strict=True)) if made_up else []
        for place in np.flatnonzero(empty[: len(cells)]).tolist():
            if cells[place] in made_up:
                raise refusal(
                    self.path,
                    self.rows[place].line,
                    "the cell is said to be empty, but cells that it is the total of are not.",
                )


def _check_names(path: Path, axes: Sequence[Dimension]) -> None:
    names = [axis.name for axis in axes]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"Two attributes of {path} are called `{name}`; rename one.")


def _with_total(axis: Dimension, codes: list[str]) -> list[str]:
    return [axis.total if code == "" and code not in axis.places else code for code in codes]


def _taken(held: Sequence[str], kept: Iterable[int]) -> list[str]:
    return [held[place] for place in kept]


def number_of(word: str) -> float | None:
    """Return the number that a word says, with a decimal point or comma; None if it says none.

    >>> number_of("12,5"), number_of("1e3"), number_of("1.234,5"), number_of("nan")
    (12.5, 1000.0, None, None)
    """
    try:
        found = float(word.replace(",", ".").replace("_", "?"))  # Python alone reads 1_000
    except ValueError:
        return None
    return found if np.isfinite(found) else None


def rows_of(path: Path, separator: str) -> list[Row]:
    """Return the lines of a file, parted into their fields."""
    return [_row(path, number, line, separator) for number, line in lines_of(path)]


def _row(path: Path, number: int, line: str, separator: str) -> Row:
    fields: list[str] = []
    quoted, place = 0, 0
    pattern = _field(separator)
    while place <= len(line):
        found = pattern.match(line, place)
        if found is None:
            raise refusal(path, number, "a quote is not closed, or something stands after it.")
        in_quotes = found["quoted"] is not None
        quoted += in_quotes and quoted == len(fields)
        said = found["quoted"].replace('""', '"') if in_quotes else found["plain"]
        fields.append(said.strip())
        place = found.end() + 1
    return Row(number, tuple(fields), quoted)


@cache
def _field(separator: str) -> re.Pattern[str]:
    end = re.escape(separator)
    blank = "[ \t]*" if separator != "\t" else " *"
    return re.compile(
        rf'(?:{blank}"(?P<quoted>(?:[^"]|"")*)"{blank}|(?P<plain>(?!{blank}")[^{end}]*))(?={end}|$)'
    )


# --- writing


def quoted(code: str, path: Path) -> str:
    """Return a code in quotes, or refuse one that would not be read back.

    Raises:
        OutputError: blanks stand around it, or a line ends in it.
    """
    if not code or code != code.strip() or UNFIT.search(code):
        raise OutputError(
            f"The code {code!r} cannot be written to {path}: a code is a text on one line without "
            "blanks around it. Recode it first."
        )
    return '"' + code.replace('"', '""') + '"'


def code_columns(table: Table, path: Path) -> list[list[str]]:
    """Return the codes of every cell in quotes, attribute by attribute."""
    columns = []
    for axis, dimension in enumerate(table.dimensions):
        words = [quoted(code, path) for code in dimension.codes]
        columns.append([words[place] for place in table.places[:, axis].tolist()])
    return columns


def number_column(numbers: Floats, unknown: str = "") -> list[str]:
    """Return numbers as they are written; what is not known gets its own word."""
    return [unknown if number != number else spelled(number) for number in numbers.tolist()]  # noqa: PLR0124 - NaN


def refuse_unlisted(table: Table, path: Path) -> None:
    """Refuse a table whose figures do not add up as sums and counts do."""
    if table.statistic not in {"sum", "count"}:
        raise OutputError(
            f"{path} can hold sums and counts; `{table.name}` shows another statistic "
            f"({table.statistic}). Write it to a CSV file."
        )


def lines_text(columns: Iterable[Sequence[str]], separator: str) -> str:
    """Return columns of words as the lines of a text."""
    return "".join(f"{separator.join(row)}\n" for row in zip(*columns, strict=True))
