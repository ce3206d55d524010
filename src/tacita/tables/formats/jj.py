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

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from tacita.data.classes import Floats
from tacita.errors import InputError, OutputError
from tacita.tables.cells import Cells
from tacita.tables.formats.text import (
    LEVELS,
    PACKED,
    lines_of,
    refusal,
    refuse_negative_levels,
    spelled,
    write_texts,
)
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.table import Table

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Line = tuple[int, str]
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
CELL_FIELDS = 9
STATUS_FIELD = 3
FREQUENCY_FIELDS = 2
TERM = r"\s*\d{1,9}\s*\(\s*[+-]?\d{1,9}\s*\)"
RELATION = re.compile(rf"\s*(\S+)\s+(\d{{1,9}})\s*:((?:{TERM})*)\s*")
PARENTHESES = str.maketrans("()", "  ")


class _Relation(NamedTuple):
    line: int
    rhs: float
    terms: list[int]  # cell, coefficient, cell, coefficient


# --- reading


def read(path: Path) -> System:
    """Read cells and relations from a `.jj` file, packed or not.

    Args:
        path: the file; frequencies are taken from the `.frq` file beside it, if there is one.

    Raises:
        InputError: a line cannot be understood, or the cells do not add up.
    """
    path = Path(path)
    lines = lines_of(path)
    if lines[0][1].split() != ["0"]:
        raise refusal(path, lines[0][0], "expected 0, with which every JJ file begins.")
    cell_lines, rest = _counted(path, lines[1:], "cells", lines[0][0])
    last = (cell_lines or lines)[-1][0]
    relation_lines, rest = _counted(path, rest, "relations", last)
    if rest:
        raise refusal(path, rest[0][0], "expected the end of the file after the last relation.")
    columns = _columns(path, cell_lines) | _frequencies(path, len(cell_lines))
    relations, rhs = _relations(path, relation_lines, len(cell_lines))
    try:
        return System(Cells.of(**columns), relations, rhs).checked()
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _counted(
    path: Path, lines: Sequence[Line], what: str, before: int
) -> tuple[Sequence[Line], Sequence[Line]]:
    """Part what a number announces from what comes after it."""
    if not lines:
        raise refusal(path, before, f"the file ends where the number of {what} was expected.")
    (number, said), *rest = lines
    if re.fullmatch(r"\s*\d{1,9}\s*", said) is None:
        raise refusal(path, number, f"expected the number of {what}; found `{said.strip()}`.")
    count = int(said)
    if count > len(rest):
        raise refusal(
            path, number, f"{count:,} {what} are announced, but the file ends after {len(rest):,}."
        )
    return rest[:count], rest[count:]


def _columns(path: Path, lines: Sequence[Line]) -> dict[str, object]:
    rows = [line.split() for _, line in lines]
    for place, ((number, _), row) in enumerate(zip(lines, rows, strict=True)):
        if problem := _problem(place, row):
            raise refusal(path, number, problem)
    by_field = list(zip(*rows, strict=True)) if rows else [()] * CELL_FIELDS
    numbers = {
        name: _numbers(path, lines, by_field[field])
        for name, field in zip((*NUMBERS, *LEVELS), (1, 2, 4, 5, 6, 7, 8), strict=True)
    }
    refuse_negative_levels(numbers, lambda place: f"{path}, line {lines[place][0]}")
    return {
        **numbers,
        "lower_bound": _bounds(numbers["lower_bound"]),
        "upper_bound": _bounds(numbers["upper_bound"]),
        "status": [STATUSES[word] for word in by_field[STATUS_FIELD]],
    }


def _problem(place: int, row: Sequence[str]) -> str | None:
    """Say what is wrong with the line of a cell, but for its numbers."""
    if len(row) != CELL_FIELDS:
        return f"expected {CELL}; found `{' '.join(row)}`."
    if row[0] != str(place):
        return f"expected cell {place}; found `{row[0]}`. Cells count up from 0."
    if row[STATUS_FIELD] not in STATUSES:
        return f"expected a status ({', '.join(STATUSES)}); found `{row[STATUS_FIELD]}`."
    return None


def _numbers(path: Path, lines: Sequence[Line], words: Sequence[str]) -> Floats:
    """Read a column of numbers at once; only where that fails is each looked at."""
    with suppress(ValueError):
        found = np.array([float(word) for word in words], np.float64)
        if np.isfinite(found).all() and not any("_" in word for word in words):
            return found
    read_one_by_one = [
        _number(path, number, word) for (number, _), word in zip(lines, words, strict=True)
    ]
    return np.array(read_one_by_one, np.float64)


def _number(path: Path, line: int, word: str) -> float:
    try:
        found = float(word.replace("_", "?"))  # Python reads 1_000, no other program does
    except ValueError:
        found = np.nan
    if not np.isfinite(found):
        raise refusal(path, line, f"expected a number; found `{word}`.")
    return found


def _bounds(bounds: Floats) -> Floats:
    return np.where(np.abs(bounds) >= UNBOUNDED, np.copysign(np.inf, bounds), bounds)


def _relations(path: Path, lines: Sequence[Line], cells: int) -> tuple[csr_array, Floats]:
    from scipy.sparse import csr_array

    parted = [_parted(path, number, line) for number, line in lines]
    flat = np.fromiter(chain.from_iterable(one.terms for one in parted), np.int64)
    places, coefficients = flat[::2], flat[1::2]
    sizes = np.array([len(one.terms) // 2 for one in parted], np.int64)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    of_line = np.repeat(np.arange(len(parted)), sizes)
    for wrong in np.flatnonzero(places >= cells)[:1]:
        raise refusal(
            path,
            parted[of_line[wrong]].line,
            f"the relation names cell {places[wrong]}; the cells are numbered 0 to {cells - 1}.",
        )
    made = csr_array((coefficients, places, ends), shape=(len(parted), cells))
    made.sort_indices()
    for wrong in np.flatnonzero((np.diff(made.indices) == 0) & (np.diff(of_line) == 0))[:1]:
        raise refusal(
            path,
            parted[of_line[wrong]].line,
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
    terms = [int(word) for word in found[3].translate(PARENTHESES).split()]
    if len(terms) != 2 * int(found[2]):
        raise refusal(
            path, number, f"{int(found[2])} terms are announced; found {len(terms) // 2}."
        )
    return _Relation(number, _number(path, number, found[1]), terms)


def _beside(path: Path) -> Path:
    """Return where the frequencies of the cells lie."""
    plain = path.with_suffix("") if path.suffix.lower() == PACKED else path
    return plain.with_name(f"{plain.name}.frq")


def _frequencies(path: Path, cells: int) -> dict[str, object]:
    """Read the records and contributors of every cell; without holdings they are the same."""
    beside = _beside(path)
    if not beside.is_file():
        return {}
    lines = lines_of(beside)
    rows = [line.split() for _, line in lines]
    for (number, line), row in zip(lines, rows, strict=True):
        if len(row) != FREQUENCY_FIELDS:
            raise refusal(
                beside, number, f"expected records and contributors; found `{line.strip()}`."
            )
    if len(lines) != cells:
        raise InputError(
            f"{beside} has {len(lines):,} lines, but {path} has {cells:,} cells; remove the file "
            "if it belongs to another table."
        )
    records, contributors = (_numbers(beside, lines, words) for words in zip(*rows, strict=True))
    return {
        "frequency": records,
        "contributors": np.where(contributors == 0, records, contributors),
    }


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
    path = Path(path)
    system = table.system() if isinstance(table, Table) else table
    for place in np.flatnonzero(~np.isfinite(system.cells.value))[:1]:
        raise OutputError(
            f"A JJ file holds the value of every cell, and that of {system.name_of(int(place))} "
            "is not known; write the table before its suppressed cells are blanked."
        )
    write_texts({path: _text(system, costs), **_frequency_text(system.cells, path)})


def _text(system: System, costs: Costs) -> str:
    cells = system.cells
    cost = cells.cost if costs == "given" else _scaled(cells.cost)
    columns = [
        map(str, range(len(cells))),
        _spelled(cells.value),
        _spelled(cost),
        [LETTERS[Status(status)] for status in cells.status.tolist()],
        _spelled(np.clip(cells.lower_bound, -UNBOUNDED, UNBOUNDED)),
        _spelled(np.clip(cells.upper_bound, -UNBOUNDED, UNBOUNDED)),
        *(_spelled(getattr(cells, name)) for name in LEVELS),
    ]
    rows = [" ".join(row) for row in zip(*columns, strict=True)]
    relations = list(_told(system))
    return "\n".join(["0", str(len(rows)), *rows, str(len(relations)), *relations, ""])


def _told(system: System) -> Sequence[str]:
    """Say the relations, in each the total before its parts."""
    made, rhs = system.relations, _spelled(system.rhs)
    places, coefficients, ends = (
        array.tolist() for array in (made.indices, made.data, made.indptr)
    )
    told = []
    for row, (start, stop) in enumerate(pairwise(ends)):
        terms = zip(places[start:stop], coefficients[start:stop], strict=True)
        ordered = sorted(terms, key=lambda term: (term[1] > 0, term[0]))
        said = " ".join(f"{place} ({int(coefficient)})" for place, coefficient in ordered)
        told.append(f"{rhs[row]} {stop - start} : {said}".rstrip())
    return told


def _spelled(numbers: Floats) -> list[str]:
    return [spelled(number) for number in numbers.tolist()]


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
    rows = zip(_spelled(cells.frequency), _spelled(contributors), strict=True)
    return {beside: "".join(f"{records} {of_whom}\n" for records, of_whom in rows)}
