from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.anonymize.promises import without_broken
from tacita.microdata.models.class_table import ClassTable

RISKS = {
    "dankar": ta.DankarUniqueness,
    "pitman": ta.PitmanUniqueness,
    "zayatz": ta.ZayatzUniqueness,
    "snb": ta.SnbUniqueness,
}
KEYS = ["age", "zip", "education"]


def of_sizes(sizes, **attributes):
    values = np.repeat(np.arange(len(sizes)), sizes)
    return ta.read(pa.table({"a": values}), roles={"a": "key"}, kinds={"a": "nominal"})


@pytest.mark.parametrize("estimator", RISKS)
def test_says_what_the_risk_says(estimator, toy):
    for said in ({"fraction": 0.05}, {"population_size": 900}, {}):
        expected = RISKS[estimator](KEYS, **said).measure(toy, toy).value
        model = ta.LimitedPopulationUniques(0.1, KEYS, estimator=estimator, **said)
        verdict = model.check(toy)
        assert verdict.value == expected
        assert verdict.holds == (expected is not None and expected <= 0.1)


class_sizes = st.lists(st.integers(1, 4), min_size=2, max_size=30)


@given(class_sizes, st.sampled_from([0.0, 0.05, 0.2]), st.sampled_from(["dankar", "zayatz"]))
def test_what_is_left_keeps_it(sizes, bound, estimator):
    model = ta.LimitedPopulationUniques(bound, estimator=estimator, population_size=1000)
    data = of_sizes(sizes)
    broken = model.breaks(ClassTable.of(data.classes()))
    assert (np.array(sizes)[broken] == 1).all()
    assert model.check(without_broken(data, [model]))
    if broken.any():  # one fewer would not do
        spared = broken.copy()
        spared[np.flatnonzero(broken)[-1]] = False
        assert not model.check(data.take(np.flatnonzero(~spared[data.classes().of_record])))


@given(st.lists(st.integers(1, 3), min_size=1, max_size=12), st.sampled_from([0.0, 0.2, 0.5]))
def test_counted_ones_are_those_of_the_population(people, bound):
    """One of every class is released: those of classes of one are population uniques."""
    population = of_sizes(people)
    sample = population.take(population.classes().first).with_external(population=population)
    model = ta.LimitedPopulationUniques(bound, estimator="counted")
    verdict = model.check(sample)
    unique = people.count(1)
    assert verdict.value == Fraction(unique, len(people))
    assert verdict.holds == (verdict.value <= Fraction(str(bound)))
    kept = without_broken(sample, [model])
    assert model.check(kept)
    fewest = next(
        gone
        for gone in range(unique + 1)
        if unique - gone <= Fraction(str(bound)) * (len(people) - gone)
    )
    assert len(sample) - len(kept) == fewest


def test_an_estimate_that_is_not_valid_keeps_no_promise():
    data = of_sizes([1] * 20)
    verdict = ta.LimitedPopulationUniques(0.5, estimator="snb", population_size=400).check(data)
    assert not verdict.holds
    assert verdict.value is None
    assert "not valid" in verdict.sentence


def test_it_must_know_the_population(toy):
    bare = replace(toy.without(["weight"]))
    with pytest.raises(InputError, match="size of the population is not known"):
        ta.LimitedPopulationUniques(0.1).check(bare)
    with pytest.raises(InputError, match="counts in the population"):
        ta.LimitedPopulationUniques(0.1, estimator="counted").check(bare)


def test_records_that_the_population_lacks_do_not_make_it_larger():
    """Where keys of the release are not those of the population, only its size is known."""
    people = of_sizes([2, 2, 2, 2, 1, 1])
    release = of_sizes([3, 1]).with_external(population=of_sizes([0, 0, 4, 4, 2]))
    model = ta.LimitedPopulationUniques(0.5, estimator="zayatz")
    said = ta.LimitedPopulationUniques(0.5, estimator="zayatz", population_size=len(people))
    assert model.check(release).value == said.check(release).value
    counted = ta.LimitedPopulationUniques(0.5, estimator="counted").check(release)
    assert counted.value == Fraction(1, 4)
