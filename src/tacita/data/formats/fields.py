"""The lines of a data file and the fields in them, before their values are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from tacita.data.formats import rda
from tacita.data.formats.rda import Description, Variable
from tacita.errors import InputError

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Offsets = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Lines:
    """The lines of a data file that are not empty.

    Args:
        path: the file.
        data: its bytes as UTF-8, with a line end after the last line.
        starts: where each line begins.
        stops: where it ends, before its line end.
        numbers: the number of each line in the file, from 1 on.
    """

    path: Path
    data: Bytes
    starts: Offsets
    stops: Offsets
    numbers: Offsets

    @classmethod
    def of(cls, path: Path, encoding: str | None, *, skipped: int) -> Lines:
        """Load a file.

        Args:
            path: the file.
            encoding: how its characters are coded; found out when None.
            skipped: how many lines at its begin are no records.
        """
        raw = _utf8(path, encoding)
        data: Bytes = np.frombuffer(raw, np.uint8)
        ends = _line_ends(raw, data)
        starts = np.concatenate((np.zeros(1, np.int64), ends[:-1] + 1))[: len(ends)]
        stops = ends - ((ends > starts) & (data[ends - 1] == ord("\r")))
        kept = np.flatnonzero(stops > starts)[skipped:]
        return cls(path, data, starts[kept], stops[kept], kept + 1)

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def step(self) -> int | None:
        """How far each line begins after the one before, if all do so alike."""
        steps = np.diff(self.starts)
        return int(steps[0]) if len(steps) and bool((steps == steps[0]).all()) else None

    @property
    def is_ascii(self) -> bool:
        """Is every character one byte."""
        return not self.data.size or bool(self.data.max() < 0x80)  # noqa: PLR2004

    def as_text(self) -> tuple[pa.Array, Offsets]:
        """Return each line with all up to the next one, and how many line ends that are."""
        bounds = np.append(self.starts, self.data.size)
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(self.data)]
        lines = pa.Array.from_buffers(pa.large_string(), len(self), buffers)
        return lines, bounds[1:] - self.stops

    def refuse(self, record: Any, problem: str) -> NoReturn:
        """Stop at a record."""
        raise InputError(f"{self.path}, line {self.numbers[record]}: {problem}")


def _line_ends(raw: bytes, data: Bytes) -> Offsets:
    """Find the line ends; in most files all lines are of one length, and nothing is searched."""
    step = raw.find(b"\n") + 1
    if step and len(raw) % step == 0 and raw.count(b"\n") == len(raw) // step:
        ends = np.arange(step - 1, len(raw), step)
        if bool((data[ends] == ord("\n")).all()):
            return ends
    return np.flatnonzero(data == ord("\n"))


def _utf8(path: Path, encoding: str | None) -> bytes:
    raw = path.read_bytes().rstrip(b"\x1a")  # how DOS ended a file
    if encoding is not None or not raw.isascii():
        raw = rda.decoded(path, raw, encoding).encode()
    return raw if raw.endswith(b"\n") or not raw else raw + b"\n"


def fields_of(lines: Lines, described: Description) -> Iterator[pa.Array]:
    """Return the field of each variable in every record, as it is written."""
    return (
        _positions(lines, described) if described.separator is None else _parted(lines, described)
    )


def _positions(lines: Lines, described: Description) -> Iterator[pa.Array]:
    """Cut the fields out of the lines by their positions."""
    if lines.is_ascii:
        _check_lengths(lines, described, lines.stops - lines.starts)
        yield from (_bytes(lines, variable) for variable in described.variables)
        return
    text, ends = lines.as_text()
    _check_lengths(lines, described, np.asarray(pc.utf8_length(text)) - ends)
    for variable in described.variables:
        field = pc.utf8_slice_codeunits(text, variable.start - 1, variable.stop)
        yield field.cast(pa.string())


def _check_lengths(lines: Lines, described: Description, lengths: Offsets) -> None:
    """Refuse lines that end before the last field, or go on after it."""
    last = max(described.variables, key=lambda variable: variable.stop)
    for record in np.flatnonzero(lengths < last.stop)[:1]:
        lines.refuse(
            record,
            f"the line has {lengths[record]} characters, but {described.path} puts `{last.name}` "
            f"at positions {last.start} to {last.stop}.",
        )
    if (lengths > last.stop).any():
        rest = pc.ascii_trim_whitespace(pc.utf8_slice_codeunits(lines.as_text()[0], last.stop))
        for record in np.flatnonzero(pc.not_equal(rest, ""))[:1]:
            lines.refuse(
                record,
                f"found {rest[int(record)].as_py()[:40]!r} after position {last.stop}, where the "
                f"last variable of {described.path} ends. Describe it, or remove it.",
            )


def _bytes(lines: Lines, variable: Variable) -> pa.Array:
    """Return a field of ASCII lines: the bytes at its positions, put one after the other."""
    size, first = variable.length, variable.start - 1
    if lines.step is not None:
        grid = np.lib.stride_tricks.as_strided(
            lines.data[lines.starts[0] + first :], (len(lines), size), (lines.step, 1)
        )
        characters = np.ascontiguousarray(grid)
    else:
        characters = lines.data[lines.starts[:, None] + np.arange(first, first + size)]
    kind = pa.string() if characters.size < 2**31 else pa.large_string()
    offsets = np.arange(len(lines) + 1, dtype="i4" if kind == pa.string() else "i8") * size
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(characters)]
    return pa.Array.from_buffers(kind, len(lines), buffers)


def _parted(lines: Lines, described: Description) -> Iterator[pa.Array]:
    """Part the fields of the lines at the separator; quotes may stand around a field."""
    names = [variable.name for variable in described.variables]
    wrong: list[Any] = []

    def note(row: Any) -> str:
        wrong.append(row)
        return "error"

    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(lines.data)),
            arrow_csv.ReadOptions(
                column_names=names, skip_rows=int(described.has_header), use_threads=False
            ),
            arrow_csv.ParseOptions(delimiter=described.separator, invalid_row_handler=note),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
    except pa.ArrowException as error:
        if not wrong:
            raise InputError(
                f"{lines.path} cannot be read: {str(error).splitlines()[0]}"
            ) from error
        record = wrong[0].number - 1 - int(described.has_header)
        lines.refuse(
            record,
            f"expected {len(names)} fields parted by {described.separator!r}, found "
            f"{wrong[0].actual_columns}.",
        )
    for variable, column in zip(described.variables, table.columns, strict=True):
        yield _not_longer(lines, variable, pa.concat_arrays(column.chunks))


def _not_longer(lines: Lines, variable: Variable, field: pa.Array) -> pa.Array:
    field = pc.ascii_trim_whitespace(field)
    longer = np.asarray(pc.greater(pc.utf8_length(field), variable.length))
    for record in np.flatnonzero(longer)[:1]:
        lines.refuse(
            record,
            f"`{variable.name}` has {variable.length} characters at most by its description; "
            f"found {field[int(record)].as_py()!r}.",
        )
    return field
