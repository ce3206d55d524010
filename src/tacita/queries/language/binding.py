"""Literals and bound parameters: values come beside the text and are never pasted into it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from tacita.errors import QueryError
from tacita.queries.language.expressions import Literal
from tacita.queries.language.refusals import Node

WHOLE = 2**63  # from here on whole numbers are doubles


@dataclass
class Parameters:
    """The values of a query's parameters: `?` by place, `:name` by name.

    Args:
        values: a sequence for `?`, a mapping for `:name`.
        used: the parameters that the query has.
    """

    values: Sequence[Any] | Mapping[str, Any]
    used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if not isinstance(self.values, Mapping | list | tuple):
            found = type(self.values).__name__
            raise QueryError(f"Parameters are a list, or a mapping by name, not {found}.")

    def bound(self, node: Node) -> Literal:
        """Return the value of a parameter."""
        name = str(getattr(node.this, "name", node.this))
        self.used.add(name)
        if isinstance(self.values, Mapping):
            if name not in self.values:
                raise QueryError(f"The parameter `:{name}` has no value.")
            return bindable(self.values[name])
        if not name.isdigit() or not 0 < int(name) <= len(self.values):
            raise QueryError(
                f"The query has more parameters than the {len(self.values)} values given."
            )
        return bindable(self.values[int(name) - 1])

    def check_all_used(self) -> None:
        """Refuse values that the query has no place for."""
        given: Iterable[str] = (
            self.values
            if isinstance(self.values, Mapping)
            else map(str, range(1, len(self.values) + 1))
        )
        if set(given) - self.used:
            raise QueryError("More parameters are given than the query has places for.")


def bindable(value: Any) -> Literal:
    """Return a value as a literal; only plain values can be bound."""
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise QueryError("A number must be finite.")
    if isinstance(value, int) and not isinstance(value, bool) and not -WHOLE <= value < WHOLE:
        return bindable(_real(value))
    if isinstance(value, datetime) and value.tzinfo is not None:
        raise QueryError("A date with a time is bound without a time zone.")
    if value is None or isinstance(value, bool | int | float | str | date):
        return Literal(value)
    raise QueryError(f"A parameter is a number, a text or a date, not {type(value).__name__}.")


def literal(node: Node) -> Literal:
    """Return what a number or a text says."""
    said = str(node.this)
    if node.is_string:
        return Literal(said)
    try:
        return bindable(int(said) if said.isdigit() else float(said))
    except ValueError as error:
        raise QueryError("A number is written as 12, 1.5 or 1e6.") from error


def _real(whole: int) -> float:
    try:
        return float(whole)
    except OverflowError:
        return math.inf
