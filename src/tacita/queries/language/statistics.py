"""The statistics of the language: from a function of SQL to what is asked of which attribute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tacita.data.attribute import Kind
from tacita.errors import QueryError, shown
from tacita.queries.computed import Computed, refuse_unbounded
from tacita.queries.language.binding import literal
from tacita.queries.language.expressions import Call, Expression, Literal, Named
from tacita.queries.language.naming import Naming
from tacita.queries.language.refusals import Node, only
from tacita.queries.statistic import Asked, Statistic

# By the kind of node, as sqlglot calls it: the statistic, and whether it is of the population.
OF_ONE = {
    "sum": (Statistic.SUM, False),
    "avg": (Statistic.AVG, False),
    "min": (Statistic.MIN, False),
    "max": (Statistic.MAX, False),
    "variance": (Statistic.VAR, False),
    "variancepop": (Statistic.VAR, True),
    "stddev": (Statistic.STDDEV, False),
    "stddevsamp": (Statistic.STDDEV, False),
    "stddevpop": (Statistic.STDDEV, True),
}
OF_TWO = {
    "corr": (Statistic.CORR, False),
    "covarsamp": (Statistic.COVAR, False),
    "covarpop": (Statistic.COVAR, True),
    "regrslope": (Statistic.REGR_SLOPE, False),
}
QUANTILES = {"percentilecont": "expression", "quantile": "quantile"}
# What FILTER can stand behind; extremes have no private form.
KEPT = frozenset(
    {Statistic.COUNT, Statistic.SUM, Statistic.AVG, Statistic.VAR, Statistic.STDDEV,
     Statistic.QUANTILE, Statistic.MIN, Statistic.MAX}
)  # fmt: skip
WEIGHTED = {"weighted_sum": Statistic.SUM, "weighted_avg": Statistic.AVG}
STATISTICS = frozenset({"count", "median", "withingroup", "filter", *OF_ONE, *OF_TWO, *QUANTILES})
FILTERED = frozenset({"count", "median", *OF_ONE, *QUANTILES})


def statistic_of(
    node: Node, naming: Naming, translate: Callable[[Node], Expression] | None = None
) -> Asked:
    """Return what a function asks for.

    Args:
        node: the function.
        naming: what its names stand for.
        translate: reads what is computed of every record, where that may be.

    Raises:
        QueryError: it is not a statistic of an attribute.
    """
    naming = replace(naming, translate=translate if naming.permitted.expressions else None)
    if node.key == "filter":
        return _filtered(node, naming)
    if node.key == "count":
        return _count(node, naming)
    if node.key in {"div", "anonymous"}:
        return _weighted_by_name(node, naming) if node.key == "anonymous" else _mean(node, naming)
    if node.key in OF_TWO:
        return _of_two(node, naming)
    if node.key in OF_ONE:
        return _of_one(node, naming)
    return _quantile(node, naming)


def is_weighted(node: Node, naming: Naming) -> bool:
    """Tell whether a node is weighted_sum(x), weighted_avg(x) or sum(x * weight) / sum(weight)."""
    if node.key == "anonymous":
        return str(node.this).lower() in WEIGHTED
    if node.key != "div":
        return False
    below = _bare(node.expression)
    return below.key == "sum" and naming.is_weight(_bare(below.this))


def _count(node: Node, naming: Naming) -> Asked:
    only(node, "this", "big_int")
    of = node.this
    if not of or of.key == "star":
        if of and any(of.args.values()):
            raise QueryError("count(*) takes nothing else.")
        return Asked(Statistic.COUNT)
    if of.key != "distinct":
        return Asked(Statistic.COUNT, _attribute(of, naming))
    only(of, "expressions")
    if len(of.expressions) != 1:
        raise QueryError("count(DISTINCT ...) takes one attribute.")
    respondent = _respondent(of.expressions[0], naming)
    if respondent is not None:
        return Asked(Statistic.RESPONDENTS, respondent)
    name = _attribute(of.expressions[0], replace(naming, translate=None))
    if not naming.data.is_public(name):
        raise QueryError(f"Distinct values can be counted of public attributes, not of `{name}`.")
    return Asked(Statistic.COUNT_DISTINCT, name)


def _filtered(node: Node, naming: Naming) -> Asked:
    """Read sum(x) FILTER (WHERE c), which is sum(CASE WHEN c THEN x END)."""
    only(node, "this", "expression")
    of = node.this
    if naming.translate is None:
        raise QueryError("FILTER is answered only where all policies have budgets; use WHERE.")
    if of.key not in FILTERED:
        raise QueryError("FILTER (WHERE ...) belongs to a count, sum, mean, variance or quantile.")
    condition = naming.translate(node.expression.this)
    asked = statistic_of(of, naming, naming.translate)
    if asked.weighted or asked.statistic not in KEPT:
        raise QueryError("FILTER (WHERE ...) belongs to a count, sum, mean, variance or quantile.")
    value: Expression = Literal(1)
    if asked.attribute is not None:
        name = asked.attribute
        value = name.expression if isinstance(name, Computed) else Named(name)
    return replace(asked, attribute=Computed.of(Call("CASE", (condition, value, Literal(None)))))


def _respondent(node: Node, naming: Naming) -> str | None:
    """Return the identifier of respondents that is to be counted, if it is one."""
    node = _bare(node)
    return naming.respondent(node) if node.key == "column" else None


def _of_one(node: Node, naming: Naming) -> Asked:
    only(node, "this")
    statistic, population = OF_ONE[node.key]
    weighted = _times_weight(_bare(node.this), naming) if statistic is Statistic.SUM else None
    if weighted is not None:
        return _weighted(Statistic.SUM, weighted, naming)
    return Asked(statistic, _number(node.this, naming), population=population)


def _of_two(node: Node, naming: Naming) -> Asked:
    only(node, "this", "expression")
    statistic, population = OF_TWO[node.key]
    first, other = _number(node.this, naming), _number(node.expression, naming)
    return Asked(statistic, first, other, population=population)


def _quantile(node: Node, naming: Naming) -> Asked:
    if node.key == "median":
        only(node, "this")
        return Asked(Statistic.QUANTILE, _number(node.this, naming), fraction=0.5)
    if node.key == "withingroup":
        return _within_group(node, naming)
    part = QUANTILES[node.key]
    only(node, "this", part)
    name = _number(node.this, naming)
    return Asked(Statistic.QUANTILE, name, fraction=_fraction(node.args.get(part), naming))


def _within_group(node: Node, naming: Naming) -> Asked:
    """Read percentile_cont(p) WITHIN GROUP (ORDER BY x)."""
    only(node, "this", "expression")
    inner, order = node.this, node.expression
    if inner.key != "percentilecont" or order.key != "order" or len(order.expressions) != 1:
        raise QueryError("WITHIN GROUP (ORDER BY x) belongs to percentile_cont(p).")
    only(inner, "this")
    only(order.expressions[0], "this", "desc", "nulls_first")
    fraction = _fraction(inner.this, naming)
    if order.expressions[0].args.get("desc"):
        fraction = 1 - fraction
    return Asked(Statistic.QUANTILE, _number(order.expressions[0].this, naming), fraction=fraction)


def _fraction(node: Node | None, naming: Naming) -> float:
    said = None
    if node is not None and node.key == "literal":
        said = literal(node).value
    elif node is not None and node.key == "placeholder":
        said = naming.parameters.bound(node).value
    if not isinstance(said, int | float) or not 0 <= said <= 1:
        raise QueryError("A quantile needs a number from 0 to 1, as in quantile_cont(x, 0.5).")
    return float(said)


# -- weights -------------------------------------------------------------------------------------


def _mean(node: Node, naming: Naming) -> Asked:
    """Read sum(x * weight) / sum(weight)."""
    only(node, "this", "expression", "typed", "safe")
    above = _bare(node.this)
    of = _times_weight(_bare(above.this), naming) if above.key == "sum" else None
    if of is None:
        raise QueryError("Only sum(x * weight) can be divided by the sum of the weights.")
    return _weighted(Statistic.AVG, of, naming)


def _weighted_by_name(node: Node, naming: Naming) -> Asked:
    only(node, "this", "expressions")
    if len(node.expressions) != 1:
        raise QueryError(f"{str(node.this).lower()} takes one attribute.")
    return _weighted(WEIGHTED[str(node.this).lower()], node.expressions[0], naming)


def _weighted(statistic: Statistic, node: Node, naming: Naming) -> Asked:
    if naming.data.weights is None:
        raise QueryError("The view has no weights.")
    return Asked(statistic, _number(node, naming), weighted=True)


def _times_weight(node: Node, naming: Naming) -> Node | None:
    """Return what is multiplied by the weight, if anything is."""
    if node.key != "mul":
        return None
    left, right = _bare(node.this), _bare(node.expression)
    if naming.is_weight(right):
        return left
    return right if naming.is_weight(left) else None


# -- attributes ----------------------------------------------------------------------------------


def _bare(node: Node) -> Node:
    """Return a node without its parentheses."""
    while node.key == "paren":
        node = node.this
    return node


def _attribute(node: Node | None, naming: Naming) -> str:
    node = None if node is None else _bare(node)
    if node is not None and node.key != "column" and naming.translate is not None:
        return Computed.of(naming.translate(node))
    if node is None or node.key != "column":
        raise QueryError("A statistic is of an attribute, not of an expression or another one.")
    return naming.attribute(node)


def _number(node: Node | None, naming: Naming) -> str:
    name = _attribute(node, naming)
    if isinstance(name, Computed):
        refuse_unbounded(name.expression)
        return name
    kind = naming.data.attributes[name].kind
    if kind is not Kind.CONTINUOUS:
        raise QueryError(f"This statistic is of numbers; {shown(name)} is {kind}.")
    return name
