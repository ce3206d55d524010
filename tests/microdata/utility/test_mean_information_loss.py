from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta

R_BEFORE, R_AFTER = 1 / 2, 5 / np.sqrt(28)
BEFORE = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 3.0]])


def test_three_records_by_hand(by_hand):
    found = ta.MeanInformationLoss().measure(*by_hand)
    terms = {
        "values": 1 / 3,
        "means": (1 / 2 + 1 / 3) / 2,
        "covariances": (6 + 9 + 3) / 3,
        "variances": (6 + 3) / 2,
        "correlations": R_AFTER - R_BEFORE,
    }
    il = 100 / 5 * sum(terms.values())
    assert found.figures == pytest.approx({"il": il, **terms})
    assert found.value == pytest.approx(il / 100)


def test_is_the_mean_of_the_five_measures(tarragona):
    before, after = (ta.read(table) for table in tarragona)
    measures = (ta.Values, ta.Means, ta.Covariances, ta.Variances, ta.Correlations)
    five = [measure().measure(*ta.pair(before, after, "position")).value for measure in measures]
    assert ta.MeanInformationLoss().measure(
        *ta.pair(before, after, "position")
    ).value == pytest.approx(np.mean(five))


def test_tarragona_term_by_term(tarragona):
    """Printed term by term in plain numpy; 77 values of the original are 0 and got noise."""
    tables = tarragona
    x, y = (np.column_stack([t[name].to_numpy() for name in t.column_names]) for t in tables)
    ratio = np.abs(x - y) / np.where(x == 0, 1, np.abs(x))
    v, w = np.cov(x.T), np.cov(y.T)
    upper = np.triu_indices(13)
    terms = [
        np.where(x == 0, 1, ratio).mean(),
        (np.abs(x.mean(0) - y.mean(0)) / np.abs(x.mean(0))).mean(),
        (np.abs(v - w) / np.abs(v))[upper].mean(),
        (np.abs(v - w) / np.abs(v)).diagonal().mean(),
        np.abs(np.corrcoef(x.T) - np.corrcoef(y.T))[upper].sum() / (13 * 12 / 2),
    ]
    found = ta.MeanInformationLoss().measure(
        *ta.pair(*(ta.read(table) for table in tables), by="position")
    )
    assert found.figures["il"] == pytest.approx(20 * sum(terms))


def test_one_attribute_has_no_correlations(data, by_hand):
    found = ta.MeanInformationLoss().measure(
        *ta.pair(*(data(d.numbers("a")[:, None]) for d in by_hand), by="position")
    )
    assert found.figures["correlations"] is None
    assert found.value == pytest.approx((1 / 3 + 1 / 2 + 6 + 6) / 4)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), power=st.integers(-5, 5))
def test_units_and_the_order_of_records_do_not_matter(seed, power, data):
    rng = np.random.default_rng(seed)
    before = rng.normal(20, 5, (30, 3))
    after, mixed = before + rng.normal(0, 1, (30, 3)), rng.permutation(30)
    found = ta.MeanInformationLoss().measure(*ta.pair(data(before), data(after), "position")).value

    def measure(before, after):
        return ta.MeanInformationLoss().measure(*ta.pair(before, after, "position"))

    assert measure(data(before[mixed]), data(after[mixed])).value == pytest.approx(found, rel=1e-6)
    scale = np.array([10.0**power, 1, 1])
    assert measure(data(before * scale), data(after * scale)).value == pytest.approx(
        found, rel=1e-6
    )


def test_nothing_lost(data):
    assert (
        ta.MeanInformationLoss().measure(*ta.pair(data(BEFORE), data(BEFORE), "position")).value
        == 0
    )
