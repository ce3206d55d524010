from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError

HOMES = st.lists(
    st.tuples(
        st.integers(0, 5),  # the town; three to a country
        st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("fm")), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=40,
)


def made(columns, **roles) -> ta.Microdata:
    return ta.read(pa.table(columns), roles=roles, kinds=dict.fromkeys(columns, "nominal"))


def read(homes, **more) -> ta.Microdata:
    """Lay out households as persons: their home, country, town, job and sex."""
    rows = [
        (home, town // 3, town, job, sex)
        for home, (town, members) in enumerate(homes)
        for job, sex in members
    ]
    names = ["home", "country", "town", "job", "sex"]
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return made({**columns, **more}, home="household")


def lists(data, *names) -> list[tuple]:
    return list(zip(*(data.column(name).to_pylist() for name in names), strict=True))


def places(data, *names) -> dict:
    """Return where every household lives; all members must live there."""
    found: dict = {}
    for home, *place in lists(data, "home", *names):
        assert found.setdefault(home, place) == place
    return found


def swapped_or_not(data, method, seed):
    """Mask, or return None where nothing could be swapped."""
    try:
        return data.apply(method, seed=seed)
    except ProtectionError as error:
        assert "live in different areas" in str(error)  # noqa: PT017
        return None


@given(HOMES, st.integers(1, 4), st.floats(0, 1), st.integers(0, 1000))
def test_every_area_keeps_its_households_and_persons(homes, k, rate, seed):
    data = read(homes)
    method = ta.SwapRecords(["country", "town"], keys=["job"], k=k, rate=rate, similar=["sex"])
    masked = swapped_or_not(data, method, seed)
    if masked is None:
        return
    before, after = places(data, "country", "town"), places(masked, "country", "town")
    assert Counter(map(tuple, before.values())) == Counter(map(tuple, after.values()))
    for names in (["country", "town"], ["country", "town", "sex"], ["home", "job", "sex"]):
        assert Counter(lists(masked, *names)) == Counter(lists(data, *names))
    told = masked.steps[-1].notes
    moved = sum(before[home] != after[home] for home in before)
    assert told["swapped"]["households"] == moved


@given(HOMES, st.floats(0, 1), st.integers(0, 1000), st.randoms(use_true_random=False))
def test_every_area_keeps_its_persons_where_members_are_blank(homes, rate, seed, chance):
    data = read(homes)
    for name in ("country", "town"):
        values = [None if chance.random() < 0.3 else v for v in data.column(name).to_pylist()]
        column = pa.array(values, data.column(name).type)
        data = data.with_column(data.attribute(name), column)
    method = ta.SwapRecords(["country", "town"], keys=["job"], rate=rate, similar=["sex"])
    masked = swapped_or_not(data, method, seed)
    if masked is not None:
        for names in (["country", "sex"], ["town", "sex"], ["country", "town", "sex"]):
            assert Counter(lists(masked, *names)) == Counter(lists(data, *names))


@given(HOMES, st.integers(1, 4), st.integers(0, 1000))
def test_without_a_rate_only_those_at_risk_and_their_partners_move(homes, k, seed):
    data = read(homes)
    masked = swapped_or_not(data, ta.SwapRecords("town", keys=["job"], k=k, rate=0), seed)
    if masked is None:
        return
    shared = Counter(lists(data, "town", "job"))
    rare = {home for home, town, job in lists(data, "home", "town", "job") if shared[town, job] < k}
    before, after = places(data, "town"), places(masked, "town")
    moved = {home for home in before if before[home] != after[home]}
    told = masked.steps[-1].notes
    assert told["swapped"]["at_risk"] == len(rare)
    assert told["at_risk_without_partner"] == len(rare - moved)
    assert len(moved) <= 2 * len(rare & moved)


@given(HOMES, st.integers(1, 4), st.integers(0, 1000))
def test_who_stays_at_risk_has_no_partner_left(homes, k, seed):
    data = read(homes)
    masked = swapped_or_not(data, ta.SwapRecords("town", keys=["job"], k=k, rate=0), seed)
    if masked is None:
        return
    shared = Counter(lists(data, "town", "job"))
    rare = {home for home, town, job in lists(data, "home", "town", "job") if shared[town, job] < k}
    before, after = places(data, "town"), places(masked, "town")
    size = Counter(data.column("home").to_pylist())
    left = [home for home in before if before[home] == after[home]]
    for home in rare & set(left):
        assert not [
            other for other in left if size[other] == size[home] and before[other] != before[home]
        ]


def test_households_at_risk_in_a_country_leave_it_and_others_only_their_town():
    """Jobs: c is rare in its country, b is rare in its town only, a is common everywhere."""
    homes = [(town, [("a", "f")]) for town in range(6) for _ in range(10)]
    homes += [(0, [("b", "f")]), (1, [("b", "f")]), (2, [("b", "f")])]
    homes += [(4, [("c", "m")]), (1, [("a", "m")]), (5, [("a", "m")])]
    data = read(homes)
    method = ta.SwapRecords(["country", "town"], keys=["job"], rate=0, similar=["sex"])
    for seed in range(30):
        before, after = (
            places(d, "country", "town") for d in (data, data.apply(method, seed=seed))
        )
        assert (after[63], after[64], after[65]) == ([0, 1], [1, 4], [1, 5])
        for home in (60, 61, 62):
            assert after[home][0] == 0
            assert after[home] != before[home]
        assert sum(before[home] != after[home] for home in before) in (6, 8)


def test_where_the_country_has_no_partner_another_one_helps():
    data = read([(0, [("b", "f")]), (3, [("a", "f")]), (4, [("a", "f")]), (5, [("a", "f")])])
    method = ta.SwapRecords(["country", "town"], keys=["sex"], k=2, rate=0)
    masked = data.apply(method, seed=0)
    assert places(masked, "town")[0] != [0]


@pytest.mark.parametrize("rate", [0.02, 0.3, 1.0])
def test_the_share_asked_for_is_reached(rate):
    survey = ta.example("survey", 3000)
    method = ta.SwapRecords("region", keys=["sex"], rate=rate, similar=["urban"])
    masked = survey.apply(method, seed=0)
    households = len(set(survey.column("household").to_pylist()))
    told = masked.steps[-1].notes
    assert told["swapped"]["at_risk"] == 0
    share = told["swapped"]["households"] / households
    assert share == pytest.approx(rate, abs=1 / households if rate < 1 else 0.05)


def test_who_is_swapped_for_the_rate_is_drawn():
    data = read([(town, [("a", "f")]) for town in (0, 1) for _ in range(10)])
    moved = np.zeros(20)
    for seed in range(300):
        masked = data.apply(ta.SwapRecords("town", keys=["job"], rate=0.2), seed=seed)
        moved += masked.column("town").to_numpy() != data.column("town").to_numpy()
    assert np.all(np.abs(moved / 300 - 0.2) < 3.5 * np.sqrt(0.16 / 300))


def test_members_agree_as_a_whole_in_whatever_order():
    data = read(
        [
            (0, [("a", "f"), ("b", "m"), ("a", "m")]),
            (1, [("a", "m"), ("a", "f"), ("c", "m")]),
            (1, [("a", "f"), ("b", "f"), ("a", "m")]),
            (1, [("a", "f"), ("b", "m")]),
        ]
    )
    for seed in range(5):
        method = ta.SwapRecords("town", keys=["job"], similar=["sex"], k=5)
        assert places(data.apply(method, seed=seed), "town") == {0: [1], 1: [0], 2: [1], 3: [1]}


def test_what_belongs_to_the_area_is_carried_along():
    homes = [(town, [("a", "f")]) for town in range(3) for _ in range(4)]
    data = read(homes, type=[f"type {town}" for town, _ in homes])
    masked = data.apply(ta.SwapRecords("town", keys=["job"], carry=["type"], rate=1), seed=0)
    assert masked.column("town").to_pylist() != data.column("town").to_pylist()
    assert set(lists(masked, "town", "type")) == {(town, f"type {town}") for town in range(3)}


def test_without_households_every_record_is_one():
    data = made({"town": [0, 0, 1, 1], "job": list("abab")})
    masked = data.apply(ta.SwapRecords("town", keys=["job"], k=2), seed=0)
    assert masked.column("town").to_pylist() == [1, 1, 0, 0]


def test_blank_areas_stay_and_their_households_with_them():
    columns = {
        "home": [0, 0, 1, 1, 2, 2, None, None, 3, 3],
        "town": [0, None, 1, 1, None, None, 0, 1, None, 1],
        "job": list("ababababab"),
    }
    data = made(columns, home="household")
    masked = data.apply(ta.SwapRecords("town", keys=["job"], k=9), seed=0)
    assert masked.column("town").to_pylist() == [1, None, 1, 1, None, None, 1, 0, None, 0]
    assert masked.steps[-1].notes["at_risk_without_partner"] == 2  # 1 and 2


def test_members_who_live_apart_are_refused():
    columns = {"home": [0, 0], "town": [0, 1], "job": ["a", "a"]}
    data = made(columns, home="household")
    with pytest.raises(InputError, match="`town` of record 2 is not that of record 1"):
        data.apply(ta.SwapRecords("town", keys=["job"]), seed=0)


def test_where_nobody_lives_elsewhere_nothing_is_released_as_swapped():
    for homes in ([(0, [("a", "f")])], [(0, [("a", "f")]), (1, [("a", "f"), ("b", "m")])]):
        with pytest.raises(ProtectionError, match="live in different areas"):
            read(homes).apply(ta.SwapRecords("town", keys=["job"]), seed=0)


def test_where_nobody_is_at_risk_and_no_rate_is_asked_for_all_stay():
    data = read([(town, [("a", "f")]) for town in (0, 0, 0, 1, 1, 1)])
    masked = data.apply(ta.SwapRecords("town", keys=["job"], k=3, rate=0), seed=0)
    assert masked.table.equals(data.table)


def test_keys_are_those_of_the_data_without_the_areas():
    data = made({"town": [0, 0, 1, 1], "job": list("aaab")}, town="key", job="key")
    told = data.apply(ta.SwapRecords("town", k=2, rate=0), seed=0).steps[-1].notes
    assert told["swapped"]["at_risk"] == 2
    with pytest.raises(InputError, match="name `keys`"):
        data.without(["job"]).apply(ta.SwapRecords("town"), seed=0)


@pytest.mark.parametrize(
    "wrong", [{"keys": ["town"]}, {"similar": ["town"]}, {"carry": ["town"]}], ids=str
)
def test_areas_are_named_once(wrong):
    with pytest.raises(ParameterError, match="moves `town` with the areas"):
        ta.SwapRecords("town", **wrong)
