from __future__ import annotations

from math import log

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import ParameterError, ProtectionError

N, YES = 1000, 300  # respondents, and those who would say yes


def answers(yes=YES, n=N):
    return ta.read(pa.table({"x": ["yes"] * yes + ["no"] * (n - yes)}))


def share_of_yes(data):
    return np.mean(np.array(data.column("x").to_pylist()) == "yes")


def shares(method, draws=500):
    data, rng = answers(), np.random.default_rng(11)
    return np.array([share_of_yes(method.mask(data, rng)) for _ in range(draws)])


def is_near(found, truth):
    """Tell whether the mean lies within 3 standard errors of the truth."""
    return abs(found.mean() - truth) < 3 * found.std(ddof=1) / np.sqrt(len(found))


def has_variance(found, variance):
    squares = (found - found.mean()) ** 2 * len(found) / (len(found) - 1)
    return is_near(squares, variance)


# The textbook estimators of a share from the released share y, and their variances given the data.
p, q = 0.7, 0.3
DESIGNS = {
    "warner": (
        ta.RandomizedResponse("x", truth=p),
        lambda y: (y + p - 1) / (2 * p - 1),
        p * (1 - p) / N / (2 * p - 1) ** 2,
    ),
    "unrelated": (
        ta.RandomizedResponse("x", design="unrelated", truth=p, unrelated={"yes": q, "no": 1 - q}),
        lambda y: (y - (1 - p) * q) / p,
        sum(
            share * chance * (1 - chance)
            for share, chance in [(YES / N, p + (1 - p) * q), (1 - YES / N, (1 - p) * q)]
        )
        / N
        / p**2,
    ),
    "forced": (
        ta.RandomizedResponse("x", design="forced", truth=p, forced="yes"),
        lambda y: (y - 1 + p) / p,
        (1 - YES / N) * p * (1 - p) / N / p**2,
    ),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_estimator_and_variance_are_right(design):
    method, estimate, variance = DESIGNS[design]
    found = estimate(shares(method))
    assert is_near(found, YES / N)
    assert has_variance(found, variance)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_general_estimator_is_the_textbook_one(design):
    method, estimate, _ = DESIGNS[design]
    safe = answers().apply(method, seed=3)
    found = ta.estimated_frequencies(safe, "x", safe.notes["matrix"])
    yes = found.categories.index("yes")
    assert found.estimates[yes] / N == pytest.approx(estimate(found.released[yes] / N))


def test_warners_variance_with_that_of_the_sample():
    """For respondents drawn anew, y (1 - y) / (n (2p - 1)^2) is the variance, y = E(y)."""
    rng, found = np.random.default_rng(2), []
    for _ in range(400):
        data = answers(int(rng.binomial(200, 0.3)), 200)
        released = ta.RandomizedResponse("x", truth=p, categories=["no", "yes"]).mask(data, rng)
        found.append((share_of_yes(released) + p - 1) / (2 * p - 1))
    y = 0.3 * p + 0.7 * (1 - p)
    assert is_near(np.array(found), 0.3)
    assert has_variance(np.array(found), y * (1 - y) / 200 / (2 * p - 1) ** 2)


@pytest.mark.parametrize("gamma", [0.0, 0.1, 0.25, 0.45])
def test_the_gamma_form_has_its_epsilon(gamma):
    safe = answers().apply(ta.RandomizedResponse("x", gamma=gamma), seed=1)
    assert safe.notes["epsilon"] == pytest.approx(log((0.5 + gamma) / (0.5 - gamma)))
    assert safe.notes["matrix"]["yes"]["yes"] == pytest.approx(0.5 + gamma)


def test_epsilon_of_other_designs():
    """By hand: unrelated 0.7 + 0.09 over 0.09 for yes, 0.7 + 0.21 over 0.21 for no."""
    unrelated = answers().apply(DESIGNS["unrelated"][0], seed=1)
    assert unrelated.notes["epsilon"] == pytest.approx(log(0.79 / 0.09))
    assert answers().apply(DESIGNS["forced"][0], seed=1).notes["epsilon"] is None
    assert answers().apply(ta.RandomizedResponse("x", gamma=0.5), seed=1).notes["epsilon"] is None


def test_forced_answers_are_never_lies():
    safe = answers().apply(DESIGNS["forced"][0], seed=1)
    assert set(safe.column("x").to_pylist()[:YES]) == {"yes"}


def test_the_truth_and_nothing_but_the_truth():
    assert (
        answers()
        .apply(ta.RandomizedResponse("x", truth=1), seed=1)
        .column("x")
        .equals(answers().column("x"))
    )


def test_more_than_two_answers_lie_alike():
    data = ta.read(pa.table({"x": ["a"] * 3000 + ["b", "c"]}))
    released = data.apply(ta.RandomizedResponse("x", truth=0.4), seed=1).column("x").to_pylist()
    for word, chance in (("a", 0.4), ("b", 0.3), ("c", 0.3)):
        share = released[:3000].count(word) / 3000
        assert abs(share - chance) < 3 * np.sqrt(chance * (1 - chance) / 3000)


def test_where_answers_come_from(toy):
    boolean = ta.read(pa.table({"x": [True] * 100}), kinds={"x": "nominal"})
    released = boolean.apply(ta.RandomizedResponse("x", truth=0.5), seed=1).column("x")
    assert set(released.to_pylist()) == {True, False}
    one = toy.take(np.arange(1)).apply(ta.RandomizedResponse("education", truth=0.5), seed=1)
    assert list(one.notes["matrix"]) == list(toy.attribute("education").order)
    given = answers(2, 2).apply(ta.RandomizedResponse("x", truth=0.5, categories=["no", "yes"]))
    assert list(given.notes["matrix"]) == ["no", "yes"]


def test_blanks_stay():
    data = ta.read(pa.table({"x": ["yes", None, "no"] * 10}))
    safe = data.apply(ta.RandomizedResponse("x", truth=0.5), seed=1)
    assert safe.column("x").is_null().equals(data.column("x").is_null())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "needs one of `truth` and `gamma`"),
        ({"truth": 0.5, "gamma": 0.1}, "needs one of `truth` and `gamma`"),
        ({"gamma": 0.6}, "less than or equal to 0.5"),
        ({"truth": 0.5, "forced": "yes"}, "goes with the design forced; found the design warner"),
        ({"truth": 0.5, "design": "unrelated"}, "goes with the design unrelated"),
        (
            {"truth": 0.5, "design": "unrelated", "unrelated": {"yes": 0.4}},
            "`unrelated` of `randomized_response` must sum to 1; it sums to 0.4",
        ),
        ({"truth": 0.5, "categories": ["a", "a"]}, "must differ"),
        ({"truth": 0.5, "categories": ["a"]}, "needs at least 2"),
    ],
)
def test_parameters_that_contradict_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        ta.RandomizedResponse("x", **parameters)


def test_an_answer_that_nobody_may_give_is_refused():
    method = ta.RandomizedResponse(
        "x", truth=0.5, design="forced", forced="ja", categories=["no", "yes"]
    )
    with pytest.raises(ParameterError, match="has the answer 'ja', which is none of `x`"):
        answers().apply(method)


def test_where_one_answer_is_seen_the_others_must_be_named():
    data = answers(yes=5, n=5)
    with pytest.raises(ProtectionError, match="sees one answer of `x` only, 'yes'"):
        data.apply(ta.RandomizedResponse("x", truth=0.5), seed=0)
    named = ta.RandomizedResponse("x", truth=0.01, categories=["yes", "no"])
    assert "no" in data.apply(named, seed=0).column("x").to_pylist()
