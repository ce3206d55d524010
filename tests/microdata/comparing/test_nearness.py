from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.comparing.nearness import codes, points, recoded_alike, spread_of


def read(values, **said) -> ta.Microdata:
    return ta.read(pa.table({"x": values}), roles={"x": "key"}, **said)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5)), min_size=2))
def test_whole_weights_are_repeated_records_but_for_the_divisor(pairs):
    values, weights = (np.array(part, float) for part in zip(*pairs, strict=True))
    repeated = np.repeat(values, weights.astype(int))
    scale = len(values) / (len(values) - 1)
    assert spread_of(values, weights) == pytest.approx(np.sqrt(np.var(repeated) * scale))


def test_blank_numbers_and_weights_do_not_count():
    values = np.array([1.0, np.nan, 5.0, 99.0, 98.0])
    weights = np.array([1.0, 1.0, 1.0, np.nan, 0.0])
    assert spread_of(values, weights) == pytest.approx(np.sqrt(8))
    assert spread_of(np.array([])) == 0


def test_known_values_become_what_most_of_their_records_became():
    original, released = read([1, 1, 1, 2, 3]), read(["a", "b", "b", "a", None])
    known = read([3, 2, 1, 7])
    made = recoded_alike([known], *ta.pair(original, released, "position"), ["x"])[0]
    assert made.column("x").to_pylist() == [None, "a", "b", None]


def test_swapped_values_are_not_taken_for_recoded_ones():
    original, released = ta.pair(read(["a", "b", "c"]), read(["b", "a", "a"]), "position")
    assert recoded_alike([original], original, released, ["x"])[0] is original


def test_codes_agree_between_files_that_spell_values_differently():
    ours, theirs, released = codes([read([1, 2]), read([2.0, 3.0]), read(["3", "1"])], "x")
    assert ours[1] == theirs[0]
    assert released.tolist() == [theirs[1], ours[0]]


def test_no_records_and_no_attributes_are_points_too(toy):
    none = toy.take(np.arange(0))
    first, second = points([none, toy], ["age", "zip"])
    assert (len(first), second.numbers.shape, second.codes.shape) == (0, (300, 1), (300, 1))
    distances, places = second.closest(first)
    assert np.isinf(distances).all()
    assert (places == -1).all()
    assert points([toy], [])[0].closest(points([toy], [])[0])[0].max() == 0


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_the_size_of_numbers_does_not_matter_for_their_deviation(scale):
    values = np.array([-1.0, 0.0, 1.0])
    assert spread_of(scale * values) == pytest.approx(scale * spread_of(values))


def test_codes_do_not_depend_on_the_order_of_the_records():
    values = ["b", None, "a", "c", "b"]
    forward, backward = (codes([read(v), read(v)], "x")[0] for v in (values, values[::-1]))
    assert forward.tolist() == backward.tolist()[::-1] == [1, -1, 0, 2, 1]


@pytest.mark.parametrize("scale", [1e-200, 1.0, 2.0**60, 1e200, 1.7e308])
def test_distances_do_not_depend_on_the_unit(scale):
    ours, theirs = (points([read(scale * np.array(v))], ["x"])[0] for v in ([1.0, -1.0, 0.5],) * 2)
    distances, places = ours.closest(theirs)
    assert (distances.tolist(), places.tolist()) == ([0, 0, 0], [0, 1, 2])
    apart = points([read(scale * np.array([1.0])), read(scale * np.array([-1.0]))], ["x"])
    assert apart[0].closest(apart[1])[0][0] == pytest.approx(np.sqrt(2))


@pytest.mark.parametrize("known", [["1", "2", "x"], [1.0, 2.0, 2.5], [["1"], ["2"], []]])
def test_what_an_intruder_knows_may_be_of_another_type(known):
    original, released = read([1, 2, 3], kinds={"x": "nominal"}), read(["a", "a", "b"])
    made = recoded_alike([read(known)], *ta.pair(original, released, "position"), ["x"])[0]
    assert made.column("x").to_pylist() == ["a", "a", None]


def test_nothing_to_compare_is_not_called_safe(toy):
    beside = toy.with_external(holdout=ta.example("toy", 50, seed=1))
    other = ta.read(pa.table({"AGE": toy.column("age")}), roles={"AGE": "key"})
    for measure in (ta.ClosestRecords(), ta.MembershipInference()):
        with pytest.raises(InputError, match="none of the attributes to compare"):
            measure.measure(beside, other)


def test_a_holdout_that_lacks_what_is_compared_is_refused(toy):
    beside = toy.with_external(holdout=toy.without(["age", "id"]))
    for measure in (ta.ClosestRecords(), ta.MembershipInference(), ta.AttributeInference()):
        with pytest.raises(InputError, match="The holdout lacks age,"):
            measure.measure(beside, toy)


def test_a_part_of_the_values_may_be_recoded():
    original = read(["31", "32", "61", "75", "75", "75", "33"])
    released = read(["31", "32", "60+", "60+", "31", "60+", None])
    pair = ta.pair(original, released, "position")
    made = recoded_alike([read(["75", "31", "61", "33", "99"])], *pair, ["x"])[0]
    # Of the three aged 75 one was swapped; nobody was released as 33, and nobody was 99.
    assert made.column("x").to_pylist() == ["60+", "31", "60+", None, None]


def test_coarser_values_do_not_seem_riskier_than_finer_ones():
    rng = np.random.default_rng(0)
    roles = {"age": "key", "zip": "key"}
    data, holdout = (
        ta.read(
            pa.table({key: rng.integers(20, most, 500).astype(str) for key, most in
                      (("age", 90), ("zip", 300))}),
            roles=roles,
        )
        for _ in range(2)
    )  # fmt: skip
    beside, ages = data.with_external(holdout=holdout), data.column("age").to_pylist()
    risks = []
    for top in (95, 70, 60, 50, 40, 20):
        coded = pa.array([f"{top}+" if int(age) >= top else age for age in ages])
        masked = data.with_column(data.attribute("age"), coded)
        risks.append(ta.MembershipInference().measure(beside, masked).value)
    assert risks == sorted(risks, reverse=True)


def test_values_that_nobody_has_are_no_coding_by_chance():
    original, synthetic = read(["a", "b", "c", "d"]), read(["b", "x", "a", "a"])
    assert recoded_alike([original], original, synthetic, ["x"])[0] is original
    more = read(["b", "x", "a", "a", "a"])
    assert recoded_alike([original], original, more, ["x"])[0] is original
