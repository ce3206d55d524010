"""GROUP BY: the expressions that records are grouped by, and the sets of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from tacita.errors import QueryError, shown
from tacita.queries.language.expressions import (
    Call,
    Expression,
    Group,
    Named,
    Told,
    leaves,
    names_of,
    written_values,
)
from tacita.queries.language.refusals import Node, only
from tacita.queries.language.translating import Translator

MOST_SETS = 64

Sets = list[tuple[int, ...]]


@dataclass(frozen=True)
class Grouping:
    """What records are grouped by.

    Args:
        groups: the grouping expressions, every one once.
        sets: the groupings, each the places of its expressions.
    """

    groups: tuple[Expression, ...]
    sets: tuple[tuple[int, ...], ...]


def grouping_of(tree: Node, translator: Translator) -> Grouping:
    """Read the GROUP BY of a query; without one, all records are one group."""
    node = tree.args.get("group")
    if node is None:
        return Grouping((), ((),))
    only(node, "expressions", "all")
    reader = _Reader(translator, tree.expressions)
    items = [reader.sets(item) for item in node.expressions]
    if node.args.get("all"):
        items += [reader.sets(column) for column in reader.unaggregated()]
    return Grouping(tuple(reader.places), _crossed(items))


def over_groups(expression: Expression, groups: Sequence[Expression]) -> Expression:
    """Return an expression of groups and statistics in which no attribute stands by itself."""
    if expression in groups:
        return Group(groups.index(expression))
    if isinstance(expression, Call):
        parts = tuple(over_groups(one, groups) for one in expression.arguments)
        return Call(expression.function, parts)
    if isinstance(expression, Named):
        raise QueryError(
            f"{shown(expression.name)} stands neither in GROUP BY nor in a statistic; values of "
            "records are not given out."
        )
    return expression


@dataclass
class _Reader:
    """Reads grouping sets.

    Args:
        translator: translates the expressions.
        columns: the columns of the answer, which may be named by their place or by their alias.
        places: the grouping expressions found so far, with their places.
    """

    translator: Translator
    columns: Sequence[Node]
    places: dict[Expression, int] = field(default_factory=dict)

    def sets(self, node: Node) -> Sets:
        """Return the grouping sets that one item of GROUP BY stands for."""
        if node.key == "rollup":
            parts = self._parts(node)
            return [sum(parts[:size], ()) for size in range(len(parts), -1, -1)]
        if node.key == "cube":
            parts = self._parts(node)
            _check_number(2 ** len(parts))
            sizes = range(len(parts), -1, -1)
            return [sum(some, ()) for size in sizes for some in combinations(parts, size)]
        if node.key == "groupingsets":
            only(node, "expressions")
            return [one for item in node.expressions for one in self.sets(item)]
        return [self._set(node)]

    def unaggregated(self) -> Iterable[Node]:
        """Return the columns without a statistic: what GROUP BY ALL is about."""
        for column in self.columns:
            found = leaves(self.translator.of_answers(_unaliased(column)))
            if not any(isinstance(leaf, Told) for leaf in found):
                yield column

    def _parts(self, node: Node) -> Sets:
        only(node, "expressions")
        return [self._set(item) for item in node.expressions]

    def _set(self, node: Node) -> tuple[int, ...]:
        if node.key == "tuple":
            return sum((self._set(one) for one in node.expressions), ())
        expression = self.translator.of_records(self._meant(node))
        for name in sorted(names_of(expression)):
            self._refuse_confidential(name, expression)
        return (self.places.setdefault(expression, len(self.places)),)

    def _refuse_confidential(self, name: str, expression: Expression) -> None:
        """Refuse confidential attributes, but for groups that are written out.

        Such groups are there whatever the values are, as under a condition in WHERE. Categories as
        they are can be grouped by where a policy knows which of them to show.
        """
        naming = self.translator.naming
        if naming.data.is_public(name) or written_values(expression):
            return
        if name not in naming.permitted.categories:
            raise QueryError(
                f"Records cannot be grouped by `{name}`, which is confidential, but by a CASE of "
                "it with written values."
            )
        if expression != Named(name):
            raise QueryError(f"Records can be grouped by `{name}` as it is, not by an expression.")

    def _meant(self, node: Node) -> Node:
        """Return the column that an item names by its place or its alias, or the item itself."""
        node = _unaliased(node)
        if node.key == "literal" and not node.is_string:
            place = int(node.name) if node.name.isdigit() and len(node.name) < 9 else 0  # noqa: PLR2004
            if not 0 < place <= len(self.columns):
                raise QueryError(
                    f"GROUP BY names one of the {len(self.columns)} columns by number."
                )
            return _unaliased(self.columns[place - 1])
        if node.key != "column" or self.translator.naming.find(node) is not None:
            return node
        named = [one for one in self.columns if one.alias.lower() == node.name.lower()]
        return _unaliased(named[0]) if named else node


def _unaliased(node: Node) -> Node:
    return node.this if node.key == "alias" else node


def _crossed(items: Sequence[Sets]) -> tuple[tuple[int, ...], ...]:
    """Return the grouping sets of several items together, every one once."""
    number = 1
    for item in items:
        number *= len(item)
        _check_number(number)
    crossed = (tuple(sorted(set(sum(some, ())))) for some in product(*items))
    return tuple(dict.fromkeys(crossed))


def _check_number(number: int) -> None:
    if number > MOST_SETS:
        raise QueryError(f"GROUP BY takes at most {MOST_SETS} grouping sets; found {number}.")
