"""The fields of a delimited hierarchy file, whatever they mean."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tacita.data.hierarchies.files.text import read_text, refusal

DELIMITERS = ";\t|,"  # the one that ARX writes first, the one that labels often hold last
SAMPLE = 25  # lines from which the delimiter is found out
NEEDS_QUOTES = re.compile('[;\t|,"\r\n\ufeff]')


class Rows(NamedTuple):
    """The fields of a file, line by line.

    Args:
        path: the file.
        fields: the fields of every line that is not blank.
        lines: the number of each of these lines.
    """

    path: Path
    fields: list[tuple[str, ...]]
    lines: list[int]


def read_rows(path: Path) -> Rows:
    """Read the fields of a file; a blank last field of all lines is left out."""
    text = read_text(path)
    rows = Rows(path, [], [])
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=_delimiter(path, text), strict=True
    )
    try:
        for row in reader:
            if row:
                rows.fields.append(tuple(row))
                rows.lines.append(reader.line_num)
    except csv.Error as error:
        problem = "a quote is not closed or stands inside a field; double one that is text."
        raise refusal(path, problem, reader.line_num) from error
    return rows if any(row[-1] for row in rows.fields) else _without_last(rows)


def _without_last(rows: Rows) -> Rows:
    return rows._replace(fields=[row[:-1] for row in rows.fields])


def _delimiter(path: Path, text: str) -> str:
    """Choose the first delimiter that parts all lines alike, or else the first that parts any."""
    widths = {delimiter: set(_widths(text, delimiter)) for delimiter in DELIMITERS}
    for delimiter, found in widths.items():
        if len(found) == 1 and found != {1}:
            return delimiter
    for delimiter, found in widths.items():
        if found - {1}:
            return delimiter
    raise refusal(
        path,
        "nothing parts the lines into fields; expected a leaf, its parent and so on to the root, "
        "parted by semicolons. A file of tau-ARGUS is read if its name ends in `.hrc`.",
    )


def _widths(text: str, delimiter: str) -> Iterator[int]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        yield from (len(row) for row in islice(reader, SAMPLE) if row)
    except csv.Error:
        yield 1  # quotes that do not keep to the rules: not this delimiter


def joined(rows: Iterable[Sequence[str]], delimiter: str) -> str:
    """Write fields as text, with quotes only where the text would be misread without them."""
    return "".join(f"{delimiter.join(map(_field, row))}\n" for row in rows)


def _field(label: str) -> str:
    if not NEEDS_QUOTES.search(label):
        return label
    return '"' + label.replace('"', '""') + '"'
