"""Pairing: which original record each protected record comes from, and how that is known.

Records are paired by what is said (the name of an identifier, the frames' index, their position, or
the mapping that a release keeps), else by what is known: that one was made of the other here, an
identifier that was declared, or the labels that pandas carried along. Nothing is guessed: where
neither is there, whatever needs pairs refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Role
from tacita.data.classes import Ints, comparable
from tacita.data.dataset import FROM_NOBODY, Dataset
from tacita.data.read import as_dataset
from tacita.errors import InputError, ParameterError, did_you_mean, load_extra, shown

INDEX, POSITION = "index", "position"
WAYS = (INDEX, POSITION)
UNPAIRED = (
    "Nobody knows which records belong together; say it with `pair_by`: the name of an identifier "
    "in both data sets, `index` for the labels of pandas frames, or `position` for records in the "
    "same order."
)
OF_NOBODY = (
    "Fully synthetic records come from nobody, so that none has an original record beside it; "
    "compare distributions (`propensity`, `total_variation`) or distances (`closest_records`) "
    "instead."
)

PairBy = str | Iterable[str]


def as_pair(original: Any, protected: Any, by: PairBy | None = None) -> tuple[Dataset, Dataset]:
    """Take two files as data sets, of which the second says which records of the first it is of.

    Args:
        original: the data before masking: microdata or a data frame.
        protected: the data after masking.
        by: how records are paired: the name of an identifier in both data sets, or several names
            that identify together; `index`, the labels of pandas frames; or `position`, where the
            records stand in the same order. When left out, by what is known; where nothing is, the
            data stay unpaired, and what needs pairs refuses.

    Raises:
        InputError: the records cannot be paired in the way that is said.
    """
    before = as_dataset(original)
    if protected is original:
        return before, before
    after = as_dataset(protected, like=before)
    if by is None:
        known = after.is_synthetic or after.lineage == before.lineage
        rows = None if known else _known(before, after)
    elif after.is_synthetic:
        raise InputError(OF_NOBODY)
    else:
        rows = _said(before, after, by)
    return before, after if rows is None else descended(after, before, rows)


def paired_rows(original: Dataset, protected: Dataset) -> Ints:
    """Return for every protected record the original record it comes from.

    Raises:
        InputError: nobody knows which records belong together, or the protected ones are synthetic
            and come from nobody.
    """
    if original is protected:
        return np.arange(len(protected))
    if protected.is_synthetic:
        raise InputError(OF_NOBODY)
    rows = _known(original, protected)
    if rows is None:
        raise InputError(UNPAIRED)
    return rows


def are_paired(original: Dataset, protected: Dataset) -> bool:
    """Tell whether it is known from which original record each protected one comes."""
    try:
        paired_rows(original, protected)
    except InputError:
        return False
    return True


def descended(data: Dataset, original: Dataset, rows: Ints) -> Dataset:
    """Return data whose records are known to come from these records of others.

    Args:
        data: the data.
        original: those they come from.
        rows: the place there of every record; -1 of one that comes from nobody.
    """
    source = original.source_rows
    places = np.where(rows == FROM_NOBODY, FROM_NOBODY, source[rows] if len(source) else rows)
    return replace(data, rows=places, lineage=original.lineage)


# -- what is known --------------------------------------------------------------------------------


def _known(original: Dataset, protected: Dataset) -> Ints | None:
    """Return the original record of every protected one as far as data say it; else None.

    Raises:
        InputError: the data say different things.
    """
    if protected.descends_from(original):
        return _by_lineage(original, protected)
    ways: dict[str, Callable[[], Ints]] = {
        name: lambda name=name: _by_names(original, protected, [name])  # type: ignore[misc]
        for name in original.with_role(Role.IDENTIFIER)
        if name in protected.attributes
    }
    if protected.origin.index is not None:
        ways[INDEX] = lambda: _by_index(original, protected)
    found: dict[str, Ints] = {}
    for way, pair in ways.items():
        try:
            found[way] = pair()
        except InputError:  # what does not name every record once says nothing
            continue
    for way, rows in found.items():
        first = next(iter(found))
        if not np.array_equal(rows, found[first]):
            raise InputError(
                f"By `{first}` other records belong together than by `{way}`; say with `pair_by` "
                "which of them is right."
            )
    return next(iter(found.values()), None)


def _by_lineage(original: Dataset, protected: Dataset) -> Ints:
    """Pair records by their rows in the source; the original may itself be a part of it."""
    order = np.argsort(original.source_rows, kind="stable")
    rows = protected.source_rows
    places = np.searchsorted(original.source_rows, rows, sorter=order)
    found = order[np.minimum(places, len(order) - 1)] if len(order) else places
    if len(rows) and not (len(order) and np.array_equal(original.source_rows[found], rows)):
        raise InputError("The protected data do not come from these original data.")
    return np.asarray(found)


# -- what is said ---------------------------------------------------------------------------------


def _said(original: Dataset, protected: Dataset, by: PairBy) -> Ints:
    """Pair records as somebody says; never against what is known of how the data were made."""
    rows = _as_said(original, protected, by)
    if protected.descends_from(original) and not np.array_equal(
        rows, _by_lineage(original, protected)
    ):
        raise InputError(
            f"By {_named(by)} other records belong together than those of which the protected data "
            "were made here; leave out `pair_by`."
        )
    return rows


def _as_said(original: Dataset, protected: Dataset, by: PairBy) -> Ints:
    names = [by] if isinstance(by, str) else list(by) if isinstance(by, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise ParameterError(
            "`pair_by` should be the name of an identifier, several names, `index` or `position`; "
            f"found {shown(by)}."
        )
    if isinstance(by, str) and by in WAYS:
        if by in original.attributes and by in protected.attributes:
            raise InputError(
                f"`{by}` is the name of an attribute and of a way to pair records; give the "
                "attribute another name."
            )
        return (_by_index if by == INDEX else _by_position)(original, protected)
    return _by_names(original, protected, names)


def _by_position(original: Dataset, protected: Dataset) -> Ints:
    if len(original) != len(protected):
        raise InputError(
            f"The protected data have {len(protected):,} records and the original "
            f"{len(original):,}, so that their position cannot pair them; give `pair_by` the name "
            "of an identifier, or only those original records that were released."
        )
    return np.arange(len(protected))


def _by_index(original: Dataset, protected: Dataset) -> Ints:
    """Pair records by the labels of pandas frames."""
    labels = [_labels(data) for data in (original, protected)]
    known, asked = labels
    if not (known.is_unique and asked.is_unique):
        raise InputError(
            f"The index of the {'protected' if known.is_unique else 'original'} data has labels "
            "that several records share, so that it pairs nobody."
        )
    return _all_found(np.asarray(known.get_indexer(asked)), "label")


def _labels(data: Dataset) -> Any:
    """Return the labels of a pandas frame; the numbers of the records where it has no others."""
    if data.origin.backend != "pandas":
        raise InputError(
            "Only pandas frames have an index to pair records by; give `pair_by` the name of an "
            "identifier, or `position`."
        )
    if data.origin.index is not None:
        return data.origin.index
    return load_extra("pandas", "frames").RangeIndex(len(data))


def _by_names(original: Dataset, protected: Dataset, names: Sequence[str]) -> Ints:
    """Pair records by the values of attributes that identify each of them."""
    from tacita.kernels.grouping import group

    columns = [_in_one_type(original, protected, name) for name in names]
    ids = group([comparable(column)[0] for column in columns]).ids
    known, asked = ids[: len(original)], ids[len(original) :]
    for word, side in (("original", known), ("protected", asked)):
        if len(np.unique(side)) < len(side):
            raise InputError(
                f"Several {word} records have the same {_named(names)}, which then pairs nobody; "
                "name what tells all records apart."
            )
    places = np.full(len(ids), FROM_NOBODY)
    places[known] = np.arange(len(known))
    return _all_found(places[asked], _named(names))


def _in_one_type(original: Dataset, protected: Dataset, name: str) -> pa.Array:
    """Return the values of an attribute in both data sets, the original ones first."""
    columns = []
    for word, data in (("original", original), ("protected", protected)):
        if name not in data.attributes:
            raise InputError(
                f"`pair_by` names `{name}`, which is not in the {word} data."
                f"{did_you_mean(name, [*data.names, *WAYS])}"
            )
        columns.append(data.column(name))
        if columns[-1].null_count:
            raise InputError(f"`{name}` has blanks in the {word} data; they pair nobody.")
    types = [column.type for column in columns]
    if types[0] != types[1]:
        numbers = all(map(_is_number, types))
        columns = [column.cast(pa.float64() if numbers else pa.string()) for column in columns]
    return pa.concat_arrays(columns)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _all_found(rows: Ints, by: str) -> Ints:
    missing = np.flatnonzero(rows == FROM_NOBODY)
    if len(missing):
        raise InputError(
            f"{len(missing):,} of {len(rows):,} protected records, of which record "
            f"{missing[0] + 1:,} is the first, have no original record of the same {by}."
        )
    return np.asarray(rows, np.int64)


def _named(by: PairBy) -> str:
    names = [by] if isinstance(by, str) else list(by)
    return ", ".join(f"`{name}`" for name in names)
