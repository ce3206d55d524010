"""From text to a statistical query, or to the reason why it is none.

SQL is read by a real parser (sqlglot, in DuckDB's dialect), and its tree is walked by an
allow-list: what has no rule is refused, and so is a known node that says more than its rule
understands. The query that comes out holds nothing of the text but names and written values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from tacita.errors import QueryError, load_extra, shown
from tacita.queries.language.binding import Parameters, literal
from tacita.queries.language.checking import checked
from tacita.queries.language.expressions import (
    Expression,
    Literal,
    Told,
    names_of,
    written_values,
)
from tacita.queries.language.grouping import Grouping, grouping_of, over_groups
from tacita.queries.language.naming import NOTHING_MORE, Naming, Permitted
from tacita.queries.language.query import Ordering, OutputColumn, StatisticalQuery
from tacita.queries.language.refusals import Node, only, refused, refused_statement
from tacita.queries.language.translating import Translator
from tacita.queries.language.writing import written
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked

LONGEST = 20_000  # characters
SHORT = 1_000  # characters; trees take a thousand times the memory, so that long ones are not kept
DEEPEST = 20  # brackets within each other
MOST = 100  # columns, expressions to order by and statistics, each
# A parser is a large program; on text that nobody thought of it may fail in its own ways.
BROKEN = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError,
          ValueError)  # fmt: skip


def parse(
    sql: str,
    data: PublicClasses,
    parameters: Sequence[Any] | Mapping[str, Any] = (),
    permitted: Permitted = NOTHING_MORE,
) -> StatisticalQuery:
    """Read a statistical query.

    Args:
        sql: one SELECT over the protected view.
        data: the data that it is asked of: what can be named, and how.
        parameters: the values of `?`, in order, or of `:name`, by name.
        permitted: what policies let it name beyond.

    Raises:
        QueryError: it is not a statistical query; the message says why, and no value of the data.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> firms = {"sector": ["IT", "IT", "HC"], "salary": [30, 40, 50]}
    >>> data = ta.read(pa.table(firms), roles={"sector": "key", "salary": "confidential"})
    >>> classes = PublicClasses.of(data, "firms")
    >>> query = parse("select AVG(Salary) from firms where sector = ?", classes, ["IT"])
    >>> print(query.canonical())
    SELECT avg("salary") AS "avg(salary)" FROM "firms" WHERE ("sector" = 'IT')
    """
    _check_text(sql)
    tree = _kept_tree(sql) if len(sql) <= SHORT else _tree(sql)
    values = Parameters(parameters)
    naming = Naming(data, _qualifiers(tree, data), values, permitted)
    translator = Translator(naming)
    where = _condition(tree, "where", translator.of_records)
    grouping = grouping_of(tree, translator)
    query = _query(tree, translator, where, grouping)
    values.check_all_used()
    return checked(query, data, LONGEST)


# -- the text ------------------------------------------------------------------------------------


def _check_text(sql: object) -> None:
    if not isinstance(sql, str):
        raise QueryError(f"A query is a text, not {type(sql).__name__}.")
    if len(sql) > LONGEST:
        raise QueryError(f"A query has at most {LONGEST:,} characters; this one has {len(sql):,}.")


@lru_cache(maxsize=256)
def _kept_tree(sql: str) -> Node:
    """Return the tree of a short text; nobody changes it, so that it can be kept."""
    return _tree(sql)


def _tree(sql: str) -> Node:
    """Return sqlglot's tree of one SELECT."""
    dialect = load_extra("sqlglot.dialects.duckdb", "queries").DuckDB()
    tokens = _read(dialect.tokenize, sql)
    _check_tokens(tokens)
    text = _numbered(sql, [token.start for token in tokens if token.text == "?"])
    if text != sql:
        tokens = _read(dialect.tokenize, text)
    statements = [one for one in _read(dialect.parser().parse, tokens, text) if one is not None]
    if len(statements) != 1:
        raise QueryError(f"One query is answered at a time; found {len(statements)}.")
    if statements[0].key != "select":
        raise refused(statements[0])
    return statements[0]


def _read(reader: Callable[..., Any], *text: Any) -> Any:
    """Let sqlglot read a text; whatever it fails with becomes one sentence."""
    errors = load_extra("sqlglot.errors", "queries")
    try:
        return reader(*text)
    except errors.ParseError as error:
        place = error.errors[0] if error.errors else {}
        raise QueryError(
            f"The query cannot be read as SQL; look at line {place.get('line')}, column "
            f"{place.get('col')}."
        ) from None
    except (errors.SqlglotError, *BROKEN):
        raise QueryError("The query cannot be read as SQL.") from None


def _numbered(sql: str, starts: Sequence[int]) -> str:
    """Return the text with every `?` numbered, because trees forget the order.

    >>> _numbered("a = ? OR b = '?' OR c = ?", [4, 24])
    "a =  $1  OR b = '?' OR c =  $2 "
    """
    marks = [start for start in starts if sql[start] == "?"]
    ends = [-1, *marks]
    pieces = [sql[end + 1 : mark] for end, mark in zip(ends, marks, strict=False)]
    numbered = [f"{piece} ${number} " for number, piece in enumerate(pieces, 1)]
    return "".join(numbered) + sql[ends[-1] + 1 :]


def _check_tokens(tokens: Any) -> None:
    """Refuse other statements and deep nesting before the parser sees them."""
    if tokens and tokens[0].text.upper() not in {"SELECT", "FROM", "WITH", "("}:
        raise refused_statement(tokens[0].text)
    depth = 0
    for token in tokens:
        depth += (token.text in {"(", "[", "{"}) - (token.text in {")", "]", "}"})
        if depth > DEEPEST:
            raise QueryError(f"The query is nested too deeply: at most {DEEPEST} brackets.")


# -- the clauses ---------------------------------------------------------------------------------


def _qualifiers(tree: Node, data: PublicClasses) -> frozenset[str]:
    """Check that the query is about the view, and return what the view is called in it."""
    only(tree, "expressions", "from_", "where", "group", "having", "order", "limit", "offset")
    if tree.args.get("from_") is None:
        raise QueryError(f"The query needs FROM {data.view}.")
    source = tree.args["from_"].this
    only(tree.args["from_"], "this")
    if source.key != "table":
        raise refused(source)
    only(source, "this", "alias")
    if source.this.key != "identifier":
        raise refused(source.this)
    if source.name.lower() != data.view.lower():
        raise QueryError(
            f"There is no view {shown(source.name)} here; queries are about `{data.view}`."
        )
    alias = source.args.get("alias")
    if alias is None:
        return frozenset({data.view.lower()})
    only(alias, "this")
    return frozenset({alias.name.lower()})


def _condition(
    tree: Node, clause: str, translate: Callable[[Node], Expression]
) -> Expression | None:
    """Return the condition of WHERE or HAVING, if there is one."""
    node = tree.args.get(clause)
    if node is None:
        return None
    only(node, "this")
    return translate(node.this)


def _query(
    tree: Node, translator: Translator, where: Expression | None, grouping: Grouping
) -> StatisticalQuery:
    data = translator.naming.data
    translator.groups = grouping.groups
    columns = _columns(tree, translator)
    having = _condition(tree, "having", partial(_answered, translator=translator))
    order = _order(tree.args.get("order"), translator, columns)
    named = frozenset() if where is None else names_of(where)
    hidden = [
        place
        for place, group in enumerate(grouping.groups)
        if not all(map(data.is_public, names_of(group)))
    ]
    return StatisticalQuery(
        view=data.view,
        asked=_asked(translator),
        where=where,
        confidential=frozenset(name for name in named if not data.is_public(name)),
        groups=grouping.groups,
        grouping_sets=grouping.sets,
        columns=columns,
        having=having,
        order=order,
        limit=_rows(tree.args.get("limit"), translator),
        offset=_rows(tree.args.get("offset"), translator) or 0,
        secret=frozenset(place for place in hidden if not written_values(grouping.groups[place])),
        written=frozenset(place for place in hidden if written_values(grouping.groups[place])),
    )


def _asked(translator: Translator) -> tuple[Asked, ...]:
    if not translator.asked:
        raise QueryError("A query asks for statistics, such as count(*) or avg(x); found none.")
    _check_number("statistics", len(translator.asked))
    return tuple(translator.asked)


def _check_number(what: str, number: int) -> None:
    if number > MOST:
        raise QueryError(f"A query has at most {MOST} {what}; this one has {number}.")


def _answered(node: Node, translator: Translator) -> Expression:
    """Translate what is computed from groups and statistics."""
    return over_groups(translator.of_answers(node), translator.groups)


def _columns(tree: Node, translator: Translator) -> tuple[OutputColumn, ...]:
    """Return the columns of the answer; their aliases can be used from then on."""
    _check_number("columns", len(tree.expressions))
    columns = []
    aliases: dict[str, Expression] = {}
    for node in tree.expressions:
        named = node.key == "alias"
        if named:
            only(node, "this", "alias")
        value = _answered(node.this if named else node, translator)
        columns.append(OutputColumn(node.alias if named else _name(value, translator), value))
        if named:
            aliases.setdefault(node.alias.lower(), value)
    translator.aliases = aliases
    return tuple(columns)


def _name(value: Expression, translator: Translator) -> str:
    """Return what a column is called to which nobody gave a name."""
    asked = [str(one) for one in translator.asked]
    if isinstance(value, Told):
        return asked[value.place]
    groups = [written(one).replace('"', "") for one in translator.groups]
    return written(value, asked, groups)


def _order(
    node: Node | None, translator: Translator, columns: Sequence[OutputColumn]
) -> tuple[Ordering, ...]:
    if node is None:
        return ()
    only(node, "expressions")
    _check_number("expressions in ORDER BY", len(node.expressions))
    return tuple(_ordering(one, translator, columns) for one in node.expressions)


def _ordering(node: Node, translator: Translator, columns: Sequence[OutputColumn]) -> Ordering:
    only(node, "this", "desc", "nulls_first")
    return Ordering(
        value=_ordered_by(node.this, translator, columns),
        descending=bool(node.args.get("desc")),
        nulls_first=bool(node.args.get("nulls_first")),
    )


def _ordered_by(node: Node, translator: Translator, columns: Sequence[OutputColumn]) -> Expression:
    """Return what rows are ordered by; a number or an alias stands for a column of the answer."""
    if node.key == "column" and not node.args.get("table"):
        alias = translator.aliases.get(node.name.lower())
        if alias is not None:
            return alias
    if node.key != "literal":
        return _answered(node, translator)
    place = literal(node).value
    if not isinstance(place, int) or not 0 < place <= len(columns):
        raise QueryError(f"ORDER BY names one of the {len(columns)} columns by number.")
    return columns[place - 1].value


def _rows(node: Node | None, translator: Translator) -> int | None:
    """Return the whole number of a LIMIT or an OFFSET."""
    if node is None:
        return None
    if node.key not in {"limit", "offset"}:
        raise refused(node)
    only(node, "expression")
    said = translator.of_records(node.expression)
    number = said.value if isinstance(said, Literal) else None
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise QueryError("LIMIT and OFFSET take a whole number of rows.")
    return number
