"""The Bayesian network: parents by hand, and what a network keeps."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.microdata.synthesis.conditioning.parents import Search


@pytest.fixture(scope="module")
def chain():
    """A chain a -> b -> c, a number that follows c, and d that follows nobody."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 4000)
    b = np.where(rng.random(4000) < 0.8, a, rng.integers(0, 4, 4000))
    c = np.where(rng.random(4000) < 0.8, b, rng.integers(0, 4, 4000))
    number = np.round(10.0 * c + rng.normal(size=4000), 3)
    d = rng.integers(0, 3, 4000)
    words = np.array(list("pqrs"))
    return ta.read(
        pa.table({"a": words[a], "d": words[d], "b": words[b], "c": words[c], "number": number})
    )


def neighbours(made):
    return {
        frozenset((one, other)) for one, all_ in made.notes["parents"].items() for other in all_
    }


def test_finds_the_chain(chain):
    made = chain.apply(ta.BayesianNetwork(), seed=1)
    assert neighbours(made) == {frozenset(pair) for pair in ("ab", "bc")} | {
        frozenset(("c", "number"))
    }


def test_keeps_what_parents_tell_and_what_follows_from_it(chain):
    made = chain.apply(ta.BayesianNetwork(records=20_000), seed=1)
    measured = ta.TotalVariation().measure(chain, made)
    assert measured.figures["pairs_mean"] < 0.03


def test_without_parents_attributes_are_independent(chain):
    made = chain.apply(ta.BayesianNetwork(parents=0, records=20_000), seed=1).to_pandas()
    assert not any(chain.apply(ta.BayesianNetwork(parents=0), seed=1).notes["parents"].values())
    together = ((made.a == "p") & (made.b == "p")).mean()
    assert abs(together - (made.a == "p").mean() * (made.b == "p").mean()) < 0.01


def test_information_is_that_of_the_definition():
    """Two equal halves tell each other ln 2 in each of 8 records, for two probabilities."""
    half = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    search = Search([half, half, np.array([0, 1] * 4)], np.ones(8), 1)
    assert np.isclose(search._score(0, (1,)), 8 * np.log(2) - np.log(8))
    assert np.isclose(search._score(0, (2,)), -np.log(8))
    assert search.network() == [(0, ()), (1, (0,)), (2, ())]


def test_cells_of_few_records_fall_back_to_fewer_parents():
    """Six records agree in x = 1 alone, and no cell needs more than all records."""
    data = ta.read(pa.table({"x": [0] * 40 + [1] * 40, "y": ["a"] * 40 + ["b"] * 40}))
    follows = data.apply(ta.BayesianNetwork(records=500), seed=1).to_pandas()
    assert (follows.y[follows.x == 0] == "a").all()
    coarse = data.apply(ta.BayesianNetwork(records=500, cell=60), seed=1).to_pandas()
    assert 0.3 < (coarse.y[coarse.x == 0] == "a").mean() < 0.7


def test_blanks_are_kept_given_parents():
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 2000)
    blank = (sex == "f") & (rng.random(2000) < 0.6)
    data = ta.read(pa.table({"sex": sex, "y": pa.array(rng.normal(size=2000), mask=blank)}))
    made = data.apply(ta.BayesianNetwork(), seed=1).to_pandas()
    missing = made.groupby("sex").y.apply(lambda one: one.isna().mean())
    assert abs(missing["f"] - 0.6) < 0.05
    assert missing["m"] == 0


def test_rules_hold(chain):
    made = chain.apply(ta.BayesianNetwork(rules=["a = 'p' -> c = 'p'"]), seed=1).to_pandas()
    assert (made.c[made.a == "p"] == "p").all()
