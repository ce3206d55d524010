from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.attacks.deducing.filling_in import FAR, SMOOTHING, Blank
from tacita.attacks.suppression_reconstruction import SuppressionReconstruction
from tacita.errors import InputError


def read(**columns) -> ta.Microdata:
    return ta.read(pa.table(columns), roles=dict.fromkeys(columns, "key"))


def people(records=2000, seed=1, *, is_rich=True) -> ta.Microdata:
    """Keys that depend on one another and, in a rich file, on what is no key."""
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 30, records)
    job = np.where(rng.random(records) < 0.7, place // 5 % 4, rng.integers(0, 8, records))
    level = np.where(rng.random(records) < 0.6, job % 3, rng.integers(0, 4, records))
    keys = {
        "zip": [f"z{one}" for one in place],
        "job": [f"j{one}" for one in job],
        "level": [f"e{one}" for one in level],
        "sex": [f"s{one}" for one in rng.integers(0, 2, records)],
    }
    others = {"region": place // 5, "pay": job * 10.0 + rng.integers(0, 15, records)}
    table = pa.table({**keys, **(others if is_rich else {})})
    return ta.read(table, roles=dict.fromkeys(keys, "key"))


def test_a_value_that_would_have_stayed_is_ruled_out():
    zips = ["1"] * 4 + ["2"] * 2
    data = read(zip=zips, job=["a", "a", "a", "b", "b", "b"])
    safe = read(zip=zips, job=["a", "a", "a", None, "b", "b"])
    found = SuppressionReconstruction(k=2).measure(*ta.pair(data, safe, "position"))
    # With 1 go three times a: a fourth would not have been rare.
    assert found.value == 1
    assert found.figures["naive_guess"] == found.figures["without_rarity"] == 0
    # Of four and more that are not rare, three are none.
    assert SuppressionReconstruction(k=4).measure(*ta.pair(data, safe, "position")).value == 0


def test_nothing_is_ruled_out_where_another_key_is_blank():
    data = read(zip=["1"] * 4, job=["a"] * 4, sex=["f"] * 3 + ["m"])
    safe = read(zip=["1"] * 4, job=["a"] * 3 + [None], sex=["f"] * 3 + [None])
    found = SuppressionReconstruction(["job", "sex"], k=2).measure(*ta.pair(data, safe, "position"))
    assert found.figures["suppressed"] == 2
    assert found.value == Fraction(1, 2)


def test_what_follows_from_another_attribute_is_recovered():
    zips = ["1", "1", "1", "2", "2", "3", "3"] * 6
    data = read(zip=zips, region=[f"r{one}" for one in zips])
    hidden = np.arange(len(zips)) % 5 == 0
    region = [None if gone else f"r{one}" for gone, one in zip(hidden, zips, strict=True)]
    safe = read(zip=zips, region=region)
    found = SuppressionReconstruction(["region"], k=100).measure(*ta.pair(data, safe, "position"))
    assert found.value == 1
    assert found.figures["naive_guess"] < 1


CELLS = st.lists(
    st.tuples(st.integers(-1, 2), st.integers(-1, 1), st.integers(-1, 1)), min_size=2, max_size=12
)


@given(CELLS, st.integers(1, 3))
@example([(0, 0, 1), (0, 0, -1), (1, 0, 1), (1, 0, 1), (-1, 0, 1)], 1)
@settings(max_examples=50)
def test_guesses_are_those_of_a_slow_search(rows, k):
    cells = [[None if code < 0 else f"v{code}" for code in row] for row in rows]
    columns = dict(zip(("x", "y", "z"), map(list, zip(*cells, strict=True)), strict=True))
    data = ta.read(pa.table({n: pa.array(c, pa.string()) for n, c in columns.items()}))
    codes = np.array([row[0] for row in rows])
    blank = Blank.of(data, "x", codes, ["x", "y"], k)
    asked = np.flatnonzero(codes < 0)
    alone = np.array([row[1] >= 0 for row in rows])
    for row, guess in zip(asked, _all_guesses(blank, asked, alone[asked]), strict=True):
        scores = [_slow_score(rows, row, value, k) for value in range(codes.max(initial=0) + 1)]
        assert scores[guess] >= max(scores) - 1e-6


def _all_guesses(blank, rows, alone):
    return [one for _, part in blank.guesses(rows, alone) for one in part]


def _slow_score(rows, target, value, k) -> float:
    mine = [row for row in rows if row[0] == value]
    score = log(len(mine)) if mine else -2 * FAR
    for place in (1, 2):
        seen = rows[target][place]
        if seen >= 0:
            width = len({row[place] for row in rows if row[place] >= 0})
            there = [row[place] for row in mine if row[place] >= 0]
            score += log((there.count(seen) + SMOOTHING) / (len(there) + SMOOTHING * width))
    alike = [row for row in mine if row[1] == rows[target][1]]
    return score - FAR if rows[target][1] >= 0 and len(alike) >= k else score


@pytest.mark.parametrize(("is_rich", "times"), [(True, 3), (False, 1.3)])
@pytest.mark.parametrize("k", [3, 5])
def test_it_beats_the_most_frequent_value(k, is_rich, times):
    data = people(is_rich=is_rich)
    safe = data.apply(ta.LocalSuppression(k, search="fast"))
    found = SuppressionReconstruction().measure(data, safe)
    assert found.figures["suppressed"] > 300
    assert found.figures["ratio_to_naive_guess"] > times
    assert found.value > found.figures["without_rarity"]


def test_generalized_keys_are_compared_in_their_own_terms():
    data = ta.example("toy", 1000).without(["born"])  # which would give the age away
    keys = ["age", "zip", "education"]
    coarse = data.apply(ta.Generalize("age", level=2))
    safe = coarse.apply(ta.LocalSuppression(5, keys, search="fast"))
    found = SuppressionReconstruction(keys).measure(data, safe)
    assert found.value > 3 * found.figures["naive_guess"]


def test_a_sample_is_told_and_nothing_suppressed_is_nothing_recovered(toy):
    data = people(600)
    safe = data.apply(ta.LocalSuppression(3, search="fast"))
    found = SuppressionReconstruction(sample=20).measure(data, safe)
    assert "random sample of 20 of" in found.sentence
    whole = SuppressionReconstruction().measure(toy, toy)
    assert whole.value == whole.figures["suppressed"] == 0
    assert whole.sentence.startswith("not applicable: no value of")


def test_an_attribute_that_is_all_blank_cannot_be_guessed():
    data = read(zip=["1", "2"], job=["a", "b"])
    safe = ta.read(pa.table({"zip": ["1", "2"], "job": pa.nulls(2, pa.string())}))
    found = SuppressionReconstruction(["job"]).measure(*ta.pair(data, safe, "position"))
    assert found.figures["suppressed"] == 2
    assert found.value == 0


def test_keys_are_needed():
    data = ta.read(pa.table({"a": ["x"]}))
    with pytest.raises(InputError, match="No attribute has the role `key`"):
        SuppressionReconstruction().measure(data, data)
