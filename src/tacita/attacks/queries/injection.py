"""Injection: texts that want more than statistics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tacita.attacks.queries.intruding.intruder import Asking, Outcome, Target
from tacita.data.attribute import Kind
from tacita.errors import QueryError, TacitaError
from tacita.method import ANY_KIND, Method
from tacita.queries.language.writing import quoted

# {v} is the view, {x} the confidential attribute, {a} a public one. Whatever could change or write
# something changes nothing (WHERE 1 = 0) and writes nowhere, should it be carried out after all.
HOSTILE = (
    # records
    "SELECT {x} FROM {v}",
    "SELECT * FROM {v}",
    "SELECT DISTINCT {x} FROM {v}",
    "SELECT {x}, count(*) FROM {v} GROUP BY {x}",
    "SELECT {a}, {x} FROM {v} ORDER BY {x} DESC LIMIT 1",
    "SELECT count(*) FROM {v} GROUP BY floor({x})",
    "FROM {v}",
    "TABLE {v}",
    # statistics that are records
    "SELECT list({x}) FROM {v}",
    "SELECT array_agg({x}) FROM {v}",
    "SELECT string_agg(CAST({x} AS VARCHAR), ',') FROM {v}",
    "SELECT first({x}) FROM {v}",
    "SELECT any_value({x}) FROM {v}",
    "SELECT arg_max({a}, {x}) FROM {v}",
    "SELECT histogram({x}) FROM {v}",
    "SELECT mode({x}) FROM {v}",
    "SELECT sum(CASE WHEN {x} > 0 THEN (SELECT max({x}) FROM {v}) END) FROM {v}",
    "SELECT first({x}) FILTER (WHERE {x} > 0) FROM {v}",
    "SELECT sum(1 / ({x} - 1)) FROM {v}",
    "SELECT count(DISTINCT {x}) FROM {v}",
    # windows and samples
    "SELECT row_number() OVER (ORDER BY {x}), {x} FROM {v}",
    "SELECT sum({x}) OVER (ORDER BY {a}) FROM {v}",
    "SELECT count(*) FROM {v} QUALIFY row_number() OVER (ORDER BY {x}) = 1",
    "SELECT sum({x}) FROM {v} TABLESAMPLE 10%",
    "SELECT sum({x}) FROM {v} WHERE random() < 0.5",
    # subqueries, joins, set operations
    "SELECT (SELECT max({x}) FROM {v}), count(*) FROM {v}",
    "SELECT count(*) FROM {v} WHERE {x} = (SELECT max({x}) FROM {v})",
    "SELECT count(*) FROM {v} WHERE {x} IN (SELECT {x} FROM {v} LIMIT 1)",
    "SELECT count(*) FROM {v} WHERE EXISTS (SELECT 1 FROM {v} WHERE {x} > 0)",
    "SELECT count(*) FROM (SELECT {x} FROM {v} ORDER BY {x} LIMIT 1)",
    "WITH f AS (SELECT {x} FROM {v}) SELECT max({x}) FROM f",
    "WITH RECURSIVE f AS (SELECT 1 UNION SELECT max({x}) FROM {v}) SELECT count(*) FROM f",
    "SELECT count(*) FROM {v} UNION ALL SELECT {x} FROM {v}",
    "SELECT count(*) FROM {v} EXCEPT SELECT 1",
    "SELECT sum(p.{x}) FROM {v} AS p JOIN {v} AS q ON p.{a} = q.{a}",
    "SELECT count(*) FROM {v}, {v} AS other",
    "SELECT count(*) FROM {v} LIMIT (SELECT CAST(max({x}) AS BIGINT) FROM {v})",
    # several statements, quotes, comments
    "SELECT count(*) FROM {v}; SELECT {x} FROM {v}",
    "SELECT count(*) FROM {v} WHERE {a} = ''; SELECT {x} FROM {v}; --'",
    "SELECT count(*) FROM {v} /* */; /* */ SELECT * FROM {v}",
    "SELECT count(*) FROM {v} WHERE 1 = 1 UNION SELECT {x} FROM {v} --",
    # other statements
    "UPDATE {v} SET {x} = {x} WHERE 1 = 0",
    "DELETE FROM {v} WHERE 1 = 0",
    "INSERT INTO {v} SELECT * FROM {v} WHERE 1 = 0",
    "DROP TABLE IF EXISTS tacita_no_such_table",
    "EXPLAIN ANALYZE SELECT {x} FROM {v}",
    "DESCRIBE {v}",
    "SUMMARIZE {v}",
    "PRAGMA database_list",
    "SHOW TABLES",
    "SET memory_limit = '1GB'",
    "VALUES (1)",
    # files, system tables, functions of the machine
    "SELECT count(*) FROM read_csv('tacita_no_such_file.csv')",
    "SELECT count(*) FROM 'tacita_no_such_file.parquet'",
    "SELECT content FROM read_text('tacita_no_such_file')",
    "SELECT count(*) FROM glob('*')",
    "SELECT count(*) FROM information_schema.tables",
    "SELECT count(*) FROM pg_catalog.pg_tables",
    "SELECT count(*) FROM duckdb_tables()",
    "SELECT current_setting('memory_limit'), count(*) FROM {v}",
    "SELECT version(), count(*) FROM {v}",
    "SELECT count(*) FROM {v} WHERE getenv('HOME') IS NOT NULL",
    "SELECT count(*) FROM {v} WHERE error(CAST({x} AS VARCHAR)) IS NULL",
    "SELECT count(*) FROM {v} WHERE CAST({x} || 'x' AS BIGINT) = 1",
)
SHOWN = 60  # characters of a text that a finding shows


class Injection(Method):
    """Ask for what is no statistic: records, files, system tables, other statements.

    A corpus of hostile texts about the view. Each must be refused as no statistical query; it
    succeeds if one is answered, or fails in another way. No text changes or writes anything, should
    the database carry it out.

    It is a test that curators run against their own database before they open it.

    When not to use it: against databases of others.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.Unprotected())
    >>> Injection().attack(guard, target).succeeded
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Halfond, W. G., Viegas, J. and Orso, A. (2006). A classification of SQL injection attacks "
        "and countermeasures. IEEE International Symposium on Secure Software Engineering."
    )
    missing: ClassVar[str] = "Blanks play no role."

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask every text of the corpus."""
        asked = list(_texts(target))
        findings = tuple(told for sql in asked if (told := _finding(database, sql)))
        return Outcome(self.name, len(asked), len(asked) - len(findings), findings=findings)


def _texts(target: Target) -> Iterator[str]:
    view, hidden = quoted(target.register.view), quoted(target.attribute)
    public = quoted(next(iter(target.known)))
    return (text.format(v=view, x=hidden, a=public) for text in HOSTILE)


def _finding(database: Asking, sql: str) -> str | None:
    shown = sql if len(sql) <= SHOWN else f"{sql[:SHOWN]}..."
    try:
        database.ask(sql, user="intruder")
    except QueryError:
        return None
    except TacitaError:
        return f"the database failed at: {shown}"
    return f"not refused: {shown}"
