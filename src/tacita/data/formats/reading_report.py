"""What reading a text file makes of what is written in it: `1.50` becomes 1.5, `NA` is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.formats import (
    Layout,
    LayoutOptions,
    format_of,
    is_address,
    layout_of,
    read_contents,
)
from tacita.data.formats.csv import fields_as_written
from tacita.data.formats.delimited import one_line
from tacita.data.formats.lines import Style, fields_of
from tacita.errors import shown

QUOTED_NOTHING = '""'


class Rewritten(NamedTuple):
    """A column of which some values are written otherwise than they would be written again.

    Args:
        column: the name of the column.
        values: how many values that are.
        record: the number of the first such record, from 1 on.
        written: what is written there.
        read: what would be written again; empty for a missing value.
        kind: the type that the column is read as.
    """

    column: str
    values: int
    record: int
    written: str
    read: str
    kind: str

    def __str__(self) -> str:
        now = self.read if self.read else "missing"
        what = "value of" if self.values == 1 else "values of"
        return (
            f"{self.values:,} {what} `{one_line(self.column)}` read as {self.kind}: "
            f"{shown(self.written)} becomes {now}, first in record {self.record}"
        )


@dataclass(frozen=True)
class ReadingReport:
    """Which columns of a source are read otherwise than they are written.

    Args:
        source: the file or the address.
        columns: the columns with such values, each once for those that are read as missing and
            once for the others; none in formats that hold values and no text.
    """

    source: str
    columns: tuple[Rewritten, ...] = ()

    def __repr__(self) -> str:
        if not self.columns:
            return f"{self.source}: every value is read as it is written."
        return "\n".join(map(str, self.columns))

    def to_dict(self) -> dict[str, Any]:
        """Return it in plain types."""
        return {"source": self.source, "columns": [column._asdict() for column in self.columns]}


def reading_report(
    source: str | PathLike[str],
    *,
    text: frozenset[str] = frozenset(),
    **layout: Unpack[LayoutOptions],
) -> ReadingReport:
    r"""Compare what is written in a text file with what would be written of it again.

    Nothing of the value of a number is lost (`read` keeps every digit); its spelling may be.

    Args:
        source: a data file, or the address of a database.
        text: columns of a text file that are kept as text exactly as written.
        layout: how the source is laid out, as `read` takes it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("zip,pay\n007,1.50\n12,NA\n")
    ...     reading_report(f"{folder}/a.csv")
    1 value of `pay` read as double: 'NA' becomes missing, first in record 2
    1 value of `pay` read as double: '1.50' becomes 1.5, first in record 1
    """
    chosen = format_of(source)
    if is_address(source) or chosen is None or chosen.module != "csv":
        return ReadingReport(str(source))
    said = layout_of(layout)
    contents = read_contents(source, said, text=text)
    found = Style(contents.found["delimiter"], contents.found["decimal"], "utf-8")
    return ReadingReport(
        str(source), tuple(_rewritten(Path(source), contents.table, found, said, contents.found))
    )


def _rewritten(
    path: Path, table: pa.Table, style: Style, said: Layout, found: Any
) -> Iterator[Rewritten]:
    # Of text, only a lone column of quotes around nothing is read otherwise than it is written.
    names = [
        name
        for name in table.column_names
        if table.num_columns == 1 or not pa.types.is_string(table[name].type)
    ]
    if not (names and len(table)):
        return
    encoding = said.encoding or found["encoding"]
    written = fields_as_written(path, encoding, style.delimiter, names)
    for name in names:
        column, before = (pa.concat_arrays(each[name].chunks) for each in (table, written))
        after = fields_of(name, column, style)
        for different in (_is_lost(before, after), pc.not_equal(before.cast(after.type), after)):
            rows = np.flatnonzero(pc.fill_null(different, fill_value=False))
            if len(rows):
                first = int(rows[0])
                yield Rewritten(
                    name,
                    len(rows),
                    first + 1,
                    before[first].as_py() or QUOTED_NOTHING,
                    after[first].as_py() or "",
                    str(column.type),
                )


def _is_lost(before: pa.Array, after: pa.Array) -> pa.Array:
    """Tell where something is written that is read as missing."""
    return pc.and_(pc.is_valid(before), pc.is_null(after))


def summary(report: ReadingReport) -> list[str]:
    """Return the report as sentences for notes; one sentence for each column, none for none.

    >>> summary(ReadingReport("a.csv"))
    []
    """
    if not report.columns:
        return []
    return [
        "some values are spelled otherwise when they are written again:",
        *(f"{column}." for column in report.columns),
    ]
