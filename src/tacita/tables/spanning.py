"""The dimensions that the attributes of some data make, and where their values stand in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Ints
from tacita.data.declaration import Declaration, conform
from tacita.data.hierarchies import Hierarchy, build
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, InputError, ParameterError, did_you_mean, shown
from tacita.tables.dimension import NONE, Dimension, Places

Missing = Literal["category", "exclude"]
Said = Hierarchy | Mapping[str, Any] | str | PathLike[str]  # a hierarchy, as a person says it
Further = Mapping[str, Said | Sequence[Said]]
MISSING = "(missing)"


@dataclass(frozen=True, eq=False)
class Spanning:
    """An attribute that is to span a table.

    Args:
        attribute: the attribute.
        hierarchies: those beside its own.
        total: the code of the total, if there is no hierarchy.
        missing: whether blanks are a category, or left out.
        reasons: the column that says why values are missing: the place (from 1) of the missing
            code, or 0.
    """

    attribute: Attribute
    hierarchies: Sequence[Hierarchy]
    total: str
    missing: Missing
    reasons: str | None = None

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.attribute.name

    def dimension(self, keys: pa.Table) -> Dimension:
        """Make the dimension of the values that are held, perhaps repeated or blank."""
        values = keys.column(self.name).combine_chunks()
        held = self._in_order(values)
        leaves = held.cast(pa.string()).to_pylist()
        blank = self._missing_codes(self._why(keys)[np.asarray(pc.is_null(values))])
        self._refuse_held(blank, leaves)
        own = self.attribute.hierarchy
        hierarchies = [*([] if own is None else [own]), *self.hierarchies]
        labels = {str(code): told for code, told in self.attribute.meaning.value_labels.items()}
        if not hierarchies:
            return self._flat(leaves, blank, labels)
        trees = [self._tree(hierarchy, held) for hierarchy in hierarchies]
        return Dimension.from_trees(self.name, trees, leaves=leaves, missing=blank, labels=labels)

    def places(self, dimension: Dimension, keys: pa.Table) -> Places:
        """Return the place of each value in the dimension; -1 for blanks that are left out."""
        values = keys.column(self.name).combine_chunks()
        encoded = pc.dictionary_encode(values)
        codes = encoded.dictionary.cast(pa.string()).to_pylist()
        place = np.array([dimension.places[code] for code in codes] or [NONE], np.int32)
        known = np.asarray(pc.is_valid(values))
        found = place[np.asarray(encoded.indices.fill_null(0))]
        if self.missing == "exclude":
            return np.where(known, found, np.int32(NONE))
        blank = np.array([dimension.places.get(code, NONE) for code in self._blanks], np.int32)
        return np.where(known, found, blank[self._why(keys)])

    def _why(self, keys: pa.Table) -> Ints:
        """Return why each value is missing."""
        if self.reasons is None:
            return np.zeros(keys.num_rows, np.int64)
        return np.asarray(keys.column(self.reasons).to_numpy())

    @property
    def _blanks(self) -> list[str]:
        """The codes of blanks: of those for no said reason, then the missing codes."""
        said = [str(code) for code in self.attribute.meaning.missing_codes]
        return [said[0] if len(said) == 1 else MISSING, *said]

    def _missing_codes(self, why: Ints) -> list[str]:
        if self.missing == "exclude":
            return []
        return list(dict.fromkeys(self._blanks[reason] for reason in np.unique(why)))

    def _in_order(self, values: pa.Array) -> pa.Array:
        """Return the distinct values: numbers by size, ordinal ones as they say, others as text."""
        if pa.types.is_list(values.type):
            raise InputError(
                f"`{self.name}` holds sets, which cannot span a table; split it first."
            ).about(self.name)
        distinct = pc.drop_null(pc.unique(values))
        distinct = distinct.take(pc.sort_indices(distinct))
        order = self.attribute.order
        if self.attribute.kind is not Kind.ORDINAL or order is None:
            return distinct
        rank = {value: place for place, value in enumerate(order)}
        ranks = [rank.get(value, len(rank)) for value in distinct.to_pylist()]
        return distinct.take(pa.array(np.argsort(ranks, kind="stable")))

    def _refuse_held(self, blanks: list[str], held: list[str]) -> None:
        """Refuse values that are spelled like blanks, which are told apart from them."""
        alike = next((code for code in blanks if code in set(held)), None)
        if alike is not None:
            raise InputError(
                f"`{self.name}` holds the value {shown(alike)}, which is to be the code of its "
                "blanks; recode it or declare it missing, or leave records with blanks out."
            ).about(self.name)

    def _flat(self, held: list[str], missing: list[str], labels: dict[str, str]) -> Dimension:
        codes = [*held, *missing]
        if self.total in codes:
            raise InputError(
                f"`{self.name}` holds the value {shown(self.total)}, which is to be the code of "
                "its total; say another one as `total`."
            ).about(self.name)
        made = Dimension.of_trees(self.name, [[(code, self.total) for code in codes]])
        return Dimension(self.name, made.codes, made.parents, labels, frozenset(missing))

    def _tree(self, hierarchy: Hierarchy, held: pa.Array) -> Tree:
        if isinstance(hierarchy, Tree):
            return hierarchy
        if not len(held):
            raise InputError(
                f"All values of `{self.name}` are blank, so its hierarchy has no codes; leave the "
                "attribute out."
            ).about(self.name)
        values = held
        if pa.types.is_string(held.type) and self.attribute.kind in (Kind.CONTINUOUS, Kind.DATE):
            (values, _), _ = conform(self.name, held, Declaration(kind=self.attribute.kind))
        try:
            above = [hierarchy.labels(values, level + 1) for level in range(hierarchy.height)]
        except HierarchyError as error:
            raise error.about(self.name) from error
        text = held.cast(pa.string())
        return Tree(tuple(zip(*(level.to_pylist() for level in (text, *above)), strict=True)))


def further_hierarchies(said: Further, by: Sequence[str]) -> dict[str, list[Hierarchy]]:
    """Return the hierarchies that are said of spanning attributes, one or several of each.

    Raises:
        HierarchyError: something is said that is no hierarchy.
        ParameterError: an attribute does not span the table.
    """
    for name in said:
        if name not in by:
            raise ParameterError(
                f"`hierarchies` names `{name}`, which does not span the table."
                f"{did_you_mean(name, by)}"
            )
    several = {n: told if isinstance(told, list | tuple) else [told] for n, told in said.items()}
    return {name: [_hierarchy(name, one) for one in told] for name, told in several.items()}


def _hierarchy(name: str, said: Any) -> Hierarchy:
    if isinstance(said, Hierarchy):
        return said
    if not isinstance(said, Mapping | str | PathLike):
        raise HierarchyError(
            f"A hierarchy of `{name}` should be a hierarchy, the path of its file, or as plans say "
            f"it; found {shown(said)}."
        ).about(name)
    try:
        return build(said if isinstance(said, Mapping) else {"file": said})
    except HierarchyError as error:
        raise error.about(name) from error
