from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError


def keyed(**columns: list) -> ta.Microdata:
    return ta.read(pa.table(columns), roles=dict.fromkeys(columns, "key"))


def measured(data: ta.Microdata, *args, **parameters):
    return ta.MinimumUnsafeCombination(*args, **parameters).measure(data, data)


def fewest(rows: list[tuple[int, ...]], place: int, largest: int) -> int:
    """Try every combination, the small ones first."""
    width = len(rows[place])
    for size in range(1, largest + 1):
        for chosen in combinations(range(width), size):
            alike = [r for r in rows if all(r[j] == rows[place][j] for j in chosen)]
            if len(alike) == 1:
                return size
    return 0


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=15), st.integers(1, 4))
@settings(deadline=None, max_examples=60)
def test_trying_every_combination_gives_the_same_sizes(rows, largest):
    data = keyed(**{name: [row[j] for row in rows] for j, name in enumerate("abcd")})
    sizes = [fewest(rows, place, largest) for place in range(len(rows))]
    found = measured(data, largest)
    assert found.per_record.tolist() == sizes
    assert found.value == Fraction(sum(size > 0 for size in sizes), len(rows))
    counts = {f"records_unique_on_{k}": sizes.count(k) for k in range(1, largest + 1)}
    assert found.figures == counts


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=15))
@settings(deadline=None, max_examples=40)
def test_among_all_keys_just_the_unique_records_are_unsafe(rows):
    data = keyed(**{name: [row[j] for row in rows] for j, name in enumerate("abc")})
    assert measured(data, 3).value == ta.Uniqueness().measure(data, data).value


def test_the_last_tuple_of_the_medical_table_is_unique_by_its_marital_status():
    data = ta.example("medical")
    found = measured(data, keys=["Sex", "ZIP", "MarStat"])
    assert found.per_record.tolist() == [0] * 10 + [1]
    assert found.parts == pytest.approx({"Sex": 0, "ZIP": 1 / 11, "MarStat": 1 / 11})
    assert found.details.to_pylist() == [
        {"attributes": ["ZIP"], "size": 1, "records": 1},
        {"attributes": ["MarStat"], "size": 1, "records": 1},
    ]


def test_only_minimal_sets_are_listed_with_the_records_they_make_unique():
    data = keyed(a=[2, 1, 1], b=[0, 3, 0], c=[0, 6, 0])
    rows = measured(data).details.to_pylist()
    listed = {tuple(row["attributes"]): (row["size"], row["records"]) for row in rows}
    assert listed == {
        ("a",): (1, 1),
        ("b",): (1, 1),
        ("c",): (1, 1),
        ("a", "b"): (2, 1),
        ("a", "c"): (2, 1),
    }


def test_a_suppressed_value_is_no_part_of_a_combination():
    data = keyed(a=[1, 1, 7], b=[1, 1, 1])
    hidden = data.with_column(data.attribute("a"), pa.array([1, 1, None]))
    assert measured(data).per_record.tolist() == [0, 0, 1]
    assert measured(hidden).per_record.tolist() == [0, 0, 0]


def test_a_bound_above_the_number_of_keys_means_all_of_them():
    data = keyed(a=[1, 1, 2], b=[1, 2, 2])
    assert "at most 2 of a, b" in measured(data, 9).sentence
    with pytest.raises(ParameterError, match="`largest`"):
        ta.MinimumUnsafeCombination(0)
