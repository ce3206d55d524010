from __future__ import annotations

from collections import Counter
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import HierarchyError
from tacita.microdata.models.class_table import ClassTable, Domain

ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from(["p", "q", "r", None])),
    min_size=1,
    max_size=30,
)


def read(rows) -> ta.Microdata:
    a, b, x = (list(part) for part in zip(*rows, strict=True))
    table = pa.table({"a": a, "b": b, "x": pa.array(x, pa.string())})
    return ta.read(table, roles={"a": "key", "b": "key", "x": "confidential"})


def told(table: ClassTable, values: list) -> list:
    """Return the size and the values of every class."""
    one = table.values["x"]
    return [
        (
            int(size),
            {
                values[code]: int(count)
                for c, code, count in zip(one.classes, one.codes, one.counts, strict=True)
                if c == number
            },
        )
        for number, size in enumerate(table.sizes)
    ]


def counted(data: ta.Microdata, keys: list[str]) -> tuple[ClassTable, np.ndarray]:
    classes = data.classes(keys)
    return ClassTable.of(classes, ["x"]), classes.of_record


@given(ROWS)
def test_every_class_has_its_size_and_its_values(rows):
    data = read(rows)
    table, of_record = counted(data, ["a", "b"])
    values = table.values["x"].domain.values.to_pylist()
    want: dict[int, Counter] = {}
    for number, row in zip(of_record.tolist(), rows, strict=True):
        want.setdefault(number, Counter())[row[2]] += 1
    assert told(table, values) == [(sum(want[c].values()), dict(want[c])) for c in sorted(want)]
    assert table.records == len(rows)
    whole = Counter(row[2] for row in rows)
    assert table.values["x"].whole.tolist() == [whole[value] for value in values]
    assert np.diff(np.append(0, table.values["x"].ends)).tolist() == [len(want[c]) for c in want]


@given(ROWS)
def test_merging_is_counting_anew(rows):
    data = read(rows)
    fine, of_record = counted(data, ["a", "b"])
    coarse, into_record = counted(data, ["a"])
    into = np.empty(len(fine), np.int64)
    into[of_record] = into_record
    merged = fine.merged(into, len(coarse))
    values = coarse.values["x"].domain.values.to_pylist()
    assert told(merged, values) == told(coarse, values)


@given(ROWS, st.integers(0, 2**12 - 1))
def test_taking_classes_is_counting_their_records(rows, chosen):
    data = read(rows)
    table, of_record = counted(data, ["a", "b"])
    kept = np.array([chosen >> c & 1 for c in range(len(table))], np.bool_)
    taken = table.taken(kept)
    values = table.values["x"].domain.values.to_pylist()
    again, _ = counted(data.take(np.flatnonzero(kept[of_record])), ["a", "b"])
    assert told(taken, values) == told(again, again.values["x"].domain.values.to_pylist())


def test_weights_and_population_are_merged_and_taken():
    table = ClassTable(
        np.array([2, 1, 3]), weights=np.array([2.5, 1.0, 4.0]), population=np.array([20, 10, 30])
    )
    merged = table.merged(np.array([1, 0, 1]), 2)
    assert merged.sizes.tolist() == [1, 5]
    assert merged.weights.tolist() == [1.0, 6.5]
    assert merged.population.tolist() == [10, 50]
    taken = table.taken(np.array([True, False, True]))
    assert (taken.sizes.tolist(), taken.population.tolist()) == ([2, 3], [20, 30])
    assert taken.weights.tolist() == [2.5, 4.0]


@pytest.mark.parametrize(
    ("column", "order", "expected"),
    [
        (pa.array([10, 9, 10, None, -1]), None, [-1, 9, 10, None]),
        (pa.array([2.5, -1.0, 2.5]), None, [-1.0, 2.5]),
        (pa.array(["b", "a", None, "B"]), None, ["B", "a", "b", None]),
        (
            pa.array(["low", None, "high", "middle"]),
            ["low", "middle", "high"],
            ["low", "middle", "high", None],
        ),
        (
            pa.array([date(2021, 1, 1), date(2020, 1, 1)]),
            None,
            [date(2020, 1, 1), date(2021, 1, 1)],
        ),
        (pa.array([["b", "a"], ["a", "b"], ["a"]]), None, [["a"], ["b", "a"]]),
    ],
)
def test_a_domain_is_in_order_and_the_blank_is_the_last(column, order, expected):
    kinds = {} if order is None else {"x": "ordinal"}
    data = ta.read(pa.table({"x": column}), kinds=kinds, orders={"x": order} if order else {})
    domain, codes = Domain.of(data, "x")
    assert domain.values.to_pylist() == expected
    own = [sorted(v) if isinstance(v, list) else v for v in column.to_pylist()]
    there = [sorted(v) if isinstance(v, list) else v for v in expected]
    assert [there[code] for code in codes] == own


def test_ancestors_are_numbered_level_by_level():
    tree = {"tree": {"any": {"care": ["nurse", "doctor"], "law": ["judge"]}}}
    column = pa.array(["judge", "nurse", None, "doctor"])
    data = ta.read(pa.table({"x": column}), hierarchies={"x": tree})
    domain, _ = Domain.of(data, "x")
    assert domain.values.to_pylist() == ["doctor", "judge", "nurse", None]
    # The blank is a branch of its own.
    assert domain.ancestors.tolist() == [[0, 1, 2, 3], [0, 1, 0, 3]]


def test_a_hierarchy_must_cover_the_values():
    tree = {"tree": {"any": {"care": ["nurse", "doctor"], "law": ["judge"]}}}
    data = ta.read(pa.table({"x": ["judge", "baker"]}), hierarchies={"x": tree})
    domain, _ = Domain.of(data, "x")
    with pytest.raises(HierarchyError, match=r"Attribute `x`: .*does not cover 'baker'"):
        _ = domain.ancestors
