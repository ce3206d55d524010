from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError, ProtectionError

BLOCK = ["Disease", "DH", "Chol", "Temp"]
ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["a", "b", None]), st.sampled_from([1, 2, None])),
    min_size=1,
    max_size=60,
)


def test_figure_10_is_reproduced():
    """Records 3 and 5, 7 and 8, 9 and 10 exchange their blocks; the pairs depend on the seed."""
    method = ta.SwapBlocks(BLOCK, match=["Sex", "MarStat"], rate=0.5)
    swapped = ta.example("medical").apply(method, seed=4)
    assert swapped.table.equals(ta.example("medical_swapped").table)


def test_every_seed_swaps_three_pairs_that_agree():
    data = ta.example("medical")
    keys = list(zip(*(data.column(key).to_pylist() for key in ("Sex", "MarStat")), strict=True))
    blocks = list(zip(*(data.column(name).to_pylist() for name in BLOCK), strict=True))
    met = set()
    for seed in range(100):
        masked = data.apply(ta.SwapBlocks(BLOCK, match=["Sex", "MarStat"], rate=0.5), seed=seed)
        now = list(zip(*(masked.column(name).to_pylist() for name in BLOCK), strict=True))
        moved = [
            (row, blocks.index(block)) for row, block in enumerate(now) if block != blocks[row]
        ]
        assert len(moved) == 6
        assert all((other, row) in moved and keys[row] == keys[other] for row, other in moved)
        met |= {pair for pair in moved if pair[0] < pair[1]}
    assert met == {
        (one, other)
        for one in range(11)
        for other in range(one + 1, 11)
        if keys[one] == keys[other]
    }


@given(ROWS, st.floats(0.05, 1), st.integers(0, 1000))
def test_the_block_stays_together_with_what_pairs_agree_on(rows, rate, seed):
    key, x, y = zip(*rows, strict=True)
    table = pa.table(
        {
            "id": np.arange(len(rows)),
            "key": key,
            "x": pa.array(x, pa.string()),
            "y": pa.array(y, pa.int64()),
        }
    )
    data = ta.read(table, kinds={"y": "nominal", "x": "nominal"})
    blanks = Counter((k, a is None, b is None) for k, a, b in rows)
    possible = sum(count // 2 for count in blanks.values())
    method = ta.SwapBlocks(["x", "y"], match=["key"], rate=rate)
    if not possible:
        with pytest.raises(ProtectionError, match="match on fewer"):
            data.apply(method, seed=seed)
        return
    masked = data.apply(method, seed=seed)
    after = [masked.column(name).to_pylist() for name in ("key", "x", "y")]
    assert after[0] == list(key)
    assert Counter(zip(*after, strict=True)) == Counter(rows)
    for before, now in ((x, after[1]), (y, after[2])):
        assert [value is None for value in now] == [value is None for value in before]
    told = masked.steps[-1].notes["swapped"]
    assert told["records"] == 2 * min(possible, max(1, round(rate * len(rows) / 2)))
    differ = sum(row != now for row, now in zip(rows, zip(*after, strict=True), strict=True))
    assert told["changed"] == differ <= told["records"]


def test_without_match_any_two_are_swapped_and_all_of_them_at_rate_1():
    data = ta.read(pa.table({"x": np.arange(100)}))
    after = data.apply(ta.SwapBlocks("x", rate=1), seed=0).column("x").to_numpy()
    assert (after != np.arange(100)).all()
    assert (after[after] == np.arange(100)).all()


def test_suppressed_values_stay_suppressed_where_they_are():
    hidden = np.arange(40) % 4 == 0
    data = ta.read(pa.table({"x": pa.array(np.arange(40), mask=hidden)}))
    data = data.with_column(data.attribute("x"), data.column("x"), hidden)
    masked = data.apply(ta.SwapBlocks("x", rate=1), seed=0)
    assert (np.asarray(masked.column("x").is_null()) == hidden).all()
    assert (masked.suppressed_in("x") == hidden).all()
    assert masked.column("x").to_pylist() != data.column("x").to_pylist()


@pytest.mark.parametrize(("records", "match"), [(1, None), (3, "key")])
def test_where_nobody_agrees_nothing_is_released_as_swapped(records, match):
    data = ta.read(pa.table({"x": np.arange(records), "key": np.arange(records)}))
    with pytest.raises(ProtectionError, match="no two of"):
        data.apply(ta.SwapBlocks("x", match=match), seed=0)


def test_a_constant_block_has_nothing_to_change():
    data = ta.read(pa.table({"x": [1, 1, 1, 1]}))
    masked = data.apply(ta.SwapBlocks("x", rate=1), seed=0)
    assert masked.table.equals(data.table)
    assert masked.steps[-1].notes["swapped"] == {"records": 4, "changed": 0}


def test_what_pairs_agree_on_cannot_be_exchanged():
    with pytest.raises(ParameterError, match="`x`"):
        ta.SwapBlocks(["x", "y"], match=["x"])
