"""Key sets: the values that records may be grouped by, known without looking at any record.

Which values of a public attribute occur tells who is in the data, also where the attribute is
public: a combination that only one person has is there if that person is. Differential privacy
therefore takes groups from what is declared: a list, the leaves of a category tree, the written
order of an ordinal attribute, or the text of the query itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute, Kind
from tacita.data.hierarchies.tree import Tree
from tacita.errors import ParameterError, QueryError, did_you_mean, shown
from tacita.queries.language.expressions import (
    Call,
    Expression,
    Literal,
    Named,
    conjuncts,
    names_of,
    written_values,
)
from tacita.queries.language.functions import plain
from tacita.queries.language.query import StatisticalQuery
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked

MOST_GROUPS = 100_000  # values of a key set, and groups of a query


class Source(StrEnum):
    """Where a key set comes from, besides a list."""

    HIERARCHY = "hierarchy"  # the leaves of the attribute's category tree
    ORDER = "order"  # the written order of an ordinal attribute
    PUBLIC = "public"  # the values in the data, which are taken to be known to everybody


@dataclass(frozen=True, eq=False)
class KeySets:
    """The values that records may be grouped by, attribute by attribute.

    Args:
        values: of every declared attribute its values; a blank is one if it is declared.
        known: the attributes whose occurring values are taken to be known to everybody.
        has_threshold: whether other attributes can be grouped by, with groups that are shown if
            enough respondents are in them.
        covers: whether a statistic is asked of whoever needs key sets.
    """

    values: Mapping[str, pa.Array]
    known: frozenset[str] = frozenset()
    has_threshold: bool = False
    covers: Callable[[Asked], bool] = field(default=lambda _: True)

    @classmethod
    def declared(
        cls,
        method: str,
        groups: Mapping[str, str | Sequence[Any]],
        data: PublicClasses,
        *,
        has_threshold: bool,
        covers: Callable[[Asked], bool],
    ) -> KeySets:
        """Return what is declared of some data, and what their attributes say by themselves.

        Raises:
            ParameterError: a key set is of an attribute that is none to group by, or has values
                that it cannot have.
        """
        found = {
            name: values
            for name, attribute in data.attributes.items()
            if data.is_public(name) and (values := _said_by(attribute, _type(data, name)))
        }
        for name, said in groups.items():
            _refuse_ungrouped(method, name, data)
            found[name] = _values(method, name, said, data)
        known = frozenset(name for name, said in groups.items() if said == Source.PUBLIC)
        return cls(found, known, has_threshold, covers)

    def digest(self) -> str:
        """Return what tells other key sets from these."""
        said = {name: list(map(str, self.values[name].to_pylist())) for name in self.values}
        return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()

    def shown(self, name: str, most: int) -> list[Any] | None:
        """Return the values of an attribute, if they are declared and not too many."""
        values = self.values.get(name)
        if values is None or len(values) > most:
            return None
        return [value for value in values.to_pylist() if value is not None]

    def undeclared(self, data: PublicClasses) -> dict[str, int]:
        """Return of how many records the value is not declared, by attribute; confidential."""
        found: dict[str, int] = {}
        for name, values in self.values.items():
            if data.is_public(name):
                column = data.columns[name]
                there = np.asarray(pc.is_in(plain(column.values), value_set=values))
                declared = np.append(there, values.null_count > 0)
                many = int(data.sizes[~declared[column.codes]].sum())
            else:
                there = np.asarray(pc.is_in(plain(data.hidden[name]), value_set=values))
                many = data.records - int(there.sum())
            found |= {name: many} if many else {}
        return found

    def applied(self, query: StatisticalQuery, data: PublicClasses) -> StatisticalQuery:
        """Return a query with the key sets that its groups come from.

        Its conditions may say more: `region IN ('n', 's')` says which regions there can be. Groups
        by other attributes are shown by a threshold, as confidential ones are.

        Raises:
            QueryError: it groups by an attribute without a key set, and there is no threshold.
        """
        if not any(map(self.covers, query.asked)):
            return query
        values = {**_said_in(query, data), **self.values}
        secret, written = set(), set()
        for place, group in enumerate(query.groups):
            unknown = names_of(group) - values.keys()
            if written_values(group):
                written.add(place)
            elif unknown and not self.has_threshold:
                raise _undeclared(sorted(unknown)[0], data)
            elif unknown:
                secret.add(place)
        used = frozenset().union(*map(names_of, query.groups)) & values.keys()
        keys = replace(self, values={name: values[name] for name in sorted(used)})
        return replace(query, secret=frozenset(secret), written=frozenset(written), keys=keys)


def _undeclared(name: str, data: PublicClasses) -> QueryError:
    column = data.columns.get(name)
    example = f"{name} IN (...)" if column is not None else name
    return QueryError(
        f"Records can be grouped by {shown(name)} only where its values are known without the "
        f"data: the curator declares them (`groups` of the policy), or the query says them (WHERE "
        f"{example}, or a CASE with written values)."
    )


# -- where values come from ----------------------------------------------------------------------


def _type(data: PublicClasses, name: str) -> pa.DataType:
    column = data.columns[name].values if data.is_public(name) else data.hidden[name]
    return plain(column[:0]).type


def _said_by(attribute: Attribute, kind: pa.DataType) -> pa.Array | None:
    """Return the values that an attribute has whoever is in the data, if anybody said them."""
    if attribute.order is not None and attribute.said.get("order"):
        return _distinct(pa.array(attribute.order))
    if isinstance(attribute.hierarchy, Tree) and not attribute.is_made:
        return _distinct(_cast(attribute.hierarchy.level(0), kind))
    return pa.array([False, True]) if pa.types.is_boolean(kind) else None


def _values(method: str, name: str, said: str | Sequence[Any], data: PublicClasses) -> pa.Array:
    """Return the key set of an attribute, as it was declared."""
    attribute, kind = data.attributes[name], _type(data, name)
    if not isinstance(said, str):
        found = _listed(method, name, said, kind)
    elif said == Source.PUBLIC and data.is_public(name):
        column = data.columns[name]
        blank = pa.nulls(int((column.codes < 0).any()), kind)
        found = pa.concat_arrays([plain(column.values).cast(kind), blank])
    elif said == Source.HIERARCHY and isinstance(attribute.hierarchy, Tree):
        found = _cast(attribute.hierarchy.level(0), kind)
    elif said == Source.ORDER and attribute.order is not None:
        found = pa.array(attribute.order)
    else:
        raise ParameterError(
            f"`groups` of `{method}` needs for `{name}` a list of its values, `hierarchy` (the "
            "leaves of its category tree), `order` (of an ordinal attribute) or, where everybody "
            f"may know which of its values occur, `public`; found {shown(said)}."
        )
    if len(found) > MOST_GROUPS:
        raise ParameterError(
            f"A key set has at most {MOST_GROUPS:,} values; `groups` of `{method}` has "
            f"{len(found):,} of `{name}`."
        )
    return _distinct(found)


def _listed(method: str, name: str, said: Sequence[Any], kind: pa.DataType) -> pa.Array:
    try:
        found = _cast(said, kind)
    except (pa.ArrowException, TypeError) as error:
        raise ParameterError(
            f"`groups` of `{method}` lists values of `{name}` that it cannot have: it holds {kind}."
        ) from error
    if not len(found):
        raise ParameterError(f"`groups` of `{method}` lists no value of `{name}`.")
    return found


def _cast(values: Iterable[Any], kind: pa.DataType) -> pa.Array:
    """Return written values in the type of a column; text says numbers and dates, too."""
    if pa.types.is_string(kind):
        return pa.array([None if one is None else str(one) for one in values], kind)
    said = [one if isinstance(one, str | None) else pa.scalar(one) for one in values]
    return pa.concat_arrays(
        [
            pa.nulls(1, kind)
            if one is None
            else pa.array([one.as_py() if isinstance(one, pa.Scalar) else one]).cast(kind)
            for one in said
        ]
        or [pa.nulls(0, kind)]
    )


def _distinct(values: pa.Array) -> pa.Array:
    return pc.unique(plain(values))


def _refuse_ungrouped(method: str, name: str, data: PublicClasses) -> None:
    """Raise unless records may be grouped by an attribute."""
    hidden = [
        one for one in data.hidden if data.attributes[one].kind in {Kind.NOMINAL, Kind.ORDINAL}
    ]
    known = [*data.columns, *hidden]
    if name not in known:
        raise ParameterError(
            f"`groups` of `{method}` names `{name}`, which is no public attribute and no "
            f"confidential category of `{data.view}`.{did_you_mean(name, known)}"
        )


def _said_in(query: StatisticalQuery, data: PublicClasses) -> dict[str, pa.Array]:
    """Return the only values that public attributes can have by the conditions of a query."""
    found: dict[str, pa.Array] = {}
    for condition in conjuncts(query.where):
        name, said = _choices(condition)
        if name is None or not data.is_public(name):
            continue
        with suppress(pa.ArrowException, TypeError):
            found[name] = _distinct(_cast([one.value for one in said], _type(data, name)))
    return found


def _choices(condition: Expression) -> tuple[str | None, Sequence[Literal]]:
    """Return which attribute can have which values only, if a condition says so."""
    if not isinstance(condition, Call) or condition.function not in {"=", "IN", "IS NULL"}:
        return None, ()
    first, *others = condition.arguments
    if condition.function == "=" and isinstance(first, Literal):
        first, others = others[0], [first]
    choices = [one for one in others if isinstance(one, Literal)]
    if not isinstance(first, Named) or len(choices) < len(others):
        return None, ()
    return first.name, choices or [Literal(None)]
