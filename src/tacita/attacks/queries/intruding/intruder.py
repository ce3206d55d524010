"""What an intruder wants, does and finds out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import cycle
from math import isfinite
from typing import Any, Protocol

from tacita.attacks.queries.intruding.register import Condition, Register
from tacita.errors import InputError, QueryError
from tacita.queries.answer import Answer
from tacita.queries.language.writing import quoted
from tacita.results import counted, show

# A linear combination of sums over query sets.
Formula = Sequence[tuple[Fraction | int, Condition]]
NEARLY = 1e-9  # relative; a mean is told as a rounded number


class Asking(Protocol):
    """A guarded database, as its users see it: a guard at hand, or a server far away."""

    def ask(self, sql: str, *, user: str) -> Answer:
        """Ask one query; what is no statistical query raises a QueryError."""


@dataclass(frozen=True, eq=False)
class Target:
    """Somebody whose confidential value an intruder wants.

    Args:
        known: the victim's public attributes; nobody else may have the same.
        attribute: the confidential attribute.
        register: the public attributes of everybody.
        truth: the value, where the curator who runs the attack tells it, to judge what was
            inferred; no attack looks at it.
    """

    known: Mapping[str, Any]
    attribute: str
    register: Register
    truth: float | None = None

    def __post_init__(self) -> None:
        size = self.register.size(self.condition)
        if size != 1:
            raise InputError(
                f"The attacks are aimed at one record; {size:,} are like "
                f"{', '.join(f'{name} {value}' for name, value in self.known.items())}."
            )

    @cached_property
    def condition(self) -> Condition:
        """The condition that only the victim fulfils."""
        return self.register.all_of(self.known)


@dataclass(frozen=True, repr=False)
class Outcome:
    """What an attack came to.

    Args:
        attack: its name.
        asked: how many queries were asked.
        refused: how many of them were refused.
        lower: the least that the victim's value can be; None where nothing was inferred.
        upper: the most that it can be.
        right: whether the value is in there; None where the truth was not given.
        findings: weaknesses of the database that were found, in sentences.

    >>> Outcome("individual_tracker", 2, 0, 150000.0, 150000.0, True)
    individual_tracker: succeeded; the value is 150,000, which is right (2 queries, 0 refused)
    """

    attack: str
    asked: int
    refused: int
    lower: float | None = None
    upper: float | None = None
    right: bool | None = None
    findings: tuple[str, ...] = ()

    @property
    def is_unchecked(self) -> bool:
        """Whether a value was inferred of which nobody said whether it is right."""
        return self.lower is not None and self.right is None

    @property
    def succeeded(self) -> bool:
        """Whether the value was inferred (rightly, as far as is known) or a weakness found."""
        inferred = self.lower is not None and self.right is not False
        return inferred or bool(self.findings)

    def __repr__(self) -> str:
        told = [*self._inferred(), *self.findings]
        result = "succeeded" if self.succeeded else "failed"
        about = "".join(f"; {one}" for one in told)
        asked = counted(self.asked, "query").replace("querys", "queries")
        return f"{self.attack}: {result}{about} ({asked}, {self.refused:,} refused)"

    def _inferred(self) -> list[str]:
        if self.lower is None or self.upper is None:
            return []
        value = show(self.lower)
        if self.lower != self.upper:
            value = f"between {self.lower:,.10g} and {self.upper:,.10g}"
        judged = {None: ", unchecked", True: ", which is right", False: ", which is wrong"}
        return [f"the value is {value}{judged[self.right]}"]

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome in plain types."""
        return {
            "attack": self.attack,
            "succeeded": self.succeeded,
            "asked": self.asked,
            "refused": self.refused,
            "lower": self.lower,
            "upper": self.upper,
            "right": self.right,
            "findings": list(self.findings),
        }


def success_rate(outcomes: Sequence[Outcome]) -> Fraction:
    """Return the share of attacks that succeeded.

    >>> success_rate([Outcome("padding", 5, 5), Outcome("padding", 5, 0, 3.0, 3.0)])
    Fraction(1, 2)
    """
    if not outcomes:
        raise InputError("A success rate needs at least one attack; found none.")
    return Fraction(sum(one.succeeded for one in outcomes), len(outcomes))


class Intruder:
    """One or several accounts that ask together, and remember what they were told.

    Args:
        database: what is asked.
        target: whom they are after.
        users: the accounts, which take turns.
    """

    def __init__(
        self, database: Asking, target: Target, users: Sequence[str] = ("intruder",)
    ) -> None:
        self.database = database
        self.target = target
        self.asked = 0
        self.refused = 0
        self.paid = False  # whether any answer cost some of a budget
        self._turns = cycle(users)
        self._told: dict[str, Fraction | None] = {}

    def sql(self, statistic: str, where: str) -> str:
        """Return a query as text; `{}` in the statistic stands for the attribute."""
        asked = statistic.format(quoted(self.target.attribute))
        return f"SELECT {asked} FROM {quoted(self.target.register.view)} WHERE {where}"  # noqa: S608

    def ask(self, statistic: str, where: str) -> Fraction | None:
        """Ask for one number; None where it is refused or blank. Nothing is asked twice."""
        sql = self.sql(statistic, where)
        if sql not in self._told:
            self._told[sql] = self.again(sql)
        return self._told[sql]

    def again(self, sql: str) -> Fraction | None:
        """Ask, even if it was asked before."""
        self.asked += 1
        try:
            answer = self.database.ask(sql, user=next(self._turns))
        except QueryError:
            value = None
        else:
            value = number(answer)
            self.paid |= bool(answer.cost)
        self.refused += value is None
        return value

    def total(self, condition: Condition) -> Fraction | None:
        """Ask for the sum over a query set; that over nobody needs no asking."""
        if not condition.holds.any():
            return Fraction(0)
        return self.ask("sum({})", condition.text)

    def size(self, condition: Condition) -> int | Fraction:
        """Return the size of a query set: by the register, or asked for where that guesses."""
        known = self.target.register.size(condition)
        if self.target.register.is_sure:
            return known
        told = self.ask("count(*)", condition.text)
        return known if told is None else told

    def computed(self, formula: Formula) -> Fraction | None:
        """Return a linear combination of sums; None as soon as one of them is refused."""
        result = Fraction(0)
        for coefficient, condition in formula:
            total = self.total(condition)
            if total is None:
                return None
            result += coefficient * total
        return result

    def first(self, formulas: Iterable[Formula]) -> Fraction | None:
        """Return what the first formula gives of which every sum is answered."""
        results = (self.computed(formula) for formula in formulas)
        return next((result for result in results if result is not None), None)

    def outcome(
        self,
        attack: str,
        value: Fraction | None = None,
        *,
        between: tuple[float, float] | None = None,
        findings: Sequence[str] = (),
    ) -> Outcome:
        """Return what came out, judged by the truth where it is given."""
        if value is not None:
            between = (float(value), float(value))
        lower, upper = between or (None, None)
        right = None if between is None else _is_right(between, self.target.truth)
        return Outcome(attack, self.asked, self.refused, lower, upper, right, tuple(findings))


def asked_register(database: Asking, view: str, names: Sequence[str], user: str) -> Register:
    """Find out the register by counting; a class whose count is refused counts as one record.

    So do all classes where counts are noisy. Which groups there are is told in any case, because
    they are public.
    """
    keys = ", ".join(map(quoted, names))
    sql = f"SELECT {keys}, count(*) FROM {quoted(view)} GROUP BY {keys}"  # noqa: S608
    answer = database.ask(sql, user=user)
    noisy = bool(answer.cost) or answer.interval is not None
    counts = [None if noisy else row[-1] for row in answer.rows]
    rows = ((row[:-1], count or 1) for row, count in zip(answer.rows, counts, strict=True))
    return replace(Register.counted(view, names, rows), is_sure=all(counts))


def number(answer: Answer) -> Fraction | None:
    """Return the first value of an answer as it is written; None where it is no number."""
    value = None if not answer.rows or answer.refused[0][0] else answer.rows[0][0]
    is_number = isinstance(value, int | float | Decimal) and isfinite(value)
    return Fraction(str(value)) if is_number else None


def _is_right(between: tuple[float, float], truth: float | None) -> bool | None:
    if truth is None:
        return None
    slack = NEARLY * max(1.0, abs(truth))
    return between[0] - slack <= truth <= between[1] + slack
