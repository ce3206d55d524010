"""What is given of cells beforehand: statuses, costs and protection levels, and their files.

An a-priori file has one line a cell: its codes, then `s` (safe: a waiver), `u` (unsafe) or `p`
(protected: it must be published), or `c` and a cost, or `pl` and a protection level (one for both
sides, or the lower and the upper). A blank code is the total.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from tacita.errors import InputError, ParameterError, shown
from tacita.results import show
from tacita.tables.dimension import NONE, Dimension
from tacita.tables.formats.text import lines_of, refusal, spelled, write_texts
from tacita.tables.judging import WAIVER, with_capped_levels
from tacita.tables.status import Status
from tacita.tables.table import Table, numbers_of

GIVEN = "given"
SEPARATORS = (";", ",", "\t", "|")
StatusGiven = Literal["safe", "unsafe", "protected"]
STATUSES: Mapping[str, StatusGiven] = {"s": "safe", "u": "unsafe", "p": "protected"}
LETTERS = {word: letter for letter, word in STATUSES.items()}
COST, LEVELS = "c", "pl"
MARGIN = 20.0  # percent of its value that a cell given as unsafe must be possible above and below


@dataclass(frozen=True)
class Given:
    """What is given of one cell.

    Args:
        codes: its codes, one a dimension; a blank one is the total.
        status: `safe` (its contributors agreed to its publication), `unsafe` or `protected` (it
            must be published).
        cost: what is lost when it is suppressed.
        levels: its lower and upper protection level.
        where: the file and line that say so, for messages.

    >>> Given(("IT", "BCN"), status="unsafe")
    Given(codes=('IT', 'BCN'), status='unsafe', cost=None, levels=None)
    """

    codes: tuple[str, ...]
    status: StatusGiven | None = None
    cost: float | None = None
    levels: tuple[float, float] | None = None
    where: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        for number in (self.cost or 0, *(self.levels or ())):
            if not 0 <= number < np.inf:
                raise InputError(
                    f"Costs and levels given of a cell should be 0 or more; found {number} for "
                    f"({', '.join(self.codes)})."
                )


# -- files -----------------------------------------------------------------------------------------


def read_apriori(path: str | Path, *, separator: str | None = None) -> list[Given]:
    """Read an a-priori file.

    Args:
        path: the file.
        separator: what stands between the fields; found out when left out.

    Raises:
        InputError: there is no such file, or a line says nothing that can be understood.
        ParameterError: the separator is not one character.
    """
    path = Path(path)
    lines = lines_of(path)
    if separator is not None and len(separator) != 1:
        raise ParameterError(f"A separator is one character; found {shown(separator)}.")
    mark = _separator([line for _, line in lines]) if separator is None else separator
    return [_given(path, number, _fields(line, mark)) for number, line in lines]


def write_apriori(given: Iterable[Given], path: str | Path, *, separator: str = ";") -> None:
    """Write an a-priori file, one line for everything that is given of a cell.

    Raises:
        OutputError: it cannot be written there.
    """
    lines = [separator.join(line) for one in given for line in _lines(one, separator)]
    write_texts({Path(path): "".join(f"{line}\n" for line in lines)})


def _separator(lines: Sequence[str]) -> str:
    """Find the mark that leaves a word that is understood on every line, or on most."""
    understood = {
        mark: sum(_word_at(_fields(line, mark)) is not None for line in lines)
        for mark in SEPARATORS
    }
    return max(understood, key=lambda mark: understood[mark])


def _fields(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator))
    except csv.Error:  # a field that is longer than any code
        return [line]


def _word_at(parts: Sequence[str]) -> int | None:
    """Return where the word stands that says what is given: at the end, or before one's numbers."""
    for place in reversed(range(max(1, len(parts) - 3), len(parts))):
        word, numbers = parts[place].strip().lower(), len(parts) - place - 1
        if (word, numbers) in SHAPES:
            return place
    return None


SHAPES = {*((letter, 0) for letter in STATUSES), (COST, 1), (LEVELS, 1), (LEVELS, 2)}


def _given(path: Path, line: int, parts: Sequence[str]) -> Given:
    place = _word_at(parts)
    if place is None:
        raise refusal(
            path,
            line,
            "expected codes and then s, u, p, or c and a cost, or pl and one or two levels; found "
            f"{shown(' | '.join(parts))}. Say which separator the file has if it is another.",
        )
    numbers = [_number(path, line, text) for text in parts[place + 1 :]]
    made = Given(tuple(parts[:place]), where=f"{path}, line {line}")
    word = parts[place].strip().lower()
    if word == COST:
        return replace(made, cost=numbers[0])
    if word == LEVELS:
        return replace(made, levels=(numbers[0], numbers[-1]))
    return replace(made, status=STATUSES[word])


def _number(path: Path, line: int, text: str) -> float:
    try:
        number = float(text.strip().replace(",", ".").replace("_", "?"))  # no mark of thousands
    except ValueError:
        number = np.nan
    if not 0 <= number < np.inf:
        raise refusal(path, line, f"expected a number of 0 or more; found {text!r}.")
    return number


def _lines(given: Given, separator: str) -> Iterable[list[str]]:
    codes = [_quoted(code, separator) for code in given.codes]
    if given.status is not None:
        yield [*codes, LETTERS[given.status]]
    if given.cost is not None:
        yield [*codes, COST, spelled(given.cost)]
    if given.levels is not None:
        yield [*codes, LEVELS, *map(spelled, given.levels)]


def _quoted(code: str, separator: str) -> str:
    plain = code and separator not in code and '"' not in code and code == code.strip()
    return code if plain else '"' + code.replace('"', '""') + '"'


# -- on a table ------------------------------------------------------------------------------------


def with_given(
    table: Table,
    given: Iterable[Given],
    *,
    margin: float = MARGIN,
    unknown: Literal["refuse", "skip"] = "refuse",
) -> Table:
    """Return the table with what is given of its cells.

    A safe cell is not sensitive, whatever rules say before or after, with the reason `waiver`. An
    unsafe cell is sensitive with the reason `given`, and its levels are a margin of its value where
    none are given. A protected cell is published. Given levels and costs replace others.

    Args:
        table: the table, judged or not.
        given: what is given.
        margin: the protection level of cells given as unsafe, in percent of their value.
        unknown: what happens to a line about a code or cell that the table does not have.

    Raises:
        InputError: a code is unknown, or what is given of a cell contradicts itself or the table.
        ParameterError: the margin is below 0.
    """
    if not 0 <= margin < np.inf:
        raise ParameterError(f"`margin` should be a percentage of 0 or more; found {margin}.")
    found = _gathered(table, given, unknown)
    table = _with_safe(table, _rows(found, "safe"))
    table = _with_protected(table, _rows(found, "protected"), found)
    table = _with_unsafe(table, _rows(found, "unsafe"), margin)
    return with_capped_levels(_with_numbers(table, found))


def with_waivers(table: Table, cells: Iterable[Sequence[str]]) -> Table:
    """Return the table with cells safe whose contributors agreed that they are published.

    Args:
        table: the table, judged or not.
        cells: the codes of these cells.
    """
    return with_given(table, [Given(tuple(codes), status="safe") for codes in cells])


CLASHES = {"unsafe": ("safe", "protected"), "safe": ("unsafe",), "protected": ("unsafe",)}
Said = dict[str, Given]  # all that is given of a cell: safe, unsafe, protected, cost, levels


def _gathered(table: Table, given: Iterable[Given], unknown: str) -> dict[int, Said]:
    found: dict[int, Said] = {}
    for one in given:
        row = _row(table, one, unknown)
        if row != NONE:
            _add(found.setdefault(row, {}), one, table.name_of(row))
    return found


def _add(said: Said, one: Given, name: str) -> None:
    facts = {one.status: one.status, "cost": one.cost, "levels": one.levels}
    for what, value in facts.items():
        if what is None or value is None:
            continue
        clashing = [said[other] for other in CLASHES.get(what, ()) if other in said]
        if what not in LETTERS and what in said and getattr(said[what], what) != value:
            clashing.append(said[what])
        if clashing:
            raise InputError(
                f"What is given of the cell {name} contradicts itself: {_told(clashing[0])} and "
                f"{_told(one)}. Keep one of the two."
            )
        said[what] = one


def _told(one: Given) -> str:
    levels = None if one.levels is None else " and ".join(map(show, one.levels))
    said = {"cost": one.cost, "levels": levels, "status": one.status}
    what = ", ".join(f"{word} {value}" for word, value in said.items() if value is not None)
    return f"{what} ({one.where})" if one.where else what


def _row(table: Table, one: Given, unknown: str) -> int:
    """Return the row of a cell, -1 for one that may be passed over."""
    try:
        row = _find(table, one)
    except InputError as error:
        if unknown == "skip":
            return NONE
        raise InputError(f"{one.where}: {error}" if one.where else str(error)) from error
    if row == NONE and unknown == "refuse" and one.status not in ("safe", "protected"):
        raise InputError(
            f"{one.where + ': n' if one.where else 'N'}obody contributes to the cell "
            f"{', '.join(one.codes)}; leave it out, or skip what is unknown."
        )
    return row


def _find(table: Table, one: Given) -> int:
    if len(one.codes) != len(table.dimensions):
        names = ", ".join(dimension.name for dimension in table.dimensions)
        raise InputError(
            f"expected {len(table.dimensions)} codes ({names}); found {len(one.codes)} "
            f"({', '.join(one.codes)})."
        )
    places = [_place(d, code) for d, code in zip(table.dimensions, one.codes, strict=True)]
    return int(table.find(numbers_of(np.array([places]), table.strides))[0])


def _place(dimension: Dimension, code: str) -> int:
    """Return the place of a code; blanks around it are looked through where that is clear."""
    if not code.strip():
        return 0
    if code not in dimension.places:
        alike = [known for known in dimension.codes if known.strip() == code.strip()]
        code = alike[0] if len(alike) == 1 else code
    return dimension.place(code)


# -- statuses and numbers --------------------------------------------------------------------------


def _rows(found: Mapping[int, Said], word: str) -> list[int]:
    return [row for row, said in found.items() if word in said]


def _with_safe(table: Table, rows: list[int]) -> Table:
    cells = table.cells
    safe = np.isin(np.arange(len(table)), rows)
    freed = safe & cells.sensitive
    return table.with_cells(
        status=np.where(freed, np.int8(Status.SAFE), cells.status),
        reason=np.where(safe, WAIVER, cells.reason),
        lower_level=np.where(freed, 0.0, cells.lower_level),
        upper_level=np.where(freed, 0.0, cells.upper_level),
        sliding_level=np.where(freed, 0.0, cells.sliding_level),
    )


def _with_protected(table: Table, rows: list[int], found: Mapping[int, Said]) -> Table:
    status, reason = table.cells.status.copy(), table.cells.reason.copy()
    hidden = table.cells.suppressed
    for row in rows:
        if hidden[row]:
            one = found[row]["protected"]
            raise InputError(
                f"The cell {table.name_of(row)} is to be published ({_told(one)}) and is "
                f"{Status(int(status[row])).word} ({reason[row]}); give a waiver for it, or do not "
                "ask for it to be published."
            )
    status[rows] = Status.PUBLISHED
    reason[[row for row in rows if reason[row] != WAIVER]] = GIVEN
    return table.with_cells(status=status, reason=reason)


def _with_unsafe(table: Table, rows: list[int], margin: float) -> Table:
    cells = table.cells
    for row in rows:
        if cells.status[row] == Status.PUBLISHED or cells.reason[row] == WAIVER:
            raise InputError(
                f"The cell {table.name_of(row)} is given as unsafe, and is to be published "
                f"({cells.reason[row] or 'said before'}); keep one of the two."
            )
    unsafe = np.isin(np.arange(len(table)), rows)
    new = unsafe & (cells.status != Status.SENSITIVE)
    level = np.where(unsafe, np.nan_to_num(margin / 100 * np.abs(cells.value)), 0.0)
    return table.with_cells(
        status=np.where(new, np.int8(Status.SENSITIVE), cells.status),
        reason=np.where(new, GIVEN, cells.reason),
        lower_level=np.maximum(cells.lower_level, level),
        upper_level=np.maximum(cells.upper_level, level),
    )


def _with_numbers(table: Table, found: Mapping[int, Said]) -> Table:
    cost, lower = table.cells.cost.copy(), table.cells.lower_level.copy()
    upper = table.cells.upper_level.copy()
    for row, said in found.items():
        if "cost" in said:
            cost[row] = said["cost"].cost
        if "levels" in said:
            lower[row], upper[row] = said["levels"].levels or (0.0, 0.0)
    return table.with_cells(cost=cost, lower_level=lower, upper_level=upper)
