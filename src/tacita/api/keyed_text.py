"""Keyed text: comma-delimited text whose last attribute is confidential and all others are keys.

The format of Sanchez, Martinez & Domingo-Ferrer (Science 351:1274, 2016). The first line names the
attributes; every other line is a record, in the original order. Only an empty text, and names among
which one holds a semicolon, are quoted. A range is
written `[min;max]`, a suppressed value `*`, a missing one as nothing.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tacita.api.microdata import Microdata
from tacita.data.attribute import Kind, Role
from tacita.data.dataset import Dataset
from tacita.data.declaration import Declaration
from tacita.data.formats import Contents, Layout, read_contents, write_contents
from tacita.data.read import dataset_of
from tacita.errors import InputError, OutputError
from tacita.microdata.comparing.representation import as_text

SUPPRESSED = "*"
COMMAS = Layout(delimiter=",")
# Beside stars, numbers are doubles, which would change longer ones.
NUMBERS = r"^(-?(0|[1-9][0-9]{0,14})(\.[0-9]+)?|\*)$"
PARTING = '[,"\r\n]'


def read_keyed_text(path: str | PathLike[str]) -> Microdata:
    r"""Read keyed text: the last attribute is confidential, those before it are keys.

    An attribute in which ranges stand is text. A code with leading zeros stays text, and so does
    one of more than 15 digits among suppressed values.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "some.txt"
    >>> _ = file.write_text("age_yrs,sex,charge\n[20;25],1,220449\n31,*,107179\n")
    >>> data = read_keyed_text(file)
    >>> data.keys, data.confidential, data.column("sex").to_pylist()
    (['age_yrs', 'sex'], ['charge'], [1.0, None])

    Raises:
        InputError: there is no such file, or it has fewer than two attributes.
    """
    contents = read_contents(path, COMMAS)
    names = contents.table.column_names
    if len(names) < 2:  # noqa: PLR2004 - a key and a confidential attribute
        raise InputError(
            f"Keyed text has a confidential attribute after at least one key; found {len(names)} "
            f"attribute in {path}. Check that commas part them."
        )
    said = {name: _declared(contents.table.column(name), Role.KEY) for name in names[:-1]}
    said[names[-1]] = _declared(contents.table.column(names[-1]), Role.CONFIDENTIAL)
    return Microdata.of(dataset_of(contents, said, source=path, layout=COMMAS))


def _declared(column: pa.ChunkedArray, role: Role) -> Declaration:
    """Say the role of an attribute, and that it holds numbers if all that is shown of it are."""
    if not pa.types.is_string(column.type):
        return Declaration(role=frozenset({role}))
    shown = pc.unique(column).drop_null()
    all_hidden = not len(shown) or shown.to_pylist() == [SUPPRESSED]
    numbers = pc.all(pc.match_substring_regex(shown, NUMBERS)).as_py() and not all_hidden
    kind = Kind.CONTINUOUS if numbers else None
    return Declaration(role=frozenset({role}), kind=kind, suppressed=(SUPPRESSED,))


def write_keyed_text(
    data: Dataset, path: str | PathLike[str], *, confidential: str | None = None
) -> None:
    """Write the keys and one confidential attribute as keyed text; other attributes are left out.

    Args:
        data: the data, whose records are written in their order.
        path: the file to write, with a name ending in `.txt` or `.csv`.
        confidential: the attribute that is written last; may be left out if there is one only.

    Raises:
        OutputError: the format cannot hold the data.
    """
    last = _last(data, confidential)
    keys = [name for name in data.keys if name != last]
    if not keys:
        raise OutputError(f"Keyed text has at least one key before `{last}`; declare some.")
    names = [*keys, last]
    table = pa.table({name: _written(data, name) for name in names})
    write_contents(Contents(table), Path(path), COMMAS)


def _last(data: Dataset, said: str | None) -> str:
    if said is not None:
        return data.attribute(said).name
    if len(data.confidential) != 1:
        found = ", ".join(data.confidential) or "none"
        raise OutputError(
            f"Keyed text ends with one confidential attribute; found {found}. Say which in "
            "`confidential`."
        )
    return data.confidential[0]


def _written(data: Dataset, name: str) -> pa.Array:
    """Return a column with stars for suppressed values.

    Raises:
        OutputError: its name or a value has a comma, a quote or a line break, which nothing hides,
            or it holds sets.
    """
    column, hidden = data.column(name), data.suppressed_in(name)
    if pa.types.is_list(column.type):
        raise OutputError(f"Keyed text holds single values, and `{name}` holds sets.")
    if hidden.any() or not pa.types.is_integer(column.type):
        column = pc.if_else(pa.array(hidden), SUPPRESSED, as_text(column))
        parting = pc.match_substring_regex(pc.unique(column).drop_null(), PARTING)
    else:
        parting = pa.array([], pa.bool_())
    if pc.any(parting).as_py() or set(name) & set(',"\r\n'):
        raise OutputError(
            f"Keyed text has no quotes, and `{name}` holds a comma, a quote or a line break; "
            "recode it, or write CSV."
        )
    return column
