"""The propensity score, against closed forms, an integral and its null distribution."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import tacita as ta
from tacita.data.attribute import Kind


def propensity(original, protected, **parameters):
    return ta.Propensity(**parameters).measure(original, protected)


def groups(ones: int, records: int):
    return ta.read(pd.DataFrame({"x": ["b"] * ones + ["a"] * (records - ones)}))


@pytest.mark.parametrize("evaluator", ["logistic", "cart"])
def test_one_binary_attribute_by_hand(evaluator):
    """Of 100 records 60 have b before and 40 after: p is 0.4 with b and 0.6 with a."""
    found = propensity(groups(60, 100), groups(40, 100), evaluators=[evaluator])
    assert found.figures[f"pmse_{evaluator}"] == pytest.approx(0.01)
    assert found.figures[f"u_{evaluator}"] == pytest.approx(1 - 4 * 0.01)
    assert found.value == pytest.approx(0.04)


@pytest.mark.parametrize("evaluator", ["logistic", "cart"])
def test_data_sets_of_different_sizes_by_hand(evaluator):
    """60 of 100 and 20 of 50 records have b: p is 20/80 with b, 30/70 with a, and c is 1/3."""
    found = propensity(groups(60, 100), groups(20, 50), evaluators=[evaluator])
    pmse = (80 * (1 / 4 - 1 / 3) ** 2 + 70 * (3 / 7 - 1 / 3) ** 2) / 150
    assert found.figures[f"pmse_{evaluator}"] == pytest.approx(pmse)
    assert found.value == pytest.approx(pmse / (1 / 3 * 2 / 3))


def test_the_ratio_of_a_regression_is_that_of_snoke_and_others():
    """One attribute: k - 1 = 1, and N = 150, c = 1/3."""
    found = propensity(groups(60, 100), groups(20, 50), evaluators=["logistic"]).figures
    expected = (2 / 3) ** 2 * (1 / 3) / 150
    assert found["ratio_logistic"] == pytest.approx(found["pmse_logistic"] / expected)


@pytest.mark.parametrize("shift", [0.5, 2.0])
def test_shifted_normals_give_the_integral(shift):
    """The true propensity of N(0, 1) beside N(d, 1) is logistic in x."""
    places = norm.ppf((np.arange(4000) + 0.5) / 4000)
    before, after = (ta.read(pd.DataFrame({"x": places + by})) for by in (0.0, shift))

    def term(x):
        one, other = norm.pdf(x), norm.pdf(x - shift)
        return (other / (one + other) - 0.5) ** 2 * (one + other) / 2

    truth = quad(term, -8, 8 + shift)[0]
    found = propensity(before, after, permutations=0).figures
    assert found["pmse_logistic"] == pytest.approx(truth, rel=0.005)
    assert found["pmse_cart"] == pytest.approx(truth, rel=0.05)
    assert found["pmse_boosted"] == pytest.approx(truth, rel=0.05)


def test_data_that_are_drawn_from_the_original_have_a_ratio_of_about_one():
    """The original is fixed and the protected data are drawn from it, as the null says."""
    rng = np.random.default_rng(11)
    data = ta.read(pd.DataFrame(rng.normal(size=(500, 4)), columns=list("abcd")))
    ratios = {"logistic": [], "cart": []}
    for seed in range(25):
        drawn = ta.read(data.to_pandas().iloc[rng.integers(0, 500, 500)].reset_index(drop=True))
        found = propensity(data, drawn, evaluators=["logistic", "cart"], seed=seed).figures
        for name, some in ratios.items():
            some.append(found[f"ratio_{name}"])
    assert np.mean(ratios["logistic"]) == pytest.approx(1, abs=0.3)
    assert np.mean(ratios["cart"]) == pytest.approx(1, abs=0.4)


def test_two_samples_of_one_population_have_a_ratio_of_about_two():
    """Both vary then; the formula is of data whose original does not."""
    rng = np.random.default_rng(12)
    ratios = []
    for _ in range(60):
        before, after = (
            ta.read(pd.DataFrame(rng.normal(size=(300, 5)), columns=list("abcde"))) for _ in "12"
        )
        ratios.append(propensity(before, after, evaluators=["logistic"]).figures["ratio_logistic"])
    assert np.mean(ratios) == pytest.approx(2, abs=0.4)


def test_the_best_evaluator_counts():
    """A change of the spread alone is hidden from a regression on main effects."""
    x = norm.ppf((np.arange(1000) + 0.5) / 1000)
    before, after = (ta.read(pd.DataFrame({"x": x * by})) for by in (1.0, 3.0))
    found = propensity(before, after, permutations=1)
    assert found.figures["pmse_logistic"] < 1e-9
    best = max(found.figures["pmse_cart"], found.figures["pmse_boosted"])
    assert found.value == pytest.approx(4 * best)
    assert found.value > 0.2
    assert "logistic" not in found.sentence


def test_values_that_only_one_data_set_has_tell_all(toy):
    coarse = toy.apply(ta.Generalize("age", level=1), seed=0)
    found = propensity(toy, coarse, attributes=["age"], permutations=0)
    assert found.figures["u_logistic"] < 0.01
    assert found.value > 0.99


def test_weights_count_as_repeated_records():
    rng = np.random.default_rng(2)
    times = rng.permutation(np.repeat([1, 2, 3], 50))
    plain, weighted = [], []
    for shift in (0.0, 0.4):
        x = rng.normal(size=150) + shift
        plain.append(ta.read(pd.DataFrame({"x": np.repeat(x, times)})))
        weighted.append(ta.read(pd.DataFrame({"x": x, "w": times}), roles={"w": "weight"}))
    one, other = (propensity(*both, evaluators=["logistic"]) for both in (plain, weighted))
    assert one.value == pytest.approx(other.value, rel=1e-6)
    # The effective number of records is smaller than that of the weighted file, 150 (2 * 2 / 14/3).
    effect = 150 * (times**2).sum() / times.sum() ** 2
    expected = other.figures["pmse_logistic"] / other.figures["ratio_logistic"]
    assert expected == pytest.approx(effect / 8 / 300)


def test_whole_numbers_and_fractions_are_the_same_categories():
    kinds = {"kinds": {"x": "nominal"}}
    before, after = (ta.read(pd.DataFrame({"x": v}), **kinds) for v in ([1, 2, 2], [1.0, 2.0, 2.0]))
    assert after.attribute("x").kind is Kind.NOMINAL
    assert propensity(before, after, permutations=0).value == 0


def test_a_sample_is_told_and_identical_data_stay_identical(toy):
    found = propensity(toy, toy, sample=100)
    assert found.value == 0
    assert "on a random sample of 100 of 300 records" in found.sentence
    assert (found.interval.lower, found.interval.upper) == (0, 0)
    assert propensity(toy, toy, evaluators=["logistic"]).interval is None


@pytest.mark.parametrize("evaluator", ["logistic", "cart"])
def test_the_interval_covers_the_number_of_the_whole_file(evaluator):
    """A tree learns a small sample by heart; the interval must know."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=20_000)
    before, after = (ta.read(pd.DataFrame({"x": x + by})) for by in (0.0, 0.6))
    asked = {"evaluators": [evaluator], "permutations": 2}
    truth = propensity(before, after, **asked, sample=None).value
    parts = [propensity(before, after, **asked, sample=400, seed=s).interval for s in range(30)]
    assert sum(part.lower <= truth <= part.upper for part in parts) >= 28


def test_attributes_that_were_left_out_are_told(toy):
    found = propensity(toy, toy.without(["income"]), evaluators=["logistic"])
    assert found.value == 0
    assert "left out of the protected data: income" in found.sentence
    assert propensity(toy, toy.without(["income"]), attributes=["income"]).value is None


def test_noise_is_found_in_the_data_of_another_system(tarragona):
    before, after = tarragona
    found = propensity(ta.read(before), ta.read(after), permutations=1)
    assert 0 < found.value <= 1
    assert found.figures["ratio_logistic"] < 1


def test_trees_see_more_of_the_original_than_a_right_model_keeps():
    """Means and covariances are all that normal data have, but a tree learns each record."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(8):
        before = rng.normal(size=(400, 2))
        after = rng.multivariate_normal(before.mean(axis=0), np.cov(before.T), 400)
        data = [ta.read(pd.DataFrame(part, columns=["a", "b"])) for part in (before, after)]
        ratios.append(propensity(*data, evaluators=["cart"]).figures["ratio_cart"])
    assert np.mean(ratios) == pytest.approx(2, abs=0.3)
