"""The files that a job writes: the forms of tau-ARGUS, with every cell, empty ones among them.

Values have the decimals that the description says, `-` stands for an empty cell and `x` for a
suppressed one whose value is not to be told.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import Path

import numpy as np

from tacita.data.classes import Floats
from tacita.errors import OutputError
from tacita.release.tauargus.commands import WriteTable
from tacita.release.tauargus.intermediate_form import intermediate_texts
from tacita.release.tauargus.protected_table import JobTable
from tacita.release.tauargus.rules import levels_of
from tacita.tables.dimension import NONE
from tacita.tables.formats import jj

ROWS, PIVOT, CODE_VALUE, SBS, INTERMEDIATE, JJ = 1, 2, 3, 4, 5, 6
MOST_LISTED = 10_000_000
FIRST_SECONDARY, FREQUENCY_RULE, SENSITIVE_RULE = 11, 5, 3
UNSAFE = range(3, 10)
LAYERED = 2  # attributes that rows and columns have room for


def texts_of(one: JobTable, said: WriteTable, path: Path) -> dict[Path, str]:
    """Return the files of a table: their places and what they hold.

    Raises:
        OutputError: the table cannot be written in this form.
    """
    _refuse(one, said)
    if said.form == JJ:
        return jj.texts(one.table, path, costs="scaled")
    if said.form == INTERMEDIATE:
        return intermediate_texts(one, said, path)
    if said.form == ROWS:
        return {path: "".join(_rows_and_columns(one, said))}
    if said.form == SBS:
        return {path: "".join(_for_eurostat(one, said))}
    return {path: "".join(_cell_by_cell(one, said))}


def _refuse(one: JobTable, said: WriteTable) -> None:
    size = prod(map(len, one.codes()))
    if size > MOST_LISTED:
        raise OutputError(
            f"Every combination of codes is listed, up to {MOST_LISTED:,}; the table has {size:,}."
        )
    allowed = {"": (1, 2, 3, 4, 5, 6), "Round": (1, 2, 3, 4, 5), "CTA": (1, 2, 3, 6)}
    if said.form not in allowed[one.perturbed_as]:
        raise OutputError(
            f"A table that was {'rounded' if one.perturbed_as == 'Round' else 'adjusted'} cannot "
            f"be written in form {said.form}; choose 1, 2 or 3."
        )


# -- cells -----------------------------------------------------------------------------------------


def quoted(word: str, said: WriteTable) -> str:
    """Return a code or name in quotes, unless the job switches them off (`QU-`)."""
    plain = word.replace('"', "'")
    return f'"{plain}"' if said.has("QU", usually=True) else plain


def _written(one: JobTable, *, shows_unsafe: bool) -> list[str]:
    """Return what is written of the value of every cell of the table."""
    published = one.table.cells.value if one.published is None else one.published
    words = [f"{value:.{one.decimals}f}" for value in published.tolist()]
    if one.published is not None or shows_unsafe:
        return words
    hidden = one.table.cells.suppressed.tolist()
    return ["x" if gone else word for word, gone in zip(words, hidden, strict=True)]


def _in_order(one: JobTable, said: WriteTable) -> Iterator[tuple[str, int]]:
    """Give the codes of every cell and its row, -1 if it is empty."""
    words = [[quoted(code, said) for code in codes] for codes in one.codes()]
    skips = said.has("SE", usually=said.form == SBS)
    if said.form == SBS and said.has("HL"):
        words = [
            [f"{word},{depth}" for word, depth in zip(codes, one.depths(axis), strict=True)]
            for axis, codes in enumerate(words)
        ]
    for codes, row in zip(product(*words), one.rows().tolist(), strict=True):
        if row != NONE or not skips:
            yield ",".join(codes), row


def _cell_by_cell(one: JobTable, said: WriteTable) -> Iterator[str]:
    adds = said.has("AS")
    if said.form == PIVOT or said.has("FL"):
        yield f"{_names(one, said)}\n"
    values = _written(one, shows_unsafe=adds)
    more, empty = _added(one) if adds else ([""] * len(values), "")
    for codes, row in _in_order(one, said):
        yield f"{codes},-{empty}\n" if row == NONE else f"{codes},{values[row]}{more[row]}\n"


def _added(one: JobTable) -> tuple[list[str], str]:
    """Return what `AS` adds to every cell, and to empty ones: the status or the true value."""
    statuses = [f",{number}" for number in one.status_numbers().tolist()]
    if one.published is None:
        return statuses, ",14"
    true = [f",{value:.{one.decimals}f}" for value in one.table.cells.value.tolist()]
    if one.perturbed_as == "Round":
        return true, ",-"
    return [value + status for value, status in zip(true, statuses, strict=True)], ",-,14"


def _names(one: JobTable, said: WriteTable) -> str:
    response = one.asked.response
    names = [*one.asked.by]
    names.append("Freq" if response is None else _with_ending(response, one.perturbed_as))
    if said.has("AS"):
        names += [f"{response or 'Freq'}_Orig"] if one.perturbed_as else []
        names += [] if one.perturbed_as == "Round" else ["Status"]
    return ",".join(quoted(name, said) for name in names)


def _with_ending(name: str, perturbed_as: str) -> str:
    return f"{name}_{perturbed_as}" if perturbed_as else name


# -- rows and columns ------------------------------------------------------------------------------


def _rows_and_columns(one: JobTable, said: WriteTable) -> Iterator[str]:
    values = [*_written(one, shows_unsafe=False), "-"]  # -1 is the last
    words = [[quoted(code, said) for code in codes] for codes in one.codes()]
    *layers, rows, columns = words if len(words) >= LAYERED else [[""], *words]
    placed = one.rows().reshape(-1, len(rows), len(columns))
    for place, layer in enumerate(product(*layers)):
        if layer:
            yield ", ".join(f"Var {n},{code}" for n, code in enumerate(layer, start=1)) + "\n"
        yield f",{','.join(columns)}\n"
        for row, cells in zip(rows, placed[place].tolist(), strict=True):
            yield f"{row},{','.join(values[cell] for cell in cells)}\n"
        yield "\n"


# -- for Eurostat ----------------------------------------------------------------------------------


def _for_eurostat(one: JobTable, said: WriteTable) -> Iterator[str]:
    values = _written(one, shows_unsafe=True)
    counts = [f"{number:.0f}" for number in np.nan_to_num(one.table.cells.contributors).tolist()]
    ends = _flags_and_shares(one)
    for codes, row in _in_order(one, said):
        end = "-,0,-" if row == NONE else f"{values[row]},{counts[row]},{ends[row]}"
        yield f"{codes},{end}\n"


def _flags_and_shares(one: JobTable) -> list[str]:
    """Return the flag of every cell and what tau-ARGUS puts after it: shares of the largest."""
    respondents, holdings = levels_of(one.safety)
    level = holdings if holdings.rules else respondents
    is_p_rule = level.has("P")
    shares = _shares(one, 2 if level.largest > 1 or is_p_rule else level.largest)
    flags = []
    for number, (first, second) in zip(one.status_numbers().tolist(), shares, strict=True):
        flag = _flag(number, is_p_rule=is_p_rule, looks_at_two=level.largest > 1)
        if flag in "BCF":
            both = first + second
            told = f",{first:.1f},{second:.1f}" if is_p_rule else f",{both:.1f}"
            flag += told
        flags.append(flag)
    return flags


def _flag(number: int, *, is_p_rule: bool, looks_at_two: bool) -> str:
    if number not in UNSAFE:
        return "D" if number >= FIRST_SECONDARY else "V"
    if number == FREQUENCY_RULE:
        return "A"
    if number == SENSITIVE_RULE:
        return "F" if is_p_rule else "C" if looks_at_two else "B"
    return "B"


def _shares(one: JobTable, kept: int) -> Floats:
    """Return the percentages that the largest and the second largest have of every cell."""
    cells = one.table.cells
    found = np.zeros((len(cells), 2))
    kept = min(kept, cells.largest.shape[1])
    total = np.where(cells.total > 0, cells.total, np.inf)
    found[:, :kept] = 100 * np.nan_to_num(cells.largest[:, :kept]) / total[:, None]
    return found
