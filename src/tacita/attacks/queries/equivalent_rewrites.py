"""Equivalent rewrites: one query set in many words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.attacks.queries.intruding.register import literal
from tacita.data.attribute import Kind
from tacita.method import Method
from tacita.queries.language.writing import quoted


class EquivalentRewrites(Method):
    """Ask for one query set in many words, of the victim alone and of a large set around.

    `a = 1`, `a IN (1)`, `NOT a <> 1`, `a BETWEEN 1 AND 1`, other orders, double negation, CASE: all
    of them choose the same records. It succeeds if the victim's value is told in any words, or if
    one set gets different decisions or different answers in different words: then a policy looks at
    words, or noise can be averaged away.

    It is a test that curators run against their own database before they open it.

    When not to use it: to show that a database is safe; it is one attack of many.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.QuerySetSize(3))
    >>> EquivalentRewrites().attack(guard, target).succeeded
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Asghar, H. J. and Kaafar, D. (2020). Averaging attacks on bounded noise-based disclosure "
        "control algorithms. Proceedings on Privacy Enhancing Technologies 2020(2), 358-378."
    )
    missing: ClassVar[str] = "A blank value is never told; a blank public attribute is rewritten."

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask for both sets in all words."""
        intruder = Intruder(database, target)
        alone = [intruder.ask("sum({})", words) for words in rewrites(target.known)]
        name = max(target.known, key=lambda one: target.register.values(one)[target.known[one]])
        around = [
            intruder.again(intruder.sql("sum({})", words))
            for words in rewrites({name: target.known[name]})
        ]
        told = {"the victim": alone, f"all of one {name}": around}
        # An answer that is paid for may be another one each time, and be refused in the end.
        pairs = () if intruder.paid else told.items()
        findings = [one for about, answers in pairs for one in _differences(answers, about)]
        value = next((one for one in alone if one is not None), None)
        return intruder.outcome(self.name, value, findings=findings)


def rewrites(known: Mapping[str, Any]) -> list[str]:
    """Return conditions that all mean that attributes have these values.

    >>> rewrites({"age": 30})[:3]
    ['"age" = 30', '"age" IN (30)', 'NOT ("age" <> 30)']
    """
    ways = [[way(name, value) for name, value in known.items()] for way in WAYS]
    plain = [" AND ".join(parts) for parts in ways]
    backwards = " AND ".join(reversed(ways[0]))
    others = " OR ".join(f"NOT ({part})" for part in ways[0])
    return [
        *plain,
        backwards,
        f"NOT ({others})",
        f"NOT (NOT ({plain[0]}))",
        f"({plain[0]}) AND ({backwards})",
        f"CASE WHEN {plain[0]} THEN 1 ELSE 0 END = 1",
    ]


def _equal(name: str, value: Any) -> str:
    column = quoted(name)
    return f"{column} IS NULL" if value is None else f"{column} = {literal(value)}"


def _one_of(name: str, value: Any) -> str:
    return _equal(name, value) if value is None else f"{quoted(name)} IN ({literal(value)})"


def _not_other(name: str, value: Any) -> str:
    column = quoted(name)
    other = f"{column} IS NOT NULL" if value is None else f"{column} <> {literal(value)}"
    return f"NOT ({other})"


def _between(name: str, value: Any) -> str:
    if value is None:
        return _equal(name, value)
    return f"{quoted(name)} BETWEEN {literal(value)} AND {literal(value)}"


WAYS = (_equal, _one_of, _not_other, _between)


def _differences(told: list[Any], about: str) -> list[str]:
    """Tell whether one set was decided or answered differently."""
    answers = {one for one in told if one is not None}
    findings = []
    if answers and None in told:
        findings.append(f"the sum of {about} is refused in some words and answered in others")
    if len(answers) > 1:
        findings.append(f"the sum of {about} is {len(answers)} different numbers in other words")
    return findings
