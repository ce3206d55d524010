"""Ready-made tables of tau-ARGUS: a `.tab` file with a line a cell, and its `.rda` description.

What the fields of a line are, which codes are totals and how codes lie below each other is said in
the description; see ``description``. Statuses are S safe, U sensitive, M secondary, P published
whatever happens and E empty, unless the description chooses other words for S, U and P.

The values of suppressed cells are in the file: it is for the protection of a table inside an
office, never for publication. What it does not hold: bounds known beforehand, sliding protection
levels, reasons, and which contributors asked for protection.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import numpy as np

from tacita.data.formats.atomic import atomic_file
from tacita.data.formats.rda import find, said_codes
from tacita.data.hierarchies.files import hrc
from tacita.data.hierarchies.tree import Tree
from tacita.errors import InputError, OutputError, ParameterError, did_you_mean
from tacita.tables.dimension import Dimension
from tacita.tables.formats.description import (
    NUMBER,
    Description,
    Field,
    dimension_of,
    read_description,
)
from tacita.tables.formats.intermediate import LETTERS
from tacita.tables.formats.listing import (
    CODE,
    UNFIT,
    UNUSED,
    Listing,
    Spanning,
    code_columns,
    lines_text,
    number_column,
    refuse_unlisted,
    rows_of,
)
from tacita.tables.formats.text import write_texts
from tacita.tables.status import Status
from tacita.tables.table import Table

Decimal = Literal["point", "comma"]

SEPARATOR = ";"
LEADING = "@"
HEADER = f'<SEPARATOR> "{SEPARATOR}"\n<SAFE> "S"\n<UNSAFE> "U"\n<PROTECT> "P"\n'


# --- reading


def read(
    path: Path,
    *,
    metadata: Path | str | None = None,
    value: str | None = None,
    by: Spanning | None = None,
) -> Table:
    """Read a table from a `.tab` file.

    Args:
        path: the file.
        metadata: its description; the `.rda` file of the same name beside it when left out.
        value: the field whose values add up; the first that is a plain number when left out, and
            the frequency where there is none.
        by: the attributes that span the table, in the order of the codes; as the
            description says them when left out.

    Raises:
        InputError: a line of either file cannot be understood.
    """
    path = Path(path)
    description = read_description(_described(path, metadata))
    rows = rows_of(path, description.separator)
    chosen = _value_field(description, value)
    roles = [_role(known, chosen) for known in description.fields]
    spanning = [known for known in description.fields if known.role == CODE]
    if not spanning:
        raise InputError(f"{description.path} says of no variable that it is <RECODEABLE>.")
    is_count = "FREQUENCY" in chosen.tags
    listing = Listing(
        path,
        rows,
        roles,
        description.statuses,
        [known.name for known in spanning],
        None if is_count else chosen.name,
        "count" if is_count else "sum",
    )
    if by is None:
        held = listing.codes()
        by = [
            dimension_of(description, known, codes)
            for known, codes in zip(spanning, held, strict=True)
        ]
    return _with_frequency(listing.table(by), roles)


def _described(path: Path, metadata: Path | str | None) -> Path:
    if metadata is not None:
        return Path(metadata)
    found = find(path.parent, f"{path.stem}.rda") if path.parent.is_dir() else None
    if found is None:
        raise InputError(
            f"There is no description {path.with_suffix('.rda').name} beside {path}; say where it "
            "is with `metadata`."
        )
    return found


def _value_field(description: Description, value: str | None) -> Field:
    """Choose the field whose values add up."""
    names = [known.name for known in description.fields]
    if value is not None:
        if value not in names:
            raise ParameterError(
                f"{description.path} has no variable `{value}`.{did_you_mean(value, names)}"
            )
        return description.fields[names.index(value)]
    plain = [known for known in description.fields if known.role == NUMBER]
    counts = [known for known in description.fields if known.role == "frequency"]
    if not plain and not counts:
        raise InputError(f"{description.path} says of no variable that it is <NUMERIC>.")
    return (plain or counts)[0]


def _role(known: Field, chosen: Field) -> str:
    if known is chosen:
        return "value"
    return UNUSED if known.role == NUMBER else known.role


def _with_frequency(table: Table, roles: list[str]) -> Table:
    """Take the counts of a table of counts as its frequencies, too."""
    if table.statistic != "count" or "frequency" in roles:
        return table
    counts = table.cells.value
    contributors = table.cells.contributors if "contributors" in roles else counts
    return table.with_cells(frequency=counts, contributors=contributors)


# --- writing


def write(table: Table, path: Path, *, decimal: Decimal = "point") -> None:
    """Write a table to a `.tab` file, with its description, hierarchies and code lists beside it.

    Args:
        table: the table.
        path: the file; the others have the same stem and end in `.rda`, `.hrc` and `.cdl`.
        decimal: whether a `point` or a `comma` stands in numbers; tau-ARGUS expects what the
            computer it runs on is set to.

    Raises:
        OutputError: the files cannot hold the table or cannot be written.
    """
    path = Path(path)
    _refuse(table, path)
    figures = list(_figures(table))
    words = [column if decimal == "point" else _with_comma(column) for _, column in figures]
    spanning = [_spanning(axis, path, place) for place, axis in enumerate(table.dimensions)]
    fields = [*spanning, *(known for known, _ in figures)]
    described = HEADER + "".join(f"{line}\n" for known in fields for line in known.lines())
    texts = {
        path: lines_text([*code_columns(table, path), *words], SEPARATOR),
        path.with_suffix(".rda"): described,
    }
    for place, axis in enumerate(table.dimensions):
        if axis.labels:
            texts[_beside(path, place, "cdl")] = said_codes(axis.labels)
    with ExitStack() as written:
        for place, axis in enumerate(table.dimensions):
            if tree := _tree(axis):
                file = written.enter_context(atomic_file(_beside(path, place, "hrc")))
                hrc.write(tree, file, leading=LEADING)
        write_texts(texts)


def _refuse(table: Table, path: Path) -> None:
    refuse_unlisted(table, path)
    for axis in table.dimensions:
        if len(axis.parents) > 1:
            raise OutputError(
                f"A `.tab` file has one hierarchy for each attribute; `{axis.name}` has "
                f"{len(axis.parents)}. Write a table for each, or a `.jj` file."
            )
        for label in axis.labels.values():
            _refuse_unfit(label.replace('"', ""), path)  # a code list holds quotes
        for word in (axis.name, axis.total, *axis.missing):
            _refuse_unfit(word, path)
    _refuse_unfit(table.variable or "", path)


def _refuse_unfit(word: str, path: Path) -> None:
    if '"' in word or UNFIT.search(word):
        raise OutputError(
            f"{word!r} cannot be written beside {path}: it holds a quote or a line end. Rename it "
            "first."
        )


def _spanning(axis: Dimension, path: Path, place: int) -> Field:
    """Describe the field of an attribute's codes."""
    tags: dict[str, tuple[str, ...]] = {"RECODEABLE": (), "TOTCODE": (axis.total,)}
    if axis.labels:
        tags["CODELIST"] = (_beside(path, place, "cdl").name,)
    if _tree(axis):
        tags["HIERARCHICAL"] = ()
        tags["HIERCODELIST"] = (_beside(path, place, "hrc").name,)
        tags["HIERLEADSTRING"] = (LEADING,)
    return Field(axis.name, tuple(code for code in axis.codes if code in axis.missing), tags)


def _figures(table: Table) -> Iterator[tuple[Field, list[str]]]:
    """Describe what is known of the cells, field by field, with the words that say it."""
    cells = table.cells
    counts = table.statistic == "count" and np.array_equal(cells.value, cells.frequency)
    if not counts:
        yield _number(table.variable or "Value"), number_column(cells.value)
    if counts or not np.isnan(cells.frequency).all():
        yield Field("Records", (), {"FREQUENCY": ()}), number_column(cells.frequency)
    if not np.array_equal(cells.contributors, cells.frequency, equal_nan=True):
        yield Field("Contributors", (), {"HOLDING": ()}), number_column(cells.contributors)
    yield _number("Shadow", "SHADOW"), number_column(cells.total)
    yield _number("Cost", "COST"), number_column(cells.cost)
    for place, column in enumerate(cells.largest.T, start=1):
        yield Field(f"Top{place}", (), {"MAXSCORE": ()}), number_column(column)
    statuses = [LETTERS[Status(status)] for status in cells.status.tolist()]
    yield Field("Status", (), {"STATUS": ()}), statuses
    yield _number("LowerLevel", "LOWERPL"), number_column(cells.lower_level)
    yield _number("UpperLevel", "UPPERPL"), number_column(cells.upper_level)


def _number(name: str, *tags: str) -> Field:
    return Field(name, (), dict.fromkeys((NUMBER, *tags), ()))


def _with_comma(words: list[str]) -> list[str]:
    return [word.replace(".", ",") for word in words]


def _beside(path: Path, place: int, suffix: str) -> Path:
    return path.with_name(f"{path.stem}_{place + 1}.{suffix}")


def _tree(axis: Dimension) -> Tree | None:
    """Return the hierarchy of an attribute; codes for missing values below the total are apart."""
    parents = axis.parents[0]
    paths = []
    for leaf in axis.leaves.tolist():
        if axis.codes[leaf] in axis.missing and parents[leaf] == 0:
            continue
        path = [leaf]
        while path[-1]:
            path.append(int(parents[path[-1]]))
        paths.append([axis.codes[place] for place in path])
    height = max((len(path) for path in paths), default=0)
    deep = (tuple([path[0]] * (height - len(path)) + path) for path in paths)
    return Tree(tuple(deep)) if paths else None
