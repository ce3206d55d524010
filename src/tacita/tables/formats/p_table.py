"""Perturbation tables as tau-ARGUS and the R package ptable write them, for the cell-key method.

A line names a number `i`, what it may become `j`, the probability, the noise `j - i` and the
probabilities added up; a table for magnitudes says last to which cells it applies. ::

    i;j;p;v;p_int_ub;type
    0;0;1;0;1;all
    1;0;0.6;-1;0.6;all
    1;2.5;0.4;1.5;1;all

The types are `all` cells; those with an `even` and an `odd` number of contributors; and
`small_cells`.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tacita.data.classes import Floats
from tacita.errors import InputError, OutputError, did_you_mean
from tacita.mechanisms.cell_keys import PerturbationTable
from tacita.tables.formats.text import lines_of, refusal, spelled, write_texts

SEPARATOR = ";"
ALL = "all"
TYPES = (ALL, "even", "odd", "small_cells")
OF_COUNTS = ("i", "j", "p", "v", "p_int_ub")
OF_MAGNITUDES = (*OF_COUNTS, "type")
ROUNDED = 1e-6  # how far probabilities with few digits may be from what they add up to
SAME = 1e-9


class Entry(NamedTuple):
    """A line of a file."""

    line: int
    number: float
    noise: float
    chance: float
    cumulated: float
    type: str


def read(path: Path) -> dict[str, PerturbationTable]:
    """Read perturbation tables: for each type of cells one, `all` where no type is told.

    The probabilities that are added up count, as they do in tau-ARGUS; the last one of a number is
    taken as 1.

    Args:
        path: the file.

    Raises:
        InputError: a line cannot be understood, or the probabilities are none.
    """
    path = Path(path)
    (first, header), *rest = lines_of(path)
    names = _fields(header)
    if len(names) not in (len(OF_COUNTS), len(OF_MAGNITUDES)) or _number(names[0]) is not None:
        raise refusal(
            path,
            first,
            f"expected the names of the columns, `{SEPARATOR.join(OF_MAGNITUDES)}` or without the "
            f"type; found `{header}`.",
        )
    by_type: dict[str, list[Entry]] = {}
    for line, text in rest:
        entry = _entry(path, line, text, len(names))
        by_type.setdefault(entry.type, []).append(entry)
    if not by_type:
        raise InputError(f"{path} holds no probabilities; expected lines such as `0;0;1;0;1`.")
    return {kind: _table(path, entries) for kind, entries in by_type.items()}


def write(tables: Mapping[str, PerturbationTable], path: Path) -> None:
    """Write perturbation tables; a single one for `all` cells of whole noise has no types.

    Args:
        tables: for each type of cells one.
        path: the file.

    Raises:
        OutputError: there is no such type, or the file cannot be written.
    """
    path = Path(path)
    for kind in tables:
        if kind not in TYPES:
            raise OutputError(
                f"A perturbation table is for {', '.join(TYPES)}; found `{kind}`."
                f"{did_you_mean(kind, TYPES)}"
            )
    alone = tuple(tables) == (ALL,)
    is_of_counts = alone and bool((tables[ALL].values % 1 == 0).all())
    columns = OF_COUNTS if is_of_counts else OF_MAGNITUDES
    lines = [SEPARATOR.join(columns)]
    for kind, table in tables.items():
        lines += [SEPARATOR.join((*row, kind)[: len(columns)]) for row in _rows(table)]
    write_texts({path: "".join(f"{line}\n" for line in lines)})


def _fields(text: str) -> list[str]:
    return [field.strip() for field in next(csv.reader([text], delimiter=SEPARATOR))]


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _entry(path: Path, line: int, text: str, width: int) -> Entry:
    """Read a line; what it says of the noise must be the difference it says."""
    fields = _fields(text)
    told = [found for word in fields[:5] if (found := _number(word)) is not None]
    kind = fields[5] if len(fields) == len(OF_MAGNITUDES) else ALL
    if len(fields) != width or len(told) < len(OF_COUNTS) or not np.isfinite(told).all():
        raise refusal(path, line, f"expected {width} fields, five of them numbers; found `{text}`.")
    if kind not in TYPES:
        raise refusal(path, line, f"expected a type, {', '.join(TYPES)}; found `{kind}`.")
    number, after, chance, noise, cumulated = told
    if abs(after - number - noise) > SAME or number < 0 or after < 0:
        raise refusal(
            path,
            line,
            "expected a number and what becomes of it, neither below 0, and their difference; "
            f"found {spelled(number)}, {spelled(after)} and {spelled(noise)}.",
        )
    return Entry(line, number, noise, chance, cumulated, kind)


def _table(path: Path, entries: Sequence[Entry]) -> PerturbationTable:
    values = np.unique([entry.noise for entry in entries])
    numbers = np.unique([entry.number for entry in entries])
    if numbers[0] != 0:
        raise refusal(path, entries[0].line, "expected a row for the number 0; it is not there.")
    rows = [
        _cumulated(path, [entry for entry in entries if entry.number == number], values)
        for number in numbers
    ]
    return PerturbationTable(values, np.array(rows), numbers)


def _cumulated(path: Path, entries: Sequence[Entry], values: Floats) -> Floats:
    """Return the chances of one number, added up, of all noise that occurs in the table."""
    noise = np.array([entry.noise for entry in entries])
    told = np.array([entry.cumulated for entry in entries])
    added = np.cumsum([entry.chance for entry in entries])
    wrong = np.abs(added - told) > ROUNDED
    wrong[1:] |= (np.diff(noise) <= 0) | (np.diff(told) < 0)
    for place in np.flatnonzero(wrong)[:1].tolist():
        raise refusal(
            path,
            entries[place].line,
            "expected noise in ascending order, and probabilities that add up to "
            f"{added[place]:g}; found {spelled(told[place])}.",
        )
    if abs(told[-1] - 1) > ROUNDED:
        raise refusal(
            path,
            entries[-1].line,
            f"the probabilities of {spelled(entries[-1].number)} must add up to 1; found "
            f"{spelled(told[-1])}.",
        )
    told[-1] = 1.0
    reached = np.searchsorted(noise, values, side="right")
    return np.append(0.0, told)[reached]


def _rows(table: PerturbationTable) -> list[tuple[str, ...]]:
    rows = []
    every = zip(table.numbers, table.chances, table.cumulated, strict=True)
    for number, chances, cumulated in every:
        for place in np.flatnonzero(chances > 0):
            noise = table.values[place]
            told = (number, number + noise, chances[place], noise, cumulated[place])
            rows.append(tuple(map(spelled, told)))
    return rows
