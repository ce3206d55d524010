"""From SQL's tree to ours: every kind of node that is allowed has its rule, all others none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time

from tacita.errors import QueryError
from tacita.queries.language.binding import literal
from tacita.queries.language.expressions import Call, Expression, IsTotal, Literal, Named, Told
from tacita.queries.language.functions import as_date
from tacita.queries.language.naming import Naming
from tacita.queries.language.refusals import Node, only, refused
from tacita.queries.language.statistics import STATISTICS, is_weighted, statistic_of
from tacita.queries.statistic import Asked

DEEPEST = 60  # nodes above each other

OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "intdiv": "//", "mod": "%",
    "eq": "=", "neq": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=",
}  # fmt: skip
# Functions with the parts of sqlglot's node that are their arguments.
CALLS = {
    "abs": ("abs", "this"),
    "ceil": ("ceil", "this"),
    "day": ("day", "this"),
    "floor": ("floor", "this"),
    "left": ("left", "this", "expression"),
    "length": ("length", "this"),
    "lower": ("lower", "this"),
    "month": ("month", "this"),
    "nullif": ("nullif", "this", "expression"),
    "quarter": ("quarter", "this"),
    "right": ("right", "this", "expression"),
    "round": ("round", "this", "decimals"),
    "substring": ("substr", "this", "start", "length"),
    "upper": ("upper", "this"),
    "year": ("year", "this"),
}
EXTRACTED = ("year", "quarter", "month", "day")
CASTS = {
    "INT": "BIGINT",
    "BIGINT": "BIGINT",
    "DOUBLE": "DOUBLE",
    "TEXT": "VARCHAR",
    "VARCHAR": "VARCHAR",
}
DATES = ("DATE", "TIMESTAMP", "TIMESTAMPNTZ")


@dataclass
class Translator:
    """Translates the expressions of one query.

    Args:
        naming: what its names and parameters stand for.
        asked: the statistics found so far, with their places.
        groups: the grouping expressions, once they are known.
        aliases: the columns of the answer by the names that were given to them.
        statistics: whether statistics may stand here.
    """

    naming: Naming
    asked: dict[Asked, int] = field(default_factory=dict)
    groups: tuple[Expression, ...] = ()
    aliases: Mapping[str, Expression] = field(default_factory=dict)
    statistics: bool = False
    _depth: int = 0

    def of_records(self, node: Node) -> Expression:
        """Translate what stands in WHERE and GROUP BY, where there are no statistics."""
        self.statistics = False
        return self.translated(node)

    def of_answers(self, node: Node) -> Expression:
        """Translate what stands in SELECT, HAVING and ORDER BY."""
        self.statistics = True
        return self.translated(node)

    def translated(self, node: Node) -> Expression:
        """Translate a part of an expression."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise QueryError("The query is nested too deeply; write it in a simpler way.")
        result = self._by_rule(node)
        self._depth -= 1
        return result

    def _by_rule(self, node: Node) -> Expression:
        if node.key in STATISTICS or is_weighted(node, self.naming):
            return self._statistic(node)
        if node.key in OPERATORS:
            only(node, "this", "expression", "typed", "safe")
            return Call(OPERATORS[node.key], self.all(node.this, node.expression))
        if node.key in CALLS:
            name, *parts = CALLS[node.key]
            only(node, *parts)
            return Call(name, self.all(*[node.args.get(part) for part in parts]))
        if node.key not in RULES:
            raise refused(node)
        return RULES[node.key](self, node)

    def all(self, *nodes: Node) -> tuple[Expression, ...]:
        """Translate parts of an expression; what is not there is left out."""
        return tuple(self.translated(node) for node in nodes if node is not None)

    def _statistic(self, node: Node) -> Told:
        if not self.statistics:
            raise QueryError("Statistics can stand in SELECT, HAVING and ORDER BY only.")
        asked = statistic_of(node, self.naming, self._of_values)
        return Told(self.asked.setdefault(asked, len(self.asked)))

    def _of_values(self, node: Node) -> Expression:
        """Translate what a statistic is of, in which there is none."""
        self.statistics = False
        try:
            return self.translated(node)
        finally:
            self.statistics = True


# -- the rules ---------------------------------------------------------------------------------


def _column(to: Translator, node: Node) -> Expression:
    alias = to.aliases.get(node.name.lower()) if to.statistics else None
    if alias is not None and not node.args.get("table") and to.naming.find(node) is None:
        return alias
    return Named(to.naming.attribute(node))


def _placeholder(to: Translator, node: Node) -> Literal:
    return to.naming.parameters.bound(node)


def _paren(to: Translator, node: Node) -> Expression:
    only(node, "this")
    return to.translated(node.this)


def _not(to: Translator, node: Node) -> Expression:
    only(node, "this")
    return Call("NOT", to.all(node.this))


def _neg(to: Translator, node: Node) -> Expression:
    only(node, "this")
    (value,) = to.all(node.this)
    if isinstance(value, Literal) and type(value.value) in {int, float}:
        return Literal(-value.value)  # type: ignore[operator]
    return Call("-", (Literal(0), value))


def _chain(to: Translator, node: Node) -> Expression:
    """Translate AND or OR; a long chain is one node, however deep the parser made it."""
    function = node.key.upper()
    parts: list[Expression] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.key == node.key:
            only(one, "this", "expression")
            waiting += [one.expression, one.this]
        else:
            parts += _links(to.translated(one), function)
    return Call(function, tuple(parts))


def _links(expression: Expression, function: str) -> tuple[Expression, ...]:
    """Return the parts of a chain that stands in a longer one, as BETWEEN and IN make them."""
    if isinstance(expression, Call) and expression.function == function:
        return expression.arguments
    return (expression,)


def _is(to: Translator, node: Node) -> Expression:
    only(node, "this", "expression")
    (value,) = to.all(node.this)
    if node.expression.key == "null":
        return Call("IS NULL", (value,))
    if node.expression.key != "boolean":
        raise QueryError("IS takes NULL, TRUE or FALSE.")
    condition = value if node.expression.this else Call("NOT", (value,))
    return Call("coalesce", (condition, Literal(False)))


def _in(to: Translator, node: Node) -> Expression:
    if node.args.get("query") is not None:
        raise refused(node.args["query"])
    only(node, "this", "expressions")
    value, *choices = to.all(node.this, *node.expressions)
    said = [one for one in choices if _is_said(one)]
    others = [Call("=", (value, one)) for one in choices if not _is_said(one)]
    parts = (Call("IN", (value, *said)), *others) if said else tuple(others)
    if not parts:
        raise QueryError("IN needs values to choose from.")
    return parts[0] if len(parts) == 1 else Call("OR", parts)


def _is_said(choice: Expression) -> bool:
    """Tell whether a choice is written out, and no blank, which equals nothing."""
    return isinstance(choice, Literal) and choice.value is not None


def _between(to: Translator, node: Node) -> Expression:
    only(node, "this", "low", "high")
    value, low, high = to.all(node.this, node.args["low"], node.args["high"])
    return Call("AND", (Call(">=", (value, low)), Call("<=", (value, high))))


def _like(to: Translator, node: Node) -> Expression:
    only(node, "this", "expression", "negate")
    found = Call(node.key.upper(), to.all(node.this, node.expression))
    return Call("NOT", (found,)) if node.args.get("negate") else found


def _case(to: Translator, node: Node) -> Expression:
    only(node, "this", "ifs", "default")
    of = to.all(node.this)
    parts: list[Expression] = []
    for branch in node.args["ifs"]:
        only(branch, "this", "true")
        condition, value = to.all(branch.this, branch.args["true"])
        parts += [Call("=", (*of, condition)) if of else condition, value]
    return Call("CASE", (*parts, *(to.all(node.args.get("default")) or (Literal(None),))))


def _if(to: Translator, node: Node) -> Expression:
    only(node, "this", "true", "false")
    parts = to.all(node.this, node.args["true"], node.args.get("false"))
    return Call("CASE", parts if len(parts) > 2 else (*parts, Literal(None)))  # noqa: PLR2004


def _coalesce(to: Translator, node: Node) -> Expression:
    only(node, "this", "expressions")
    return Call("coalesce", to.all(node.this, *node.expressions))


def _extract(to: Translator, node: Node) -> Expression:
    only(node, "this", "expression")
    part = node.this.name.lower()
    if part not in EXTRACTED:
        raise QueryError(f"Of a date these can be extracted: {', '.join(EXTRACTED)}.")
    return Call(part, to.all(node.expression))


def _cast(to: Translator, node: Node) -> Expression:
    only(node, "this", "to", "safe", "_type")
    only(node.args["to"], "this", "nested")
    wanted = getattr(node.args["to"].this, "name", "")
    (value,) = to.all(node.this)
    if wanted in DATES:
        return _date(value, wanted)
    if wanted not in CASTS:
        raise QueryError("Values can be cast to BIGINT, DOUBLE and VARCHAR, texts to dates.")
    return Call(CASTS[wanted], (value,))


def _grouping(to: Translator, node: Node) -> Expression:
    only(node, "expressions")
    of = to.all(*node.expressions)
    if not to.statistics or len(of) != 1 or of[0] not in to.groups:
        raise QueryError("grouping() takes one of the expressions of GROUP BY.")
    return IsTotal(to.groups.index(of[0]))


RULES: dict[str, Callable[[Translator, Node], Expression]] = {
    "column": _column,
    "literal": lambda _, node: literal(node),
    "boolean": lambda _, node: Literal(bool(node.this)),
    "null": lambda _, __: Literal(None),
    "placeholder": _placeholder,
    "paren": _paren,
    "not": _not,
    "neg": _neg,
    "and": _chain,
    "or": _chain,
    "is": _is,
    "in": _in,
    "between": _between,
    "like": _like,
    "ilike": _like,
    "case": _case,
    "if": _if,
    "coalesce": _coalesce,
    "extract": _extract,
    "cast": _cast,
    "trycast": _cast,
    "grouping": _grouping,
}


def _date(value: Expression, wanted: str) -> Literal:
    """Return a written date."""
    said = value.value if isinstance(value, Literal) else None
    if isinstance(said, str):
        said = as_date(said)
    if not isinstance(said, date):
        raise QueryError("Only a written text can be cast to a date, as in DATE '2020-02-29'.")
    if wanted == "DATE":
        return Literal(said.date() if isinstance(said, datetime) else said)
    return Literal(said if isinstance(said, datetime) else datetime.combine(said, time()))
