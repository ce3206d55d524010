"""Floating point: what the last bits of noisy doubles tell."""

from __future__ import annotations

from dataclasses import KW_ONLY
from fractions import Fraction
from itertools import islice
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.attacks.queries.intruding.chance import random_sets
from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.data.attribute import Kind
from tacita.method import Method

BINARY = 2**24  # the largest denominator of numbers on a grid of powers of two
DIGITS = 14  # significant decimals; a double has 15 to 17


class FloatingPoint(Method):
    """Look for noisy sums that are told to the last bit.

    A double plus noise drawn as a double cannot become every double: which ones it can become
    depends on the value behind it, so that the last bits of an answer rule out most values and
    break differential privacy. Answers that are whole, decimals of a few digits or multiples of a
    small power of two leave no such traces. It succeeds if most answers have as many digits as a
    double has.

    It is a test that curators run against their own database before they open it.

    When not to use it: on attributes that are measured to 15 digits, whose exact sums look so.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.RecordSetNoise(2))
    >>> FloatingPoint().attack(guard, target).succeeded
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Mironov, I. (2012). On significance of the least significant bits for differential "
        "privacy. CCS 2012, 650-661."
    )
    missing: ClassVar[str] = "A blank adds nothing to a sum."

    queries: Annotated[int, Field(description="How many sums are asked for.", ge=1)] = 20
    _: KW_ONLY
    seed: Annotated[int, Field(description="What the random sets are drawn with.", ge=0)] = 0

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask for sums, and look at their last digits."""
        intruder = Intruder(database, target)
        sets = islice(random_sets(target.register, self.seed), self.queries)
        told = [total for one in sets if (total := intruder.total(one)) is not None]
        full = sum(_fills_a_double(total) for total in told)
        findings = [f"{full} of {len(told)} answers are told to the last bit of a double"]
        return intruder.outcome(self.name, findings=findings if 2 * full > len(told) else ())


def _fills_a_double(number: Fraction) -> bool:
    """Tell whether a number is neither a short decimal nor on a grid of powers of two.

    >>> _fills_a_double(Fraction("123.45")), _fills_a_double(Fraction("0.12345678901234567"))
    (False, True)
    """
    digits = f"{float(number):.17g}" if number.denominator == 1 else repr(float(number))
    mantissa = digits.partition("e")[0].replace("-", "").replace(".", "").strip("0")
    on_grid = Fraction(float(number)).denominator <= BINARY
    return len(mantissa) > DIGITS and not on_grid
