from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.risk.frequencies.population_counts import PopulationCounts

ROLES = {"age": "key", "town": "key"}
PEOPLE = pa.table(
    {
        "age": [21, 22, 25, 31, 33, 38, 38, 64],
        "town": ["Ys", "Ys", "Is", "Ys", "Is", "Is", "IS", "Is"],
    }
)


def sampled(rows: list[int]) -> ta.Microdata:
    """A sample of some people, beside all of them."""
    people = ta.read(PEOPLE, roles=ROLES)
    return ta.read(PEOPLE.take(rows), roles=ROLES).with_external(population=people)


def test_the_population_says_how_many_share_the_key_values():
    data = sampled([0, 5, 6])
    found = ta.JournalistRisk().measure(data, data)
    assert found.per_record.tolist() == [1, 0.5, 0.5]
    assert found.value == 1
    assert found.figures["average"] == Fraction(2, 3)
    assert "in the population" in found.sentence


def test_recoded_keys_are_recoded_in_the_population():
    """Ages 21, 22 and 25 become one interval, also of those who are not in the sample."""
    data = sampled([0, 1, 2, 3, 5])
    masked = data.apply(ta.Recode("age", width=10))
    found = PopulationCounts.of(data, masked, ["age"])
    # 33 is not in the sample: nobody told how it would be recoded, so that it is left apart.
    assert found.of_record.tolist() == [3, 3, 3, 3, 3]
    assert sorted(found.sizes.tolist()) == [1, 1, 3, 3]
    assert found.lacking == 0


def test_values_in_another_spelling_or_type_are_the_same():
    data = sampled([4])
    written = data.with_column(data.attribute("age"), pa.array(["33"]))
    spelled = written.with_column(data.attribute("town"), pa.array([" is "]))
    assert PopulationCounts.of(data, spelled, None).of_record.tolist() == [1]


def test_perturbed_keys_contradict_the_population():
    data = sampled([0, 1, 5, 6])
    noisy = data.with_column(data.attribute("age"), pa.array([20, 22, 39, 38]))
    found = PopulationCounts.of(data, noisy, ["age"])
    assert found.lacking == 2
    assert found.of_record.tolist() == [1, 1, 1, 2]
    assert (
        "key values of 2 records the population holds fewer"
        in ta.JournalistRisk().measure(data, noisy).sentence
    )


def test_a_blank_agrees_with_blanks_only():
    data = sampled([5, 6])
    masked = data.with_column(data.attribute("age"), pa.array([None, 38], pa.int64()))
    found = PopulationCounts.of(data, masked, None)
    assert found.of_record.tolist() == [1, 2]
    assert found.lacking == 1


def test_without_a_population_weights_estimate_it():
    table = pa.table({"k": [1, 1, 2], "w": [1.5, 2.5, 8.0]})
    data = ta.read(table, roles={"k": "key", "w": "weight"})
    found = ta.JournalistRisk(threshold=0.125).measure(data, data)
    assert found.per_record.tolist() == [0.25, 0.25, 0.125]
    assert found.value == 0.25
    assert found.figures["records_at_risk"] == 2
    assert "estimate" in found.sentence


def test_without_both_the_prosecutor_bounds_it():
    data = ta.read(PEOPLE, roles={"town": "key"})
    found = ta.JournalistRisk().measure(data, data)
    assert found.figures["average"] == ta.ProsecutorRisk().measure(data, data).figures["average"]
    assert "bound" in found.sentence


def test_marketers_average_what_journalists_maximize(toy):
    data = toy.take(np.arange(0, 300, 3)).with_external(population=toy)
    journalist, marketer = (m.measure(toy, data) for m in (ta.JournalistRisk(), ta.MarketerRisk()))
    assert marketer.value == journalist.figures["average"] <= journalist.value


def test_the_population_must_hold_the_keys():
    people = ta.read(PEOPLE.select(["age"]), roles={"age": "key"})
    data = ta.read(PEOPLE, roles=ROLES).with_external(population=people)
    with pytest.raises(InputError, match="lacks the keys town"):
        ta.JournalistRisk().measure(data, data)
