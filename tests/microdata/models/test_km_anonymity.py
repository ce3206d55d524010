from __future__ import annotations

from itertools import combinations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError
from tacita.microdata.anonymize.promises import promises_of

ITEMS = "abcde"
baskets = st.lists(
    st.none() | st.lists(st.sampled_from([*ITEMS, None]), max_size=5), min_size=1, max_size=12
)


def frame(sets, **more):
    columns = {name: pa.array(s, pa.list_(pa.string())) for name, s in {"b": sets, **more}.items()}
    return ta.read(pa.table(columns))


def least_support(sets, m):
    """Count the records with every combination of up to m items that one of them has."""
    known = [set(one or ()) - {None} for one in sets]
    held = {
        part
        for one in known
        for size in range(1, m + 1)
        for part in combinations(sorted(one), size)
    }
    return min((sum(set(part) <= one for one in known) for part in held), default=None)


@given(baskets, st.integers(2, 4), st.integers(1, 4))
def test_agrees_with_counting_every_combination(sets, k, m):
    verdict = ta.KmAnonymity(k, m, "b").check(frame(sets))
    least = least_support(sets, m)
    assert verdict.value == least
    assert verdict.holds == (least is None or least >= k)
    if least is not None:
        worst = set(verdict.worst["items"])
        assert len(worst) <= m
        assert sum(worst <= set(one or ()) for one in sets) == least


def test_the_printed_baskets():
    """Terrovitis, Mamoulis & Kalnis, Figure 2: the transformed database is 2^2-anonymous."""
    original = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
    verdict = ta.KmAnonymity(2, 2, "b").check(frame(original))
    assert not verdict.holds
    assert verdict.worst["count"] == 1
    transformed = [["A", "b1", "b2"], ["A", "b1"], ["A", "b1", "b2"], ["A", "b2"]]
    assert ta.KmAnonymity(2, 2, "b").check(frame(transformed)).value == 2


def test_each_attribute_keeps_it_by_itself():
    data = frame([["x"], ["x"]], c=[["y"], ["z"]])
    verdict = ta.KmAnonymity(2, 1, ["b", "c"]).check(data)
    assert not verdict.holds
    assert verdict.worst["attribute"] == "c"
    assert ta.KmAnonymity(2, 1, "b").check(data)


def test_without_items_there_is_nothing_to_tell():
    assert ta.KmAnonymity(2, 2, "b").check(frame([None, []])).sentence == "there are no items"


def test_it_is_about_sets_and_not_about_classes():
    data = ta.read(pa.table({"b": [["x"]], "n": [1]}), roles={"n": "key"})
    with pytest.raises(ParameterError, match="applies to set_valued"):
        ta.KmAnonymity(2, 2, "n").check(data)
    with pytest.raises(ParameterError, match="not about equivalence classes"):
        promises_of([ta.KmAnonymity(2, 2, "b")], data)
