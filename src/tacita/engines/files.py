"""The files that a path, a folder or a pattern names, and the columns they have in common."""

from __future__ import annotations

import codecs
import glob
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import chain
from os import PathLike
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tacita.data.formats.delimited import Source as Text
from tacita.data.formats.delimited import open_source, refuse_structure
from tacita.data.formats.encoding import Bytes, decoded
from tacita.data.formats.names import check_names
from tacita.data.formats.whole_files import is_file, is_folder, names_in
from tacita.data.frames import plain
from tacita.engines.lines import BLOCK, Lines, lines_of
from tacita.errors import InputError, OutputError, did_you_mean

Source = str | PathLike[str]

SUFFIXES: Mapping[str, str] = {
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), "feather"),
}
WRITTEN = frozenset({"parquet", "csv"})
HELD = 2**28  # bytes of a text file that are held in memory while they are looked over
PARTING = frozenset(',;\t|"\r\n')  # what makes a header of text files ambiguous


@dataclass(frozen=True)
class Files:
    """Files of one format with the same columns.

    Args:
        paths: where they lie, absolute and sorted.
        form: parquet, csv or feather.
        schema: the columns in plain types; the fields of a CSV file are text.
        delimiter: what parts the fields of a CSV file.
        lines: how the lines of a CSV file are written.
        untyped: for each Parquet file, the columns without a type, in which every value is blank.
    """

    paths: tuple[Path, ...]
    form: str
    schema: pa.Schema
    delimiter: str = ","
    lines: Lines = field(default_factory=Lines)
    untyped: tuple[frozenset[str], ...] = ()


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
    lines = reduce(Lines.and_those, (one.lines for one in described))
    untyped = tuple(chain.from_iterable(one.untyped for one in described))
    return replace(described[0], paths=tuple(paths), lines=lines, untyped=untyped)


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
    if not isinstance(source, str | PathLike):
        raise InputError(
            "Expected the path of a file or folder, or a pattern, to scan; found "
            f"{type(source).__name__}. Data in memory are read by tacita.read."
        )
    path = Path(source)
    if is_file(path):
        return [path.resolve()]
    if is_folder(path):
        return _inside(path)
    if files := _fitting(str(source)):
        return files
    if glob.has_magic(str(source)):
        raise InputError(f"No file fits the pattern {source}.")
    near = did_you_mean(path.name, names_in(path.parent))
    raise InputError(f"There is no file or folder {path}.{near}")


def _fitting(pattern: str) -> list[Path]:
    """List the files that fit a pattern, in which `**` stands for any folders."""
    names = set(glob.glob(pattern, recursive=True))  # noqa: PTH207
    found = sorted(Path(name).resolve() for name in names)
    files = [path for path in found if path.is_file()]
    for folder in set(found).difference(files):
        _refuse_left_out(pattern, folder, files)
    return files


def _refuse_left_out(source: Source, folder: Path, files: Sequence[Path]) -> None:
    """Refuse to read a part of a folder and say nothing of the rest."""
    taken = frozenset(files)
    below = glob.iglob(f"{glob.escape(str(folder))}/**/*", recursive=True)  # noqa: PTH207
    for path in map(Path, below):
        if _is_data(path, folder) and path.resolve() not in taken:
            raise InputError(
                f"{source} leaves out {path}, in a folder inside; name the files to scan by a "
                f"pattern such as `{folder}/**/*{path.suffix}`."
            )


def _is_data(path: Path, folder: Path) -> bool:
    """Tell a file with data in a folder from what other programs put beside them."""
    hidden = any(part[0] in "._" for part in path.relative_to(folder).parts)
    return not hidden and path.suffix.lower() in SUFFIXES and path.is_file()


def _inside(folder: Path) -> list[Path]:
    """List the files of a folder, without what other programs put beside them."""
    resolved = folder.resolve()
    known = [entry for entry in sorted(resolved.iterdir()) if _is_data(entry, resolved)]
    _refuse_left_out(folder, resolved, known)
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
    untyped = frozenset(one.name for one in schema if pa.types.is_null(one.type))
    return Files((path,), "parquet", _countable(path, schema), untyped=(untyped,))


def _feather(path: Path) -> Files:
    try:
        with pa.OSFile(str(path)) as file, pa.ipc.open_file(file) as reader:
            schema = reader.schema
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, "an Arrow file", error) from error
    return Files((path,), "feather", _countable(path, schema))


def _csv(path: Path) -> Files:
    """Look over a text file once: an engine would not say where it is faulty, or not notice."""
    text = open_source(decoded(path, "utf-8", held=HELD), None)
    refuse_structure(text)
    _refuse_header(path, text)
    if not _is_utf8(text.data):
        raise InputError(
            f"{path} is not in UTF-8, as a scan needs it; read it with tacita.read, which takes an "
            "`encoding`, and write it as Parquet."
        )
    schema = pa.schema([(name, pa.string()) for name in text.names])
    lines = lines_of(path, text.data, text.delimiter)
    return Files((path,), "csv", schema, text.delimiter, lines)


def _refuse_header(path: Path, text: Text) -> None:
    """Refuse a header that is not the first line, and only it."""
    if text.data[0] in b"\r\n" or any(set("\r\n") & set(name) for name in text.names):
        raise InputError(
            f"{path}: a scan needs the names of the attributes on the first line, and no line end "
            "in a name; correct the header, or read the file with tacita.read."
        )


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
    for column in found:
        if not is_countable(column.type):
            raise InputError(
                f"{path}: attribute `{column.name}` holds {column.type}; a scan counts numbers, "
                "text, true and false, dates and times. Read the file with tacita.read."
            )
    return pa.schema([(column.name, day_type(column.type)) for column in found])


def is_countable(kind: pa.DataType) -> bool:
    """Tell whether every engine can count values of a type."""
    types = pa.types
    exact = types.is_integer(kind) or types.is_decimal128(kind) or types.is_boolean(kind)
    real = types.is_float32(kind) or types.is_float64(kind)
    dated = types.is_date(kind) or types.is_timestamp(kind)
    return bool(exact or real or dated or types.is_string(kind))


def day_type(kind: pa.DataType) -> pa.DataType:
    """Return the one type that engines have for days; others stay as they are."""
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
