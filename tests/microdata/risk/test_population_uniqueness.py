from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.codebook import Meaning
from tacita.data.declaration import Declaration
from tacita.data.formats import Contents
from tacita.data.read import dataset_of
from tacita.errors import InputError


@given(st.lists(st.integers(0, 9), min_size=1), st.data())
def test_it_is_the_share_of_sample_uniques(people, data):
    chosen = data.draw(st.sets(st.integers(0, len(people) - 1), min_size=1))
    sample = [people[place] for place in chosen]
    population = ta.read(pa.table({"a": people}), roles={"a": "key"})
    released = ta.read(pa.table({"a": sample}), roles={"a": "key"})
    released = released.with_external(population=population)
    found = ta.PopulationUniqueness().measure(released, released)
    often, rare = Counter(people), Counter(sample)
    uniques = [value for value in rare if rare[value] == 1]
    both = [value for value in uniques if often[value] == 1]
    assert found.value == Fraction(len(both), max(len(uniques), 1))
    assert found.figures["sample_uniques"] == len(uniques)
    alone = sum(count == 1 for count in often.values())
    assert found.figures["population_uniques_share"] == Fraction(alone, len(people))
    assert found.per_record.tolist() == [1 / often[value] for value in sample]


def test_generalizing_lowers_the_share_in_the_population_too(patients):
    data = patients.take(np.arange(0, 2000, 4))
    data = ta.read(data.to_arrow(), roles=dict.fromkeys(patients.keys, "key"))
    data = data.with_external(population=patients)
    before = ta.PopulationUniqueness(keys=["age_yrs"]).measure(data, data)
    masked = data.apply(ta.Recode("age_yrs", width=20))
    after = ta.PopulationUniqueness(keys=["age_yrs"]).measure(data, masked)
    assert after.figures["records_lacking"] == before.figures["records_lacking"] == 0
    assert after.figures["population_uniques"] <= before.figures["population_uniques"]


def test_what_the_population_lacks_counts_as_unique_and_is_told():
    people = ta.read(pa.table({"a": [1, 1, 2]}), roles={"a": "key"})
    data = ta.read(pa.table({"a": [1, 3]}), roles={"a": "key"}).with_external(population=people)
    found = ta.PopulationUniqueness().measure(data, data)
    assert found.value == Fraction(1, 2)
    assert found.figures["records_lacking"] == 1
    assert "key values of 1 record the population holds fewer" in found.sentence


def test_no_population_no_number(toy):
    with pytest.raises(InputError, match="needs the population"):
        ta.PopulationUniqueness().measure(toy, toy)


def test_values_missing_for_another_reason_are_not_shared():
    # One respondent refused, two do not know: the file tells which, and so does the register.
    meaning = Meaning("Sex", {9: "refused"}, missing_codes=(8, 9))
    contents = Contents(
        pa.table({"sex": [1, None, None, None]}),
        codebook={"sex": meaning},
        reasons={"sex": np.array([0, 2, 1, 1], np.int32)},
    )
    said = {"sex": Declaration(role="key", kind="nominal")}
    people = ta.Microdata.of(dataset_of(contents, said, source="x.sav"))
    sample = people.take(np.array([0, 1, 2])).with_external(population=people)
    found = ta.PopulationUniqueness().measure(sample, sample)
    assert found.per_record.tolist() == [1, 1, 0.5]
