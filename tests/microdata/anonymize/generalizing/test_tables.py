from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.microdata.anonymize.generalizing import tables
from tacita.microdata.anonymize.generalizing.levels import at_level, at_levels, heights
from tacita.microdata.anonymize.generalizing.tables import Tables
from tacita.microdata.models.class_table import ClassTable


@pytest.fixture
def toy():
    return ta.example("toy", 400)


def is_the_same(found: ClassTable, expected: ClassTable) -> bool:
    """Tell whether two tables hold the same classes, in whatever order."""

    def rows(table: ClassTable) -> list[tuple[int, ...]]:
        spread = dict(table.values)
        counts = [np.zeros((one.size, len(one.domain)), np.int64) for one in spread.values()]
        for matrix, one in zip(counts, spread.values(), strict=True):
            matrix[one.classes, one.codes] = one.counts
        return sorted(map(tuple, np.column_stack([table.sizes, *counts]).tolist()))

    return rows(found) == rows(expected)


@pytest.mark.parametrize("roomy", [True, False])
def test_tables_are_those_of_the_generalized_data(toy, monkeypatch, roomy):
    if not roomy:  # tables in between are made at once, and most are given up again
        monkeypatch.setattr(tables, "LARGE", 4)
        monkeypatch.setattr(tables, "STRIDE", 2)
        monkeypatch.setattr(tables, "HELD_BYTES", 20_000)
        monkeypatch.setattr(tables, "MOST_HELD", 5)
    names = toy.keys[:4]
    made = Tables.of(toy, names, ["disease"])
    nodes = list(product(*map(range, made.shape)))
    order = np.random.default_rng(0).permutation(len(nodes))[:40]
    for place in order:
        levels = nodes[place]
        found = made.at(levels, lambda: np.ones(made.shape, np.bool_))
        classes = at_levels(toy, made.named(levels)).classes(names)
        assert found.levels == levels
        assert is_the_same(found.classes, ClassTable.of(classes, ["disease"]))


def test_classes_over_some_keys_are_those_of_these_keys(toy):
    names = toy.keys[:3]
    made = Tables.of(toy, names)
    classes, into = made.grouped(made.base, [0, 2])
    assert sorted(classes.sizes) == sorted(toy.classes([names[0], names[2]]).counts)
    assert np.bincount(into, made.base.classes.sizes).tolist() == classes.sizes.tolist()


def test_a_blank_stays_apart_until_its_key_tells_nothing():
    data = ta.read(pa.table({"sex": ["f", "m", None]}), roles={"sex": "key"})
    made = Tables.of(data, ["sex"])
    assert made.shape == (2,)
    assert made.at((0,)).classes.sizes.tolist() == [1, 1, 1]
    assert made.at((1,)).classes.sizes.tolist() == [3]
    assert at_level(data, "sex", 1).column("sex").to_pylist() == ["*"] * 3


def test_more_bits_than_a_word_has_are_no_problem():
    rng = np.random.default_rng(1)
    names = [f"key{number}" for number in range(12)]
    table = pa.table({name: rng.integers(0, 500, 300) for name in names})
    data = ta.read(table, roles=dict.fromkeys(names, "key"))
    made = Tables.of(data, names)
    assert made.base.words.shape[0] == 2
    levels = (1,) * 11 + (0,)
    assert sorted(made.at(levels).classes.sizes) == sorted(data.classes(names[-1:]).counts)


def test_heights_are_sums_of_levels():
    assert heights((2, 3)).tolist() == [[0, 1, 2], [1, 2, 3]]
