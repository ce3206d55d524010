from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import tacita as ta


def pil(gap: float, spread: float) -> float:
    return 2 * (norm.cdf(abs(gap) / spread) - 0.5)


def central(x: np.ndarray, y: np.ndarray, r: int, s: int) -> float:
    return float(((x - x.mean()) ** r * (y - y.mean()) ** s).mean())


def variance_of_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """The formula of Stuart and Ord, as they print it."""
    mu = {(r, s): central(x, y, r, s) for r in range(5) for s in range(5)}
    rho = np.corrcoef(x, y)[0, 1]
    inner = (
        mu[2, 2] / mu[1, 1] ** 2
        + (mu[4, 0] / mu[2, 0] ** 2 + mu[0, 4] / mu[0, 2] ** 2) / 4
        + mu[2, 2] / (2 * mu[2, 0] * mu[0, 2])
        - mu[3, 1] / (mu[1, 1] * mu[2, 0])
        - mu[1, 3] / (mu[1, 1] * mu[0, 2])
    )
    return rho**2 / len(x) * inner


def test_three_records_by_hand(by_hand):
    found = ta.ProbabilisticInformationLoss().measure(*by_hand)
    # Both means have sd sqrt(2/3 / 3) and moved by 1.
    assert found.figures["means"] == pytest.approx(pil(1, np.sqrt(2) / 3))
    # mu_4 = 2/3 and mu_2 = 2/3 for both: the variance of the variance is (2/3 - 4/9) / 3.
    spread = np.sqrt((2 / 3 - 4 / 9) / 3)
    assert found.figures["variances"] == pytest.approx((pil(6, spread) + pil(3, spread)) / 2)


def test_agrees_with_the_printed_formulas(tarragona):
    x, y = (_matrix(table) for table in tarragona)
    found = ta.ProbabilisticInformationLoss().measure(*(ta.read(table) for table in tarragona))
    n, p = x.shape
    pairs = [(x[:, i], x[:, j], y[:, i], y[:, j]) for i in range(p) for j in range(i + 1, p)]
    means = [pil(a.mean() - b.mean(), np.sqrt(a.var() / n)) for a, b in zip(x.T, y.T, strict=True)]
    variances = [
        pil(
            a.var(ddof=1) - b.var(ddof=1),
            np.sqrt((central(a, a, 4, 0) - central(a, a, 2, 0) ** 2) / n),
        )
        for a, b in zip(x.T, y.T, strict=True)
    ]
    covariances = [
        pil(
            np.cov(a, b)[0, 1] - np.cov(c, d)[0, 1],
            np.sqrt((central(a, b, 2, 2) - central(a, b, 1, 1) ** 2) / n),
        )
        for a, b, c, d in pairs
    ]
    correlations = [
        pil(
            np.corrcoef(a, b)[0, 1] - np.corrcoef(c, d)[0, 1],
            np.sqrt(variance_of_correlation(a, b)),
        )
        for a, b, c, d in pairs
    ]
    expected = {
        "means": np.mean(means),
        "variances": np.mean(variances),
        "covariances": np.mean(covariances),
        "correlations": np.mean(correlations),
    }
    assert {kind: found.figures[kind] for kind in expected} == pytest.approx(expected)
    assert found.value == pytest.approx(np.mean(list(found.figures.values())))


def _matrix(table):
    return np.column_stack([table[name].to_numpy() for name in table.column_names]).astype(float)


def test_a_quantile_moves_by_its_standard_deviation_with_probability_two_thirds(data):
    """Of 10,000 even numbers in (0, 1) the median has sd sqrt(1/4 / 10,000) = 0.005."""
    x = (np.arange(10_000) + 0.5)[:, None] / 10_000
    found = ta.ProbabilisticInformationLoss(step=0.5).measure(data(x), data(x + 0.005))
    assert found.figures["quantiles"] == pytest.approx(pil(1, 1), abs=1e-3)


def test_the_standard_deviations_are_those_of_samples(data):
    """What samples of half the size do to the statistics has losses spread evenly over (0, 1)."""
    rng = np.random.default_rng(0)
    x = rng.normal(0, 1, (20_000, 2)) @ np.array([[1, 0.6], [0, 1]])
    original = data(x)
    losses = []
    for _ in range(60):
        sample = data(x[rng.integers(0, len(x), 500)])
        losses.append(
            list(ta.ProbabilisticInformationLoss().measure(original, sample).figures.values())
        )
    assert np.mean(losses, axis=0) == pytest.approx(np.full(5, 0.5), abs=0.13)


def test_weights_act_like_repeated_records_but_know_that_they_are_not(data):
    rng = np.random.default_rng(2)
    x = rng.normal(10, 1, (400, 2))
    y, times = x + 0.05, rng.integers(1, 4, 400)
    measure = ta.ProbabilisticInformationLoss().measure
    weighted = measure(*(data(part, times.astype(float)) for part in (x, y)))
    repeated = measure(*(data(np.repeat(part, times, axis=0)) for part in (x, y)))
    assert weighted.figures["means"] < repeated.figures["means"]
    centred = x - np.average(x, axis=0, weights=times)
    spread = np.sqrt(((times[:, None] * centred) ** 2).sum(axis=0)) / times.sum()
    assert weighted.figures["means"] == pytest.approx(np.mean([pil(0.05, s) for s in spread]))
    even = measure(data(x, np.full(400, 7.0)), data(y, np.full(400, 7.0)))
    assert even.figures == pytest.approx(measure(data(x), data(y)).figures)


def test_blanks_leave_out_their_own_pairs_only(data):
    rng = np.random.default_rng(3)
    x = rng.normal(10, 1, (300, 3))
    holed = x.copy()
    holed[::5, 0] = np.nan
    whole = ~np.isnan(holed[:, 0])
    measure = ta.ProbabilisticInformationLoss().measure
    found = measure(data(holed), data(holed * 1.01))
    alone = measure(data(holed[whole][:, :1]), data(holed[whole][:, :1] * 1.01))
    assert found.parts["a"] == pytest.approx(alone.parts["a"])
    others = measure(data(x[:, 1:]), data(x[:, 1:] * 1.01))
    assert found.parts["c"] == pytest.approx(others.parts["b"])


def test_what_is_left_out_is_lost_for_sure(data):
    rng = np.random.default_rng(4)
    original = data(rng.normal(0, 1, (50, 2)))
    found = ta.ProbabilisticInformationLoss().measure(original, original.apply(ta.Drop("a")))
    assert found.parts == {"a": 1.0, "b": 0.0}
    assert found.figures["covariances"] == found.figures["correlations"] == 1


def test_constants(data):
    one, other = data(np.full((5, 1), 0.1)), data(np.full((5, 1), 0.2))
    assert ta.ProbabilisticInformationLoss().measure(one, one).value == 0
    found = ta.ProbabilisticInformationLoss().measure(one, other)
    assert found.figures["means"] == found.figures["quantiles"] == 1
    assert found.figures["variances"] == 0
    assert found.figures["correlations"] is None


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    noise=st.sampled_from([0.0, 1e-9, 0.1, 10.0, 1e6]),
    records=st.integers(0, 30),
)
def test_is_bounded_and_blind_to_the_order_of_records(seed, noise, records, data):
    rng = np.random.default_rng(seed)
    before = np.round(rng.normal(0, 3, (records, 3)))
    after, mixed = before + noise * rng.normal(0, 1, before.shape), rng.permutation(records)
    measure = ta.ProbabilisticInformationLoss(step=0.25).measure
    found = measure(data(before), data(after))
    if found.value is not None:
        assert 0 <= found.value <= 1
        again = measure(data(before[mixed]), data(after[mixed])).value
        assert again == pytest.approx(found.value, abs=1e-6)
    if noise == 0:
        assert found.value in (0, None)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_each_pair_loses_only_its_own_blanks(data, seed, weighted):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, (60, 3)) @ np.triu(np.ones((3, 3))) + 100
    y = x + rng.normal(0, 0.3, x.shape)
    x[:, :2][rng.random((60, 2)) < 0.3] = np.nan
    weights = rng.uniform(0.5, 3, 60) if weighted else None
    found = ta.ProbabilisticInformationLoss().measure(data(x, weights), data(y, weights)).figures
    losses = {"covariances": [], "correlations": []}
    for i, j in ((0, 1), (0, 2), (1, 2)):
        whole = ~np.isnan(x[:, i] + x[:, j])
        some = None if weights is None else weights[whole]
        pair = data(x[whole][:, [i, j]], some), data(y[:, [i, j]], weights)
        one = ta.ProbabilisticInformationLoss().measure(*pair).figures
        for kind, all_of_them in losses.items():
            all_of_them.append(one[kind])
    assert {kind: found[kind] for kind in losses} == pytest.approx(
        {kind: np.mean(all_of_them) for kind, all_of_them in losses.items()}
    )
