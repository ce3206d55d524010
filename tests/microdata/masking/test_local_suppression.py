from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError, ProtectionError

SHARED = Path(__file__).parents[4] / "shared" / "data" / "casc"
Rows = list[tuple[int | None, ...]]


def keys_of(width: int) -> list[str]:
    return list("abcdefgh"[:width])


def file_of(rows: Rows, **beside: list[int]) -> Dataset:
    names = keys_of(len(rows[0]))
    columns = dict(zip(names, map(pa.array, zip(*rows, strict=True)), strict=True))
    return ta.read(
        pa.table({**columns, **beside}),
        roles=dict.fromkeys(names, "key"),
        kinds=dict.fromkeys([*names, *beside], "nominal"),
    )


def rows_of(data: Dataset, width: int) -> Rows:
    return list(zip(*(data.column(name).to_pylist() for name in keys_of(width)), strict=True))


# -- what each matching asks for, said once more ---------------------------------------------------


def is_strict(rows: Rows, k: int) -> bool:
    return min(Counter(rows).values()) >= k


def fits(row: tuple, other: tuple) -> bool:
    return all(mine is None or mine == theirs for mine, theirs in zip(row, other, strict=True))


def is_one_sided(rows: Rows, k: int) -> bool:
    frequent = [row for row, number in Counter(rows).items() if number >= k]
    return all(any(fits(row, other) for other in frequent) for row in rows)


def is_symmetric(rows: Rows, k: int) -> bool:
    def match(row: tuple, other: tuple) -> bool:
        pairs = zip(row, other, strict=True)
        return all(None in pair or pair[0] == pair[1] for pair in pairs)

    return all(sum(match(row, other) for other in rows) >= k for row in rows)


HOLDS = {"strict": is_strict, "one_sided": is_one_sided, "symmetric": is_symmetric}


def holds(matching: str, rows: Rows, k: int, size: int) -> bool:
    every = combinations(range(len(rows[0])), size)
    return all(HOLDS[matching]([tuple(r[j] for j in keys) for r in rows], k) for keys in every)


def blanks_only(before: Rows, after: Rows) -> bool:
    both = zip(before, after, strict=True)
    pairs = [pair for one, other in both for pair in zip(one, other, strict=True)]
    return all(new is None or new == old for old, new in pairs)


def cost_between(before: Rows, after: Rows, weights: list[float]) -> float:
    return sum(
        weight
        for one, other in zip(before, after, strict=True)
        for old, new, weight in zip(one, other, weights, strict=True)
        if new is None and old is not None
    )


def cheapest(matching: str, rows: Rows, k: int, size: int, weights: list[float]) -> float:
    """Try every way to blank values."""
    cells = [(i, j) for i, row in enumerate(rows) for j, value in enumerate(row) if value]
    best = np.inf
    for chosen in product([False, True], repeat=len(cells)):
        gone = {cell for cell, blank in zip(cells, chosen, strict=True) if blank}
        cost = sum(weights[j] for _, j in gone)
        if cost < best:
            tried = [
                tuple(None if (i, j) in gone else v for j, v in enumerate(row))
                for i, row in enumerate(rows)
            ]
            best = cost if holds(matching, tried, k, size) else best
    return best


@st.composite
def files(draw, cells: int = 40, values: int = 3, widest: int = 4) -> Rows:
    width = draw(st.integers(1, widest))
    value = st.one_of(st.integers(1, values), st.integers(1, values), st.none())
    whole = draw(st.tuples(*[st.integers(1, values)] * width))  # no key is blank everywhere
    row = st.tuples(*[value] * width)
    return [whole, *draw(st.lists(row, min_size=3, max_size=max(cells // width - 1, 3)))]


def suppressed(rows: Rows, k: int, **options) -> tuple[Rows, object]:
    found = ta.LocalSuppression(k=k, **options).find(file_of(rows))
    return rows_of(found.data, len(rows[0])), found


# -- laws ------------------------------------------------------------------------------------------


@given(
    files(),
    st.integers(2, 4),
    st.sampled_from(["strict", "one_sided"]),
    st.sampled_from(["fast", "thorough"]),
    st.integers(1, 4),
)
def test_the_promise_holds_and_nothing_but_blanks_is_new(rows, k, matching, search, size):
    after, found = suppressed(rows, k, matching=matching, search=search, subsets=size)
    assert holds(matching, after, k, min(size, len(rows[0])))
    assert blanks_only(rows, after)
    assert found.bound <= found.cost == cost_between(rows, after, [1] * len(rows[0]))
    assert sum(found.values.values()) == found.cost


@given(files(), st.integers(2, 4))
def test_the_strict_release_passes_the_model(rows, k):
    safe = file_of(rows).apply(ta.LocalSuppression(k=k), seed=0)
    assert ta.KAnonymity(k).check(safe).holds
    again = safe.apply(ta.LocalSuppression(k=k), seed=0)
    assert rows_of(again, len(rows[0])) == rows_of(safe, len(rows[0]))
    assert again.notes["cost"] == 0


@given(files(), st.integers(2, 4))
def test_the_optimum_is_never_dearer_than_what_is_found_fast(rows, k):
    _, fast = suppressed(rows, k, search="fast")
    _, best = suppressed(rows, k)
    assert best.is_optimal
    assert fast.bound <= best.cost <= fast.cost
    _, looser = suppressed(rows, k, matching="one_sided")
    assert looser.is_optimal
    assert looser.cost <= best.cost


@given(files(cells=9, values=2, widest=3), st.integers(2, 3), st.data())
def test_the_optimum_is_that_of_trying_everything(rows, k, draw):
    width = len(rows[0])
    matching = draw.draw(st.sampled_from(["strict", "one_sided"]))
    size = draw.draw(st.integers(1, width))
    weights = draw.draw(st.lists(st.sampled_from([0.5, 1, 3]), min_size=width, max_size=width))
    importance = dict(zip(keys_of(width), weights, strict=True))
    after, found = suppressed(rows, k, matching=matching, subsets=size, importance=importance)
    assert holds(matching, after, k, size)
    assert found.is_optimal
    assert found.cost == cheapest(matching, rows, k, size, weights)


@given(files(), st.integers(2, 4))
def test_what_matches_anything_is_enough_for_symmetric_matching(rows, k):
    with pytest.warns(UserWarning, match="protects little"):
        after, found = suppressed(rows, k, matching="symmetric")
    assert holds("symmetric", after, k, len(rows[0]))
    assert blanks_only(rows, after)
    assert found.bound <= found.cost
    assert "protects little" in found.to_dict()["warning"]


@pytest.mark.filterwarnings("ignore:A blank that matches anything")
@given(files(cells=9, values=3, widest=3), st.integers(2, 3), st.data())
def test_the_symmetric_optimum_is_that_of_trying_everything(rows, k, draw):
    width = len(rows[0])
    weights = draw.draw(st.lists(st.sampled_from([0.5, 1, 3]), min_size=width, max_size=width))
    importance = dict(zip(keys_of(width), weights, strict=True))
    search = draw.draw(st.sampled_from(["thorough", "proven"]))
    options = {"matching": "symmetric", "search": search, "importance": importance}
    after, found = suppressed(rows, k, **options)
    assert holds("symmetric", after, k, width)
    assert found.is_optimal
    assert found.cost == cost_between(rows, after, weights)
    assert found.cost == cheapest("symmetric", rows, k, width, weights)


@pytest.mark.filterwarnings("ignore:A blank that matches anything")
def test_one_symmetric_blank_is_enough_where_it_matches_all_that_are_rare():
    rows = [(1, 1), (1, 2), (1, 3), (2, 4), (2, 4), (2, 4)]
    after, found = suppressed(rows, 2, matching="symmetric", search="proven")
    assert found.cost == found.bound == 1
    assert is_symmetric(after, 2)
    _, fast = suppressed(rows, 2, matching="symmetric", search="fast")
    assert fast.bound == 1 < fast.cost


@pytest.mark.filterwarnings("ignore:A blank that matches anything")
def test_symmetric_blanks_are_counted_within_strata():
    rows, stratum = [(1, 1), (1, 2), (2, 1), (1, 1), (1, 2), (2, 1)], [0, 0, 0, 1, 1, 1]
    found = ta.LocalSuppression(k=2, by=["s"], matching="symmetric").find(file_of(rows, s=stratum))
    after = rows_of(found.data, 2)
    assert all(is_symmetric(after[part], 2) for part in (slice(0, 3), slice(3, 6)))
    assert found.cost == 2 * cheapest("symmetric", rows[:3], 2, 2, [1, 1])
    assert found.is_optimal


@given(files(), st.integers(2, 3), st.data())
def test_strata_keep_the_promise_each_for_itself(rows, k, draw):
    one = st.integers(0, 1)
    stratum = [0] * k + draw.draw(st.lists(one, min_size=len(rows), max_size=len(rows)))
    rows = [rows[0]] * k + rows
    if min(Counter(stratum).values()) < k:
        stratum = [0] * len(rows)
    data = file_of(rows, s=stratum)
    safe = data.apply(ta.LocalSuppression(k=k, by=["s"]), seed=0)
    assert ta.KAnonymity(k, keys=[*keys_of(len(rows[0])), "s"]).check(safe).holds
    assert safe.column("s").to_pylist() == stratum


@given(files(), st.integers(2, 3), st.data())
def test_households_are_blanked_alike(rows, k, draw):
    home = draw.draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
    shared = {h: 1 + h % 2 for h in home}
    rows = [(shared[h], *row) for h, row in zip(home, rows, strict=True)]
    data = file_of(rows, home=home)
    data = ta.read(data.to_arrow(), roles={**dict.fromkeys(data.keys, "key"), "home": "household"})
    found = ta.LocalSuppression(k=k, households="alike").find(data)
    after = rows_of(found.data, len(rows[0]))
    assert is_strict(after, k)
    assert found.bound <= found.cost
    of_home: dict[int, set[int | None]] = {}
    for h, row in zip(home, after, strict=True):
        of_home.setdefault(h, set()).add(row[0])
    assert all(len(values) == 1 for values in of_home.values())


# -- examples by hand ------------------------------------------------------------------------------


def test_a_unique_record_and_those_that_hide_it():
    """The record (2, 1) can hide among (*, 1) with one of the three others, or blank all."""
    rows = [(1, 1), (1, 1), (1, 1), (2, 1)]
    after, found = suppressed(rows, 2)
    assert found.values == {"a": 2, "b": 0}
    assert after == [(1, 1), (1, 1), (None, 1), (None, 1)]
    after, found = suppressed(rows, 2, matching="one_sided")
    assert after == [(1, 1), (1, 1), (1, 1), (None, 1)]
    assert found.cost == found.bound == 1


def test_importance_decides_what_is_blanked():
    rows = [(1, 1), (1, 1), (2, 2), (2, 2), (1, 2), (2, 1)]
    _, found = suppressed(rows, 2, importance={"a": 10})
    assert found.values["a"] == 0
    _, found = suppressed(rows, 2, importance={"b": 10})
    assert found.values["b"] == 0


@pytest.mark.parametrize("matching", ["strict", "one_sided"])
def test_importance_of_a_third_is_a_third(matching):
    """No double is a third, and a unit as fine as its digits is more than a solver bears."""
    rows = [(1, 1), (1, 1), (1, 1), (2, 1), (2, 2), (1, 2)]
    _, found = suppressed(rows, 2, matching=matching, importance={"a": 1 / 3})
    assert found.is_optimal
    assert found.cost == cheapest(matching, rows, 2, 2, [1 / 3, 1])
    _, finer = suppressed(rows, 2, matching=matching, importance={"a": 0.3333333334})
    assert finer.bound <= finer.cost == pytest.approx(found.cost, rel=1e-6)


def test_a_missing_value_counts_as_suppressed_already():
    rows = [(1, None), (1, 2), (3, 3), (3, 3)]
    after, found = suppressed(rows, 2)
    assert after == [(1, None), (1, None), (3, 3), (3, 3)]
    assert found.values == {"a": 0, "b": 1}
    assert found.data.suppressed_in("b").tolist() == [False, True, False, False]


def test_a_stated_reason_for_a_missing_value_is_seen():
    """Missing because refused and missing because suppressed are two things to a reader."""
    data = file_of([(1, 1), (1, None), (1, None), (1, 1)])
    attribute = data.attribute("b")
    meaning = replace(attribute.meaning, missing_codes=(98,))
    data = replace(
        data,
        attributes={**data.attributes, "b": replace(attribute, meaning=meaning)},
        missing_reasons={"b": np.array([0, 0, 1, 0], np.int32)},
    )
    assert not ta.KAnonymity(2).check(data).holds
    safe = ta.LocalSuppression(k=2).mask(data, np.random.default_rng(0))
    assert ta.KAnonymity(2).check(safe).holds
    assert safe.notes["suppressed_values"] == {"a": 0, "b": 1}


def test_anonymous_data_stay_as_they_are():
    rows = [(1, 2), (1, 2), (3, None), (3, None)]
    after, found = suppressed(rows, 2)
    assert after == rows
    assert (found.cost, found.bound, found.is_optimal) == (0, 0, True)


def test_combinations_of_two_keys_need_less_than_those_of_three():
    """In a cube of eight records every pair of values is there twice, every triple once."""
    rows = list(product([1, 2], repeat=3))
    assert suppressed(rows, 2, subsets=2)[1].cost == 0
    assert suppressed(rows, 2)[1].cost == 8
    triples = suppressed(rows[:-1], 2)[1]
    pairs = suppressed(rows[:-1], 2, subsets=2)[1]
    assert pairs.is_optimal
    assert 0 < pairs.cost <= triples.cost


def test_recoding_first_where_that_needs_fewer_suppressions(toy):
    plain = ta.LocalSuppression(k=3, attributes=["zip", "education"])
    free = ta.LocalSuppression(k=3, attributes=["zip", "education"], recoding=0)
    dear = ta.LocalSuppression(k=3, attributes=["zip", "education"], recoding=100)
    cost = plain.find(toy).cost
    assert dear.find(toy).cost == cost > 0
    assert dear.find(toy).levels == {}
    found = free.find(toy)
    assert found.cost < cost
    assert found.levels
    assert ta.KAnonymity(3, keys=["zip", "education"]).check(found.data).holds


def test_recoding_pays_where_its_cost_is_saved():
    """Ten different ages of one decade: at level 1 of 2 they cost 10 x 1/2, blanked all 10."""
    data = ta.read(
        pa.table({"age": list(range(30, 40))}),
        roles={"age": "key"},
        hierarchies={"age": {"intervals": {"widths": [10]}}},
    )
    found = ta.LocalSuppression(k=2, recoding=1).find(data)
    assert (found.levels, found.cost) == ({"age": 1}, 0)
    assert ta.LocalSuppression(k=2, recoding=2).find(data).cost == 10


def test_what_it_tells_prints_well_and_is_noted():
    rows = [(1, 1), (1, 1), (1, 1), (2, 1)]
    _, found = suppressed(rows, 2)
    assert repr(found) == ("2 suppressed values, cost 2 (the least possible)\n  a  2\n  b  0")
    notes = file_of(rows).apply(ta.LocalSuppression(k=2)).notes
    assert notes == found.to_dict()
    assert notes["optimal"]
    assert notes["reproducible"]


def test_many_keys_are_bounded_though_not_all_patterns_are_tried():
    rng = np.random.default_rng(1)
    rows = [tuple(row) for row in rng.integers(1, 3, (60, 14)).tolist()]
    names = [f"k{j}" for j in range(14)]
    data = ta.read(
        pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))),
        roles=dict.fromkeys(names, "key"),
    )
    found = ta.LocalSuppression(k=3).find(data)
    assert ta.KAnonymity(3).check(found.data).holds
    assert 0 < found.bound <= found.cost <= 60 * 14


def test_a_clock_that_ends_the_search_is_told():
    rng = np.random.default_rng(5)
    rows = [tuple(row) for row in rng.integers(1, 5, (250, 5)).tolist()]
    after, found = suppressed(rows, 3, time_limit=0.01)
    assert is_strict(after, 3)
    assert not found.is_reproducible
    assert not found.is_optimal
    assert "at least" in repr(found)


def test_a_data_frame_is_taken_as_it_is():
    data = file_of([(1, 1), (1, 1), (1, 1), (2, 1)])
    for frame in (data.to_arrow(), data.to_pandas()):
        assert ta.LocalSuppression(k=2, attributes=["a", "b"]).find(frame).values["a"] == 2


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 1}, "greater than or equal to 2"),
        ({"importance": {"a": 0}}, "greater than 0"),
        ({"importance": {"a": -1}}, "greater than 0"),
        ({"matching": "loose"}, "'strict', 'one_sided' or 'symmetric'"),
        ({"matching": "symmetric", "subsets": 2}, "needs strict or one_sided"),
        ({"attributes": ["a"], "by": ["a"]}, "cannot blank `a`"),
        ({"recoding": -1}, "greater than or equal to 0"),
        ({"time_limit": 0}, "greater than 0"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        ta.LocalSuppression(**parameters)


def test_what_cannot_be_done_is_said():
    data = file_of([(1, 1), (1, 2), (2, 1)], s=[1, 1, 2])
    with pytest.raises(ProtectionError, match="shared by 4 records where there are only 3"):
        data.apply(ta.LocalSuppression(k=4))
    with pytest.raises(ProtectionError, match="a stratum of s has only 1"):
        data.apply(ta.LocalSuppression(k=2, by=["s"]))
    with pytest.raises(ParameterError, match="names `s`, which is not among"):
        data.apply(ta.LocalSuppression(k=2, importance={"s": 2}))
    with pytest.raises(InputError, match="no attribute `z`"):
        data.apply(ta.LocalSuppression(k=2, importance={"z": 2}))
    for weight in (1e-300, 1e300):
        with pytest.raises(ParameterError, match="can span a factor of 1,000,000"):
            data.apply(ta.LocalSuppression(k=2, importance={"a": weight}))
    with pytest.raises(InputError, match="role `household`"):
        data.apply(ta.LocalSuppression(k=2, households="alike"))
    with pytest.raises(InputError, match="needs attributes to blank"):
        ta.read(pa.table({"x": [1, 2]})).apply(ta.LocalSuppression(k=2))


# -- the reference file ----------------------------------------------------------------------------


@pytest.mark.skipif(not SHARED.exists(), reason="the reference data are not here")
def test_the_test_file_of_sdcmicro():
    """Integer programs of others found 187, 357 and 643 values at k = 2, 3, 5."""
    names = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    data = ta.read(SHARED / "testdata.csv", roles=dict.fromkeys(names, "key"))
    found = ta.LocalSuppression(k=2, attributes=names).find(data)
    assert (found.cost, found.bound, found.is_optimal) == (187, 187, True)
    assert ta.KAnonymity(2).check(found.data).holds
    found = ta.LocalSuppression(k=5, attributes=names).find(data)
    assert found.bound <= found.cost == 643
    assert ta.KAnonymity(5).check(found.data).holds
    for k, optimum in ((2, 187), (3, 357), (5, 643)):
        fast = ta.LocalSuppression(k=k, attributes=names, search="fast").find(data)
        assert fast.bound <= optimum <= fast.cost <= 1.2 * optimum
        assert ta.KAnonymity(k).check(fast.data).holds
