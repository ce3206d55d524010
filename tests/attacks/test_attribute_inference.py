from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError


def read(keys, values) -> ta.Microdata:
    table = pa.table({"key": keys, "value": values})
    return ta.read(table, roles={"key": "key", "value": "confidential"})


def measured(original, holdout, released, **said):
    return ta.AttributeInference(**said).measure(original.with_external(holdout=holdout), released)


def test_the_nearest_record_tells_its_value():
    data = read([1.0, 2.0, 3.0, 4.0], ["x", "y", "x", "y"])
    strangers = read([1.1, 2.2, 3.3, 4.4], ["x", "y", "y", "x"])
    found = measured(data, strangers, data)
    assert found.figures["right_of_respondents"] == 1
    assert found.figures["right_of_strangers"] == Fraction(1, 2)
    assert found.value == 1


def test_the_gain_is_over_what_holds_for_strangers():
    data = read([1.0, 2.0, 3.0, 4.0], ["x", "y", "x", "y"])
    released = read([1.0, 2.0, 3.0, 4.0], ["x", "y", "x", "x"])
    strangers = read([1.0, 2.0, 3.0, 4.0], ["x", "x", "x", "y"])
    found = measured(data, strangers, released)
    # Three of four respondents and two of four strangers: half of what was left.
    assert found.value == Fraction(1, 2)
    assert found.interval.lower == 0
    assert found.interval.upper > 0.5


def test_numbers_may_be_missed_by_some_deviations():
    data = read(["a", "b", "c"], [0.0, 10.0, 20.0])
    released = read(["a", "b", "c"], [0.0, 14.0, 14.0])
    strangers = read(["a", "b", "c"], [9.0, 99.0, 99.0])
    assert measured(data, strangers, released, width=0.41).value == Fraction(2, 3)
    assert measured(data, strangers, released, width=0.39).value == Fraction(1, 3)


def test_copies_are_at_risk_and_fresh_records_are_not():
    data, holdout, fresh = (ta.example("toy", 600, seed=seed) for seed in (1, 2, 3))
    copied, drawn = (measured(data, holdout, released) for released in (data, fresh))
    assert copied.value > 0.9
    assert drawn.interval.lower == 0
    assert drawn.value < 0.1


def test_generalized_keys_are_compared_in_their_own_terms():
    data, holdout = ta.example("toy", 300), ta.example("toy", 300, seed=1)
    masked = data.apply(ta.Recode("age", width=10), seed=0)
    assert measured(data, holdout, masked, attributes=["disease"]).value > 0.8


def test_the_interval_of_equal_groups_covers_no_risk():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(40):
        data, holdout, fresh = (
            read(rng.integers(0, 5, 60), [f"v{v}" for v in rng.integers(0, 2, 60)])
            for _ in range(3)
        )
        covered += measured(data, holdout, fresh).interval.lower == 0
    assert covered >= 38


def test_it_needs_a_holdout_and_tells_its_sample(toy):
    with pytest.raises(InputError, match="needs a holdout"):
        ta.AttributeInference().measure(toy, toy)
    found = measured(toy, ta.example("toy", 300, seed=1), toy, sample=40)
    assert "40 of 300" in found.sentence
    assert set(found.parts) == {"income", "disease"}
