"""Linear reconstruction: all values at once, from many noisy sums of random sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.arithmetic import eigh, least_squares, product
from tacita.attacks.queries.intruding.chance import distinct, random_sets
from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.data.attribute import Kind
from tacita.data.classes import Floats
from tacita.method import Method
from tacita.results import percent

ERRORS = 3  # standard errors on both sides
EXACT = 1e-9  # of the largest sum, below which residuals are rounding
HALF = Fraction(1, 2)


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """What was reconstructed.

    Args:
        sums: the sum of the attribute over every class of the register.
        errors: their standard errors; infinite where the answers do not determine them.
    """

    sums: Floats
    errors: Floats

    def recovered(self, truths: Floats, within: float) -> Fraction:
        """Return the share of classes whose sum is found, but for a part of it."""
        near = np.abs(self.sums - truths) <= within * np.abs(truths) + EXACT * np.abs(truths).max()
        return Fraction(int((near & np.isfinite(self.errors)).sum()), len(truths))


class LinearReconstruction(Method):
    """Solve for the values of everybody, given the noisy sums of many random sets.

    The answers are a = A x + noise, where x are the sums over the classes of the register and A
    tells which of them are in each set. Least squares minimizes the sum of squared residuals, the
    linear program that of absolute ones, which a few large errors do not move. With as many answers
    as some times the number of classes, noise that is small against sqrt(n) leaves nearly
    everybody's value. It succeeds if three standard errors of the victim's value are a small part
    of it; given all truths, also if half of the classes are recovered so well.

    It is a test that curators run against their own database before they open it.

    When not to use it: on registers of many thousand classes, which need many thousand answers.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.Unprotected(), records=10)
    >>> LinearReconstruction(60).attack(guard, target).succeeded
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Dinur, I. and Nissim, K. (2003). Revealing information while preserving privacy. PODS "
        "2003, 202-210; Dwork, C., McSherry, F. and Talwar, K. (2007). The price of privacy and "
        "the limits of LP decoding. STOC 2007, 85-94."
    )
    missing: ClassVar[str] = "A blank value is inferred as 0."

    queries: Annotated[int, Field(description="How many sums are asked for at most.", ge=1)] = 300
    _: KW_ONLY
    by: Annotated[
        Literal["least_squares", "linear_program"], Field(description="How it is solved.")
    ] = "least_squares"
    within: Annotated[
        float,
        Field(description="The largest error, as a part of the value, that is a success.", gt=0),
    ] = 0.1
    seed: Annotated[int, Field(description="What the random sets are drawn with.", ge=0)] = 0

    def attack(
        self, database: Asking, target: Target, truths: Sequence[float] | None = None
    ) -> Outcome:
        """Ask for the sums of random sets, and solve.

        Args:
            database: the database.
            target: the victim.
            truths: the sums over all classes of the register, to tell how many were recovered.
        """
        intruder = Intruder(database, target)
        found = self.reconstructed(intruder)
        victim = target.register.class_of(target.condition)
        value, error = float(found.sums[victim]), float(found.errors[victim])
        findings = () if truths is None else self._recovered(found, np.asarray(truths, float))
        small = error <= self.within * abs(value)
        between = (value - error, value + error) if small else None
        return intruder.outcome(self.name, between=between, findings=findings)

    def reconstructed(self, intruder: Intruder) -> Reconstruction:
        """Ask for the sums of random sets, and solve for those of all classes."""
        register = intruder.target.register
        sets = distinct(random_sets(register, self.seed), self.queries)
        asked = [(one.holds, total) for one in sets if (total := intruder.total(one)) is not None]
        classes = len(register.classes)
        rows = np.array([holds for holds, _ in asked], float).reshape(-1, classes)
        answers = np.array([float(total) for _, total in asked])
        solved = least_squares if self.by == "least_squares" else _linear_program
        sums = solved(rows, answers)
        return Reconstruction(sums, _errors(rows, answers - product(rows, sums), answers))

    def _recovered(self, found: Reconstruction, truths: Floats) -> tuple[str, ...]:
        share = found.recovered(truths, self.within)
        if share < HALF:
            return ()
        near = percent(Fraction(str(self.within)))
        return (f"{percent(share)} of the classes are recovered within {near}",)


def _linear_program(rows: Floats, answers: Floats) -> Floats:
    """Minimize the sum of absolute residuals, each the difference of two positive parts."""
    from scipy.optimize import linprog

    number, classes = rows.shape
    parts = np.eye(number)
    solved = linprog(
        np.append(np.zeros(classes), np.ones(2 * number)),
        A_eq=np.hstack([rows, parts, -parts]),
        b_eq=answers,
        bounds=[(None, None)] * classes + [(0, None)] * (2 * number),
    )
    return np.asarray(solved.x[:classes])


def _errors(rows: Floats, residuals: Floats, answers: Floats) -> Floats:
    """Return three standard errors of every sum; infinite where answers do not determine it."""
    scale, directions = eigh(product(rows.T, rows))
    free = scale <= EXACT * max(scale.max(initial=0.0), 1.0)
    spread = (directions[:, ~free] ** 2 / scale[~free]).sum(axis=1)
    left = max(len(answers) - int((~free).sum()), 1)
    variance = float(product(residuals, residuals)) / left
    if np.abs(residuals).max(initial=0.0) <= EXACT * np.abs(answers).max(initial=1.0):
        variance = 0.0
    undetermined = (directions[:, free] ** 2).sum(axis=1) > EXACT
    errors = ERRORS * np.sqrt(variance * spread)
    return np.where(undetermined, np.inf, errors)
