"""The files that a path, a folder or a pattern names, and the columns they have in common."""

from __future__ import annotations

import codecs
import glob
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tacita.data.formats.delimited import open_source, refuse_structure
from tacita.data.formats.encoding import Bytes, decoded
from tacita.data.formats.names import check_names
from tacita.data.frames import plain
from tacita.errors import InputError, OutputError, did_you_mean

Source = str | PathLike[str]

SUFFIXES: Mapping[str, str] = {
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), "feather"),
}
WRITTEN = frozenset({"parquet", "csv"})
BLOCK = 2**24  # bytes of a text file that are looked at together
PARTING = frozenset(',;\t|"\r\n')  # what makes a header of text files ambiguous


@dataclass(frozen=True)
class Files:
    """Files of one format with the same columns.

    Args:
        paths: where they lie, absolute and sorted.
        form: parquet, csv or feather.
        schema: the columns in plain types; the fields of a CSV file are text.
        delimiter: what parts the fields of a CSV file.
        multiline: whether a CSV file has line ends inside quotes.
    """

    paths: tuple[Path, ...]
    form: str
    schema: pa.Schema
    delimiter: str = ","
    multiline: bool = False


def find_files(source: Source) -> Files:
    """Find the files that a source names, and make sure that they belong together."""
    paths = _named(source)
    forms = {form_of(path) for path in paths}
    if len(forms) > 1:
        raise InputError(
            f"{source} holds files of several formats ({', '.join(sorted(forms))}); name those "
            "to scan by a pattern such as `folder/*.parquet`."
        )
    try:
        described = [OPENED[form_of(path)](path) for path in paths]
    except OSError as error:
        where = error.filename or source
        raise InputError(f"Cannot read {where}: {error.strerror or error}.") from error
    for other in described[1:]:
        _refuse_other_columns(described[0], other)
    multiline = any(one.multiline for one in described)
    first = described[0]
    return Files(tuple(paths), first.form, first.schema, first.delimiter, multiline)


def form_of(path: Path) -> str:
    """Return the format that a file's suffix says.

    >>> form_of(Path("census.pq"))
    'parquet'
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(
            f"Cannot scan {path}: expected a name ending in {', '.join(SUFFIXES)}; found "
            f"`{suffix}`. Other formats are read into memory by tacita.read."
        )
    return SUFFIXES[suffix]


def written_form(path: Path) -> str:
    """Return the format that an engine is to write; refuse what not every engine can."""
    form = SUFFIXES.get(path.suffix.lower())
    if form not in WRITTEN:
        known = ", ".join(suffix for suffix, name in SUFFIXES.items() if name in WRITTEN)
        raise OutputError(f"Cannot tell how to write {path}: expected a name ending in {known}.")
    return form


def text_delimiter(path: Path, names: Sequence[str]) -> str:
    """Return what parts the fields of a text file to be written; refuse names that do as well."""
    for name in names:
        if PARTING & set(name):
            raise OutputError(
                f"The name `{name}` holds a character that parts fields or lines in text; rename "
                "the attribute or write Parquet."
            )
    return "\t" if path.suffix.lower() == ".tsv" else ","


def _named(source: Source) -> list[Path]:
    path = Path(source)
    if path.is_file():
        return [path.resolve()]
    if path.is_dir():
        return _inside(path)
    found = sorted(Path(name).resolve() for name in glob.glob(str(source)))  # noqa: PTH207
    if files := [one for one in found if one.is_file()]:
        return files
    if glob.has_magic(str(source)):
        raise InputError(f"No file fits the pattern {source}.")
    near = sorted(entry.name for entry in path.parent.iterdir()) if path.parent.is_dir() else []
    raise InputError(f"There is no file or folder {path}.{did_you_mean(path.name, near)}")


def _inside(folder: Path) -> list[Path]:
    """List the files of a folder, without what other programs put beside them."""
    entries = sorted(folder.resolve().iterdir())
    shown = [entry for entry in entries if entry.name[0] not in "._" and entry.is_file()]
    known = [entry for entry in shown if entry.suffix.lower() in SUFFIXES]
    if not known:
        raise InputError(
            f"The folder {folder} holds no file ending in {', '.join(SUFFIXES)}; name another."
        )
    return known


# -- the columns ----------------------------------------------------------------------------------


def _parquet(path: Path) -> Files:
    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, "a Parquet file", error) from error
    return Files((path,), "parquet", _countable(path, schema))


def _feather(path: Path) -> Files:
    try:
        with pa.OSFile(str(path)) as file, pa.ipc.open_file(file) as reader:
            schema = reader.schema
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, "an Arrow file", error) from error
    return Files((path,), "feather", _countable(path, schema))


def _csv(path: Path) -> Files:
    """Look over a text file once: an engine would not say where it is faulty, or not notice."""
    text = open_source(decoded(path, "utf-8"), None)
    refuse_structure(text)
    if not _is_utf8(text.data):
        raise InputError(
            f"{path} is not in UTF-8, as a scan needs it; read it with tacita.read, which takes an "
            "`encoding`, and write it as Parquet."
        )
    schema = pa.schema([(name, pa.string()) for name in text.names])
    return Files((path,), "csv", schema, text.delimiter, text.multiline)


def _is_utf8(data: Bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, data.size, BLOCK):
            decoder.decode(data[start : start + BLOCK].data)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


OPENED: Mapping[str, Callable[[Path], Files]] = {
    "parquet": _parquet,
    "feather": _feather,
    "csv": _csv,
}


def _damaged(path: Path, what: str, error: Exception) -> Exception:
    """Tell a damaged file from one that the system does not give."""
    if isinstance(error, OSError) and error.errno:
        return error
    return InputError(f"{path} is not {what}, or it is damaged or cut off; write or copy it again.")


def _countable(path: Path, schema: pa.Schema) -> pa.Schema:
    """Return the columns in plain types; refuse those whose values not every engine can count."""
    check_names(schema.names, path)
    found = plain(schema.empty_table()).schema
    for field in found:
        if not is_countable(field.type):
            raise InputError(
                f"{path}: attribute `{field.name}` holds {field.type}; a scan counts numbers, "
                "text, true and false, dates and times. Read the file with tacita.read."
            )
    return pa.schema([(field.name, _day(field.type)) for field in found])


def is_countable(kind: pa.DataType) -> bool:
    """Tell whether every engine can count values of a type."""
    types = pa.types
    exact = types.is_integer(kind) or types.is_decimal128(kind) or types.is_boolean(kind)
    real = types.is_float32(kind) or types.is_float64(kind)
    dated = types.is_date(kind) or types.is_timestamp(kind)
    return bool(exact or real or dated or types.is_string(kind))


def _day(kind: pa.DataType) -> pa.DataType:
    return pa.date32() if pa.types.is_date64(kind) else kind


def _refuse_other_columns(first: Files, other: Files) -> None:
    if first.schema.equals(other.schema) and first.delimiter == other.delimiter:
        return
    raise InputError(
        f"{first.paths[0]} and {other.paths[0]} do not belong together: "
        f"{_difference(first, other)}. The files of one scan have the same columns."
    )


def _difference(first: Files, other: Files) -> str:
    for one, two in zip(first.schema, other.schema, strict=False):
        if one.name != two.name:
            return f"where one has the attribute `{one.name}`, the other has `{two.name}`"
        if one.type != two.type:
            return f"`{one.name}` holds {one.type} in one and {two.type} in the other"
    if first.delimiter != other.delimiter:
        return (
            f"fields are parted by {first.delimiter!r} in one and {other.delimiter!r} in the other"
        )
    return f"one has {len(first.schema)} attributes and the other {len(other.schema)}"
