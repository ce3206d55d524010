"""Leverage: the slope on a public number that only the victim has is the victim's value."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.attacks.queries.intruding.register import Condition
from tacita.data.attribute import Kind
from tacita.method import Method
from tacita.queries.language.writing import quoted

STATISTICS = ("regr_slope({{}}, {})", "covar_pop({{}}, {})")


class Leverage(Method):
    """Infer a value from a mean and the slope, or the covariance, with a public attribute.

    The victim joins the n - 1 people with the most frequent value z' of a public number z, of which
    the victim has another one, z. Then the slope of x on z in the n records is
    (x(victim) - mean of the others) / (z - z'), and

        x(victim) = mean + slope (z - z') (n - 1) / n = mean + covariance n / (z - z'),

    however many the others are. Both statistics are about n records and tell of one.

    It is a test that curators run against their own database before they open it.

    When not to use it: against databases that answer sums and counts only.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> Leverage().attack(*example_guard(ta.Unprotected())).succeeded
    True
    >>> Leverage().attack(*example_guard(ta.QuerySetSize(3))).succeeded
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Gomatam, S., Karr, A. F., Reiter, J. P. and Sanil, A. P. (2005). Data dissemination and "
        "disclosure limitation in a world without microdata: a risk-utility framework for remote "
        "access analysis servers. Statistical Science 20(2), 163-177."
    )
    missing: ClassVar[str] = "A blank value is not found: it is in no mean."

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask for means and slopes until both are answered."""
        intruder = Intruder(database, target)
        tried = (
            _inferred(intruder, name, there, statistic)
            for name, there in _numbers(target)
            for statistic in STATISTICS
        )
        return intruder.outcome(self.name, next((one for one in tried if one is not None), None))


def _numbers(target: Target) -> Iterator[tuple[str, Fraction]]:
    """Return the public numbers of which most have another value than the victim, that one."""
    for name, own in target.known.items():
        values = target.register.values(name)
        numbers = {
            one: count
            for one, count in values.items()
            if isinstance(one, int | float) and not isinstance(one, bool) and one != own
        }
        if numbers and isinstance(own, int | float):
            yield name, Fraction(str(max(numbers, key=numbers.__getitem__)))


def _inferred(intruder: Intruder, name: str, there: Fraction, statistic: str) -> Fraction | None:
    """Return what a mean and one statistic more tell of the victim; None where one is refused."""
    register, own = intruder.target.register, Fraction(str(intruder.target.known[name]))
    number = int(there) if there.denominator == 1 else float(there)
    asked: Condition = register.where(name, [number]) | intruder.target.condition
    told = intruder.ask(statistic.format(quoted(name)), asked.text)
    mean = intruder.ask("avg({})", asked.text)
    if told is None or mean is None:
        return None
    size = intruder.ask("count({})", asked.text) or Fraction(intruder.size(asked))
    if statistic.startswith("covar"):
        return mean + told * size / (own - there)
    return mean + told * (own - there) * (size - 1) / size
