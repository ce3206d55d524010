"""Tables in long form, one row a cell: CSV, Parquet, any other file of columns, and data frames.

What other programs write is understood as well: the words and letters by which they tell a status,
and the names of their columns.

| written by | status | other columns |
|---|---|---|
| Tacita | safe, sensitive, secondary, published in `status` | as `Cells` has them |
| Tacita, for readers | shown, suppressed in `status` | none |
| tau-ARGUS | s, u, m, p, or V (safe), A, B, C, D (secondary) in `Status` | `N_OBS`, `MAX` |
| sdcTable | s, u (primary), x (secondary), z (published) in `sdcStatus` | `freq`, `LPL`, `UPL` |
| GaussSuppression | TRUE and FALSE in `primary` and `suppressed` | `freq` |
| rtauargus | TRUE and FALSE in `is_secret_prim` | `N_OBS`, `nb_obs`, `MAX` |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Floats
from tacita.data.decimals import decimals_of
from tacita.data.formats import read_table, write_table
from tacita.data.frames import from_frame
from tacita.errors import InputError, OutputError, ParameterError, did_you_mean, shown
from tacita.tables.cells import ASKED_LEVELS
from tacita.tables.formats.attributes import Hierarchies, Missing, Spans, Totals
from tacita.tables.formats.statuses import FLAGS, read_statuses
from tacita.tables.formats.text import refuse_negative_levels
from tacita.tables.ready import Absent, ready_table
from tacita.tables.status import Status
from tacita.tables.table import Statistic, Table

View = Literal["public", "internal"]
MARKERS = ("x", "c", ":", "..", "*")  # what offices print in place of a value
NUMBERS = (
    *("shown", "frequency", "contributors", "total", "cost", "lower_level", "upper_level"),
    *("sliding_level", "lower_bound", "upper_bound"),
)
UNSAID = {  # what a blank field means, where it is not just unknown
    "lower_bound": -np.inf,
    "upper_bound": np.inf,
    **dict.fromkeys(("lower_level", "upper_level", "sliding_level"), 0.0),
}
SEVERAL = ("largest", "asked")
KNOWN = (*NUMBERS, *SEVERAL, *FLAGS, "status", "reason")
ALIASES: Mapping[str, str] = {
    **{name: name for name in (*NUMBERS, *FLAGS, "status", "reason")},
    **dict.fromkeys(("sdcStatus", "Status"), "status"),
    "is_secret_prim": "primary",
    **dict.fromkeys(("lpl", "LPL"), "lower_level"),
    **dict.fromkeys(("upl", "UPL"), "upper_level"),
    **dict.fromkeys(("spl", "SPL"), "sliding_level"),
    **dict.fromkeys(("N_OBS", "nb_obs", "freq", "Freq"), "frequency"),
}
LARGEST_ALIASES = ("MAX",)


def read(
    source: Any,
    *,
    by: Sequence[str],
    value: str = "value",
    name: str | None = None,
    hierarchies: Hierarchies | None = None,
    totals: Totals | None = None,
    missing: Missing | None = None,
    columns: Mapping[str, str | Sequence[str] | None] | None = None,
    words: Mapping[str, str] | None = None,
    variable: str | None = None,
    statistic: Statistic = "sum",
    absent: Absent = "empty",
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: Literal[".", ","] | None = None,
) -> Table:
    """Read a table in long form.

    A cell whose value is blank (or one of x, c, :, .., *) is suppressed.

    Args:
        source: the path of a file, or a data frame.
        by: the columns with the codes of each attribute.
        value: the column with the values.
        name: what the table is called; the name of the file when left out.
        hierarchies: for an attribute with subtotals its hierarchy, or several: a tree, nested
            mappings, a hierarchy file, or a `Dimension`.
        totals: the code of the total, or one for each attribute; found out when it is one of the
            usual ones.
        missing: for an attribute, its codes for missing values, which lie right below the total.
        columns: what other columns are: for a name that `Cells` has (`frequency`, `cost`,
            `largest`, ...), `status`, or `primary` and `suppressed` with TRUE and FALSE, the column
            (or columns); None for none. The names that other programs use are known.
        words: for a word in the status column, the status: safe, sensitive, secondary or published.
            The words and letters that other programs use are known.
        variable: the attribute whose values were added up; the value column when left out and the
            table is not one of counts.
        statistic: what the table shows.
        absent: what a combination of codes means that is not listed: `empty` or `unpublished`.
        delimiter: what parts the fields of a text file; found out when left out, as are the next.
        encoding: how its characters are coded.
        decimal: its decimal sign.

    Raises:
        InputError: a column or code is unknown, a cell is listed twice, or statuses contradict.

    >>> frame = pa.table({"sex": ["Total", "f", "m"], "n": [7, None, None], "primary": [0, 1, 0]})
    >>> read(frame, by=["sex"], value="n", name="people")
    people: 3 cells over sex, 1 sensitive, 1 secondary
    """
    is_path = isinstance(source, str | PathLike)
    layout = layout_of(delimiter=delimiter, encoding=encoding, decimal=decimal)
    rows = _rows(source, by, layout)
    roles = _roles(rows, by, value, columns or {})
    if not len(rows):
        raise InputError("The table is empty; it needs at least one cell.")
    codes = {attribute: _codes(rows, attribute) for attribute in by}
    values = _finite(rows, value)
    status, reason = read_statuses(rows, values, roles, words or {})
    spans = Spans(hierarchies, totals, missing)
    spans.refuse_unspanned(by)
    dimensions = [spans.dimension(attribute, codes[attribute]) for attribute in by]
    known = {"value": values, "status": status, "reason": reason, **_numbers(rows, roles)}
    return ready_table(
        name or (Path(source).name.partition(".")[0] if is_path else "table"),
        dimensions,
        codes,
        known,
        variable=variable or (None if statistic == "count" else value),
        statistic=statistic,
        absent=absent,
    )


def write(
    table: Table,
    path: str | PathLike[str],
    *,
    view: View = "public",
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: Literal[".", ","] | None = None,
) -> None:
    """Write a table in long form; the suffix says which kind of file.

    Args:
        table: the table.
        path: the file; one that exists is replaced.
        view: `public`: what the table shows, blank where it is suppressed, whatever the reason;
            `internal`: everything that is known of every cell.
        delimiter: what parts the fields of a text file.
        encoding: how its characters are coded.
        decimal: its decimal sign.

    Raises:
        OutputError: the file cannot be written, or an attribute is called like another column.
    """
    layout = layout_of(delimiter=delimiter, encoding=encoding, decimal=decimal)
    write_table(rows_of(table, view=view), path, **layout)


def rows_of(table: Table, *, view: View = "public") -> pa.Table:
    """Return the rows that are written, one a cell.

    >>> from tacita.tables.dimension import Dimension
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> table = ready_table("people", [sex], {"sex": ["Total", "f", "m"]},
    ...                     {"value": [7, 3, 4], "status": [0, 1, 2]})
    >>> rows_of(table).to_pydict()
    {'sex': ['Total', 'f', 'm'], 'value': [7, None, None], 'status': ['shown', 'suppressed', \
'suppressed']}
    """
    codes = codes_of(table)
    if view == "public":
        told = _public(table.published())
    elif view == "internal":
        told = _internal(table)
    else:
        raise ParameterError(f"`view` is public or internal; found {shown(view)}.")
    for name in codes:
        if name in told:
            raise OutputError(
                f"An attribute is called `{name}`, as is a column that Tacita writes; rename it."
            )
    return pa.table({**codes, **told})


def codes_of(table: Table) -> dict[str, pa.Array]:
    """Return the codes of every cell, attribute by attribute."""
    return {
        dimension.name: pa.array(dimension.codes).take(pa.array(table.places[:, axis]))
        for axis, dimension in enumerate(table.dimensions)
    }


def column_of(values: Floats) -> pa.Array:
    """Return numbers as they are written: whole ones without a point, unknown ones blank.

    >>> column_of(np.array([1.0, np.nan])).to_pylist(), column_of(np.array([0.5])).to_pylist()
    ([1, None], [0.5])
    """
    blank = ~np.isfinite(values)
    if decimals_of(values) == 0:
        return pa.array(np.where(blank, 0, values).astype(np.int64), mask=blank)
    return pa.array(values, mask=blank)


def layout_of(**said: str | None) -> dict[str, Any]:
    """Return what was said of how a file is laid out, without what was not said."""
    return {word: what for word, what in said.items() if what is not None}


# -- rows out ------------------------------------------------------------------------------------


def _public(table: Table) -> dict[str, pa.Array]:
    """Tell only what is shown: a second column of numbers could be added up as well.

    Where a perturbed table publishes an interval, its ends are what is shown.
    """
    hidden = table.cells.suppressed
    told = {"value": column_of(table.cells.shown)}
    told["status"] = pa.array(np.where(hidden, "suppressed", "shown"))
    if table.perturbed_by is None or not hidden.any():
        return told
    ends = (table.cells.lower_bound, table.cells.upper_bound)
    lower, upper = (column_of(np.where(hidden, end, np.nan)) for end in ends)
    return {**told, "lower_bound": lower, "upper_bound": upper}


def _internal(table: Table) -> dict[str, pa.Array]:
    cells = table.cells
    several = {
        f"{what}_{place + 1}": column_of(getattr(cells, what)[:, place])
        for what in SEVERAL
        for place in range(getattr(cells, what).shape[1])
    }
    return {
        "value": column_of(cells.value),
        **{name: column_of(getattr(cells, name)) for name in NUMBERS},
        **several,
        "status": pa.array([Status(int(status)).word for status in cells.status]),
        "reason": pa.array([str(reason) or None for reason in cells.reason], pa.string()),
    }


# -- columns in ----------------------------------------------------------------------------------


def check_columns(rows: pa.Table, by: Sequence[str], others: Sequence[str]) -> None:
    """Refuse columns that a file does not have, and attributes that are named twice or not at all.

    Raises:
        InputError: there is no such column; the nearest is suggested.
        ParameterError: `by` is no list of different attributes.
    """
    if isinstance(by, str):
        raise ParameterError(f"`by` is a list of attributes; write [{shown(by)}].")
    if not by:
        raise ParameterError("A table needs at least one attribute; found none in `by`.")
    for name in by:
        if by.count(name) > 1:
            raise ParameterError(f"`by` names `{name}` twice; name every attribute once.")
    for name in (*by, *others):
        if name not in rows.column_names:
            near = did_you_mean(name, rows.column_names)
            raise InputError(
                f"The table has no column `{name}` (it has {', '.join(rows.column_names)}).{near}"
            )


def _rows(source: Any, by: Sequence[str], layout: Mapping[str, Any]) -> pa.Table:
    if isinstance(source, str | PathLike):
        return read_table(source, text=frozenset(by), **layout)
    if layout:
        raise ParameterError(f"A data frame has no layout; leave out {', '.join(layout)}.")
    return from_frame(source)[0]


def _roles(
    rows: pa.Table, by: Sequence[str], value: str, said: Mapping[str, str | Sequence[str] | None]
) -> dict[str, list[str]]:
    """Return which columns are what: those that were said, and those with names that are known."""
    for what in said:
        if what not in KNOWN:
            raise ParameterError(
                f"A column of a table is one of {', '.join(KNOWN)}; found {shown(what)}."
                f"{did_you_mean(what, KNOWN)}"
            )
    free = [name for name in rows.column_names if name not in (*by, value)]
    found = {ALIASES[name]: [name] for name in reversed(free) if name in ALIASES}
    largest = [name for name in free if name in LARGEST_ALIASES]
    found |= {"largest": _numbered(free, "largest") or largest, "asked": _numbered(free, "asked")}
    told = {what: [names] if isinstance(names, str) else names for what, names in said.items()}
    chosen = {what: list(names) for what, names in {**found, **told}.items() if names}
    for what, names in chosen.items():
        if what not in SEVERAL and len(names) > 1:
            raise ParameterError(f"`{what}` is one column; found {', '.join(names)}.")
    check_columns(rows, by, (value, *(name for names in chosen.values() for name in names)))
    return chosen


def _numbered(names: Sequence[str], what: str) -> list[str]:
    """Return `largest_1`, `largest_2`, ... as far as they go."""
    wanted = (f"{what}_{place}" for place in range(1, len(names) + 1))
    return [name for name in wanted if name in names]


def _codes(rows: pa.Table, name: str) -> list[str]:
    column = rows.column(name)
    if column.null_count:
        row = pc.index(pc.is_null(column), True).as_py()
        raise InputError(
            f"Column `{name}` holds no code in row {row + 1}; name the total by a code of its own."
        ).about(name)
    codes: list[str] = column.cast(pa.string()).to_pylist()
    return codes


def _finite(rows: pa.Table, name: str) -> Floats:
    values = _floats(rows, name)
    for row in np.flatnonzero(np.isinf(values))[:1].tolist():
        raise InputError(
            f"Column `{name}` holds {values[row]} in row {row + 1}; expected a number, or a blank "
            "for one that is not published."
        ).about(name)
    return values


def _floats(rows: pa.Table, name: str) -> Floats:
    """Return a column of numbers; one that is blank, or told by a marker, is not known."""
    column = rows.column(name)
    if pa.types.is_string(column.type):
        told = pc.utf8_trim_whitespace(column)
        hidden = pc.is_in(pc.utf8_lower(told), pa.array(["", *MARKERS]))
        column = pc.if_else(hidden, None, told)
    try:
        numbers = column.cast(pa.float64())
    except pa.ArrowException as error:
        odd = next(one.as_py() for one in column.combine_chunks() if not _is_number(one))
        raise InputError(
            f"Column `{name}` holds {shown(odd)}; expected numbers. Say how the file is laid out, "
            "or leave the column out."
        ).about(name) from error
    values: Floats = numbers.to_numpy().astype(np.float64)
    return values


def _is_number(one: pa.Scalar) -> bool:
    try:
        one.cast(pa.float64())
    except pa.ArrowException:
        return False
    return True


def _numbers(rows: pa.Table, roles: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the columns of numbers; a blank bound or level is none."""
    read: dict[str, Any] = {}
    for what in NUMBERS:
        if what in roles:
            column = _floats(rows, roles[what][0])
            read[what] = np.where(np.isnan(column), UNSAID.get(what, np.nan), column)
    for what in SEVERAL:
        if what in roles:
            read[what] = np.column_stack([_floats(rows, column) for column in roles[what]])
    refuse_negative_levels(read, lambda row: f"Row {row + 1}")
    if "asked" in read and read["asked"].shape[1] != ASKED_LEVELS:
        raise InputError(
            f"`asked` needs {ASKED_LEVELS} columns, one a level; found {read['asked'].shape[1]}."
        )
    return read
