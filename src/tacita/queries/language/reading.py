"""What `writing` wrote, read back: a ledger's statements, without a parser of all of SQL.

A long history has thousands of statements that differ in their conditions and in little else. A
condition is written in one way, so that a few rules read it; all else of a statement is parsed, and
comes again. What the rules do not understand, or would write otherwise, is parsed as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple

from tacita.queries.language.expressions import Call, Expression, Literal, Named, names_of
from tacita.queries.language.functions import ARITHMETIC, CASTS, COMPARISONS, NAMED
from tacita.queries.language.query import StatisticalQuery
from tacita.queries.language.writing import written
from tacita.queries.public_classes import PublicClasses

QUOTED = r"""'[^']*'|"[^"]*\""""
PLAIN = rf"""(?:[^()'"]|{QUOTED})*"""
HEAD = re.compile(rf"""((?:[^'"]|{QUOTED})*?) WHERE """)
LINK = re.compile(rf"""(\({PLAIN}(?:\({PLAIN}\){PLAIN})*\))( AND |\))""")  # of a chain of ANDs
TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | -?\d[\d.]*(?:e[+-]?\d+)? | \w+ | <>|<=|>=|// | \S""",
    re.ASCII | re.VERBOSE,
)
CHAINS = ("AND", "OR")
INFIX = frozenset({*CHAINS, *ARITHMETIC, *COMPARISONS})
CONSTANTS = {"NULL": Literal(None), "TRUE": Literal(True), "FALSE": Literal(False)}
DATES = {"DATE": date.fromisoformat, "TIMESTAMP": datetime.fromisoformat}
WHOLE = 2**63  # from here on a parser takes whole numbers for doubles
REMEMBERED = 4096  # links of chains that need not be read again

Tokens = list[str]  # the next one is the last


class Condition(NamedTuple):
    """A condition that a text begins with.

    Args:
        where: the condition.
        length: the number of its characters.
    """

    where: Expression
    length: int


def read_back(
    sql: str, data: PublicClasses, parse: Callable[[str], StatisticalQuery]
) -> StatisticalQuery:
    """Read a statement that `StatisticalQuery.canonical` wrote; the same as parsing it.

    Args:
        sql: the statement.
        data: the data that it was asked of.
        parse: reads any statement, and best remembers those it has read.
    """
    head = HEAD.match(sql)
    found = None if head is None else _condition(sql[head.end() :])
    if head is None or found is None or not names_of(found.where) <= data.attributes.keys():
        return parse(sql)
    rest = head[1] + sql[head.end() + found.length :]
    query = parse(rest)
    if query.canonical() != rest:
        return parse(sql)
    hidden = frozenset(name for name in names_of(found.where) if not data.is_public(name))
    return replace(query, where=found.where, confidential=hidden)


def _condition(text: str) -> Condition | None:
    """Read the condition that a text begins with; None where it is not written as we write."""
    return _chain(text) if text.startswith("((") else _read(text)


def _chain(text: str) -> Condition | None:
    """Read a chain of ANDs whose links come again in others."""
    links: list[Expression] = []
    place, link = 1, LINK.match(text, 1)
    while link is not None:
        found = _link(link[1])
        if found is None or _is_call(found, "AND"):
            break
        links.append(found)
        place = link.end()
        if link[2] == ")" and len(links) > 1:
            return Condition(Call("AND", tuple(links)), place)
        link = LINK.match(text, place)
    return _read(text)


@lru_cache(REMEMBERED)
def _link(text: str) -> Expression | None:
    found = _read(text)
    return found.where if found is not None and found.length == len(text) else None


def _read(text: str) -> Condition | None:
    try:
        where = _expression(TOKEN.findall(text)[::-1])
    except (ValueError, IndexError):
        return None
    said = written(where)
    return Condition(where, len(said)) if text.startswith(said) else None


def _expression(tokens: Tokens) -> Expression:
    word = tokens.pop()
    if word in FORMS:
        return FORMS[word](tokens)
    if word in DATES:
        return Literal(DATES[word](tokens.pop()[1:-1]))
    if word in NAMED:
        return Call(word, _listed(tokens))
    if word[0] == '"':
        return Named(word[1:-1].replace('""', '"'))
    return Literal(word[1:-1].replace("''", "'")) if word[0] == "'" else _constant(word)


def _bracketed(tokens: Tokens) -> Call:
    """Read what stands in brackets, up to the closing one."""
    if tokens[-1] == "NOT":
        tokens.pop()
        return _closed(Call("NOT", (_expression(tokens),)), tokens)
    first, word = _expression(tokens), tokens.pop()
    if word == "IS":
        _expect("NULL", tokens)
        return _closed(Call("IS NULL", (first,)), tokens)
    if word == "IN":
        choices = _listed(tokens)
        if any(not isinstance(one, Literal) or one.value is None for one in choices):
            raise ValueError
        return _closed(Call("IN", (first, *choices)), tokens)
    if word not in INFIX:
        raise ValueError
    return _infix(word, first, tokens)


def _infix(function: str, first: Expression, tokens: Tokens) -> Call:
    parts = [first, _expression(tokens)]
    while (word := tokens.pop()) == function and function in CHAINS:
        parts.append(_expression(tokens))
    if word != ")" or (function in CHAINS and any(_is_call(one, function) for one in parts)):
        raise ValueError  # a chain within its like is one chain to the parser
    return Call(function, tuple(parts))


def _is_call(expression: Expression, function: str) -> bool:
    return isinstance(expression, Call) and expression.function == function


def _case(tokens: Tokens) -> Call:
    parts: list[Expression] = []
    while (word := tokens.pop()) == "WHEN":
        parts.append(_expression(tokens))
        _expect("THEN", tokens)
        parts.append(_expression(tokens))
    if word != "ELSE":
        raise ValueError
    parts.append(_expression(tokens))
    _expect("END", tokens)
    return Call("CASE", tuple(parts))


def _cast(tokens: Tokens) -> Call:
    _expect("(", tokens)
    value = _expression(tokens)
    _expect("AS", tokens)
    function = tokens.pop()
    if function not in CASTS:
        raise ValueError
    return _closed(Call(function, (value,)), tokens)


def _listed(tokens: Tokens) -> tuple[Expression, ...]:
    """Read what stands in brackets with commas between."""
    _expect("(", tokens)
    parts = [_expression(tokens)]
    while (word := tokens.pop()) == ",":
        parts.append(_expression(tokens))
    if word != ")":
        raise ValueError
    return tuple(parts)


def _constant(word: str) -> Literal:
    if word in CONSTANTS:
        return CONSTANTS[word]
    if not word.lstrip("-").isdigit():
        return Literal(float(word))
    number = int(word)
    if abs(number) >= WHOLE:
        raise ValueError
    return Literal(number)


def _closed(call: Call, tokens: Tokens) -> Call:
    _expect(")", tokens)
    return call


def _expect(word: str, tokens: Tokens) -> None:
    if tokens.pop() != word:
        raise ValueError


FORMS: dict[str, Callable[[Tokens], Expression]] = {"(": _bracketed, "CASE": _case, "CAST": _cast}
