"""Margins: the distribution of one attribute as steps of a standard normal variable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacita.arithmetic import exp, product
from tacita.data.classes import Floats, Ints
from tacita.microdata.synthesis.making.columns import BLANK, Column

MOST_TERMS = 200
ENOUGH = 1e-5  # share of a score's variance that further terms may tell
SQRT_2_PI = np.sqrt(2 * np.pi)


@dataclass(frozen=True, eq=False)
class Steps:
    """A variable that has its k-th value while a normal Z lies between two of its steps.

    Args:
        shares: the probability of each value.
    """

    shares: Floats

    @cached_property
    def reached(self) -> Floats:
        """The probability of each value or one before it, after that of none."""
        reached = np.append(0.0, np.cumsum(self.shares))
        return np.minimum(reached / max(float(reached[-1]), 1e-300), 1.0)

    @cached_property
    def edges(self) -> Floats:
        """The values of Z between which the variable has each value."""
        from scipy.special import ndtri

        return np.asarray(ndtri(self.reached))

    @cached_property
    def densities(self) -> Floats:
        """The density of Z at the edges."""
        return np.asarray(exp(-np.square(self.edges) / 2) / SQRT_2_PI)

    @cached_property
    def scores(self) -> Floats:
        """What Z is on average while the variable has each value."""
        shares, integrals = np.diff(self.reached), -np.diff(self.densities)
        return np.divide(integrals, shares, out=np.zeros_like(shares), where=shares > 0)

    @cached_property
    def variance(self) -> float:
        """The variance of the scores."""
        return float(product(np.square(self.scores), np.diff(self.reached)))

    @cached_property
    def terms(self) -> Floats:
        """The coefficients a_1, a_2, ... of the scores in normalized Hermite polynomials of Z.

        Of two variables with coefficients a and b whose normal variables correlate by rho, the
        scores have the covariance sum_m a_m b_m rho^m (Mehler's formula).
        """
        scores, wanted = self.scores, self.variance
        inner = np.where(np.isfinite(self.edges), self.edges, 0.0)
        before, now = np.zeros_like(inner), self.densities.copy()
        found: list[float] = []
        # Of normalized polynomials h_m, the integral of h_m phi is -h_{m-1} phi / sqrt(m).
        while len(found) < MOST_TERMS and wanted - np.square(found).sum() > ENOUGH * wanted:
            m = len(found) + 1
            found.append(float(product(-np.diff(now), scores)) / np.sqrt(m))
            before, now = now, (inner * now - np.sqrt(m - 1) * before) / np.sqrt(m)
        return np.array(found)


@dataclass(frozen=True, eq=False)
class Margin:
    """The distribution of an attribute's values, apart from blanks, and where they lie on Z.

    Args:
        column: the attribute.
        order: the codes from 1 on in the order in which they lie on Z.
        steps: their probabilities, in that order.
        blanks: the probability of a blank.
    """

    column: Column
    order: Ints
    steps: Steps
    blanks: float

    @classmethod
    def of(cls, column: Column, weights: Floats, order: Ints | None = None) -> Margin:
        """Find the distribution; codes lie in their own order unless another is given."""
        shares = np.bincount(column.codes, weights, column.size) / weights.sum()
        order = np.arange(1, column.size) if order is None else order
        return cls(column, order, Steps(shares[order]), float(shares[BLANK]))

    def scores(self) -> Floats:
        """Return the normal score of every record; NaN for a blank."""
        of_code = np.full(self.column.size, np.nan)
        of_code[self.order] = self.steps.scores
        return of_code[self.column.codes]

    def at(self, z: Floats) -> tuple[Ints, Floats]:
        """Return the codes at some values of Z, and where within their step they lie, 0 to 1."""
        from scipy.special import ndtr

        if not len(self.order):
            return np.full(len(z), BLANK), np.zeros(len(z))
        reached, share = self.steps.reached, ndtr(z)
        place = np.searchsorted(reached[1:-1], share, side="right")
        low, high = reached[place], reached[place + 1]
        within = np.divide(share - low, high - low, out=np.zeros_like(low), where=high > low)
        return self.order[place], np.clip(within, 0.0, 1.0)
