from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.risk import learners

RNG = np.random.default_rng(0)


def read(keys, values, **said) -> ta.Microdata:
    table = pa.table({"key": keys, "value": values})
    return ta.read(table, roles={"key": "key", "value": "confidential"}, **said)


def population(n: int, seed: int) -> ta.Microdata:
    """Persons whose group tells their value three times in four."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 4, n)
    value = np.where(rng.random(n) < 0.75, group, rng.integers(0, 4, n))
    return read([f"g{one}" for one in group], [f"v{one}" for one in value])


def test_two_of_four_values_are_guessed_anyway():
    data = read(["a", "a", "b", "c"], ["x", "x", "y", "z"])
    found = ta.InferentialDisclosure().measure(data, data)
    # The most frequent value is right twice, and the release tells all four.
    assert found.figures["right_without"] == Fraction(1, 2)
    assert found.value == 1
    assert found.interval.lower < 1 == found.interval.upper


def test_a_class_of_several_values_tells_the_most_frequent():
    data = read(["a"] * 3 + ["b"] * 3, ["x", "x", "y", "z", "z", "y"])
    found = ta.InferentialDisclosure().measure(data, data)
    assert found.figures["right_with"] == Fraction(4, 6)
    assert found.figures["right_without"] == Fraction(2, 6)
    assert found.value == Fraction(1, 2)


def test_values_drawn_anew_disclose_nothing():
    data = population(2000, 1)
    other = data.with_column(
        data.attribute("value"), pa.array([f"v{v}" for v in RNG.integers(0, 4, 2000)])
    )
    assert ta.InferentialDisclosure().measure(data, other).value < 0.05


def test_what_holds_for_everybody_is_not_disclosure():
    data, synthetic, holdout = (population(2000, seed) for seed in (1, 2, 3))
    alone = ta.InferentialDisclosure().measure(data, synthetic)
    beside = ta.InferentialDisclosure().measure(data.with_external(holdout=holdout), synthetic)
    assert alone.value > 0.6
    assert beside.value < 0.05
    assert beside.figures["right_without"] > alone.figures["right_without"]


def test_a_memorized_respondent_is_disclosed_whatever_holds_for_others():
    rng = np.random.default_rng(5)
    data, holdout = (
        read(rng.normal(size=300), [f"v{v}" for v in rng.integers(0, 3, 300)]) for _ in range(2)
    )
    found = ta.InferentialDisclosure().measure(data.with_external(holdout=holdout), data)
    assert found.value == 1


def test_numbers_are_right_within_some_deviations():
    data = read(["a", "b", "c", "d"], [0.0, 10.0, 20.0, 30.0])
    noisy = read(["a", "b", "c", "d"], [1.0, 11.0, 16.0, 30.0])
    # The deviation is 12.9, the median 15: nobody is within a tenth of it.
    found = ta.InferentialDisclosure(width=0.1).measure(data, noisy)
    assert (found.figures["right_with"], found.figures["right_without"]) == (Fraction(3, 4), 0)
    assert found.value == Fraction(3, 4)


def test_the_intruder_recodes_keys_as_the_release_does():
    data = ta.example("conditions")
    masked = data.apply(ta.Generalize("Zip code", level=2), seed=0).apply(
        ta.Drop(["Age", "Nationality"]), seed=0
    )
    found = ta.InferentialDisclosure().measure(data, masked)
    # By 230**, 448**, 331** alone: two of four, two of four, all four.
    assert found.figures["right_with"] == Fraction(8, 12)
    assert found.figures["right_without"] == Fraction(5, 12)


def test_synthetic_records_may_be_more_or_fewer():
    data, synthetic = population(500, 1), population(700, 2)
    assert ta.InferentialDisclosure().measure(data, synthetic).value > 0.5


def test_a_sample_is_told(toy):
    found = ta.InferentialDisclosure(sample=50).measure(toy, toy)
    assert "50 of 300" in found.sentence
    assert set(found.parts) == {"income", "disease"}


def test_something_must_be_confidential():
    data = ta.read(pa.table({"key": [1, 2]}), roles={"key": "key"})
    with pytest.raises(InputError, match="no confidential attribute"):
        ta.InferentialDisclosure().measure(data, data)
    data = ta.read(pa.table({"x": [1, 2]}), roles={"x": "confidential"})
    with pytest.raises(InputError, match="No attribute has the role `key`"):
        ta.InferentialDisclosure().measure(data, data)


@pytest.mark.parametrize(
    ("middle", "size", "unit"),
    [(0.0, 1.0, 1.0), (1e9, 1.0, 1.0), (1.6e12, 1e3, 1.0), (0.0, 1e-200, 1.0), (0.0, 1.0, 1e-9),
     (0.0, 1.0, 1e170), (0.0, 1e200, 1e-200)],
)  # fmt: skip
def test_where_numbers_lie_and_how_large_they_are_does_not_matter(middle, size, unit):
    # A key that tells everybody apart tells every value; models keep few digits of large numbers.
    rng = np.random.default_rng(7)
    data = read(middle + size * rng.permutation(200), unit * rng.normal(size=200))
    assert ta.InferentialDisclosure().measure(data, data).figures["right_with"] == 1


def test_the_order_of_the_records_does_not_matter(toy):
    masked = toy.apply(ta.Generalize("education", level=1), seed=0)
    order = np.random.default_rng(3).permutation(len(toy))
    again, released = (replace(data.take(order), rows=None) for data in (toy, masked))
    holdout = ta.example("toy", 250, seed=1)
    found, other = (
        ta.InferentialDisclosure().measure(before.with_external(holdout=holdout), after)
        for before, after in ((toy, masked), (again, released))
    )
    assert (found.parts, found.figures) == (other.parts, other.figures)


def test_of_many_categories_a_part_is_learnt_but_always_that_of_the_respondents(monkeypatch):
    rng = np.random.default_rng(8)
    data = read(rng.permutation(300), [f"v{v}" for v in rng.integers(0, 50, 300)])
    monkeypatch.setattr(learners, "LARGEST", 50 * 20)
    found = ta.InferentialDisclosure(sample=30).measure(data, data)
    assert found.figures["right_with"] == 1
    secret = learners.Secret.of([data, data], "value", 0.1)
    learnt = learners.learnt(secret, 1, np.arange(5, 30))
    assert set(range(5, 30)) <= set(learnt.tolist())
    assert len(learnt) <= 20 + 25
    shorter = learners.Secret.of([data, data.take(np.arange(290))], "value", 0.1)
    assert len(learners.learnt(shorter, 1, np.arange(5, 30))) == 20


def test_a_holdout_without_the_keys_is_refused():
    data = population(50, 1)
    beside = data.with_external(holdout=data.without(["key"]))
    with pytest.raises(InputError, match="The holdout lacks key"):
        ta.InferentialDisclosure().measure(beside, data)
    beside = data.with_external(holdout=data.without(["value"]))
    with pytest.raises(InputError, match="The holdout lacks value"):
        ta.InferentialDisclosure().measure(beside, data)


def test_a_value_of_its_own_for_everybody_is_disclosed_without_a_warning():
    data = read(np.arange(60), [f"v{v}" for v in range(60)])
    assert ta.InferentialDisclosure().measure(data, data).value == 1
