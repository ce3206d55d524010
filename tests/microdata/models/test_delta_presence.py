from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.anonymize.promises import without_broken
from tacita.microdata.models.class_table import ClassTable

bounds = st.sampled_from([(0.0, 0.5), (0.0, 0.2), (0.25, 0.75), (0.1, 1.0), (0.5, 0.5), (0.0, 0.0)])


def frame(values):
    return ta.read(pa.table({"a": pa.array(values, pa.string())}), roles={"a": "key"})


@st.composite
def samples(draw):
    values = ["x", *draw(st.lists(st.sampled_from(["x", "y", "z", None]), max_size=20))]
    chosen = draw(st.sets(st.integers(0, len(values) - 1), min_size=1))
    people = frame(values)
    sample = people.take(np.array(sorted(chosen), np.int64)).with_external(population=people)
    return values, [values[place] for place in sorted(chosen)], sample


@given(samples(), bounds)
def test_agrees_with_a_look_at_every_class_of_the_population(drawn, allowed):
    values, released, sample = drawn
    people, here = Counter(values), Counter(released)
    low, high = (Fraction(str(bound)) for bound in allowed)
    shares = {value: Fraction(here[value], size) for value, size in people.items()}
    verdict = ta.DeltaPresence(*allowed).check(sample)
    assert verdict.holds == all(low <= share <= high for share in shares.values())
    furthest = max(max(low - share, share - high) for share in shares.values())
    assert max(low - verdict.value, verdict.value - high) == furthest
    assert shares[verdict.worst["a"]] == verdict.value
    assert verdict.worst["count"] == here[verdict.worst["a"]]


@given(samples(), bounds)
def test_what_is_left_keeps_it(drawn, allowed):
    model = ta.DeltaPresence(*allowed)
    assert model.check(without_broken(drawn[2], [model]))


@given(samples(), bounds, st.data())
def test_merged_classes_keep_it(drawn, allowed, data):
    model = ta.DeltaPresence(*allowed)
    table = ClassTable.of(drawn[2].classes(), with_population=True)
    into = data.draw(st.lists(st.integers(0, 1), min_size=len(table), max_size=len(table)))
    size = max(into) + 1
    if set(into) == set(range(size)) and not model.breaks(table).any():
        assert not model.breaks(table.merged(np.array(into), size)).any()


def test_two_groups_of_which_a_half_and_two_thirds_are_released():
    people = frame(["g1", "g1", "g1", "g2", "g2"])
    release = people.take(np.array([1, 2, 4])).with_external(population=people)
    assert ta.DeltaPresence(0.5, 0.67).check(release)
    assert not ta.DeltaPresence(0.5, 0.66).check(release)
    assert not ta.DeltaPresence(0.51, 0.67).check(release)


def test_leaving_out_does_not_help_who_is_released_too_little():
    people = frame(["x", "x", "y"])
    release = people.take(np.array([0, 1])).with_external(population=people)
    table = ClassTable.of(release.classes(), with_population=True)
    assert ta.DeltaPresence(0.1, 1.0).breaks(table).all()
    assert ta.DeltaPresence(0.0, 0.5).breaks(table).tolist() == [True, False]


def test_it_needs_a_population_and_bounds_in_order():
    with pytest.raises(InputError, match="needs the population"):
        ta.DeltaPresence(0.0, 0.5).check(frame(["x"]))
    with pytest.raises(InputError, match="delta_presence needs the population"):
        ta.DeltaPresence(0.0, 0.5).breaks(ClassTable(np.array([2])))
    with pytest.raises(ParameterError, match="must not be above `maximum`"):
        ta.DeltaPresence(0.6, 0.5)
