"""Why something is not in the language: a reason for what people try, one for all the rest."""

from __future__ import annotations

from typing import Any

from tacita.errors import QueryError, shown

Node = Any  # a node of sqlglot's tree, which the core does not import

_SINGLE = "It gives back values of single records; ask for a statistic."
_SUBQUERY = "Subqueries are not answered; ask for one table of statistics at a time."
_FILES = "Files, other tables and table functions cannot be read; only the protected view can."
_WINDOW = "Window functions tell about single records; use GROUP BY."
_RANDOM = "A query cannot depend on chance."
_CLOCK = "A query cannot depend on the clock; write the date, as in DATE '2020-02-29'."
_CHANGES = "Nothing can be changed or set with a query; only SELECT is answered."

# By the kind of node, as sqlglot calls it.
REASONS = {
    **dict.fromkeys(["subquery", "select", "exists", "any", "all", "lateral"], _SUBQUERY),
    **dict.fromkeys(["union", "intersect", "except", "setoperation"],
                    "UNION, INTERSECT and EXCEPT are not answered; ask one query at a time."),
    **dict.fromkeys(["window", "rownumber", "rank", "denserank", "lag", "lead", "ntile"], _WINDOW),
    **dict.fromkeys(["arrayagg", "groupconcat", "first", "last", "anyvalue", "argmax", "argmin",
                     "firstvalue", "lastvalue", "ignorenulls", "mode", "list"], _SINGLE),
    **dict.fromkeys(["rand", "randn", "uuid", "randstr", "uniform"], _RANDOM),
    **dict.fromkeys(["currentdate", "currenttime", "currenttimestamp", "now"], _CLOCK),
    **dict.fromkeys(["readcsv", "readparquet", "unnest", "explode", "generateseries"], _FILES),
    "star": "SELECT * asks for records; name statistics such as count(*) or avg(x).",
    "filter": "FILTER is not in the language; write the condition into WHERE.",
    "distinct": "DISTINCT can only stand in count(DISTINCT attribute).",
    "percentiledisc": "It gives back a value of a single record; use quantile_cont.",
    "escape": "LIKE has no ESCAPE here.",
    "interval": "Lengths of time are not in the language; write the dates.",
    "tuple": "Comparisons of several values at once are not in the language.",
    "lambda": "Functions cannot be defined in a query.",
}  # fmt: skip

# By the name of a function that sqlglot does not know.
FUNCTIONS = {
    **dict.fromkeys(["random", "setseed", "gen_random_uuid"], _RANDOM),
    **dict.fromkeys(["read_csv", "read_csv_auto", "read_parquet", "read_json", "read_text",
                     "read_blob", "glob", "parquet_scan", "sniff_csv", "duckdb_tables",
                     "duckdb_settings", "pragma_table_info", "pg_read_file"], _FILES),
    **dict.fromkeys(["list", "first", "last", "string_agg", "histogram", "entropy"], _SINGLE),
    **dict.fromkeys(["row_number", "rank"], _WINDOW),
}  # fmt: skip

# By the part of a SELECT, as sqlglot calls it.
CLAUSES = {
    "with_": "WITH is not in the language; ask the protected view itself.",
    "distinct": "SELECT DISTINCT asks for rows; use GROUP BY with a statistic.",
    "joins": "Joins are not answered; the curator fixes them in the protected view.",
    "laterals": "Joins are not answered; the curator fixes them in the protected view.",
    "qualify": "QUALIFY chooses single records; use HAVING.",
    "windows": _WINDOW,
    "into": _CHANGES,
    "sample": "Samples are not drawn in a query: it cannot depend on chance.",
    "pivots": "PIVOT is not in the language; use GROUP BY.",
    "rollup": "Write GROUP BY ROLLUP (...).",
    "cube": "Write GROUP BY CUBE (...).",
    "db": _FILES,
    "catalog": _FILES,
    "limit_options": "LIMIT takes a whole number of rows.",
    "count": "It gives back values of single records; min and max take one attribute.",
}

STATEMENTS = dict.fromkeys(
    ["INSERT", "UPDATE", "DELETE", "DROP", "CREATE", "ALTER", "SET", "PRAGMA", "ATTACH", "COPY",
     "INSTALL", "LOAD", "CALL", "TRUNCATE", "MERGE", "EXPORT", "IMPORT", "BEGIN", "COMMIT",
     "ROLLBACK", "VACUUM", "GRANT", "USE", "DETACH", "RESET", "CHECKPOINT"], _CHANGES,
)  # fmt: skip


def refused(node: Node) -> QueryError:
    """Return the reason why a node cannot stand in a query."""
    if node.key == "anonymous":
        name = str(node.this)
        reason = FUNCTIONS.get(name.lower(), "It is not a function of the language.")
        return QueryError(f"{shown(name)} is refused. {reason}")
    reason = REASONS.get(node.key, "It is not part of the language.")
    return QueryError(f"{node.key.upper()} is refused. {reason}")


def refused_statement(word: str) -> QueryError:
    """Return the reason why a text that starts with a word is no query."""
    reason = STATEMENTS.get(word.upper(), "Only SELECT is answered.")
    return QueryError(f"{shown(word)} is refused. {reason}")


def only(node: Node, *known: str) -> None:
    """Refuse a node that says more than is known: what is not understood is not overlooked."""
    for part, value in node.args.items():
        if part not in known and value not in (None, False, []):
            reason = CLAUSES.get(part, f"`{part.upper()}` is not part of the language here.")
            raise QueryError(f"{node.key.upper()} is refused. {reason}")
