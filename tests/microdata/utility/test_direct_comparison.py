from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv

import tacita as ta
from tacita.errors import InputError

SHARED = Path(__file__).parents[4] / "shared"
GRADES = ["none", "low", "mid", "high"]
ORDINAL = {"kinds": {"a": "ordinal"}, "orders": {"a": GRADES}}
TREE = {"tree": {"any": {"little": ["none", "low"], "much": ["mid", "high"]}}}


def words(values, **said) -> ta.Microdata:
    return ta.read(pa.table({"a": pa.array(values, pa.string())}), **said)


def graded(values) -> ta.Microdata:
    return words(values, **ORDINAL, hierarchies={"a": TREE})


def measured(before, after):
    return ta.DirectComparison().measure(*ta.pair(before, after, "position"))


def test_nominal_categories_are_the_same_or_not():
    found = measured(words(["x", "y", "z", "x"]), words(["x", "z", "z", None]))
    assert found.value == 0.5
    assert found.per_record.tolist() == [0, 1, 0, 1]


def test_ordinal_categories_are_as_far_as_their_places_over_the_number_of_categories():
    """Neighbours are 1/4 apart, the ends 3/4."""
    found = measured(graded(["none", "none", "mid", "low"]), graded(["low", "high", "mid", None]))
    assert found.per_record.tolist() == [0.25, 0.75, 0, 1]
    assert found.value == 0.5


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 3)), min_size=1))
def test_ordinal_distance_by_hand_with_weights(rows):
    ours, theirs, weights = (np.array(part) for part in zip(*rows, strict=True))
    before, after = (
        ta.read(
            pa.table({"a": np.array(GRADES)[places], "w": weights.astype(float)}),
            roles={"w": "weight"},
            **ORDINAL,
        )
        for places in (ours, theirs)
    )
    expected = (np.abs(ours - theirs) / 4 * weights).sum() / weights.sum()
    assert measured(before, after).value == pytest.approx(expected)


def test_a_label_is_as_far_as_the_categories_below_it_on_average():
    """`much` is mid or high: 1/8 from mid, (2 + 3)/2/4 from none."""
    data = graded(["mid", "none", "low"])
    released = data.with_column(data.attribute("a"), pa.array(["much", "much", "any"]))
    assert measured(data, released).per_record.tolist() == [0.125, 0.625, 1.0]


def test_a_label_that_nobody_explains_stands_for_what_became_it():
    data = words(["none", "low", "high", "mid"], **ORDINAL)
    recoded = data.apply(ta.Recode("a", groups={"up to low": ["none", "low"]}), seed=0)
    assert measured(data, recoded).per_record.tolist() == [0.125, 0.125, 0, 0]


def test_original_blanks_do_not_count_and_dropped_attributes_count_fully():
    data = ta.read(pa.table({"a": ["x", None, "y"], "b": ["x", "x", "x"]}))
    found = ta.DirectComparison().measure(data, data.apply(ta.Drop("b")))
    assert found.parts == {"a": 0, "b": 1}
    filled = ta.read(pa.table({"a": ["x", "x", "y"], "b": ["x", "x", "x"]}))
    assert measured(data, filled).value == 0


def test_records_are_compared_with_those_they_come_from():
    data = words(["x", "y", "z"])
    assert ta.DirectComparison().measure(data, data.take(np.array([2, 0]))).value == 0
    with pytest.raises(InputError, match="belong together"):
        ta.DirectComparison().measure(data, words(["x", "y"]))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_counts_the_values_that_sdcmicro_suppressed(k):
    path = SHARED / f"reference/sdcmicro/testdata_localSuppression_k{k}.csv"
    if not path.exists():
        pytest.skip("the reference data are not here")
    blank = csv.ConvertOptions(null_values=["NA"])
    after = csv.read_csv(path, convert_options=blank)
    before = csv.read_csv(SHARED / "data/casc/testdata.csv").select(after.column_names)
    kinds = dict.fromkeys(after.column_names, "nominal")
    found = measured(ta.read(before, kinds=kinds), ta.read(after, kinds=kinds))
    expected = {name: after[name].null_count / len(after) for name in after.column_names}
    assert found.parts == pytest.approx(expected)
    assert found.value > 0


@given(st.lists(st.tuples(st.integers(0, 7), st.sampled_from(["p", "q", "r", None])), min_size=1))
def test_labels_that_nobody_explains_agree_with_counting_by_hand(rows):
    order = [f"c{place}" for place in range(8)]
    said = {"kinds": {"a": "ordinal"}, "orders": {"a": order}}
    before = words([order[place] for place, _ in rows], **said)
    found = measured(before, words([label for _, label in rows]))
    for (place, label), gap in zip(rows, found.per_record, strict=True):
        meant = {other for other, theirs in rows if theirs == label}
        lost = label is None or meant == {other for other, _ in rows}
        assert gap == pytest.approx(1 if lost else np.mean([abs(place - m) for m in meant]) / 8)


def test_places_in_an_order_may_differ_in_capitals_only():
    said = {"kinds": {"a": "ordinal"}, "orders": {"a": ["a", "b", "A"]}}
    assert measured(words(["a", "b"], **said), words(["A", "b"], **said)).value == 1 / 3
