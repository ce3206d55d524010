"""Linking records by their order."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.content_order import in_content_order


@pytest.fixture(scope="module")
def people():
    """Two thousand records in the order of a register: by name, which is not there."""
    rng = np.random.default_rng(1)
    columns = {
        "age": rng.integers(0, 90, 2000),
        "sex": rng.choice(["f", "m"], 2000),
        "income": rng.integers(0, 10**6, 2000),
    }
    return ta.read(pa.table(columns), roles={"age": "key", "sex": "key"})


def risk(original, protected, **options):
    return ta.OrderLinkage(**options).measure(original, protected).value


def test_the_order_of_the_source_links_everybody_whatever_was_masked(people):
    coarse = people.apply(ta.Recode("age", width=30), seed=1)
    noisy = coarse.apply(ta.Pram("sex", minimum_diagonal=0.6), seed=1)
    assert risk(people, noisy) == 1
    assert risk(people, noisy.take(np.arange(2000)[::-1])) == 1
    left = noisy.take(np.flatnonzero(np.random.default_rng(2).random(2000) < 0.97))
    assert risk(people, left) == 1


def test_an_order_that_follows_from_the_release_links_nobody(people):
    assert risk(people, in_content_order(people)) < 0.02
    assert risk(people, people.apply(ta.ShuffleRecords(), seed=5)) < 0.02


def test_pieces_that_stay_together_are_found(people):
    pieces = np.random.default_rng(3).permutation(200)
    order = (pieces[:, None] * 10 + np.arange(10)).ravel()
    found = ta.OrderLinkage().measure(people, people.take(order))
    assert float(found.parts["position"]) < 0.02
    assert float(found.value) == found.parts["neighbours"]
    assert 0.85 < found.value < 0.95


def test_a_file_sorted_by_its_keys_tells_the_order_among_equals(people):
    order = np.lexsort((np.arange(2000), people.column("sex"), people.column("age")))
    found = ta.OrderLinkage().measure(people, people.take(order))
    assert float(found.parts["position"]) < 0.02
    assert float(found.value) == found.parts["position among equals"]
    assert found.value > 0.95


def test_households_are_walked_along_as_one():
    homes = np.repeat(np.arange(500), 4)
    data = ta.read(pa.table({"home": homes, "x": np.arange(2000)}), roles={"home": "household"})
    assert risk(data, data) == 1
    within = np.random.default_rng(4).permuted(np.arange(2000).reshape(500, 4), axis=1).ravel()
    assert risk(data, data.take(within)) == 1
    assert risk(data, in_content_order(data)) < 0.02
    blind = ta.read(data.to_arrow())
    assert risk(blind, blind.take(in_content_order(data).source_rows)) > 0.3
    assert risk(blind, blind.take(in_content_order(data).source_rows), together="home") < 0.02


def test_records_that_are_alike_tell_nothing_by_their_order():
    data = ta.read(pa.table({"x": np.arange(2000) % 5}), roles={"x": "key"})
    assert risk(data, in_content_order(data)) < 0.02
    assert risk(data, data) == 1  # which of five values comes next tells who it is


def test_by_chance_it_is_nothing_on_average():
    data = ta.read(pa.table({"x": np.arange(50) % 5}), roles={"x": "key"})
    rng = np.random.default_rng(6)
    parts = [
        ta.OrderLinkage().measure(data, data.take(rng.permutation(50))).parts for _ in range(400)
    ]
    for way in parts[0]:  # what is below chance counts as 0, and the better end is taken
        assert np.mean([one[way] for one in parts]) < 0.05


def test_one_record_and_none():
    alone = ta.read(pa.table({"x": [1]}), roles={"x": "key"})
    assert risk(alone, alone) == Fraction(0)
    assert risk(alone.take(np.zeros(0, int)), alone.take(np.zeros(0, int))) is None
