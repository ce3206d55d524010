"""Padding: conditions that change the words of a query set and not the set."""

from __future__ import annotations

from typing import ClassVar

from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.data.attribute import Kind
from tacita.method import Method
from tacita.queries.language.writing import quoted

# Always true or always false, of the confidential attribute {x} and a public one {a}; each is
# joined to a condition that isolates the victim.
PADDED = (
    "{victim} AND 1 = 1",
    "{victim} OR 1 = 0",
    "{victim} OR NULL IS NOT NULL",
    "{victim} OR NULL = NULL",
    "{victim} OR 1 / 0 = 1",
    "{victim} OR CASE WHEN 1 = 0 THEN 1 / 0 = 1 ELSE 1 = 0 END",
    "CASE WHEN {victim} THEN 1 = 1 ELSE 1 / 0 = 1 END",
    "{victim} AND ({a} = {a} OR {a} IS NULL)",
    "{victim} OR ({a} IS NULL AND {a} IS NOT NULL)",
    "{victim} OR coalesce({a} <> {a}, 1 = 0)",
    "{victim} AND {x} IS NOT NULL",
    "{victim} AND {x} = {x}",
    "{victim} OR {x} <> {x}",
    "{victim} OR ({x} IS NULL AND {x} IS NOT NULL)",
    "{victim} AND ({x} / 0 IS NULL OR 1 = 1)",
    "{victim} OR CASE WHEN {x} IS NULL THEN 1 / 0 = 1 ELSE 1 = 0 END",
)
STATISTICS = ("avg({})", "max({})", "quantile_cont({}, 0.5)", "sum({}) / count(*)")


class Padding(Method):
    """Ask about the victim alone, with conditions that add nobody.

    Always true and always false conditions, comparisons with NULL, divisions by zero and conditions
    on the confidential attribute make a query look larger, or hide from a policy that reads words
    which set it is. It succeeds if the value is told in any of them.

    It is a test that curators run against their own database before they open it.

    When not to use it: to show that a database is safe; it is one attack of many.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.QuerySetSize(3))
    >>> Padding().attack(guard, target).succeeded
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Denning, D. E. (1982). Cryptography and Data Security, chapter 6. Addison-Wesley."
    )
    missing: ClassVar[str] = "A blank value is never told."

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask about the victim in every padding."""
        intruder = Intruder(database, target)
        public = quoted(next(iter(target.known)))
        hidden = quoted(target.attribute)
        padded = [
            words.format(victim=target.condition.text, a=public, x=hidden) for words in PADDED
        ]
        told = [intruder.ask("sum({})", where) for where in padded]
        told += [intruder.ask(statistic, padded[0]) for statistic in STATISTICS]
        return intruder.outcome(self.name, next((one for one in told if one is not None), None))
