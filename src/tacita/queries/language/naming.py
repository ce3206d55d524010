"""Names in a query: which attribute a column is, and what cannot be named."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from tacita.errors import QueryError, did_you_mean, shown
from tacita.queries.language.binding import Parameters
from tacita.queries.language.expressions import Expression
from tacita.queries.language.refusals import Node, only, refused
from tacita.queries.public_classes import PublicClasses


@dataclass(frozen=True)
class Permitted:
    """What policies let queries name beyond what all queries may.

    Args:
        categories: the confidential attributes that records may be grouped by.
        respondents: the identifiers whose distinct values may be counted.
        expressions: whether statistics may be of what is computed of every record.
    """

    categories: frozenset[str] = frozenset()
    respondents: frozenset[str] = frozenset()
    expressions: bool = False

    def __bool__(self) -> bool:
        return bool(self.categories or self.respondents)

    def to_dict(self) -> dict[str, list[str]]:
        """Return it in plain types, as analysts see it."""
        return {"group_by": sorted(self.categories), "count_distinct": sorted(self.respondents)}


NOTHING_MORE = Permitted()


@dataclass(frozen=True, eq=False)
class Naming:
    """What the names and parameters of one query stand for.

    Args:
        data: the data it is about.
        qualifiers: what may stand before the point in `view.attribute`, in small letters.
        parameters: the values bound to it.
        permitted: what policies let it name.
        translate: reads what a statistic is of, where that may be computed.
    """

    data: PublicClasses
    qualifiers: frozenset[str]
    parameters: Parameters
    permitted: Permitted = NOTHING_MORE
    translate: Callable[[Node], Expression] | None = None

    def find(self, node: Node) -> str | None:
        """Return the attribute that a column names; None where there is none of that name."""
        return self._resolved(node, self.data.attributes)

    def respondent(self, node: Node) -> str | None:
        """Return the identifier that a column names, if its distinct values may be counted."""
        return self._resolved(node, self.permitted.respondents)

    def _resolved(self, node: Node, names: Collection[str]) -> str | None:
        """Return which name is meant; letter case matters only where it tells two apart."""
        only(node, "this", "table")
        if node.this.key == "star":
            raise refused(node.this)
        qualifier = node.args.get("table")
        if qualifier is not None and qualifier.name.lower() not in self.qualifiers:
            raise QueryError(f"There is no view {shown(qualifier.name)} in this query.")
        if node.name in names:
            return str(node.name)
        near = [one for one in names if one.lower() == node.name.lower()]
        return near[0] if len(near) == 1 else None

    def attribute(self, node: Node) -> str:
        """Return the attribute that a column names.

        Raises:
            QueryError: there is none that queries may name.
        """
        name = self.find(node)
        if name is not None:
            return name
        if self.is_weight(node):
            raise QueryError(
                "The weight can only stand in weighted_sum(x), weighted_avg(x), sum(x * weight) "
                "and sum(x * weight) / sum(weight)."
            )
        raise QueryError(
            f"There is no attribute {shown(node.name)} that a query may name; identifiers cannot "
            f"be named, and texts stand in single quotes."
            f"{did_you_mean(node.name, self.data.attributes)}"
        )

    def is_weight(self, node: Node) -> bool:
        """Tell whether a node names the weight of the view."""
        if self.data.weight is None or node.key != "column" or self.find(node) is not None:
            return False
        return bool(node.name.lower() == self.data.weight.lower())
