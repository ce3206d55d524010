"""Membership by groups: whether somebody is in the data, told by which rows an answer has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.attacks.queries.intruding.invented import invented
from tacita.data.attribute import Kind
from tacita.errors import QueryError
from tacita.method import ANY_KIND, Method
from tacita.queries.language.writing import quoted

Shape = tuple[Any, ...]  # the groups of an answer, and what was refused; or the error


class GroupMembership(Method):
    """Tell those who are in the data from those who are not, by the rows of grouped answers.

    Under the condition that all public attributes are those of one person, GROUP BY any of them
    has one row if that person is in the data and none otherwise, whatever noise the number in the
    row has. The same is tried with one attribute left out of the condition and grouped by: is there
    a row of the person's value? No number is looked at, only which groups an answer has, what is
    refused and which error comes. It succeeds if the answers about the victim differ in that from
    those about somebody invented, whose public attributes nobody has.

    It is a test that curators run against their own database before they open it.

    When not to use it: where everybody knows who is in the data, as of a census.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.QuerySetSize(3))
    >>> GroupMembership().attack(guard, target).findings
    ('the rows of grouped answers tell that the victim is in the data',)
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Desfontaines, D., Voss, J., Gipson, B. and Mandayam, C. (2022). Differentially private "
        "partition selection. PoPETs 2022(1), 339-352; Pyrgelis, A., Troncoso, C. and De "
        "Cristofaro, E. (2018). Knock knock, who's there? NDSS 2018."
    )
    missing: ClassVar[str] = "A blank is a value like others."

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask for groups of the victim, and of somebody invented."""
        intruder = Intruder(database, target)
        nobody = invented(target)
        if nobody is None:
            return intruder.outcome(self.name)
        tells = any(
            _shape(intruder, target.known, name, within=within)
            != _shape(intruder, nobody, name, within=within)
            for name in target.known
            for within in (True, False)
        )
        found = ["the rows of grouped answers tell that the victim is in the data"]
        return intruder.outcome(self.name, findings=found if tells else ())


def _shape(intruder: Intruder, known: Mapping[str, Any], name: str, *, within: bool) -> Shape:
    """Return what an answer grouped by one attribute looks like around a person.

    Args:
        intruder: who asks.
        known: the person's public attributes.
        name: the attribute that is grouped by.
        within: whether the condition names it, too.
    """
    target = intruder.target
    named = {key: value for key, value in known.items() if within or key != name}
    where = target.register.all_of(named).text
    sql = (
        f"SELECT {quoted(name)}, count(*) FROM {quoted(target.register.view)} "  # noqa: S608
        f"WHERE {where} GROUP BY {quoted(name)}"
    )
    intruder.asked += 1
    try:
        answer = intruder.database.ask(sql, user="intruder")
    except QueryError:
        intruder.refused += 1
        return ("error",)
    rows = [place for place, row in enumerate(answer.rows) if row[0] == known[name]]
    intruder.refused += any(map(any, answer.refused))
    return (len(rows), tuple(answer.refused[place] for place in rows), within and len(answer.rows))
