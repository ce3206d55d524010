"""What a job gives of cells beforehand: a-priori files with all the words of tau-ARGUS.

One line a cell: its codes, and `s`, `u` or `p` (safe, unsafe, protected), `m` or `ml` (a secondary
suppression), `c` or `w` and a cost, `pl` and two protection levels, or `ab` and what an intruder
knows of the cell beforehand, at least and at most.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from tacita.errors import InputError
from tacita.release.tauargus.commands import Apriori
from tacita.tables.apriori import GIVEN, STATUSES, Given, with_given
from tacita.tables.dimension import NONE, Dimension
from tacita.tables.formats.listing import number_of
from tacita.tables.formats.text import lines_of, refusal
from tacita.tables.table import Table

COSTS, LEVELS, BOUNDS, SECONDARY = ("c", "w"), "pl", "ab", ("m", "ml")
UNSAFE = "u"


@dataclass(frozen=True)
class Line:
    """What a line says.

    Args:
        number: its number in the file.
        codes: the codes of a cell.
        word: what is given of it.
        numbers: the numbers that belong to it.
    """

    number: int
    codes: tuple[str, ...]
    word: str
    numbers: tuple[float, ...] = ()


def with_apriori(table: Table, said: Apriori, path: Path, margin: float) -> tuple[Table, int, int]:
    """Return the table with what a file gives of its cells.

    Args:
        table: the table, judged.
        said: the command.
        path: the file.
        margin: the levels of cells given as unsafe, in percent of their value.

    Returns:
        The table, how many lines were followed, and how many were passed over.

    Raises:
        InputError: a line cannot be followed, and errors are not to be skipped.
    """
    lines, passed_over = _lines(table, said, path)
    try:
        return _followed(table, lines, path, margin), len(lines), passed_over
    except InputError:
        if not said.skips_errors:
            raise
    followed = 0
    for line in lines:  # one of them cannot be followed, perhaps because of another
        try:
            table = _followed(table, [line], path, margin)
            followed += 1
        except InputError:
            passed_over += 1
    return table, followed, passed_over


def _lines(table: Table, said: Apriori, path: Path) -> tuple[list[Line], int]:
    """Return what the lines of a file say, and how many say nothing that can be understood."""
    found: list[Line] = []
    wrong = 0
    for number, text in lines_of(path):
        try:
            line = _line(path, number, text, said.separator, len(table.dimensions))
            found += _expanded(table, line) if said.expands_trivial else [line]
        except InputError:
            if not said.skips_errors:
                raise
            wrong += 1
    return found, wrong


def _line(path: Path, number: int, text: str, separator: str, size: int) -> Line:
    fields = next(csv.reader([text], delimiter=separator, skipinitialspace=True))
    word = fields[size].strip().lower() if len(fields) > size else ""
    needed = {**dict.fromkeys(COSTS, 1), LEVELS: 1, BOUNDS: 2}
    numbers = [number_of(field.strip()) for field in fields[size + 1 :] if field.strip()]
    if word not in (*STATUSES, *SECONDARY, *needed):
        raise refusal(
            path, number, f"expected {size} codes and s, u, p, m, c, pl or ab; found `{text}`."
        )
    if None in numbers or len(numbers) < needed.get(word, 0):
        raise refusal(path, number, f"expected numbers after `{word}`; found `{text}`.")
    known = tuple(one for one in numbers if one is not None)
    return Line(number, tuple(fields[:size]), word, known)


def _followed(table: Table, lines: Sequence[Line], path: Path, margin: float) -> Table:
    """Return the table with what some lines say."""
    given = [one for line in lines if (one := _given(line, path)) is not None]
    table = with_given(table, given, margin=margin) if given else table
    for line in lines:
        if line.word in SECONDARY:
            table = table.suppress(_cell(table, line))
        elif line.word == BOUNDS:
            table = _with_bounds(table, line, path)
    return _with_unsafe_by_hand(table, [line for line in lines if line.word == UNSAFE])


def _given(line: Line, path: Path) -> Given | None:
    if line.word in (*SECONDARY, BOUNDS):
        return None
    return Given(
        line.codes,
        status=STATUSES.get(line.word),
        cost=line.numbers[0] if line.word in COSTS else None,
        levels=(line.numbers[0], line.numbers[-1]) if line.word == LEVELS else None,
        where=f"{path}, line {line.number}",
    )


def _with_unsafe_by_hand(table: Table, lines: Sequence[Line]) -> Table:
    """Say of cells given as unsafe that they were, even if a rule had found them before."""
    reason = table.cells.reason.copy()
    reason[[table.row(**_cell(table, line)) for line in lines]] = GIVEN
    return table.with_cells(reason=reason)


def _with_bounds(table: Table, line: Line, path: Path) -> Table:
    row = table.row(**_cell(table, line))
    low, high = line.numbers[:2]
    if not low <= table.cells.value[row] <= high:
        value = f"{table.cells.value[row]:g}"
        raise refusal(path, line.number, f"the cell is {value}, outside of these bounds.")
    lower, upper = table.cells.lower_bound.copy(), table.cells.upper_bound.copy()
    lower[row], upper[row] = low, high
    return table.with_cells(lower_bound=lower, upper_bound=upper)


# -- codes -----------------------------------------------------------------------------------------


def _codes(table: Table, said: Sequence[str]) -> list[str]:
    """Return codes as the table has them; a blank one is the total, blanks around it are none."""
    return [
        code.strip() or dimension.total
        for code, dimension in zip(said, table.dimensions, strict=True)
    ]


def _cell(table: Table, line: Line) -> dict[str, str]:
    names = [dimension.name for dimension in table.dimensions]
    return dict(zip(names, _codes(table, line.codes), strict=True))


def _expanded(table: Table, line: Line) -> Iterator[Line]:
    """Say a line of every cell that means the same: only children mean what their parent does."""
    chains = [
        _chain(dimension, dimension.place(code))
        for dimension, code in zip(table.dimensions, _codes(table, line.codes), strict=True)
    ]
    for codes in product(*chains):
        yield Line(line.number, codes, line.word, line.numbers)


def _chain(dimension: Dimension, place: int) -> list[str]:
    """Return the codes that stand for the same records as one, by the hierarchy alone."""
    parents = dimension.parents[0]
    children = np.bincount(parents[parents != NONE], minlength=len(dimension))
    top = place
    while parents[top] != NONE and children[parents[top]] == 1:
        top = int(parents[top])
    chain = [top]
    while children[chain[-1]] == 1:
        chain.append(int(np.flatnonzero(parents == chain[-1])[0]))
    return [dimension.codes[one] for one in chain]
