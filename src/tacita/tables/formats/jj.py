"""Cells and relations as solvers of cell suppression read them: the JJ format, `.jj`.

::

    0                                        always 0
    3                                        the number of cells
    0 7 7 s 0 20 0 0 0                       number, value, cost, status, bounds, levels
    1 3 3 u 0 20 1 2 0
    2 4 4 m 0 20 0 0 0
    1                                        the number of relations
    0 3 : 0 (-1) 1 (1) 2 (1)                 what it comes to, its terms: cell (coefficient)

Statuses: `s` safe, `u` sensitive, `m` or `x` secondary, `z` published whatever happens; `w` is a
cell that only holds a structure together, which is never printed and so read as secondary. The
bounds are what everybody knows beforehand; the levels (lower, upper, sliding) are distances from
the value. A bound of 1e20 or more, either side of 0, is no bound: so solvers say infinity.

The values of suppressed cells are in the file: it is for the protection of a table inside an
office, never for publication. Cells have numbers and no names. The frequencies of the cells lie
beside it, in a file of the same name with `.frq` added: records and contributors, a line a cell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Floats, Ints
from tacita.errors import InputError, OutputError
from tacita.tables.cells import Cells
from tacita.tables.formats.columns import (
    NUMBER,
    TEXT,
    WORD,
    in_rows,
    lines_in_one,
    read_columns,
    side_by_side,
    spelled_column,
    spelled_whole,
)
from tacita.tables.formats.text import (
    LEVELS,
    PACKED,
    numbered_lines,
    refusal,
    refuse_negative_levels,
    write_texts,
)
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.table import Table

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Costs = Literal["given", "scaled"]

UNBOUNDED = 1e20
MOST_COST = 20_000  # tau-ARGUS scales costs so that the largest is this
STATUSES = {
    "s": Status.SAFE,
    "u": Status.SENSITIVE,
    "m": Status.SECONDARY,
    "z": Status.PUBLISHED,
    "x": Status.SECONDARY,
    "w": Status.SECONDARY,
}
LETTERS = {Status.SAFE: "s", Status.SENSITIVE: "u", Status.SECONDARY: "m", Status.PUBLISHED: "z"}
NUMBERS = ("value", "cost", "lower_bound", "upper_bound")
CELL = "number, value, cost, status, lower and upper bound, lower, upper and sliding level"
STATUS_FIELD = 3
KINDS = (WORD, NUMBER, NUMBER, WORD, *(NUMBER,) * 5)
FREQUENCY_KINDS = (NUMBER, NUMBER)
TERM = r"\s*\d{1,9}\s*\(\s*[+-]?\d{1,9}\s*\)"
RELATION = re.compile(rf"\s*(\S+)\s+(\d{{1,9}})\s*:((?:{TERM})*+)\s*", re.ASCII)
PARENTHESES = str.maketrans("()", "  ")


class _Lines(NamedTuple):
    numbers: Sequence[int]
    texts: list[str]

    def part(self, start: int, stop: int | None = None) -> Self:
        return self._replace(numbers=self.numbers[start:stop], texts=self.texts[start:stop])


_Found = tuple[Ints, list[Floats]]  # the statuses of the cells, and their numbers by column


class _Relation(NamedTuple):
    rhs: float
    terms: Ints  # cell, coefficient, cell, coefficient


# --- reading


def read(path: Path) -> System:
    """Read cells and relations from a `.jj` file, packed or not.

    Args:
        path: the file; frequencies are taken from the `.frq` file beside it, if there is one.

    Raises:
        InputError: a line cannot be understood, or the cells do not add up.
    """
    path = Path(path)
    lines = _Lines(*numbered_lines(path))
    if lines.texts[0].split() != ["0"]:
        raise refusal(path, lines.numbers[0], "expected 0, with which every JJ file begins.")
    cell_lines, rest = _counted(path, lines.part(1), "cells", lines.numbers[0])
    cells = len(cell_lines.texts)
    relation_lines, rest = _counted(path, rest, "relations", lines.numbers[1 + cells])
    if rest.texts:
        raise refusal(
            path, rest.numbers[0], "expected the end of the file after the last relation."
        )
    columns = _columns(path, cell_lines) | _frequencies(path, cells)
    relations, rhs = _relations(path, relation_lines, cells)
    try:
        return System(Cells.of(**columns), relations, rhs).checked()
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _counted(path: Path, lines: _Lines, what: str, before: int) -> tuple[_Lines, _Lines]:
    """Part what a number announces from what comes after it."""
    if not lines.texts:
        raise refusal(path, before, f"the file ends where the number of {what} was expected.")
    number, said = lines.numbers[0], lines.texts[0]
    if re.fullmatch(r"\s*\d{1,9}\s*", said) is None:
        raise refusal(path, number, f"expected the number of {what}; found `{said.strip()}`.")
    count, held = int(said), len(lines.texts) - 1
    if count > held:
        raise refusal(
            path, number, f"{count:,} {what} are announced, but the file ends after {held:,}."
        )
    return lines.part(1, count + 1), lines.part(count + 1)


def _columns(path: Path, lines: _Lines) -> dict[str, object]:
    status, found = _cells_at_once(lines) or _cells_one_by_one(path, lines)
    numbers = dict(zip((*NUMBERS, *LEVELS), found, strict=True))
    refuse_negative_levels(numbers, lambda place: f"{path}, line {lines.numbers[place]}")
    return {
        **numbers,
        "lower_bound": _bounds(numbers["lower_bound"]),
        "upper_bound": _bounds(numbers["upper_bound"]),
        "status": status,
    }


def _cells_at_once(lines: _Lines) -> _Found | None:
    """Read the lines of the cells if they are written as usual and nothing is wrong with them."""
    found = read_columns(lines.texts, KINDS)
    if found is None or not found[0].equals(spelled_whole(np.arange(len(found[0]))).cast(WORD)):
        return None
    status = pc.index_in(found[STATUS_FIELD], pa.array(STATUSES))
    if status.null_count:
        return None
    numbers = [column.to_numpy() for column in found if column.type == NUMBER]
    return np.array(list(STATUSES.values()))[status.to_numpy()], numbers


def _cells_one_by_one(path: Path, lines: _Lines) -> _Found:
    """Read the lines of the cells; what is wrong with one is told."""
    rows = [text.split() for text in lines.texts]
    for place, (number, row) in enumerate(zip(lines.numbers, rows, strict=True)):
        if problem := _problem(place, row):
            raise refusal(path, number, problem)
    fields = [place for place, kind in enumerate(KINDS) if kind == NUMBER]
    numbers = [_numbers(path, lines, [row[field] for row in rows]) for field in fields]
    return np.array([STATUSES[row[STATUS_FIELD]] for row in rows], np.int64), numbers


def _problem(place: int, row: Sequence[str]) -> str | None:
    """Say what is wrong with the line of a cell, but for its numbers."""
    if len(row) != len(KINDS):
        return f"expected {CELL}; found `{' '.join(row)}`."
    if row[0] != str(place):
        return f"expected cell {place}; found `{row[0]}`. Cells count up from 0."
    if row[STATUS_FIELD] not in STATUSES:
        return f"expected a status ({', '.join(STATUSES)}); found `{row[STATUS_FIELD]}`."
    return None


def _numbers(path: Path, lines: _Lines, words: Sequence[str]) -> Floats:
    found = (_number(path, *one) for one in zip(lines.numbers, words, strict=True))
    return np.fromiter(found, np.float64, len(words))


def _number(path: Path, line: int, word: str) -> float:
    try:
        found = float(word.replace("_", "?"))  # Python reads 1_000, no other program does
    except ValueError:
        found = np.nan
    if not math.isfinite(found):
        raise refusal(path, line, f"expected a number; found `{word}`.")
    return found


def _bounds(bounds: Floats) -> Floats:
    return np.where(np.abs(bounds) >= UNBOUNDED, np.copysign(np.inf, bounds), bounds)


def _relations(path: Path, lines: _Lines, cells: int) -> tuple[csr_array, Floats]:
    from scipy.sparse import csr_array

    parted = [_parted(path, *line) for line in zip(*lines, strict=True)]
    flat = np.concatenate([np.zeros(0, np.int64), *(one.terms for one in parted)])
    places, coefficients = flat[::2], flat[1::2]
    sizes = np.array([len(one.terms) // 2 for one in parted], np.int64)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    of_line = np.repeat(np.arange(len(parted)), sizes)
    for wrong in np.flatnonzero(places >= cells)[:1]:
        raise refusal(
            path,
            lines.numbers[of_line[wrong]],
            f"the relation names cell {places[wrong]}; the cells are numbered 0 to {cells - 1}.",
        )
    made = csr_array((coefficients, places, ends), shape=(len(parted), cells))
    made.sort_indices()
    for wrong in np.flatnonzero((np.diff(made.indices) == 0) & (np.diff(of_line) == 0))[:1]:
        raise refusal(
            path,
            lines.numbers[of_line[wrong]],
            f"cell {made.indices[wrong]} stands twice in the relation.",
        )
    return made, np.array([one.rhs for one in parted], np.float64)


def _parted(path: Path, number: int, line: str) -> _Relation:
    found = RELATION.fullmatch(line)
    if found is None:
        raise refusal(
            path,
            number,
            f"expected a relation such as `0 3 : 0 (-1) 1 (1) 2 (1)`; found `{line.strip()[:60]}`.",
        )
    terms = np.fromstring(found[3].translate(PARENTHESES), np.int64, sep=" ")
    if len(terms) != 2 * int(found[2]):
        raise refusal(
            path, number, f"{int(found[2])} terms are announced; found {len(terms) // 2}."
        )
    return _Relation(_number(path, number, found[1]), terms)


def _beside(path: Path) -> Path:
    """Return where the frequencies of the cells lie."""
    plain = path.with_suffix("") if path.suffix.lower() == PACKED else path
    return plain.with_name(f"{plain.name}.frq")


def _frequencies(path: Path, cells: int) -> dict[str, object]:
    """Read the records and contributors of every cell; without holdings they are the same."""
    beside = _beside(path)
    if not beside.is_file():
        return {}
    lines = _Lines(*numbered_lines(beside))
    if len(lines.texts) != cells:
        raise InputError(
            f"{beside} has {len(lines.texts):,} lines, but {path} has {cells:,} cells; remove the "
            "file if it belongs to another table."
        )
    found = read_columns(lines.texts, FREQUENCY_KINDS)
    records, contributors = (
        _frequencies_one_by_one(beside, lines)
        if found is None
        else [column.to_numpy() for column in found]
    )
    return {
        "frequency": records,
        "contributors": np.where(contributors == 0, records, contributors),
    }


def _frequencies_one_by_one(beside: Path, lines: _Lines) -> list[Floats]:
    rows = [text.split() for text in lines.texts]
    for number, text, row in zip(*lines, rows, strict=True):
        if len(row) != len(FREQUENCY_KINDS):
            raise refusal(
                beside, number, f"expected records and contributors; found `{text.strip()}`."
            )
    return [_numbers(beside, lines, words) for words in zip(*rows, strict=True)]


# --- writing


def write(table: Table | System, path: Path, *, costs: Costs = "given") -> None:
    """Write cells and relations to a `.jj` file, and frequencies beside it if they are known.

    Args:
        table: the cells.
        path: the file; one ending in `.gz` is packed.
        costs: as they are `given`; or `scaled` to whole numbers from 1 to 20,000 as tau-ARGUS
            wants them.

    Raises:
        OutputError: the value of a cell is not known, or the file cannot be written.
    """
    write_texts(texts(table, path, costs=costs))


def texts(table: Table | System, path: Path, *, costs: Costs = "given") -> dict[Path, str]:
    """Return what is written: the `.jj` file, and that of the frequencies if they are known.

    Args:
        table: the cells.
        path: the `.jj` file.
        costs: as in `write`.

    Raises:
        OutputError: the value of a cell is not known.
    """
    path = Path(path)
    system = table.system() if isinstance(table, Table) else table
    for place in np.flatnonzero(~np.isfinite(system.cells.value))[:1]:
        raise OutputError(
            f"A JJ file holds the value of every cell, and that of {system.name_of(int(place))} "
            "is not known; write the table before its suppressed cells are blanked."
        )
    return {path: _text(system, costs), **_frequency_text(system.cells, path)}


def _text(system: System, costs: Costs) -> str:
    cells, relations = system.cells, _told(system)
    cost = cells.cost if costs == "given" else _scaled(cells.cost)
    letters = pa.array([LETTERS[status] for status in Status], TEXT)
    rows = side_by_side(
        spelled_whole(np.arange(len(cells))),
        spelled_column(cells.value),
        spelled_column(cost),
        letters.take(pa.array(cells.status)),
        spelled_column(np.clip(cells.lower_bound, -UNBOUNDED, UNBOUNDED)),
        spelled_column(np.clip(cells.upper_bound, -UNBOUNDED, UNBOUNDED)),
        *(spelled_column(getattr(cells, name)) for name in LEVELS),
        between=" ",
    )
    return f"0\n{len(rows)}\n{lines_in_one(rows)}{len(relations)}\n{lines_in_one(relations)}"


def _told(system: System) -> pa.Array:
    """Say the relations, in each the total before its parts."""
    made = system.relations
    sizes = np.diff(made.indptr)
    of_row = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((made.indices, made.data > 0, of_row))
    places, coefficients = made.indices[order], made.data[order].astype(np.int64)
    terms = side_by_side(spelled_whole(places), " (", spelled_whole(coefficients), ")")
    told = side_by_side(
        spelled_column(system.rhs),
        " ",
        spelled_whole(sizes),
        " : ",
        in_rows(terms, made.indptr, " "),
    )
    return pc.ascii_rtrim_whitespace(told)


def _scaled(cost: Floats) -> Floats:
    largest = cost.max(initial=0.0) or 1.0
    return np.maximum(np.round(cost * (MOST_COST / largest)), 1.0)


def _frequency_text(cells: Cells, path: Path) -> dict[Path, str]:
    beside = _beside(path)
    if np.isnan(cells.frequency).any():
        if beside.is_file():
            raise OutputError(
                f"{beside} would be read as the frequencies of {path}, which are not known; "
                "remove it, or choose another name."
            )
        return {}
    contributors = np.where(np.isnan(cells.contributors), cells.frequency, cells.contributors)
    records, of_whom = spelled_column(cells.frequency), spelled_column(contributors)
    return {beside: lines_in_one(side_by_side(records, of_whom, between=" "))}
