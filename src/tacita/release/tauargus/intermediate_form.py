"""The intermediate form of a job's table, with the description that reads it back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from tacita.data.classes import Floats
from tacita.release.tauargus.commands import WriteTable
from tacita.release.tauargus.protected_table import JobTable
from tacita.release.tauargus.rules import levels_of
from tacita.tables.audit.audit import audit
from tacita.tables.cells import Cells
from tacita.tables.dimension import NONE
from tacita.tables.formats.description import NUMBER, Field
from tacita.tables.formats.intermediate import LETTERS, SEPARATOR
from tacita.tables.status import Status

HEADER = f'   <SEPARATOR> "{SEPARATOR}"\n'
AUDITED = ("AuditLow", "AuditHigh", "AuditRange", "AuditLowPerc", "AuditHighPerc", "AuditRangePerc")


def intermediate_texts(one: JobTable, said: WriteTable, path: Path) -> dict[Path, str]:
    """Return the file of a table in the intermediate form, and its description.

    Args:
        one: the table.
        said: the command; of its options `SO` leaves out the shadow and the largest contributions,
            `AR` adds what the audit found, `HI` counts holdings, `SE` leaves out empty cells and
            `QU` puts codes in quotes.
        path: the file; its description ends in `.rda`.
    """
    columns = dict(_columns(one, said))
    described = HEADER + "".join(f"{line}\n" for known in _fields(one, said) for line in known)
    return {
        path: "".join(_lines(one, said, columns)),
        path.with_suffix(".rda"): described,
    }


def _lines(one: JobTable, said: WriteTable, columns: dict[str, list[str]]) -> Iterator[str]:
    is_quoted = said.has("QU", usually=True)
    words = [[f'"{code}"' if is_quoted else code for code in codes] for codes in one.codes()]
    told = [SEPARATOR.join(row) for row in zip(*columns.values(), strict=True)]
    nothing = SEPARATOR.join(_empty(name, one.decimals) for name in columns)
    for codes, row in zip(product(*words), one.rows().tolist(), strict=True):
        if row != NONE or not said.has("SE"):
            yield SEPARATOR.join((*codes, nothing if row == NONE else told[row])) + "\n"


def _empty(name: str, decimals: int) -> str:
    if name == "status":
        return LETTERS[None]
    return "0" if name == "frequency" or name in AUDITED[3:] else f"{0:.{decimals}f}"


def _columns(one: JobTable, said: WriteTable) -> Iterator[tuple[str, list[str]]]:
    """Give what is known of the cells, column by column, as it is written."""
    cells, decimals = _seen(one, said), one.decimals
    published = cells.value if one.published is None else one.published
    yield "value", _spelled(published, decimals)
    if one.asked.response is not None:
        counted = cells.contributors if _counts_holdings(one, said) else cells.frequency
        yield "frequency", _spelled(np.nan_to_num(counted), 0)
        if not said.has("SO"):
            yield "shadow", _spelled(cells.total, decimals)
    yield "cost", _spelled(cells.cost, decimals)
    for place in range(_largest(one, said)):
        yield f"top{place + 1}", _spelled(np.nan_to_num(cells.largest[:, place]), decimals)
    yield "status", [LETTERS[Status(status)] for status in one.table.cells.status.tolist()]
    smallest = 10.0**-decimals  # tau-ARGUS asks for no less
    for name in ("lower_level", "upper_level"):
        level = getattr(one.table.cells, name)
        asked = np.where(cells.value == 0, level, np.maximum(level, smallest))
        yield name, _spelled(asked, decimals)
    if said.has("AR"):
        yield from zip(AUDITED, _audited(one), strict=True)


def _seen(one: JobTable, said: WriteTable) -> Cells:
    """Return the cells as holdings contribute to them, if the job says so, else as respondents."""
    if one.respondents is None or said.has("HI"):
        return one.table.cells
    return one.respondents.cells


def _counts_holdings(one: JobTable, said: WriteTable) -> bool:
    return one.respondents is not None and said.has("HI")


def _largest(one: JobTable, said: WriteTable) -> int:
    """Return how many of the largest contributions the rules look at."""
    if said.has("SO"):
        return 0
    respondents, holdings = levels_of(one.safety)
    wanted = holdings.largest if _counts_holdings(one, said) else respondents.largest
    return min(wanted, int(_seen(one, said).largest.shape[1]))


def _audited(one: JobTable) -> Iterator[list[str]]:
    """Give the interval that an intruder finds of every cell, in units and in percent."""
    found, value = audit(one.table), one.table.cells.value
    hidden = one.table.cells.suppressed
    lower, upper = (np.where(hidden, ends, 0.0) for ends in (found.lower, found.upper))
    upper = np.where(np.isfinite(upper), upper, 0.0)
    lower = np.where(np.isfinite(lower), lower, 0.0)
    for column in (lower, upper, upper - lower):
        yield _spelled(column, one.decimals)
    share = np.where(hidden & (value != 0), value, np.inf)
    for column in (value - lower, upper - value, upper - lower):
        percent = 100 * column / share
        yield [f"{p:.2f}" if told else "0" for p, told in zip(percent, share < np.inf, strict=True)]


def _spelled(numbers: Floats, decimals: int) -> list[str]:
    return [f"{number:.{decimals}f}" for number in np.asarray(numbers).tolist()]


# -- the description -------------------------------------------------------------------------------


def _fields(one: JobTable, said: WriteTable) -> Iterator[Iterator[str]]:
    for name, dimension, spelling, codes in zip(
        one.asked.by, one.table.dimensions, one.spellings, one.described, strict=True
    ):
        tags = {"RECODEABLE": (), "TOTCODE": (dimension.total,), **codes}
        yield Field(name, spelling.missing, tags).lines()
    response = one.asked.response
    places = {"DECIMALS": (str(one.decimals),)} if one.decimals else {}
    if response is None:
        yield Field("Freq", (), {"FREQUENCY": ()}).lines()
    else:
        yield Field(response, (), {NUMBER: (), **places}).lines()
        yield Field("FreqVar", (), {"FREQUENCY": ()}).lines()
        if not said.has("SO"):
            yield Field(f"{response}_Shadow", (), {NUMBER: (), "SHADOW": ()}).lines()
    yield Field(f"{response or 'Freq'}_Cost", (), {NUMBER: (), "COSTVAR": ()}).lines()
    for place in range(_largest(one, said)):
        yield Field(f"Top{place + 1}", (), {"MAXSCORE": ()}).lines()
    yield Field("StatusVar", (), {"STATUS": ()}).lines()
    yield Field("LowerProtLevel", (), {NUMBER: (), "LOWERPL": ()}).lines()
    yield Field("UpperProtLevel", (), {NUMBER: (), "UPPERPL": ()}).lines()
    for name in AUDITED if said.has("AR") else ():
        yield Field(name, (), {NUMBER: ()}).lines()
