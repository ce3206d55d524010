"""A Latin hypercube sample: the strata of all attributes, put together by rank correlations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.data.classes import Floats
from tacita.microdata.synthesis.arranging.refining import arranged, correlations, midranks
from tacita.microdata.synthesis.arranging.strata import Margin


def hypercube(
    margins: Sequence[Margin],
    records: int,
    refinements: int,
    rng: np.random.Generator,
    weights: Floats | None = None,
) -> tuple[list[Floats], float]:
    """Draw records of which each attribute has one value from each of its strata.

    Returns:
        The places of every attribute, and the largest difference of a rank correlation from the
        original one.
    """
    ascending = [margin.stratified(records, rng, weights) for margin in margins]
    if records < 2 or len(margins) < 2:  # noqa: PLR2004 - what correlates is two
        return [rng.permutation(column) for column in ascending], 0.0
    target = correlations([midranks(margin.places, weights) for margin in margins], weights)
    if refinements:
        return arranged(ascending, target, refinements, rng)
    found = [rng.permutation(column) for column in ascending]
    unlike = correlations([midranks(column) for column in found]) - target
    return found, float(np.abs(unlike).max())
