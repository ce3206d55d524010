"""The order of categories against a principal component analysis from its definition."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.microdata.synthesis.making.ordering import principal_scores


@pytest.mark.parametrize("shape", [(3, 8), (8, 3), (5, 5)])
def test_scores_are_the_first_principal_component_of_the_shares(shape):
    table = np.random.default_rng(0).integers(1, 50, shape).astype(float)
    totals = table.sum(axis=1)
    shares = table / totals[:, None]
    centred = shares - np.average(shares, axis=0, weights=totals)
    vector = np.linalg.svd(np.sqrt(totals)[:, None] * centred)[2][0]
    expected, found = centred @ vector, principal_scores(table)
    assert np.isclose(abs(np.corrcoef(expected, found)[0, 1]), 1)


def test_rows_without_records_and_alike_rows_have_scores():
    assert np.isfinite(principal_scores(np.zeros((3, 2)))).all()
    assert np.ptp(principal_scores(np.ones((3, 2)))) < 1e-9
