from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.registry import from_plan

SHARED = Path(__file__).parents[4] / "shared"


def keyed(**columns: list) -> ta.Microdata:
    roles = {name: "weight" if name == "w" else "key" for name in columns}
    return ta.read(pa.table(columns), roles=roles)


def measured(data: ta.Microdata, *args, **parameters):
    return ta.ThresholdRule(*args, **parameters).measure(data, data)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the reference data are not here")
def test_every_table_has_as_many_unsafe_cells_as_with_sdcmicro():
    """riskyCells on testdata: thresholds 10, 5, 3, up to three keys."""
    keys = ["urbrur", "roof", "walls", "sex"]
    data = ta.read(SHARED / "data/casc/testdata.csv", roles=dict.fromkeys(keys, "key"))
    ours = {
        (*row["attributes"],): (row["threshold"], row["unsafe_combinations"])
        for row in measured(data, (10, 5, 3), dimension=3).details.to_pylist()
    }
    with (SHARED / "reference/sdcmicro/riskyCells_testdata.csv").open() as file:
        theirs = {
            tuple(row[f"dim{d}"] for d in (1, 2, 3) if row[f"dim{d}"]): (
                int(row["threshold"]),
                int(row["unsafe_cells"]),
            )
            for row in csv.DictReader(file)
        }
    assert ours == theirs


@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=20),
    st.lists(st.integers(1, 6), min_size=1, max_size=3),
    st.integers(1, 4),
)
@settings(deadline=None, max_examples=60)
def test_counting_every_table_by_itself_gives_the_same(rows, thresholds, dimension):
    data = keyed(**{name: [row[j] for row in rows] for j, name in enumerate("abc")})
    found = measured(data, tuple(thresholds), dimension=dimension)
    unsafe = [0] * len(rows)
    cells = 0
    for size in range(1, min(dimension, 3) + 1):
        threshold = (thresholds + thresholds[-1:] * 3)[size - 1]
        for chosen in combinations(range(3), size):
            parts = [tuple(row[j] for j in chosen) for row in rows]
            often = Counter(parts)
            cells += sum(count <= threshold for count in often.values())
            unsafe = [n + (often[p] <= threshold) for n, p in zip(unsafe, parts, strict=True)]
    assert found.per_record.tolist() == unsafe
    assert found.value == Fraction(sum(n > 0 for n in unsafe), len(rows))
    assert found.figures == {"unsafe_combinations": cells}


def test_a_frequency_equal_to_the_threshold_is_unsafe():
    data = keyed(a=[1, 1, 1, 2, 2])
    assert measured(data, 2).per_record.tolist() == [0, 0, 0, 1, 1]
    assert measured(data, 3).value == 1
    assert measured(data, 1).value == 0


def test_threshold_one_of_all_keys_finds_the_unique_records():
    data = ta.example("toy", 300)
    keys = ["age", "zip"]
    found = measured(data, 1, dimension=2, keys=keys)
    assert found.value == ta.Uniqueness(keys).measure(data, data).value


def test_parts_tell_which_attributes_take_part():
    data = keyed(a=[1, 1, 2, 2], b=[1, 2, 2, 2])
    found = measured(data, 1, dimension=2)
    # b = 1 is rare by itself; of the pairs (1, 1) and (1, 2) are.
    assert found.per_record.tolist() == [2, 1, 0, 0]
    assert found.parts == {"a": 0.5, "b": 0.5}
    assert [row["records"] for row in found.details.to_pylist()] == [0, 1, 2]


def test_respondents_in_the_population_are_counted_by_weights():
    data = keyed(a=[1, 1, 2, 3], w=[0.1, 0.2, 40.0, 3.0])
    assert measured(data, 3, count="population").per_record.tolist() == [1, 1, 0, 1]
    assert measured(data, 3, count="records").value == 1
    with pytest.raises(InputError, match="need sampling weights"):
        measured(keyed(a=[1, 2]), count="population")


def test_a_sum_that_equals_the_threshold_but_for_rounding_is_unsafe():
    weights = [0.1] * 30
    assert sum(weights) != 3
    data = keyed(a=[1] * 30 + [2], w=[*weights, 3.0 + 1e-6])
    assert measured(data, 3, count="population").per_record.tolist() == [1] * 30 + [0]


def test_large_thresholds_for_records_are_exact():
    data = keyed(a=[1, 1])
    assert measured(data, 10**12).value == 1


def test_a_suppressed_value_makes_its_combinations_safe():
    data = keyed(a=[1, 1, 7], b=[1, 1, 1])
    hidden = data.with_column(data.attribute("a"), pa.array([1, 1, None]))
    assert measured(data, 1).value == Fraction(1, 3)
    assert measured(hidden, 1).value == 0


def test_a_plan_may_say_one_threshold_or_a_list():
    assert from_plan({"threshold_rule": 4}) == ta.ThresholdRule((4,))
    assert from_plan({"threshold_rule": {"thresholds": [9, 4]}}).thresholds == (9, 4)
    with pytest.raises(ParameterError, match="`thresholds`"):
        ta.ThresholdRule((3, 0))
    with pytest.raises(ParameterError, match="`thresholds`"):
        ta.ThresholdRule(())


def test_a_threshold_beyond_all_numbers_is_refused():
    with pytest.raises(ParameterError, match="less than or equal to"):
        ta.ThresholdRule(10**30)
