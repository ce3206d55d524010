from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError

cells = st.one_of(st.none(), st.integers(0, 3))


@given(st.lists(st.tuples(cells, cells), max_size=40))
def test_classes_are_the_distinct_combinations(rows):
    table = pa.table(
        {
            "a": pa.array([r[0] for r in rows], pa.int64()),
            "b": pa.array([r[1] for r in rows], pa.int64()),
        }
    )
    data = ta.read(table)
    classes = data.classes(["a", "b"])
    expected = Counter(rows)
    found = {(row["a"], row["b"]): row["count"] for row in classes.combinations().to_pylist()}
    assert found == dict(expected)
    assert [expected[row] for row in rows] == classes.size_of_record.tolist()
    assert classes.first.tolist() == sorted(rows.index(row) for row in expected)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1.5, -0.0, 0.0, None, 1.5]),
        pa.array(["x", "", "y", None, "x"]),
        pa.array([True, False, False, None, True]),
        pa.array([10, 20, 20, None, 10], pa.timestamp("us")),
        pa.array([1, 2, 2, None, 1], pa.date32()),
        pa.array([1, 2, 2, None, 1], pa.time32("s")),
        pa.array([1, 2, 2, None, 1], pa.duration("s")),
        pa.array([["a", "b"], ["c"], ["c"], None, ["b", "a"]]),
        pa.array([2**63 - 1, -(2**63), -(2**63), None, 2**63 - 1]),
    ],
    ids=lambda v: str(v.type),
)
def test_values_of_every_type_compare(values):
    classes = ta.read(pa.table({"v": values})).classes(["v"])
    ids = classes.of_record
    assert ids[0] == ids[4]
    assert (ids[1] == ids[2]) == (values[1] == values[2])
    assert len({int(ids[0]), int(ids[1]), int(ids[3])}) == 3


def test_weights_add_up_in_each_class(toy):
    classes = toy.classes()
    assert classes.weights.sum() == pytest.approx(toy.weight.sum())
    assert (classes.weights >= classes.counts).all()


def test_histograms_count_confidential_values():
    data = ta.read(pa.table({"k": [1, 1, 2, 1], "c": ["x", "x", "y", None]}))
    rows = data.classes(["k"]).histogram("c").to_pylist()
    assert rows == [
        {"class": 0, "value": "x", "count": 2},
        {"class": 0, "value": None, "count": 1},
        {"class": 1, "value": "y", "count": 1},
    ]


def test_no_keys_is_refused_rather_than_vacuously_safe():
    with pytest.raises(InputError, match="role `key`"):
        ta.read(pa.table({"a": [1]})).classes()


def test_classes_are_counted_once(toy):
    assert toy.classes() is toy.classes()


def test_empty_data_have_no_classes():
    classes = ta.read(pa.table({"a": pa.array([], pa.string())})).classes(["a"])
    assert len(classes) == 0
    assert classes.smallest == 0
    assert np.asarray(classes.weights).tolist() == []
