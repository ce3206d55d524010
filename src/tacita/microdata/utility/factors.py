"""Factors: what principal components analysis finds in original and protected data."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.arithmetic import product
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.utility.discrepancy import (
    Discrepancy,
    by_name,
    discrepancy,
    measured,
    told_lost,
    variations,
)
from tacita.microdata.utility.structure import (
    CONTINUOUS,
    MISSING,
    PAPER,
    Attributes,
    Factors,
    aligned,
    compared_in_pairs,
    factors_of,
    lost_in,
    structure,
)
from tacita.results import Measurement, counted


class FactorCorrelations(Method):
    """How far the correlations of attributes with principal components moved, relatively.

    (1/p^2) sum_j w_j sum_i |rf_ij - rf'_ij| / |rf_ij|, where rf_ij is the correlation of attribute
    i with factor j (a_ij sqrt(l_j), from eigenvectors a_j and eigenvalues l_j of the correlation
    matrix) and w_j = l_j / sum l the share of the variance that factor j explains in the original
    data. As the w_j sum to 1, a change of every rf by its own size gives 1/p.

    Factors have neither sign nor, when they explain nearly as much, a sure order: protected factors
    are put in the order in which the sum of |a_j . a'_j| is largest, over the factors that explain
    something, and each is turned so that a_j . a'_j >= 0. Where rf_ij = 0 the term is 0 if
    rf'_ij = 0 and 1 if not. An attribute that is constant, was left out or is no longer a number
    correlates with nothing. Of more than 200 attributes the first 200 are compared, unless
    `attributes` names more.

    Collinear attributes have an eigenvalue of 0, of which rounding leaves a number of either sign;
    below 1e-12 p it is taken for 0. Its factor explains nothing, correlates with nothing and has
    the weight 0, so that what becomes of it in the protected data does not count.

    When not to use it: where several factors explain exactly as much (independent attributes): any
    rotation of them is as good, and the difference says nothing.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.FactorCorrelations().measure(data, data).value
    0.0
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = PAPER
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"attributes"})
    lies_between: ClassVar = (0, inf)

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the correlations of attributes with factors."""
        names, some = compared_in_pairs(original, self.attributes)
        before, after = _factors(original, protected, names)
        found, parts = _weighted(before.loadings, after.loadings, before.shares)
        sentence = f"relative change of the correlations with factors{some}, times their weight"
        return _measured(self, found, sentence, names, parts, protected)


class Communalities(Method):
    """How far the communalities moved: what the first principal components explain of attributes.

    (1/p) sum_i |c_i - c'_i| / |c_i|, where c_i = sum_{j<=q} rf_ij^2 is the share of attribute i
    that the first q = `factors` principal components of the correlation matrix explain. Where
    c_i = 0 the term is 0 if c'_i = 0 and 1 if not. An attribute that is constant, was left out or
    is no longer a number is not explained at all. Of more than 200 attributes the first 200 are
    compared, unless `attributes` names more.

    When not to use it: where factor q and the next explain exactly as much; which comes first is
    then a matter of chance.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.Communalities().measure(data, data).value
    0.0
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = PAPER
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"attributes", "factors"})
    lies_between: ClassVar = (0, inf)

    attributes: Attributes = None
    factors: Annotated[
        int, Field(description="How many principal components explain (1 or more).", ge=1)
    ] = 1

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the communalities."""
        names, some = compared_in_pairs(original, self.attributes)
        before, after = (
            _explained(factors_of(structure(data, names).correlation), self.factors)
            for data in (original, protected)
        )
        found, parts = discrepancy(before, after), variations(before, after)
        sentence = (
            f"relative change of what {counted(self.factors, 'factor')} explained of "
            f"{counted(len(names), 'attribute')}{some}, on average"
        )
        return _measured(self, found, sentence, names, parts, protected)


class FactorScores(Method):
    """How far the factor score coefficients moved, relatively.

    (1/p^2) sum_j w_j sum_i |f_ij - f'_ij| / |f_ij|, where f_ij = a_ij / sqrt(l_j) multiplies the
    standardized attribute i to give the standardized score on factor j (the factor score
    coefficients of statistical packages), and w_j = l_j / sum l is the share of the variance that
    factor j explains in the original data. Signs, order, attributes without correlations and the
    limit of 200 are as for the correlations with factors. A factor with an eigenvalue of 0 (below
    1e-12 p: collinear attributes) has no scores; its coefficients are taken for 0. In the original
    data it has the weight 0 besides; a protected one changes every coefficient by its own size.

    When not to use it: where several factors explain exactly as much (independent attributes): any
    rotation of them is as good, and the difference says nothing.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.FactorScores().measure(data, data).value
    0.0
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = PAPER
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"attributes"})
    lies_between: ClassVar = (0, inf)

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the factor score coefficients."""
        names, some = compared_in_pairs(original, self.attributes)
        before, after = _factors(original, protected, names)
        found, parts = _weighted(before.coefficients, after.coefficients, before.shares)
        sentence = f"relative change of the factor score coefficients{some}, times their weight"
        return _measured(self, found, sentence, names, parts, protected)


def _explained(factors: Factors, first: int) -> Floats:
    """Return what the first factors explain of every attribute; NaN if there are no factors."""
    explained = (factors.loadings[:, :first] ** 2).sum(axis=1)
    return explained if factors.shares.any() else np.full_like(explained, np.nan)


def _factors(
    original: Dataset, protected: Dataset, names: Sequence[str]
) -> tuple[Factors, Factors]:
    before, after = (
        factors_of(structure(data, names).correlation) for data in (original, protected)
    )
    return before, aligned(after, before)


def _weighted(before: Floats, after: Floats, shares: Floats) -> tuple[Discrepancy, Floats]:
    """Compare matrices of attributes by factors, each factor with its weight, and attributes."""
    if not shares.any():
        return Discrepancy(None, None, None), np.full(len(shares), np.nan)
    gap, change = np.abs(before - after), variations(before, after)
    square, absolute, relative = (
        product(one, shares) / len(shares) for one in (gap**2, gap, change)
    )
    return Discrepancy(*(float(one.mean()) for one in (square, absolute, relative))), relative


def _measured(
    method: Method,
    found: Discrepancy,
    sentence: str,
    names: Sequence[str],
    parts: Floats,
    protected: Dataset,
) -> Measurement:
    told = sentence + told_lost(lost_in(protected, names))
    return measured(method, found, found.mean_variation, told, by_name(names, parts))
