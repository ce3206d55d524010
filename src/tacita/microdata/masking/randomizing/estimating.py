"""Estimates of original frequencies from categories that were changed at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacita.arithmetic import inverted, product, singular
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError
from tacita.microdata.masking.randomizing.domain import Domain
from tacita.microdata.masking.randomizing.markov import dense, keyed, refuse_other_than_markov

LARGEST_CONDITION = 1e12  # beyond which an inverse has no digit that is right


class EstimatedFrequencies(NamedTuple):
    """How often each category was there before it was changed at random.

    Attributes:
        categories: the categories.
        released: how often each is released (the sum of weights, where there are any).
        estimates: how often each was there, estimated.
        covariance: the covariances of the estimates.
    """

    categories: tuple[str, ...]
    released: Floats
    estimates: Floats
    covariance: Floats

    @property
    def standard_errors(self) -> Floats:
        """The standard error of each estimate."""
        return np.sqrt(np.clip(np.diag(self.covariance), 0.0, None))

    def to_arrow(self) -> pa.Table:
        """Return a row for every category."""
        return pa.table(
            {
                "category": list(self.categories),
                "released": self.released,
                "estimate": self.estimates,
                "standard_error": self.standard_errors,
            }
        )


def estimated_frequencies(
    data: Dataset, attribute: str, matrix: Mapping[str, Mapping[str, float]]
) -> EstimatedFrequencies:
    """Estimate original frequencies after PRAM or randomized response with a known matrix.

    t = inv(P') t*, without bias, where t* are the released frequencies; its covariance, given the
    original data, is inv(P') V inv(P) with V = sum_k t_k (diag(p_k) - p_k p_k'), estimated without
    bias by putting t in. With weights w, t* are weighted totals and V has the totals of w^2. Where
    records are a sample, its own variance comes on top. Blanks do not count. Strata with matrices
    of their own are estimated one by one.

    >>> import pyarrow as pa, tacita as ta
    >>> answers = ta.read(pa.table({"x": ["no"] * 600 + ["yes"] * 400}))
    >>> matrix = {"no": {"no": 0.8, "yes": 0.2}, "yes": {"no": 0.2, "yes": 0.8}}
    >>> found = estimated_frequencies(answers, "x", matrix)
    >>> found.estimates.round(1).tolist(), found.standard_errors.round(1).tolist()
    ([666.7, 333.3], [21.1, 21.1])

    Raises:
        TacitaError: the matrix lacks a category, is no Markov matrix, or has no inverse.
    """
    given = keyed(matrix)
    try:
        refuse_other_than_markov("the matrix", given)
    except ValueError as error:
        raise ParameterError(str(error)) from error
    domain = Domain.of(data, attribute, list(given))
    chances = dense(given, domain.words)
    back = _inverse(chances)
    weights = np.ones(len(data)) if data.weight is None else data.weight
    released, squares = (domain.totals(weights**power) for power in (1, 2))
    drawn = _variance(chances, product(back.T, squares))
    return EstimatedFrequencies(
        tuple(domain.words), released, product(back.T, released), product(back.T, drawn, back)
    )


def _inverse(matrix: Floats) -> Floats:
    sizes = singular(matrix)[1]
    if sizes[0] > LARGEST_CONDITION * sizes[-1]:
        raise ParameterError(
            "The matrix has no inverse: some categories are released alike whatever they were, so "
            "that their frequencies cannot be told."
        )
    return inverted(matrix)


def _variance(matrix: Floats, totals: Floats) -> Floats:
    """Return the covariances of the released frequencies, given the original ones."""
    both = product((matrix * totals[:, None]).T, matrix)
    return np.asarray(np.diag(product(matrix.T, totals)) - both)
