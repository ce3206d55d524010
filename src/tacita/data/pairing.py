"""Pairing: which original record each protected record comes from, and how that is known.

Records are paired by what is said (the name of an identifier, the frames' index, their position, or
the numbers of source records that a release keeps in its `internal` folder), else by what is known:
that one was made of the other here, an identifier that was declared, or the labels that pandas
carried along. Nothing is guessed: where neither is there, whatever needs pairs refuses. Only
attacks guess, by the best assignment, and say so: `microdata.risk.linking.assignment`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tacita.data.attribute import Role
from tacita.data.classes import Ints, comparable
from tacita.data.dataset import FROM_NOBODY, Dataset
from tacita.data.read import as_dataset
from tacita.errors import InputError, ParameterError, did_you_mean, load_extra, shown

INDEX, POSITION, ASSIGNMENT = "index", "position", "assignment"
WAYS = (INDEX, POSITION, ASSIGNMENT)
DENSE = 4  # rows of the source for each record, up to which a table of them is no waste
RECORDS, SOURCE_RECORD = "records.parquet", "source_record"  # what a release keeps of its pairs
INTERNAL = "internal"
UNPAIRED = (
    "Nobody knows which records belong together; say it with `pair_by` (`--pair-by`): the name of "
    "an identifier in both data sets, `index` for the labels of pandas frames, `position` for "
    "records in the same order, the path of the `internal` folder of a release made here, or, of "
    "an attack, `assignment` for the best guess."
)
NO_GUESS = (
    "`assignment` is an intruder's best guess at which records belong together; only risks and "
    "attacks are measured by it, since a loss would look as small as can be. Say with `pair_by` "
    "which records belong together."
)
OF_NOBODY = (
    "Fully synthetic records come from nobody, so that none has an original record beside it; "
    "compare distributions (`propensity`, `total_variation`) or distances (`closest_records`) "
    "instead."
)

PairBy = str | PathLike[str] | Iterable[str]


class Known(NamedTuple):
    """What is known of two files.

    Args:
        by: what says it: an identifier, `index`, or `lineage` of data that were masked here.
        rows: the original record of every protected one.
    """

    by: str
    rows: Ints


def as_pair(original: Any, protected: Any, by: PairBy | None = None) -> tuple[Dataset, Dataset]:
    """Take two files as data sets, of which the second says which records of the first it is of.

    Args:
        original: the data before masking: microdata or a data frame.
        protected: the data after masking.
        by: how records are paired: the name of an identifier in both data sets, or several names
            that identify together; `index`, the labels of pandas frames; `position`, where the
            records stand in the same order; or the path of the `internal` folder of a release
            (or of its `records.parquet`), for its records as they stand there. When left out, by
            what is known; where nothing is, the data stay unpaired, and what needs pairs refuses.

    Raises:
        InputError: the records cannot be paired in the way that is said.
    """
    before = as_dataset(original)
    if protected is original:
        return before, before
    after = as_dataset(protected, like=before)
    if by is None:
        if after.is_synthetic or after.lineage == before.lineage:
            return before, after
        known = known_pairs(before, after)
        return before, after if known is None else descended(after, before, known.rows)
    refuse_attribute(before, after, by)
    if by == ASSIGNMENT:
        raise InputError(NO_GUESS)
    return before, paired_as(before, after, by, lambda: _as_said(before, after, by))


def paired_as(
    original: Dataset, protected: Dataset, by: PairBy, rows: Callable[[], Ints]
) -> Dataset:
    """Return protected data whose records come from those that somebody says.

    Raises:
        InputError: they come from nobody, or it is known that they come from others.
    """
    if protected.is_synthetic:
        raise InputError(OF_NOBODY)
    found = rows()
    if protected.descends_from(original) and not np.array_equal(
        found, _by_lineage(original, protected)
    ):
        raise InputError(
            f"By {named(by)} other records belong together than those of which the protected data "
            "were made here; leave out `pair_by`."
        )
    return descended(protected, original, found)


def refuse_attribute(original: Dataset, protected: Dataset, by: PairBy) -> None:
    """Refuse a word that may mean an attribute as well as a way to pair records."""
    if by in WAYS and by in original.attributes and by in protected.attributes:
        raise InputError(
            f"`{by}` is the name of an attribute and of a way to pair records; give the "
            "attribute another name."
        )


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
    known = known_pairs(original, protected)
    if known is None:
        raise InputError(UNPAIRED)
    return known.rows


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


def known_pairs(original: Dataset, protected: Dataset) -> Known | None:
    """Return the original record of every protected one as far as data say it; else None.

    Raises:
        InputError: the data say different things.
    """
    if protected.descends_from(original):
        return Known("lineage", _by_lineage(original, protected))
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
    return next((Known(*one) for one in found.items()), None)


def _by_lineage(original: Dataset, protected: Dataset) -> Ints:
    """Pair records by their rows in the source; the original may itself be a part of it."""
    known, rows = original.source_rows, protected.source_rows
    if np.array_equal(rows, known) and np.array_equal(known, np.arange(len(known))):
        return np.arange(len(known))
    if _are_dense(known, rows):
        places = np.full(int(known.max()) + 1, -1)
        places[known[::-1]] = np.arange(len(known))[::-1]  # the first of equal ones is written last
        found = places[np.minimum(rows, len(places) - 1)]
    else:
        order = np.argsort(known, kind="stable")
        at = np.searchsorted(known, rows, sorter=order)
        found = order[np.minimum(at, len(order) - 1)] if len(order) else at
    if len(rows) and not (len(known) and np.array_equal(known[found], rows)):
        raise InputError("The protected data do not come from these original data.")
    return np.asarray(found)


def _are_dense(known: Ints, rows: Ints) -> bool:
    """Tell whether a table of all rows up to the last is about as long as the files."""
    if not len(known) or not len(rows) or min(known.min(), rows.min()) < 0:
        return False
    return bool(known.max() < DENSE * (len(known) + len(rows)))


# -- what is said ---------------------------------------------------------------------------------


def _as_said(original: Dataset, protected: Dataset, by: PairBy) -> Ints:
    if is_mapping(by, original):
        return _by_mapping(original, protected, Path(by))  # type: ignore[arg-type]
    names = [by] if isinstance(by, str) else list(by) if isinstance(by, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise ParameterError(
            "`pair_by` should be the name of an identifier, several names, `index`, `position`, "
            f"`assignment` or the path of a release's `internal` folder; found {shown(by)}."
        )
    if isinstance(by, str) and by in (INDEX, POSITION):
        return (_by_index if by == INDEX else _by_position)(original, protected)
    return _by_names(original, protected, names)


def is_mapping(by: PairBy | None, original: Dataset) -> bool:
    """Tell whether records are paired by the source record numbers that a release keeps."""
    if isinstance(by, PathLike):
        return True
    is_word = not isinstance(by, str) or by in WAYS or by in original.attributes
    return not is_word and (str(by).endswith(RECORDS) or Path(str(by)).is_dir())


def _by_mapping(original: Dataset, protected: Dataset, path: Path) -> Ints:
    """Pair records by the numbers of their records in the source, as a release keeps them."""
    places = (path / INTERNAL / RECORDS, path / RECORDS) if path.is_dir() else (path,)
    file = next((one for one in places if one.is_file()), places[-1])
    try:
        column = pq.read_table(file, columns=[SOURCE_RECORD]).column(0)
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"There is no `{RECORDS}` of a release at {file}; give `pair_by` the path of the "
            f"`{INTERNAL}` folder that belongs to the protected data."
        ) from error
    numbers = np.asarray(column.fill_null(0)).astype(np.int64) - 1
    if len(numbers) != len(protected):
        raise InputError(
            f"{file} is of {len(numbers):,} released records, and the protected data have "
            f"{len(protected):,}; give `pair_by` the folder that belongs to them."
        )
    places_of = np.full(max(numbers.max(initial=0), original.source_rows.max(initial=0)) + 1, -1)
    places_of[original.source_rows] = np.arange(len(original))
    return _all_found(np.where(numbers < 0, FROM_NOBODY, places_of[numbers]), "source record")


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
                f"Several {word} records have the same {named(names)}, which then pairs nobody; "
                "name what tells all records apart."
            )
    places = np.full(len(ids), FROM_NOBODY)
    places[known] = np.arange(len(known))
    return _all_found(places[asked], named(names))


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


def named(by: PairBy) -> str:
    """Return what pairs records as a person reads it.

    >>> named("id"), named(["house", "person"])
    ('`id`', '`house`, `person`')
    """
    names = [str(by)] if isinstance(by, str | PathLike) else list(by)
    return ", ".join(f"`{name}`" for name in names)
