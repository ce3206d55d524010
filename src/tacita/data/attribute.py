"""Attributes: what a column of the data means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from tacita.data.codebook import Meaning
from tacita.data.hierarchies import Hierarchy
from tacita.data.hierarchies.ontology import Ontology


class Role(StrEnum):
    """What an attribute is to an intruder. An attribute may hold more than one role."""

    IDENTIFIER = "identifier"
    KEY = "key"
    CONFIDENTIAL = "confidential"
    NON_CONFIDENTIAL = "non_confidential"
    WEIGHT = "weight"
    HOUSEHOLD = "household"
    STRATUM = "stratum"


class Kind(StrEnum):
    """What can be computed with the values of an attribute."""

    CONTINUOUS = "continuous"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"
    SET_VALUED = "set_valued"
    DATE = "date"


@dataclass(frozen=True)
class Attribute:
    """A named column with its roles, its kind and what is known of its values.

    Args:
        name: the column's name.
        roles: what the attribute is to an intruder; the roles are not disjoint.
        kind: what can be computed with its values.
        order: the categories in ascending order (ordinal attributes only).
        hierarchy: how its values generalize, if anybody said so.
        declared: False when nobody said what the attribute is and its roles are a default.
        said: what was said of it when it was read, as plans say it, so that it can be read again.
        meaning: what the file it came from says its codes mean.
        ontology: what its values mean, if anybody said so; they are compared by it then.
        is_made: whether the hierarchy was made from the values, so that it tells of them.

    >>> Attribute("age", frozenset({Role.KEY}), Kind.CONTINUOUS).is_a(Role.KEY)
    True
    """

    name: str
    roles: frozenset[Role] = frozenset({Role.NON_CONFIDENTIAL})
    kind: Kind = Kind.NOMINAL
    order: tuple[Any, ...] | None = None
    hierarchy: Hierarchy | None = field(default=None, compare=False)
    declared: bool = True
    said: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    meaning: Meaning = field(default_factory=Meaning, compare=False, repr=False)
    ontology: Ontology | None = field(default=None, compare=False, repr=False)
    is_made: bool = field(default=False, compare=False, repr=False)

    def is_a(self, role: Role) -> bool:
        """Tell whether the attribute holds a role."""
        return role in self.roles

    def recoded(self, kind: Kind = Kind.NOMINAL, order: tuple[Any, ...] | None = None) -> Attribute:
        """Return the attribute after its values became categories that nothing was said of."""
        meaning = self.meaning.recoded()
        return replace(self, kind=kind, order=order, hierarchy=None, ontology=None, meaning=meaning)

    def described_roles(self) -> str:
        """Return the roles as text, in the order in which `Role` lists them."""
        return ", ".join(role.value for role in Role if role in self.roles)
