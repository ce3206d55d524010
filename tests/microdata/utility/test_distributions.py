from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.utility.distributions import (
    Pair,
    categorical,
    hellinger,
    tabled,
    total_variation,
)

DISTANCES = (ta.TotalVariation, ta.Hellinger)
WORDS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from(["x", "y"])), min_size=1
)
SHARES = (
    arrays.arrays(np.float64, (2, 5), elements=st.integers(0, 20))
    .filter(lambda table: table.sum(axis=1).all())
    .map(lambda table: table / table.sum(axis=1, keepdims=True))
)


def of(rows, weights=None) -> ta.Microdata:
    columns = {
        n: pa.array([row[place] for row in rows], pa.string()) for place, n in enumerate("ab")
    }
    if weights is None:
        return ta.read(pa.table(columns))
    return ta.read(pa.table({**columns, "w": np.array(weights, float)}), roles={"w": "weight"})


@given(SHARES)
def test_the_distances_bound_one_another(shares):
    variation, distance = total_variation(*shares), hellinger(*shares)
    assert 0 <= variation <= 1 + 1e-12
    assert 0 <= distance <= 1 + 1e-12
    assert distance**2 <= variation + 1e-12
    assert variation <= np.sqrt(2) * distance + 1e-12
    for measure in (total_variation, hellinger):
        assert measure(*shares) == measure(*shares[::-1])


@given(WORDS, WORDS)
def test_attributes_and_pairs_agree_with_counting_by_hand(before, after):
    """The data have other numbers of records: nobody belongs to anybody."""
    found = ta.TotalVariation().measure(of(before), of(after))
    assert found.parts["a"] == pytest.approx(slow([a for a, _ in before], [a for a, _ in after]))
    assert found.figures["pairs_mean"] == pytest.approx(slow(before, after))
    assert found.details["distance"].to_pylist() == [found.figures["pairs_mean"]]


def slow(before, after) -> float:
    ours, theirs = Counter(before), Counter(after)
    cells = ours.keys() | theirs.keys()
    return sum(abs(ours[c] / len(before) - theirs[c] / len(after)) for c in cells) / 2


@pytest.mark.parametrize("cls", DISTANCES)
@given(before=WORDS, after=WORDS)
def test_the_order_of_records_does_not_matter_nor_which_data_come_first(cls, before, after):
    one = cls().measure(of(before), of(after))
    turned = cls().measure(of(before[::-1]), of(after[::-1]))
    swapped = cls().measure(of(after), of(before))
    assert one.value == pytest.approx(turned.value)
    assert one.parts == pytest.approx(swapped.parts)


@pytest.mark.parametrize("cls", [*DISTANCES, ta.ContingencyTables])
def test_weights_act_like_repeated_records(cls):
    rows, other, times = [("a", "x"), ("b", "x")], [("a", "y"), (None, "x")], [3, 1]
    weighted = cls().measure(of(rows, times), of(other, [1, 2]))
    repeated = cls().measure(of([rows[0]] * 3 + rows[1:]), of(other + other[1:]))
    assert weighted.value == pytest.approx(repeated.value)
    assert weighted.value > 0


def test_numbers_are_counted_between_quantiles_of_the_original():
    before = ta.read(pa.table({"x": np.arange(100.0)}))
    after = ta.read(pa.table({"x": np.arange(100.0) + 50}))
    margin = Pair.of(before, after).margin("x", 4)
    assert np.bincount(margin.before).tolist() == [0, 25, 25, 25, 25]
    assert np.bincount(margin.after).tolist() == [0, 0, 0, 25, 75]
    assert ta.TotalVariation(bins=4).measure(before, after).value == 0.5


def test_dates_are_counted_in_classes_and_blanks_apart():
    days = pa.array([0, 1, 2, 3, None], pa.int32()).cast(pa.date32())
    late = pa.array([2, 2, 3, 3, 3], pa.int32()).cast(pa.date32())
    before, after = (ta.read(pa.table({"day": column})) for column in (days, late))
    assert ta.TotalVariation(bins=2).measure(before, after).value == pytest.approx(3 / 5)


@pytest.mark.parametrize("cls", [*DISTANCES, ta.KolmogorovSmirnov])
def test_what_is_recoded_or_left_out_is_far_away(cls):
    data = ta.read(pa.table({"x": np.arange(8.0), "y": np.arange(8.0)}))
    masked = data.apply(ta.Recode("x", width=4), seed=0).apply(ta.Drop("y"))
    assert cls().measure(data, masked).parts == {"x": 1.0, "y": 1.0}


@pytest.mark.parametrize("cls", [*DISTANCES, ta.KolmogorovSmirnov])
def test_nothing_left_is_all_lost_and_nothing_to_lose_is_undefined(cls, toy):
    nobody = toy.take(np.arange(0))
    assert cls().measure(toy, nobody).value == 1
    assert cls().measure(nobody, toy).value is None


def test_large_tables_count_as_small_ones_do(monkeypatch):
    rng = np.random.default_rng(1)
    tables = [pa.table({n: rng.integers(0, 40, 500).astype(str) for n in "abc"}) for _ in range(2)]
    datasets = [ta.read(table) for table in tables]
    small = ta.ContingencyTables(dimension=3).measure(*datasets)
    monkeypatch.setattr("tacita.microdata.utility.distributions.DENSE", 10**9)
    large = ta.ContingencyTables(dimension=3).measure(*datasets)
    assert small.figures == pytest.approx(large.figures)


@pytest.mark.parametrize("cls", DISTANCES)
def test_of_many_attributes_the_first_pairs_are_compared_unless_asked(cls):
    data = ta.read(pa.table({f"x{place}": ["a", "b"] for place in range(25)}))
    found = cls().measure(data, data)
    assert found.details.num_rows == 190
    assert "of 190 pairs of the first 20 attributes" in found.sentence
    assert len(found.parts) == 25
    assert cls(data.names).measure(data, data).details.num_rows == 300


def test_tabled_keeps_at_most_two_hundred_tables():
    assert [len(tabled([str(n) for n in range(300)], d)) for d in (1, 2, 3)] == [200, 20, 11]
    assert tabled(["a", "b"], 5) == ["a", "b"]


def test_data_without_categories_are_refused_in_one_sentence():
    data = ta.read(pa.table({"x": [1.5, 2.5]}))
    with pytest.raises(InputError, match="no attribute is nominal or ordinal"):
        categorical(data, None)
    words = ta.read(pa.table({"x": ["a"]}))
    with pytest.raises(InputError, match="no attribute is continuous"):
        ta.KolmogorovSmirnov().measure(words, words)


@pytest.mark.parametrize("cls", [*DISTANCES, ta.ContingencyTables, ta.DirectComparison])
@pytest.mark.parametrize(("one", "other"), [("a", "A"), ("01", "1"), ("José", "jose")])
def test_categories_that_differ_in_spelling_only_are_lost_when_they_are_merged(cls, one, other):
    both, merged = (ta.read(pa.table({"x": [*pair] * 4})) for pair in ((one, other), (one, one)))
    assert cls().measure(both, both).value == 0
    assert cls().measure(*ta.pair(both, merged, "position")).value >= 0.5


def test_what_is_only_spelled_otherwise_is_not_lost():
    before, after = (ta.read(pa.table({"x": words})) for words in (["a", "b"], ["A", " B"]))
    assert ta.TotalVariation().measure(before, after).value == 0


@pytest.mark.parametrize("cls", DISTANCES)
@pytest.mark.parametrize("weighted", ["no", "yes"])
@pytest.mark.parametrize("bins", [2, 20])
def test_a_number_that_many_records_have_is_a_class_of_its_own(cls, weighted, bins):
    def constant(value):
        table = pa.table({"x": np.full(9, value), "w": np.arange(1.0, 10)})
        return ta.read(table, roles={"w": "weight"} if weighted == "yes" else {})

    for value in (3.0, 7.0, 5.0 - 1e-15):
        assert cls(["x"], bins=bins).measure(constant(5.0), constant(value)).value == 1
    assert cls(["x"], bins=bins).measure(constant(5.0), constant(5.0)).value == 0


def test_the_least_double_has_nothing_below():
    least = np.full(9, -np.finfo(np.float64).max)
    data = ta.read(pa.table({"x": least}))
    assert ta.TotalVariation().measure(data, data).value == 0


def test_few_records_with_noise_keep_their_classes():
    """Distinct values fill no class, however few they are."""
    before, after = (ta.read(pa.table({"x": np.arange(8.0) + shift})) for shift in (0, -0.25))
    assert ta.TotalVariation().measure(before, after).value == 0
