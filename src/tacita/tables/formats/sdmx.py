"""SDMX-CSV, versions 1.0 and 2.0: one row an observation, with the reason why it is not shown.

A suppressed cell has no `OBS_VALUE`, the observation status Q (missing, suppressed) and a
confidentiality status, from the code lists CL_OBS_STATUS and CL_CONF_STATUS: C for all of them in
the public view, unless the reason is asked for, which is one of these:

| CONF_STATUS | what it says | cells of Tacita |
|---|---|---|
| F | free for publication | safe, published |
| A | primary, due to small counts | sensitive by `minimum_frequency` |
| G (read also O, T) | primary, due to dominance by one or two units | sensitive by `dominance` |
| M | primary, due to other measures of concentration | sensitive by `p_percent`, `pq` |
| C (read also E, N, X) | confidential | sensitive for any other reason |
| D (read also S) | secondary confidentiality | secondary |

An observation that cannot exist (status M, no value) is a structural zero and no cell. Other
observations without a value were not published.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.formats import read_table as read_columns
from tacita.data.formats import write_table as write_columns
from tacita.errors import InputError, OutputError
from tacita.tables.formats import csv
from tacita.tables.formats.attributes import Hierarchies, Missing, Totals
from tacita.tables.ready import Absent
from tacita.tables.status import Status
from tacita.tables.table import Statistic, Table

Version = Literal["1.0", "2.0"]
Flags = Literal["reason", "alike"]
MEASURE, OBSERVED, CONFIDENTIAL = "OBS_VALUE", "OBS_STATUS", "CONF_STATUS"
ABOUT = {"1.0": ("DATAFLOW",), "2.0": ("STRUCTURE", "STRUCTURE_ID", "ACTION")}
NORMAL, IMPOSSIBLE, SUPPRESSED = "A", "M", "Q"
FREE, OTHER, SECONDARY = "F", "C", "D"
USUAL_FLAGS: Mapping[str, Flags] = {"public": "alike", "internal": "reason"}
CODES: Mapping[str, str] = {
    "minimum_frequency": "A",
    "dominance": "G",
    **dict.fromkeys(("concentration", "p_percent", "pq"), "M"),
}
READ: Mapping[str, tuple[str, str]] = {
    FREE: ("safe", ""),
    "A": ("sensitive", "minimum_frequency"),
    **dict.fromkeys("GOT", ("sensitive", "dominance")),
    "M": ("sensitive", "concentration"),
    **dict.fromkeys("CENX", ("sensitive", "given")),
    **dict.fromkeys("DS", ("secondary", "given")),
}


def read(
    source: str | PathLike[str],
    *,
    by: Sequence[str] | None = None,
    name: str | None = None,
    hierarchies: Hierarchies | None = None,
    totals: Totals | None = None,
    missing: Missing | None = None,
    variable: str | None = None,
    statistic: Statistic = "sum",
    absent: Absent = "empty",
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Table:
    """Read a table from an SDMX-CSV file.

    Args:
        source: the file.
        by: the dimensions that span the table; when left out, all columns before `OBS_VALUE` that
            hold more than one code.
        name: what the table is called; the name of the file when left out.
        hierarchies: for a dimension with subtotals its hierarchy, or several.
        totals: the code of the total, or one for each dimension; `_T` or `Total` are found out.
        missing: for a dimension, its codes for missing values, which lie right below the total.
        variable: the attribute whose values were added up.
        statistic: what the table shows.
        absent: what a combination of codes means that is not listed: `empty` or `unpublished`.
        delimiter: what parts the fields; found out when left out, as is the next.
        encoding: how characters are coded.

    Raises:
        InputError: the file is not SDMX-CSV, or what it says is no table.
    """
    layout = csv.layout_of(delimiter=delimiter, encoding=encoding)
    names = read_columns(source, **layout).column_names
    if MEASURE not in names:
        raise InputError(
            f"An SDMX-CSV file has a column {MEASURE}; {source} has {', '.join(names)}."
        )
    text = frozenset(names) - {MEASURE}
    rows = _existing(read_columns(source, text=text, **layout))
    spanning = by if by is not None else _spanning(rows)
    csv.check_columns(rows, spanning, [MEASURE])
    told = [READ[code] for code in _confidentiality(rows)]
    frame = rows.select([*spanning, MEASURE])
    columns = {}
    if any(status != "safe" for status, _ in told):
        columns = {"status": CONFIDENTIAL, "reason": OBSERVED}  # names that no attribute has
        for column, words in zip(columns.values(), zip(*told, strict=True), strict=True):
            frame = frame.append_column(column, pa.array(words))
    return csv.read(
        frame,
        by=spanning,
        value=MEASURE,
        name=name or Path(source).name.partition(".")[0],
        hierarchies=hierarchies,
        totals=totals,
        missing=missing,
        columns=columns,
        variable=variable,
        statistic=statistic,
        absent=absent,
    )


def write(
    table: Table,
    path: str | PathLike[str],
    *,
    view: csv.View = "public",
    version: Version = "2.0",
    dataflow: str | None = None,
    flags: Flags | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> None:
    """Write a table as an SDMX-CSV file.

    Args:
        table: the table.
        path: the file; one that exists is replaced.
        view: `public`: no values of suppressed cells; `internal`: all values, flagged, as they are
            sent to an office that may see them.
        version: of SDMX-CSV.
        dataflow: the identity of the dataflow; `TACITA:` and the table's name when left out.
        flags: whether `CONF_STATUS` tells the `reason` why a cell is suppressed, or says the same
            (C) of all of them, `alike`; when left out, the reason in the internal view only. Who
            knows that a count is too small, or which cells are primary, knows more than the audit
            takes into account.
        delimiter: what parts the fields; a comma when left out.
        encoding: how characters are coded; UTF-8 when left out.

    Raises:
        OutputError: the file cannot be written, or an attribute is called like another column.
    """
    told = table.cells if view == "internal" else table.published().cells
    about = _about(version, dataflow or _identity(table.name))
    codes = csv.codes_of(table)
    _refuse_names(codes, about)
    observed = {
        MEASURE: csv.column_of(told.shown),
        OBSERVED: pa.array(np.where(np.isnan(told.shown), SUPPRESSED, NORMAL)),
        CONFIDENTIAL: pa.array(_codes(table, flags or USUAL_FLAGS[view])),
    }
    layout = csv.layout_of(delimiter=delimiter, encoding=encoding)
    repeated = {word: pa.array([said] * len(table)) for word, said in about.items()}
    write_columns(pa.table({**repeated, **codes, **observed}), path, **layout)


# -- in ------------------------------------------------------------------------------------------


def _existing(rows: pa.Table) -> pa.Table:
    """Leave out observations that cannot exist; refuse a message that takes some back."""
    if "ACTION" in rows.column_names and "D" in rows["ACTION"].to_pylist():
        raise InputError("The file deletes observations (ACTION D); read the data they leave.")
    if OBSERVED not in rows.column_names:
        return rows
    impossible = pc.equal(rows[OBSERVED].fill_null(""), IMPOSSIBLE)
    return rows.filter(pc.invert(pc.and_(impossible, pc.is_null(rows[MEASURE], nan_is_null=True))))


def _spanning(rows: pa.Table) -> list[str]:
    """Return the dimensions along which codes differ; the others are the same for all cells."""
    every = rows.column_names[: rows.column_names.index(MEASURE)]
    about = {word for words in ABOUT.values() for word in words}
    return [
        name for name in every if name not in about and pc.count_distinct(rows[name]).as_py() > 1
    ]


def _confidentiality(rows: pa.Table) -> list[str]:
    """Return the confidentiality status of each observation; one without a value is not free."""
    blank = pc.is_null(rows[MEASURE], nan_is_null=True).to_pylist()
    if CONFIDENTIAL not in rows.column_names:
        return [SECONDARY if hidden else FREE for hidden in blank]
    found = [code or FREE for code in rows[CONFIDENTIAL].to_pylist()]
    for row, code in enumerate(found):
        if code not in READ:
            raise InputError(
                f"{CONFIDENTIAL} says {code!r} in row {row + 1}; expected {', '.join(READ)}."
            )
    return [
        SECONDARY if no and code == FREE else code for code, no in zip(found, blank, strict=True)
    ]


# -- out -----------------------------------------------------------------------------------------


def _about(version: Version, dataflow: str) -> dict[str, str]:
    """Return what every row says of the message it is part of."""
    said = (dataflow,) if version == "1.0" else ("dataflow", dataflow, "I")
    return dict(zip(ABOUT[version], said, strict=True))


def _identity(name: str) -> str:
    """Make an identity of a table's name.

    >>> _identity("turnover 2024")
    'TACITA:TURNOVER_2024(1.0)'
    """
    return f"TACITA:{re.sub(r'[^A-Z0-9_]+', '_', name.upper())}(1.0)"


def _refuse_names(codes: Mapping[str, Any], about: Mapping[str, str]) -> None:
    for name in codes:
        if name in (*about, MEASURE, OBSERVED, CONFIDENTIAL):
            raise OutputError(
                f"An attribute is called `{name}`, which is another column of SDMX-CSV; rename it."
            )


def _codes(table: Table, flags: Flags) -> list[str]:
    cells = table.cells
    if flags != "reason":
        return [OTHER if hidden else FREE for hidden in cells.suppressed]
    return [
        _code(Status(int(status)), str(reason))
        for status, reason in zip(cells.status, cells.reason, strict=True)
    ]


def _code(status: Status, reason: str) -> str:
    """Return the confidentiality status of a cell; of several reasons the first counts."""
    if status is Status.SENSITIVE:
        return CODES.get(reason.partition(",")[0], OTHER)
    return SECONDARY if status is Status.SECONDARY else FREE
