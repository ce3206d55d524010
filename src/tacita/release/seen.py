"""Released data as the reader of their file sees them: what is judged is what is shown."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.dataset import Dataset
from tacita.data.formats import FORMATS, Format, kind_of_values

KEEP_WIDTH = ("parquet", "feather")  # the formats in which a narrow number is read as one


def as_read(data: Dataset, suffix: str) -> Dataset:
    """Return data as a reader of the released file sees them.

    There is one zero, sets have no order, released text files do not tell empty from missing (few
    readers do, so that nobody is told apart by it), and few formats say what codes mean or why
    values are missing. Labels of values that nobody is left with are gone.

    Args:
        data: the data to be released.
        suffix: the format of the file, by its suffix.
    """
    known = FORMATS[f".{suffix}"]
    columns = [_shown(column, known) for column in data.table.columns]
    shown = replace(data, table=pa.table(columns, names=data.names))
    told = _without_untold_labels(without_untold_reasons(shown, suffix), known)
    return told.with_held_meaning()


def without_untold_reasons(data: Dataset, suffix: str) -> Dataset:
    """Return data without the reasons of missing values that a format cannot say.

    Masking starts from them, too: it need not hide what nobody will see.
    """
    kept = FORMATS[f".{suffix}"].keeps_reasons
    lost = [name for name in data.missing_reasons if kind_of_values(data.column(name)) not in kept]
    return data.without_reasons(lost)


def emptied(data: Dataset, suffix: str) -> list[str]:
    """Return the attributes whose empty text leaves as missing values."""
    if FORMATS[f".{suffix}"].keeps_empty:
        return []
    return [
        name
        for name in data.names
        if pa.types.is_string(data.column(name).type)
        and pc.any(pc.equal(data.column(name), "")).as_py()
    ]


def _without_untold_labels(data: Dataset, known: Format) -> Dataset:
    attributes = dict(data.attributes)
    for name, attribute in data.attributes.items():
        labelled = bool(attribute.meaning.value_labels)
        if labelled and kind_of_values(data.column(name)) not in known.keeps_labels:
            attributes[name] = replace(attribute, meaning=attribute.meaning.recoded())
    return replace(data, attributes=attributes)


def _shown(column: pa.ChunkedArray, known: Format) -> pa.ChunkedArray:
    if column.type == pa.float32() and known.module not in KEEP_WIDTH:
        # A text shows the fewest digits of a narrow number, which are another wide one.
        written = column.cast(pa.string()) if known.module == "csv" else column
        column = written.cast(pa.float64())
    if pa.types.is_floating(column.type):
        return pc.add(column, pa.scalar(0.0, column.type))  # which makes one zero of two
    if pa.types.is_list(column.type):
        return _sorted_sets(column, known)
    if pa.types.is_string(column.type) and not known.keeps_empty:
        return pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
    return column


def _sorted_sets(column: pa.ChunkedArray, known: Format) -> pa.ChunkedArray:
    """Return sets with each member once, in order; an empty one may be as good as missing."""
    sets = [None if row is None else sorted(set(row) - {None}) for row in column.to_pylist()]
    shown = [row if row or known.keeps_empty else None for row in sets]
    return pa.chunked_array([pa.array(shown, column.type)])
