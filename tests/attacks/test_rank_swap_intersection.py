from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.attacks.rank_swap_intersection import ORDERED, RankSwapIntersection
from tacita.errors import InputError
from tacita.microdata.risk.rank_linkage import RankLinkage

CENSUS = Path(__file__).parents[3] / "shared" / "data" / "casc" / "Census.csv"


def keyed(matrix):
    names = [f"x{j}" for j in range(matrix.shape[1])]
    return ta.read(
        pa.table(dict(zip(names, matrix.T, strict=True))), roles=dict.fromkeys(names, "key")
    )


def drawn(records, width, seed=0):
    """Skewed numbers that depend on each other."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(records, 1))
    return keyed(np.exp(common + rng.normal(size=(records, width))))


@pytest.mark.parametrize("p", [5, 10, 15])
def test_it_beats_naive_linkage_and_the_bare_intersection(p):
    data = drawn(600, 5)
    safe = data.apply(ta.RankSwap(data.names, p=p), seed=1)
    found = RankSwapIntersection(p=p).measure(data, safe)
    assert found.value > 1.3 * found.figures["naive_linkage"]
    assert found.value > RankLinkage(swap_range=p).measure(data, safe).value
    assert found.figures["without_candidates"] == 0
    assert found.figures["ratio_to_naive_linkage"] == found.value / found.figures["naive_linkage"]


@pytest.mark.parametrize("p", [5, 20])
def test_an_unknown_p_is_found(p):
    data = drawn(600, 6)
    safe = data.apply(ta.RankSwap(data.names, p=p), seed=1)
    found = RankSwapIntersection().measure(data, safe)
    assert found.figures["p"] == pytest.approx(p, rel=0.06)
    assert found.value > 1.3 * found.figures["naive_linkage"]


@pytest.mark.skipif(not CENSUS.exists(), reason="the reference data are not here")
def test_census_swapped_within_fifteen_per_cent():
    data = ta.read(CENSUS)
    data = ta.read(CENSUS, kinds=dict.fromkeys(data.names, "continuous"))
    safe = data.apply(ta.RankSwap(data.names, p=15), seed=1)
    known = RankSwapIntersection(data.names, p=15).measure(data, safe)
    blind = RankSwapIntersection(data.names).measure(data, safe)
    assert known.figures["naive_linkage"] < 0.45
    assert known.value > 0.9
    assert blind.value > 0.85
    assert blind.figures["p"] == pytest.approx(15, rel=0.05)


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.sampled_from([5, 12.5, 40]))
def test_candidates_are_those_of_the_intersection(seed, p):
    values = np.random.default_rng(seed).integers(0, 12, (40, 2)).astype(float)
    data = keyed(values)
    safe = data.apply(ta.RankSwap(data.names, p=p), seed=seed)
    found = RankSwapIntersection(p=p).measure(data, safe)
    bare = RankLinkage(swap_range=p).measure(data, safe)
    assert found.figures["mean_candidates"] == bare.figures["mean_candidates"]
    assert found.details["candidates"].to_pylist() == bare.details["candidates"].to_pylist()


def test_a_small_file_by_hand():
    # Ranks 0 1 2 3 are swapped by at most one: 0 and 1, 2 and 3 in x0; nothing is in x1.
    data = keyed(np.array([[10.0, 1.0], [20.0, 2.0], [30.0, 3.0], [40.0, 4.0]]))
    safe = keyed(np.array([[20.0, 1.0], [10.0, 2.0], [40.0, 3.0], [30.0, 4.0]]))
    found = RankSwapIntersection(p=25).measure(*ta.pair(data, safe, "position"))
    # The first record fits both of the first two, and so on: by x1 it is the nearer one, by x0 the
    # farther one, equally likely for both; the second fits the first three in x1, two in x0.
    assert found.details["candidates"].to_pylist() == [2, 2, 2, 2]
    assert found.value == Fraction(1, 2)


def test_nothing_swapped_is_linked_at_once():
    data = drawn(50, 2)
    assert RankSwapIntersection(p=0).measure(data, data).value == 1


def test_too_small_a_p_finds_no_owner():
    data = drawn(300, 3)
    safe = data.apply(ta.RankSwap(data.names, p=30), seed=0)
    found = RankSwapIntersection(p=0).measure(data, safe)
    assert found.value == 0
    assert found.figures["without_candidates"] == 300


def test_a_sample_of_released_records_is_ranked_among_all():
    data = drawn(500, 5)
    safe = data.apply(ta.RankSwap(data.names, p=5), seed=0)
    part = RankSwapIntersection(p=5, sample=100).measure(data, safe)
    assert part.figures["linked"] == 100
    assert part.per_record is None
    assert part.interval.lower <= part.value <= part.interval.upper
    # A subset of the released file: ranks are stretched.
    some = safe.take(np.arange(0, 500, 2))
    assert RankSwapIntersection(p=6).measure(data, some).value > 0.3


def test_ordinal_values_and_blanks():
    data = ta.example("toy", 300)
    safe = data.apply(ta.RankSwap(["age", "education"], p=10), seed=0)
    found = RankSwapIntersection(["age", "education"], p=10).measure(data, safe)
    assert found.figures["without_candidates"] == 0
    assert found.figures["owner_among_guesses"] > 0


def test_values_without_an_order_are_refused():
    data = ta.example("toy", 100)
    ordered = [name for name in data.names if data.attribute(name).kind in ORDERED]
    with pytest.raises(InputError, match="attribute"):
        RankSwapIntersection().measure(*[data.without(ordered)] * 2)
