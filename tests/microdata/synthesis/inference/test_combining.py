"""Combining rules against hand-computed numbers and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import tacita as ta
from tacita.errors import InputError, ParameterError

HALF = np.sqrt(0.5)
NUMBERS = st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e6)), min_size=2, max_size=8)


def test_fully_synthetic_by_hand():
    # q = 11, b = 1, v = 0.6; (1 + 1/3) 1 - 0.6; (3 - 1) (1 - 0.6 / (4/3))^2
    found = ta.combine([10, 12, 11], [0.5, 0.7, 0.6], rule="full", names=["mean"])
    assert found["mean"] == 11
    assert found.variances[0] == pytest.approx(4 / 3 - 0.6)
    assert found.freedom[0] == 1  # and not 2 (1 - 0.45)^2 = 0.6
    assert not found.adjusted[0]


def test_fully_synthetic_of_many_copies_by_hand():
    q, v = [10, 12] * 10, [0.2] * 20  # b = 20 / 19
    found = ta.combine(q, v, rule="full")
    assert found.variances[0] == pytest.approx(1.05 * 20 / 19 - 0.2)
    assert found.freedom[0] == pytest.approx(19 * (1 - 0.2 / (1.05 * 20 / 19)) ** 2)
    assert not found.warning


def test_a_variance_that_is_hardly_above_0_has_an_interval_one_can_print():
    b = 0.6 * (1 + 1e-9) / (4 / 3)
    found = ta.combine(11 + np.sqrt(b) * np.array([-1, 1, 0]), [0.6] * 3, rule="full")
    assert 0 < found.variances[0] < 1e-8
    assert not found.adjusted[0]
    assert np.allclose([found.lower[0], found.upper[0]], 11, atol=1e-2)


def test_few_copies_are_told_with_the_number_that_would_do():
    few = ta.combine([10, 12, 11], [0.5, 0.7, 0.6], rule="full")
    longer = stats.t(1).ppf(0.975) / stats.norm.ppf(0.975)
    assert few.stretch[0] == pytest.approx(longer)
    assert "about 57 copies" in few.warning
    assert repr(few).endswith(few.warning)
    assert not ta.combine([10, 12, 11], [0.5, 0.7, 0.6], rule="partial").warning
    assert not ta.combine([10.0], [0.5], rule="plug_in").warning


@pytest.mark.parametrize(("m", "longer"), [(5, 3.5), (20, 1.4), (57, 1.1)])
def test_intervals_are_as_long_as_the_page_says(m, longer):
    """In the median, compared with those of the data, whose means have about the variance v."""
    found = ta.combine(
        *synthetic_means(np.random.default_rng(1), 1000, 30, m, partial=False), rule="full"
    )
    usual = 2 * stats.norm.ppf(0.975) * np.sqrt(found.within)
    assert np.median((found.upper - found.lower) / usual) == pytest.approx(longer, rel=0.08)


def test_partially_synthetic_by_hand():
    # b/m + v = 1/3 + 0.6; (3 - 1) (1 + 0.6 / (1/3))^2 = 2 * 2.8^2; t_{15.68, 0.975} = 2.1234
    found = ta.combine([10, 12, 11], [0.5, 0.7, 0.6], rule="partial")
    assert found.variances[0] == pytest.approx(1 / 3 + 0.6)
    assert found.freedom[0] == pytest.approx(15.68)
    assert found.interval("q1").upper == pytest.approx(11 + 2.1234 * 0.96609, abs=1e-3)


def test_plug_in_by_hand():
    found = ta.combine([10, 12], [0.5, 0.7], rule="plug_in", ratio=2)
    assert found.variances[0] == pytest.approx(0.6 * 2.5)
    assert found.upper[0] == pytest.approx(11 + 1.959964 * np.sqrt(1.5))
    assert ta.combine([10.0], [0.5], rule="plug_in").variances[0] == 1.0


def test_a_negative_variance_is_adjusted():
    found = ta.combine([11, 11.1, 10.9], [0.5, 0.7, 0.6], rule="full", ratio=0.5)
    assert found.adjusted[0]
    assert found.variances[0] == pytest.approx(0.3)
    assert found.freedom[0] == 2
    assert found.to_arrow().to_pylist()[0]["adjusted"]


def test_a_finite_population_by_hand():
    # s = 1/3, f = 2/3, r = 1: g = 1/2; b = 1, v = 0.6: d = 0.7, h = max(0.9 - 0.7, 0) = 0.2
    found = ta.combine([10, 12, 11], [0.5, 0.7, 0.6], rule="full", sampled=1 / 3)
    assert found.variances[0] == pytest.approx(4 / 9 * 0.7 + 1 / 3 + 1 / 9 * 0.2)
    # of b, f^2 + 1/3 - s^2 = 2/3
    assert found.freedom[0] == pytest.approx(2 * (found.variances[0] / (2 / 3)) ** 2)
    known = ta.combine([10, 12, 11], [0.2, 0.2, 0.2], rule="full", sampled=1 / 3)
    assert known.variances[0] == pytest.approx(4 / 9 * 0.9 + 1 / 3)  # h = max(0.3 - 0.9, 0)
    assert known.freedom[0] == pytest.approx(max(1, 2 * (known.variances[0] / (7 / 9)) ** 2))


def test_of_an_all_but_endless_population_the_rule_is_that_of_endless_ones():
    few = ta.combine([10, 12, 11], [0.5, 0.7, 0.6], rule="full", ratio=2, sampled=1e-12)
    endless = ta.combine([10, 12, 11], [0.5, 0.7, 0.6], rule="full", ratio=2)
    assert few.variances == pytest.approx(endless.variances)
    assert few.freedom == pytest.approx(endless.freedom)


def test_a_negative_variance_of_a_finite_population_is_adjusted():
    found = ta.combine([11, 11, 11], [0.5, 0.7, 0.6], rule="full", ratio=0.5, sampled=0.1)
    assert found.adjusted[0]
    assert found.variances[0] == pytest.approx(0.9 * 0.3)
    assert found.freedom[0] == 2


def finite_copies(rng, m, *, listed):
    """Draw the means of finite populations, and of copies of the others by plain formulas.

    y = a + e, both of variance 1/2 and a known of everybody if it is listed; 40 of 100 are sampled.
    """
    replications, size, n, k = 2000, 100, 40, 30
    a, e = HALF * rng.normal(size=(2, replications, size))
    y = a + e
    known, others = (a, e) if listed else (np.zeros_like(y), y)  # what is kept, what is imputed
    mean, squares = others[:, :n].mean(axis=1), others[:, :n].var(axis=1) * n
    sigma = np.sqrt(squares[:, None] / rng.chisquare(n - 1, (replications, m)))
    centre = mean[:, None] + sigma / np.sqrt(n) * rng.normal(size=sigma.shape)
    chosen = rng.permuted(np.tile(np.arange(n, size), (replications, m, 1)), axis=2)[..., :k]
    kept = np.take_along_axis(known[:, None, :], chosen, axis=2)
    made = kept + centre[..., None] + sigma[..., None] * rng.normal(size=kept.shape)
    found = ta.combine(
        made.mean(axis=2).T,
        made.var(axis=2, ddof=1).T / k,
        rule="full",
        ratio=k / n,
        sampled=n / size,
    )
    return found, y.mean(axis=1)


@pytest.mark.parametrize("listed", [False, True])
def test_intervals_cover_the_mean_of_a_finite_population(listed):
    found, truth = finite_copies(np.random.default_rng(3), 20, listed=listed)
    covered = np.mean((found.lower <= truth) & (found.upper >= truth))
    assert 0.94 < covered < 0.99
    squared = np.mean((found.estimates - truth) ** 2)
    assert squared < found.variances.mean() < 1.5 * squared


def test_of_whom_more_were_sampled_intervals_are_shorter_by_the_root_of_the_others():
    found, _ = finite_copies(np.random.default_rng(3), 200, listed=False)
    usual = np.sqrt(0.6 * 1 / 40)  # (1 - n/N) S^2 / n
    assert np.sqrt(found.variances.mean()) == pytest.approx(usual, rel=0.08)


@given(NUMBERS, st.floats(0, 0.5), st.floats(0.01, 1))
@settings(max_examples=50, deadline=None)
def test_variances_of_finite_populations_are_never_negative(pairs, sampled, ratio):
    q, v = [q for q, _ in pairs], [v for _, v in pairs]
    found = ta.combine(q, v, rule="full", sampled=sampled, ratio=ratio)
    assert found.variances[0] >= 0
    assert found.freedom[0] >= 1
    assert found.lower[0] <= found.estimates[0] <= found.upper[0]


@given(NUMBERS, st.sampled_from(["full", "partial", "plug_in"]))
@settings(max_examples=50, deadline=None)
def test_variances_are_never_negative_and_intervals_hold_the_estimate(pairs, rule):
    found = ta.combine([q for q, _ in pairs], [v for _, v in pairs], rule=rule)
    assert found.variances[0] >= 0
    assert found.freedom[0] >= 0
    assert found.lower[0] <= found.estimates[0] <= found.upper[0]


@given(NUMBERS, st.sampled_from(["full", "partial"]), st.floats(0.1, 100), st.floats(-100, 100))
@settings(max_examples=50, deadline=None)
def test_units_do_not_matter(pairs, rule, unit, shift):
    q, v = np.array(pairs).T
    one = ta.combine(np.round(q), np.round(v, 3), rule=rule)
    other = ta.combine(np.round(q) * unit + shift, np.round(v, 3) * unit**2, rule=rule)
    if abs(float((1 + 1 / len(q)) * one.between[0] - one.within[0])) > 1e-6 * one.within[0]:
        assert other.variances[0] == pytest.approx(one.variances[0] * unit**2, rel=1e-4, abs=1e-6)


def synthetic_means(rng, replications, n, m, *, partial):
    """Draw means of n normal numbers and of m copies with drawn parameters."""
    y = rng.normal(size=(replications, n))
    mean, squares = y.mean(axis=1), y.var(axis=1) * n
    sigma = np.sqrt(squares[:, None] / rng.chisquare(n - 1, (replications, m)))
    centre = mean[:, None] + sigma / np.sqrt(n) * rng.normal(size=(replications, m))
    copies = centre[..., None] + sigma[..., None] * rng.normal(size=(replications, m, n))
    if partial:  # the first half of the records stays
        half = n // 2
        copies = replace_half(rng, y, m, half)
    return copies.mean(axis=2).T, copies.var(axis=2, ddof=1).T / n


def replace_half(rng, y, m, half):
    """Learn from the second half, and draw it anew."""
    replaced = y[:, half:]
    size = replaced.shape[1]
    mean, squares = replaced.mean(axis=1), replaced.var(axis=1) * size
    shape = (len(y), m)
    sigma = np.sqrt(squares[:, None] / rng.chisquare(size - 1, shape))
    centre = mean[:, None] + sigma / np.sqrt(size) * rng.normal(size=shape)
    drawn = centre[..., None] + sigma[..., None] * rng.normal(size=(*shape, size))
    kept = np.broadcast_to(y[:, None, :half], (*shape, half))
    return np.concatenate([kept, drawn], axis=2)


@pytest.mark.parametrize("m", [1, 5])
def test_intervals_cover_where_parameters_are_estimated(m):
    """Of copies twice as large as the data, drawn with the estimates themselves."""
    rng, replications, n = np.random.default_rng(2), 2000, 60
    y = rng.normal(size=(replications, n))
    mean, deviation = y.mean(axis=1), y.std(axis=1, ddof=1)
    copies = mean[:, None, None] + deviation[:, None, None] * rng.normal(
        size=(replications, m, 2 * n)
    )
    found = ta.combine(
        copies.mean(axis=2).T, copies.var(axis=2, ddof=1).T / (2 * n), rule="plug_in", ratio=2
    )
    covered = np.mean((found.lower <= 0) & (found.upper >= 0))
    assert covered == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / replications))


@pytest.mark.parametrize("rule", ["full", "partial"])
@pytest.mark.parametrize("m", [2, 3, 10])
def test_intervals_cover(rule, m):
    replications = 1000
    made = synthetic_means(np.random.default_rng(1), replications, 40, m, partial=rule == "partial")
    found = ta.combine(*made, rule=rule)
    covered = np.mean((found.lower <= 0) & (found.upper >= 0))
    slack = 3 * np.sqrt(0.95 * 0.05 / replications)
    assert covered > 0.95 - slack
    if rule == "partial":  # the intervals of fully synthetic copies are known to be too long
        assert covered < 0.95 + slack


def test_copies_taken_for_real_data_do_not_cover():
    """The variance between copies is needed: without it the test above would fail."""
    estimates, variances = synthetic_means(np.random.default_rng(1), 1000, 40, 3, partial=False)
    reach = 1.96 * np.sqrt(variances[0])
    assert np.mean(np.abs(estimates[0]) <= reach) < 0.9


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"rule": "both"}, "full, partial or plug_in"),
        ({"confidence": 1}, "confidence"),
        ({"ratio": 0}, "ratio"),
        ({"sampled": 1}, "`sampled` is a share from 0 to below 1"),
        ({"sampled": 0.1, "rule": "partial"}, "endless populations"),
        ({"sampled": 0.5, "ratio": 1.1}, "more records than there are others"),
    ],
)
def test_refuses_parameters(changed, said):
    with pytest.raises(ParameterError, match=said):
        ta.combine([1, 2], [1, 1], **{"rule": "full", **changed})


@pytest.mark.parametrize(
    ("estimates", "variances", "said"),
    [
        ([1.0], [1.0], "at least 2 copies; found 1"),
        ([1, 2], [1, 2, 3], "shapes"),
        ([1, np.nan], [1, 1], "finite"),
        ([1, 2], [1, -1], "0 or more"),
    ],
)
def test_refuses_what_copies_cannot_say(estimates, variances, said):
    with pytest.raises(InputError, match=said):
        ta.combine(estimates, variances, rule="full")


def test_names_fit_and_are_known():
    with pytest.raises(InputError, match="1 quantities and 2 names"):
        ta.combine([1, 2], [1, 1], rule="full", names=["a", "b"])
    with pytest.raises(InputError, match="`b` was not estimated"):
        ta.combine([1, 2], [1, 1], rule="full", names=["a"])["b"]
