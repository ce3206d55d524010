from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.anonymize.promises import broken_records, without_broken
from tacita.microdata.models.class_table import ClassTable

pairs = st.tuples(st.integers(0, 2), st.sampled_from(["x", "y", None]))
files = st.lists(pairs, min_size=1, max_size=30)


def frame(rows):
    return ta.read(
        pa.table(
            {"a": pa.array([a for a, _ in rows]), "b": pa.array([b for _, b in rows], pa.string())}
        ),
        roles={"a": "key", "b": "key"},
    )


def sampled(rows, chosen):
    people = frame(rows)
    sample = people.take(np.array(sorted(chosen), np.int64))
    return sample.with_external(population=people)


@st.composite
def samples(draw):
    rows = [(0, "x"), *draw(files)]  # no key may be blank everywhere
    return rows, draw(st.sets(st.integers(0, len(rows) - 1), min_size=1))


@given(samples(), st.integers(2, 5))
def test_agrees_with_counting_in_the_population(drawn, k):
    rows, chosen = drawn
    sizes = Counter(rows)
    least = min(sizes[rows[place]] for place in chosen)
    verdict = ta.KMap(k).check(sampled(rows, chosen))
    assert verdict.holds == (least >= k)
    assert verdict.value == least
    worst = verdict.worst
    assert sizes[worst["a"], worst["b"]] == least


@given(samples(), st.integers(2, 5))
def test_records_that_break_it_are_those_that_must_go(drawn, k):
    rows, chosen = drawn
    data, model = sampled(rows, chosen), ta.KMap(k)
    sizes = Counter(rows)
    expected = [sizes[rows[place]] < k for place in sorted(chosen)]
    assert broken_records(data, [model]).tolist() == expected
    assert model.check(without_broken(data, [model]))


@given(samples(), st.integers(2, 5), st.data())
def test_merged_classes_keep_it(drawn, k, data):
    rows, chosen = drawn
    table = ClassTable.of(sampled(rows, chosen).classes(), with_population=True)
    into = np.array(
        data.draw(st.lists(st.integers(0, 1), min_size=len(table), max_size=len(table)))
    )
    model = ta.KMap(k)
    if not model.breaks(table).any():
        assert not model.breaks(table.merged(into, 2)).any()


def test_k_anonymity_implies_it():
    rows = [(1, "x")] * 3 + [(2, "y")] * 2
    assert ta.KMap(2).check(sampled(rows, range(5)))


def test_weights_estimate_where_there_is_no_population():
    data = ta.read(
        pa.table({"a": [1, 2, 2], "w": [4.0, 1.5, 1.0]}), roles={"a": "key", "w": "weight"}
    )
    verdict = ta.KMap(3).check(data)
    assert not verdict.holds
    assert verdict.value == 2.5
    assert verdict.worst["a"] == 2
    assert "as the sampling weights estimate" in verdict.sentence
    assert ta.KMap(2).check(data)


def test_a_population_that_holds_fewer_than_the_release_is_contradicted():
    people = frame([(1, "x"), (2, "y")])
    release = frame([(1, "x"), (1, "x")]).with_external(population=people)
    assert ta.KMap(2).check(release).value == 2


def test_it_needs_to_know_something_of_the_population():
    with pytest.raises(InputError, match="k_map needs the population"):
        ta.KMap(2).check(frame([(1, "x")]))
    people = ta.read(pa.table({"a": [1]}), roles={"a": "key"})
    with pytest.raises(InputError, match="lacks the keys b"):
        ta.KMap(2).check(frame([(1, "x")]).with_external(population=people))
