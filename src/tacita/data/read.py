"""From a file or a data frame, and what is said of it, to a data set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import ValidationError

from tacita.data.attribute import Attribute, Kind, Role
from tacita.data.dataset import Dataset
from tacita.data.declaration import (
    WITH_FILES,
    Declaration,
    attribute,
    conform,
    declaration_problem,
    in_plan,
)
from tacita.data.formats import UNSAID, Contents, Layout, is_address, read_contents, shown_place
from tacita.data.frames import Origin, from_frame, plain
from tacita.data.hierarchies import Hierarchy, build
from tacita.data.hierarchies.building import beside, is_made, make
from tacita.data.hierarchies.building.values import Values
from tacita.data.hierarchies.ontology import Ontology
from tacita.errors import HierarchyError, InputError, did_you_mean

Source = Any  # a path, an address, or a data frame of any kind that Narwhals knows


def read_dataset(
    source: Source,
    declarations: Mapping[str, Declaration],
    *,
    layout: Layout = UNSAID,
    folder: Path | None = None,
) -> Dataset:
    """Read a data set.

    Args:
        source: the path of a file, the address of a database, or a data frame.
        declarations: what is said of the attributes; one that is not in the data is an error.
        layout: what is said of how a file or database is laid out.
        folder: where relative paths of hierarchy files start.
    """
    if isinstance(source, str | PathLike):
        text = frozenset(name for name, said in declarations.items() if said.keeps_text)
        contents = read_contents(source, layout, text=text)
        return dataset_of(contents, declarations, source=source, layout=layout, folder=folder)
    if layout.given:
        raise InputError(f"`{next(iter(layout.given))}` means nothing for a data frame.")
    table, orders, origin = from_frame(source)
    said = {name: _with_order(declarations.get(name), order) for name, order in orders.items()}
    return declare(table, {**declarations, **said}, origin=origin, folder=folder)


def read_beside(source: Source, like: Dataset) -> Dataset:
    """Read data from outside, whose attributes mean what those of the same names do.

    Args:
        source: the path of a file, the address of a database, or a data frame.
        like: the data they are from outside of.
    """
    if isinstance(source, Dataset):
        return source
    if not isinstance(source, str | PathLike):
        return as_dataset(source, like=like)
    known = {
        name: Declaration(kind=attribute.kind, order=attribute.order and in_plan(attribute.order))
        for name, attribute in like.attributes.items()
    }
    text = frozenset(name for name, said in known.items() if said.keeps_text)
    contents = read_contents(source, text=text)
    held = {name: said for name, said in known.items() if name in contents.table.column_names}
    return dataset_of(contents, held, source=source)


def dataset_of(
    contents: Contents,
    declarations: Mapping[str, Declaration],
    *,
    source: str | PathLike[str],
    layout: Layout = UNSAID,
    folder: Path | None = None,
) -> Dataset:
    """Join what a source holds and what a person says of it; the person's word goes first."""
    said = dict(declarations)
    for name, own in contents.said.items():
        said[name] = own.overridden_by(said.get(name, Declaration()))
    origin = Origin(
        source=shown_place(source) if is_address(source) else Path(source).name,
        layout=layout.given,
        found=contents.found,
        warnings=contents.warnings,
    )
    data = declare(plain(contents.table), said, origin=origin, folder=folder)
    attributes = {
        name: replace(attribute, meaning=contents.meaning(name))
        for name, attribute in data.attributes.items()
    }
    data = replace(data, attributes=attributes, missing_reasons=contents.reasons)
    for name in contents.reasons:
        data = _with_suppressed_codes(data, name, said.get(name, Declaration()).suppressed)
    return data


def _with_suppressed_codes(data: Dataset, name: str, codes: Iterable[Any]) -> Dataset:
    """Let codes that the source declares missing be suppressed, where a person says so."""
    meant = set(codes)
    known = enumerate(data.attribute(name).meaning.missing_codes, start=1)
    hidden = np.isin(data.missing_reasons[name], [place for place, code in known if code in meant])
    if not hidden.any():
        return data
    return replace(
        data,
        suppressed_cells={**data.suppressed_cells, name: data.suppressed_in(name) | hidden},
        missing_reasons={
            **data.missing_reasons,
            name: np.where(hidden, 0, data.missing_reasons[name]),
        },
    )


def as_dataset(data: Any, like: Dataset | None = None) -> Dataset:
    """Take a data set as it is, and read a data frame with what is known of another data set.

    Args:
        data: a data set, or a data frame.
        like: a data set whose attributes of the same names say what the frame's are.
    """
    if isinstance(data, Dataset):
        return data
    table, orders, origin = from_frame(data)
    said = {name: _with_order(None, order) for name, order in orders.items()}
    if like is not None:
        for name in set(table.column_names) & set(like.names):
            said.setdefault(name, Declaration(role=like.attribute(name).roles))
    return declare(table, said, origin=origin)


def _with_order(said: Declaration | None, order: tuple[Any, ...]) -> Declaration:
    """Let an ordered categorical column be ordinal, unless something else was said."""
    said = said or Declaration()
    if said.kind is not None or said.order is not None:
        return said
    return said.model_copy(update={"kind": Kind.ORDINAL, "order": in_plan(order)})


def declare(
    table: pa.Table,
    declarations: Mapping[str, Declaration],
    *,
    origin: Origin = Origin(),  # noqa: B008 - frozen
    folder: Path | None = None,
) -> Dataset:
    """Join a table of plain columns and what is said of them to a data set."""
    _refuse_unknown(declarations, table.column_names)
    columns, attributes, masks, to_make = [], {}, {}, {}
    for name in table.column_names:
        try:
            said = declarations.get(name, Declaration())
            if isinstance(said.hierarchy, Mapping) and is_made(said.hierarchy):
                to_make[name] = said.hierarchy
            said = _with_hierarchy(name, said, folder)
            (column, mask), kind = conform(name, table.column(name), said)
            attributes[name] = attribute(name, column, said, kind)
        except InputError as error:
            raise error.about(name) from error.__cause__
        columns.append(column)
        if mask is not None:
            masks[name] = mask
    data = Dataset(
        pa.table(columns, names=table.column_names),
        attributes,
        suppressed_cells=masks,
        origin=origin,
    )
    _check_roles(data)
    made = {name: _made(data, name, said) for name, said in to_make.items()}
    return replace(data, attributes={**attributes, **made}) if made else data


def hierarchy_of(data: Dataset, name: str, said: Mapping[str, Any]) -> Hierarchy:
    """Make a hierarchy from the values of an attribute, as plans say it: `{quantiles: 3}`.

    Raises:
        HierarchyError: the values are none for it, or an option is wrong; the message names the
            attribute.
    """
    try:
        other = beside(said)
        return make(said, _values(data, name), None if other is None else _values(data, other))
    except HierarchyError as error:
        raise HierarchyError(f"Attribute `{name}`: {error}").about(name) from error


def _made(data: Dataset, name: str, said: Mapping[str, Any]) -> Attribute:
    """Return an attribute with a hierarchy made from its values.

    What is said of it afterwards is the hierarchy itself: to read the data again with it must not
    depend on how it was made.
    """
    hierarchy = hierarchy_of(data, name, said)
    known = {**data.attribute(name).said, "hierarchy": hierarchy.specification()}
    return replace(data.attribute(name), hierarchy=hierarchy, said=known, is_made=True)


def _values(data: Dataset, name: str) -> Values:
    attribute = data.attribute(name)
    return Values.of(data.column(name), attribute.kind, attribute.order)


def declarations_of(**parts: Mapping[str, Any] | None) -> dict[str, Declaration]:
    """Gather what Python callers say part by part (`role=`, `kind=`, ...) into declarations.

    >>> declarations_of(role={"age": "key"}, kind={"age": "continuous"})["age"].kind
    <Kind.CONTINUOUS: 'continuous'>
    """
    said: dict[str, dict[str, Any]] = {}
    for part, values in parts.items():
        if values is not None and not isinstance(values, Mapping):
            raise InputError(f"What is said of attributes ({part}) must be a mapping by name.")
        for name, value in ((str(name), value) for name, value in (values or {}).items()):
            is_path = part in WITH_FILES and isinstance(value, str | PathLike)
            said.setdefault(name, {})[part] = {"file": value} if is_path else value
    return {name: _declaration(name, fields) for name, fields in said.items()}


def _declaration(name: str, fields: Mapping[str, Any]) -> Declaration:
    try:
        return Declaration(**fields)
    except ValidationError as error:
        raise InputError(f"Attribute `{name}`: {declaration_problem(error)[1]}") from error


def _with_hierarchy(name: str, said: Declaration, folder: Path | None) -> Declaration:
    """Build the hierarchy and the ontology that are said."""
    built: dict[str, Any] = {}
    try:
        if isinstance(said.hierarchy, Mapping) and not is_made(said.hierarchy):
            built["hierarchy"] = build(said.hierarchy, folder)
        if isinstance(said.ontology, Mapping):
            built["ontology"] = Ontology.from_plan(said.ontology, folder)
    except HierarchyError as error:
        raise HierarchyError(f"Attribute `{name}`: {error}") from error
    return said.model_copy(update=built)


def _refuse_unknown(declarations: Mapping[str, Declaration], names: list[str]) -> None:
    for name in declarations:
        if name not in names:
            raise InputError(
                f"Attribute `{name}` is declared but not in the data "
                f"({len(names)} attributes).{did_you_mean(name, names)}"
            ).about(name)


def _check_roles(data: Dataset) -> None:
    for role in (Role.WEIGHT, Role.HOUSEHOLD):
        if len(names := data.with_role(role)) > 1:
            raise InputError(f"One attribute at most can be the {role}; found {', '.join(names)}.")
    if data.with_role(Role.WEIGHT):
        _ = data.weight  # refuses what is none
    for name in data.keys:
        if len(data) and data.column(name).null_count == len(data):
            raise InputError(
                f"Key attribute `{name}` is blank in every record; nothing can be matched or "
                "protected on it. Drop it or correct the data."
            ).about(name)
