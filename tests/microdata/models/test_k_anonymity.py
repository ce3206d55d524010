from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.pairing import as_pair
from tacita.errors import InputError, ParameterError


def test_the_printed_table_is_4_anonymous_and_its_source_is_not():
    """Domingo-Ferrer, Sanchez and Hajian, Tables 1 and 2."""
    assert ta.KAnonymity(4).check(ta.example("conditions_4_anonymous")).value == 4
    assert not ta.KAnonymity(5).check(ta.example("conditions_4_anonymous"))
    verdict = ta.KAnonymity(2).check(ta.example("conditions"))
    assert not verdict.holds
    assert verdict.worst["count"] == 1


@pytest.mark.parametrize("semantics", ["equality", "fitting"])
def test_more_records_than_any_file_has_may_be_asked_for(semantics):
    ages = ta.read(pa.table({"age": ["[20-29]", "[20-24]", "[25-29]"]}), roles={"age": "key"})
    verdict = ta.KAnonymity(10**30, semantics=semantics).check(ages)
    assert not verdict.holds
    assert verdict.value == {"equality": 1, "fitting": 2}[semantics]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1), st.integers(2, 6))
def test_the_check_agrees_with_counting(rows, k):
    data = ta.read(
        pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]}),
        roles={"a": "key", "b": "key"},
    )
    smallest = min(Counter(rows).values())
    verdict = ta.KAnonymity(k).check(data)
    assert verdict.holds == (smallest >= k)
    assert verdict.value == smallest


def test_more_is_asked_than_there_are_records():
    data = ta.read(pa.table({"a": [1, 1]}), roles={"a": "key"})
    verdict = ta.KAnonymity(3).check(data)
    assert not verdict.holds
    assert "2 of 2 records" in verdict.sentence


def test_it_needs_keys_and_a_k_of_two():
    with pytest.raises(InputError, match="role `key`"):
        ta.KAnonymity(2).check(ta.read(pa.table({"a": [1]})))
    with pytest.raises(
        ParameterError, match="`k` of `k_anonymity` should be greater than or equal to 2"
    ):
        ta.KAnonymity(1)


def test_other_keys_may_be_asked_about():
    data = ta.read(pa.table({"a": [1, 2], "b": [1, 1]}), roles={"a": "key"})
    assert ta.KAnonymity(2, keys=["b"]).check(data)
    assert not ta.KAnonymity(2).check(data)


# -- fitting semantics ---------------------------------------------------------------------------

ages = st.tuples(st.integers(0, 5), st.integers(0, 3)).map(lambda run: (run[0], sum(run)))
cities = st.sampled_from(["a", "b", "{a, b}", "{b, c}", "*", None])
NAMED = {"a": "a", "b": "b", "{a, b}": "ab", "{b, c}": "bc"}


def coarse(records):
    """Make a file that shows ranges; the last two records make the domain 0 to 8 and a to c."""
    shown = [f"[{low}-{high}]" if high > low else str(low) for (low, high), _ in records]
    table = pa.table(
        {
            "age": pa.array([*shown, "[0-0]", "8"], pa.string()),
            "city": pa.array([*(city for _, city in records), "a", "c"], pa.string()),
        }
    )
    return ta.read(
        table, roles={"age": "key", "city": "key"}, kinds=dict.fromkeys(("age", "city"), "nominal")
    )


def least_fitting(records):
    """Look at every combination behind every record, and count who fits it.

    A blank may be a city that is shown nowhere.
    """
    boxes = [(range(low, high + 1), NAMED.get(city, "abc?")) for (low, high), city in records]
    boxes += [(range(1), "a"), (range(8, 9), "c")]
    return [
        min(sum(age in a and city in c for a, c in boxes) for age in own for city in around)
        for own, around in boxes
    ]


@given(st.lists(st.tuples(ages, cities), max_size=9), st.integers(2, 4))
def test_fitting_agrees_with_a_look_at_every_combination(records, k):
    depths = least_fitting(records)
    verdict = ta.KAnonymity(k, semantics="fitting").check(coarse(records))
    assert verdict.holds == (min(depths) >= k)
    if not verdict.holds:
        assert verdict.value == min(depths)
        assert f"{sum(depth < k for depth in depths):,} of {len(depths):,}" in verdict.sentence


@given(st.lists(st.tuples(ages, cities), max_size=9), st.integers(1, 3), st.integers(2, 4))
def test_equality_implies_fitting(records, times, k):
    data = coarse(records * times)
    data = data.take(np.flatnonzero(data.classes().size_of_record >= times))
    if ta.KAnonymity(k).check(data):
        assert ta.KAnonymity(k, semantics="fitting").check(data)


@given(st.lists(st.tuples(ages, cities), max_size=9))
def test_2_anonymity_by_fitting_is_that_nobody_is_unique_by_fitting(records):
    data = coarse(records)
    held = ta.KAnonymity(2, semantics="fitting").check(data).holds
    depths = least_fitting(records)
    assert held == (min(depths) >= 2)
    limited = ta.LimitedSampleUniques(0.0, semantics="fitting").check(data)
    assert limited.holds == held
    assert limited.value * len(data) == sum(depth < 2 for depth in depths)


LEVELS = {"nurse": "care", "medic": "care", "judge": "law"}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(LEVELS)), st.integers(0, 2), st.integers(1, 4), st.booleans()
        ),
        min_size=1,
        max_size=10,
    )
)
def test_whoever_knows_the_original_finds_nobody_unique_either(people):
    """Jobs become their label or a blank, ages a range or a blank, each as it was drawn."""
    jobs, steps, numbers, blanks = zip(*people, strict=True)
    tree = {"tree": {"any": {"care": ["nurse", "medic"], "law": ["judge"]}}}
    original = ta.read(
        pa.table({"job": [*jobs, "judge"], "age": [*numbers, 2]}),
        roles={"job": "key", "age": "key"},
        hierarchies={"job": tree},
    )
    told = [(job, LEVELS[job], None)[step] for job, step in zip(jobs, steps, strict=True)]
    ranges = [None if b else f"[{n}-{n + 1}]" for n, b in zip(numbers, blanks, strict=True)]
    released = ta.read(
        pa.table({"job": pa.array([*told, "law"]), "age": pa.array([*ranges, "2"])}),
        roles={"job": "key", "age": "key"},
        kinds={"age": "nominal"},
    )
    if ta.KAnonymity(2, semantics="fitting").check(released):
        pair = as_pair(original, released, "position")
        assert ta.FittingUniqueness().measure(*pair).value == 0


def test_a_value_that_is_hidden_everywhere_is_not_covered():
    shown = ta.read(pa.table({"job": ["nurse", "nurse", None]}), roles={"job": "key"})
    assert not ta.KAnonymity(2, semantics="fitting").check(shown)
    numbers = ta.read(pa.table({"age": [30, 30, None]}), roles={"age": "key"})
    assert not ta.KAnonymity(2, semantics="fitting").check(numbers)
    pair = ta.read(pa.table({"age": [30, None, None]}), roles={"age": "key"})
    assert ta.KAnonymity(2, semantics="fitting").check(pair)


def test_the_worst_record_by_fitting_is_named():
    data = ta.read(pa.table({"age": ["1-9", "1-5", "5-9", "7"]}), roles={"age": "key"})
    verdict = ta.KAnonymity(3, semantics="fitting").check(data)
    assert verdict.value == 2
    assert verdict.worst["count"] == 1
    assert "3 of 4 records may stand for a combination of age" in verdict.sentence


def test_what_takes_too_long_is_undecided_and_counts_as_broken(monkeypatch):
    from tacita.microdata.models import fitting

    monkeypatch.setattr(fitting, "EFFORT", 1)
    data = ta.read(pa.table({"age": ["1-9", "1-5", "5-9"]}), roles={"age": "key"})
    verdict = ta.KAnonymity(2, semantics="fitting").check(data)
    assert not verdict.holds
    assert "undecided" in verdict.sentence


def test_algorithms_refuse_fitting(toy):
    with pytest.raises(ParameterError, match="can be checked but not aimed at"):
        toy.apply(ta.Datafly(ta.KAnonymity(2, semantics="fitting")), seed=0)
