"""What one query may cost, where whoever asks says it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from tacita.errors import QueryError, shown
from tacita.mechanisms.private.accounting import Measure, exact

LEAST = Fraction(1, 10**9)  # of the budget: less drowns every number in noise


@dataclass(frozen=True)
class Spending:
    """What one query shall cost.

    Args:
        epsilon: the loss, where losses add up as epsilon.
        rho: the loss, where losses add up as zero-concentrated privacy.
        delta: the chance to show a group of one respondent among groups that nobody declared; in
            proportion to the loss where it is not said.

    >>> Spending.said(epsilon=0.1).loss(Measure.EPSILON, Fraction(1))
    Fraction(1, 10)
    """

    epsilon: float | None = None
    rho: float | None = None
    delta: float | None = None

    @classmethod
    def said(
        cls, epsilon: float | None = None, rho: float | None = None, delta: float | None = None
    ) -> Spending | None:
        """Return what was said; None if nothing was.

        Raises:
            QueryError: a number is none that can be spent.
        """
        for name, value in (("epsilon", epsilon), ("rho", rho), ("delta", delta)):
            if value is None:
                continue
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not isfinite(value) or value <= 0 or (name == "delta" and value >= 1):
                between = "between 0 and 1" if name == "delta" else "above 0"
                raise QueryError(
                    f"`{name}` of a query is a number {between}; found {shown(value)}."
                )
        found = cls(epsilon, rho, delta)
        return None if found == cls() else found

    def loss(self, measure: Measure, total: Fraction) -> Fraction | None:
        """Return the loss of the query in a measure; None where it is not said.

        Raises:
            QueryError: it is said in another measure, or too small for any answer.
        """
        other = Measure.RHO if measure is Measure.EPSILON else Measure.EPSILON
        if getattr(self, other) is not None:
            raise QueryError(
                f"The budget of this database is counted in {measure}; say what the query may cost "
                f"as `{measure}`, not as `{other}`."
            )
        value = getattr(self, measure)
        if value is None:
            return None
        loss = exact(float(value))
        if loss < total * LEAST:
            raise QueryError(
                f"`{measure}` of a query is a billionth of the budget at least, here "
                f"{float(total * LEAST):g}; found {value:g}."
            )
        return loss
