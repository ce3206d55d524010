"""How a table is written as the lines of a delimited text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.formats.delimited import DELIMITERS, one_line
from tacita.data.formats.encoding import encoded
from tacita.errors import OutputError


class Style(NamedTuple):
    """How a text is written.

    Args:
        delimiter: what parts its fields.
        decimal: the decimal sign of its numbers.
        encoding: how its characters are coded.
    """

    delimiter: str
    decimal: str
    encoding: str

    @property
    def parts_numbers(self) -> bool:
        """Can the delimiter stand in a number, a date or true and false."""
        return self.delimiter == self.decimal or self.delimiter not in DELIMITERS


def header(names: list[str], style: Style) -> memoryview:
    """Write the header; if one name holds a delimiter or quote, all are quoted.

    Quotes on all sides leave no other reading of the header when the delimiter is to be found out.
    """
    cells = [pa.array([name], pa.large_string()) for name in names]
    special = {*DELIMITERS, style.delimiter, '"', "\r", "\n", "\ufeff"}
    if not all(names) or set("".join(names)) & special:
        written = ['"' + name.replace('"', '""') + '"' for name in names]
    else:
        written = names
    line = f"{style.delimiter.join(written)}\n"
    return _in_encoding(memoryview(line.encode()), style.encoding, names, cells)


def lines(batch: pa.RecordBatch, style: Style) -> memoryview:
    """Write records as the bytes of their lines."""
    names = batch.schema.names
    cells = [_cells(name, column, style) for name, column in zip(names, batch.columns, strict=True)]
    if len(cells) == 1:
        cells = [pc.fill_null(cells[0], '""')]
    joined = pc.binary_join_element_wise(
        *cells, _text(style.delimiter), null_handling="replace", null_replacement=""
    )
    ended = pc.binary_join_element_wise(joined, _text(""), _text("\n"))
    _, offsets, characters = ended.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)
    written = memoryview(characters)[ends[ended.offset] : ends[ended.offset + len(ended)]]
    return _in_encoding(written, style.encoding, names, cells)


def _in_encoding(
    lines: memoryview, encoding: str, names: list[str], cells: list[pa.Array]
) -> memoryview:
    """Put lines into an encoding, or refuse what would not be read back from it."""
    has_nul = not np.frombuffer(lines, np.uint8).all()
    if encoding == "utf-8" and not has_nul:
        return lines
    code = None if has_nul else encoded(str(lines, "utf-8"), encoding)
    if code is None:
        raise _unwritable(encoding, names, cells)
    return memoryview(code)


def _unwritable(encoding: str, names: list[str], cells: list[pa.Array]) -> OutputError:
    """Name the column and the character that an encoding cannot hold."""
    strange = (
        f"Column `{one_line(name)}` has the character {character!r}"
        for name, column in zip(names, cells, strict=True)
        for character in sorted(set("".join(column.drop_null().to_pylist())))
        if character == "\0" or encoded(character, encoding) is None
    )
    return OutputError(
        f"{next(strange, 'The delimiter is a character')}, which text in {encoding} cannot hold; "
        "replace it, or use another encoding or Parquet."
    )


# --- fields


def _text(value: str) -> pa.Scalar:
    return pa.scalar(value, pa.large_string())


def _cells(name: str, column: pa.Array, style: Style) -> pa.Array:
    """Write the values of a column as the text of their fields, quoted where needed."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _cells(name, column.dictionary_decode(), style)
    cells = fields_of(name, column, style)
    is_quoted = _is_text(kind) or _is_list(kind) or style.parts_numbers
    return _quoted(cells, style.delimiter) if is_quoted else cells


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def fields_of(name: str, column: pa.Array, style: Style) -> pa.Array:
    """Write the values of a column as the text of their fields, without quotes."""
    kind = column.type
    is_list = _is_list(kind)
    if pa.types.is_duration(kind.value_type if is_list else kind):  # its unit would be lost
        raise _not_text(name, kind)
    try:
        if is_list:
            return _joined(name, column)
        cells = pc.cast(column, pa.large_string())
    except pa.ArrowException as error:
        raise _not_text(name, kind) from error
    if pa.types.is_floating(kind):
        cells = _float_cells(column, cells)
    if style.decimal == "," and (pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        cells = pc.replace_substring(cells, ".", ",")
    return cells


def _not_text(name: str, kind: pa.DataType) -> OutputError:
    return OutputError(
        f"Column `{one_line(name)}` holds {kind}, which a text file cannot; leave it out or use "
        "Parquet."
    )


def _is_text(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _float_cells(column: pa.Array, cells: pa.Array) -> pa.Array:
    """Let whole numbers keep their point, so that they are read back as floats; NaN is missing."""
    cells = pc.if_else(pc.is_nan(column), pa.scalar(None, cells.type), cells)
    whole = pc.match_substring_regex(cells, "^-?[0-9]+$")
    return pc.if_else(whole, pc.binary_join_element_wise(cells, _text("0"), _text(".")), cells)


def _joined(name: str, column: pa.Array) -> pa.Array:
    """Join the values of each list by a bar; a missing one is empty between its bars."""
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    offsets = pa.array(np.concatenate(([0], np.cumsum(lengths))), pa.int32())
    values = pc.fill_null(pc.cast(column.flatten(), pa.string()), "")
    if pc.any(pc.match_substring(values, "|")).as_py():
        raise OutputError(
            f"Column `{one_line(name)}` has a member of a set that holds `|`, which parts members "
            "in text; use Parquet."
        )
    filled = pa.ListArray.from_arrays(offsets, values, mask=pc.is_null(column))
    return pc.cast(pc.binary_join(filled, "|"), pa.large_string())


def _quoted(cells: pa.Array, delimiter: str) -> pa.Array:
    """Put quotes around text that would be misread without them."""
    special = pc.or_(
        pc.match_substring_regex(cells, f'[\\x{ord(delimiter):02x}"\r\n]'),
        pc.equal(cells, _text("")),
    )
    if not pc.any(special).as_py():
        return cells
    doubled = pc.replace_substring(cells, '"', '""')
    return pc.if_else(
        special,
        pc.binary_join_element_wise(_text('"'), doubled, _text('"'), _text("")),
        cells,
    )
