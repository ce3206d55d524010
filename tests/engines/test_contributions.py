"""Who contributes how much: every engine gives the answer that plain Python gives."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.engines.contributions import Amount, Breakdown, Extent, Units, extent_of
from tacita.engines.memory import MemoryRecords
from tacita.errors import InputError

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.numeric,
]

KEYS = (Amount("x"), Amount("key", "key"), Amount("short_key", "key", where="x"))
THIRDS = (Amount("third"), Amount("third", "size"))
AMOUNTS = (Amount(), Amount("x"), Amount("x", "size"), Amount("x", "known"))


def some_records(seed, size=60):
    """Records with blanks everywhere, ties, weights, and values of several kinds."""
    rng = np.random.default_rng(seed)

    def blanked(values, kind):
        return pa.array(list(values), kind, mask=rng.random(size) < 0.1)

    return pa.table(
        {
            "town": blanked(rng.choice(["a", "b", "c"], size), pa.string()),
            "year": blanked(rng.integers(1, 3, size), pa.int32()),
            "x": blanked(rng.integers(-300, 300, size) / 10, pa.float64()),
            "third": blanked(rng.integers(-9, 9, size) / 3, pa.float64()),
            "vast": blanked(rng.normal(size=size) * 1e280, pa.float64()),
            "w": pa.array(rng.integers(1, 50, size) / 10),
            "who": blanked(rng.choice(["p", "q", "r", "s"], size), pa.string()),
            "level": pa.array(rng.integers(0, 3, size)),
            "key": pa.array(rng.random(size)),
            "short_key": pa.array(rng.integers(0, 10**8, size) / 1e8),
        }
    )


QUESTIONS = {
    "plain": Breakdown(("town", "year"), AMOUNTS, "x", largest=3),
    "weights": Breakdown(("town",), AMOUNTS, "x", "w", largest=4, request="level"),
    "represented": Breakdown(
        ("town",), AMOUNTS, "x", "w", largest=4, request="level", represented=True
    ),
    "holdings": Breakdown(("town",), AMOUNTS, "x", None, "who", "level", 2),
    "weighted holdings": Breakdown(("town", "year"), AMOUNTS, "x", "w", "who", None, 2),
    "no decimals": Breakdown(("town",), THIRDS, "third", "w", largest=2),
    "no decimals, represented": Breakdown(
        ("town",), THIRDS, "third", "w", largest=2, represented=True
    ),
    "vast numbers": Breakdown(("town",), (Amount("vast"),), "vast", largest=2),
    "counts": Breakdown(("year",), (Amount(),), largest=2),
    "none of the largest": Breakdown(("year", "x"), (Amount(),), weight="w"),
    "keys": Breakdown(("town",), (*KEYS, Amount("x", "size")), "x", "w", largest=2),
    "keys of holdings": Breakdown(("year",), KEYS, "x", None, "who", "level", 1),
    "weighted counts": Breakdown(("year",), (Amount(),), weight="w", largest=2),
    "weight as value": Breakdown(("year",), (Amount("w", "size"),), "w", "w", largest=2),
}


def told(answer):
    """Return an answer whatever the order of its rows and the numbers of its contributors."""
    rows = answer.keys.to_pylist()
    columns = np.vstack([answer.sums, answer.largest.T, answer.asked.T])
    return sorted(
        (repr(row), *column) for row, column in zip(rows, columns.T.tolist(), strict=True)
    )


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_engine_says_the_same(opened, question, tmp_path):
    table = some_records(5)
    pq.write_table(table, tmp_path / "records.parquet")
    answer = opened(tmp_path / "records.parquet").contributions(QUESTIONS[question])
    expected = MemoryRecords(table).contributions(QUESTIONS[question])
    assert answer.units == expected.units
    assert answer.negative == expected.negative
    assert told(answer) == told(expected)
    if expected.holders is not None:
        assert sorted(np.bincount(_ranked(answer.holders))) == sorted(
            np.bincount(_ranked(expected.holders))
        )


def _ranked(numbers):
    return np.unique(numbers, return_inverse=True)[1]


@pytest.mark.parametrize("represented", [False, True])
def test_contributions_are_those_of_plain_python(represented):
    table = some_records(2)
    asked = QUESTIONS["represented" if represented else "weights"]
    answer = MemoryRecords(table).contributions(asked)
    by_town = defaultdict(list)
    for row in table.to_pylist():
        by_town[row["town"]].append(row)
    assert len(by_town) == answer.keys.num_rows
    for place, key in enumerate(answer.keys.to_pylist()):
        rows = by_town[key["town"]]
        x = [Fraction(str(row["x"] or 0)) for row in rows]
        w = [Fraction(str(row["w"])) for row in rows]
        ones = [1] * len(rows)
        often = [max(1, int(weight + Fraction(1, 2))) for weight in w] if represented else ones
        size = [abs(a) * (1 if represented else b) for a, b in zip(x, w, strict=True)]
        known = [row["x"] is not None for row in rows]
        sums = [
            sum(often),
            10 * sum(w),
            100 * sum(a * b for a, b in zip(x, w, strict=True)),
            100 * sum(abs(a) * b for a, b in zip(x, w, strict=True)),
            10 * sum(b for b, here in zip(w, known, strict=True) if here),
        ]
        assert answer.sums[:, place].tolist() == sums
        sizes = sorted((float(a) for a, n in zip(size, often, strict=True) for _ in range(n)))
        assert answer.largest[place].tolist() == sizes[::-1][:4]
        for level in (1, 2):
            asking = [float(a) for a, row in zip(size, rows, strict=True) if row["level"] == level]
            assert answer.asked[place, level - 1] == max(asking, default=0.0)


NUMBERS = st.floats(-1e12, 1e12, allow_subnormal=False)


@settings(max_examples=50)
@given(st.lists(NUMBERS, min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_the_order(numbers, random):
    shuffled = random.sample(numbers, len(numbers))
    units = Units.of(extent_of("x", np.array(numbers)), Extent(), len(numbers))
    sums = [
        np.array([[cut.sum()] for cut in units.whole(np.array(n), None)])
        for n in (numbers, shuffled)
    ]
    assert units.number(sums[0]) == units.number(sums[1])
    exact = sum(map(Fraction, numbers))
    greatest = max(map(abs, numbers))
    assert abs(Fraction(float(units.number(sums[0])[0])) - exact) <= Fraction(greatest) / 2**50


KEY = st.floats(0, 1, exclude_max=True, allow_subnormal=False)


@settings(max_examples=50)
@given(st.lists(st.one_of(KEY, KEY.map(lambda key: int(key * 1e8) / 1e8)), min_size=1))
def test_remainders_are_those_of_exact_sums(keys):
    units = Units.of(extent_of("key", np.array(keys)), Extent(), len(keys))
    sums = np.array([[cut.sum()] for cut in units.whole(np.array(keys), None)])
    found = float(units.remainder(sums)[0])
    assert 0 <= found < 1
    exact = sum((Fraction(str(k)) if units.decimals is not None else Fraction(k)) for k in keys)
    gap = abs(Fraction(found) - exact % 1)
    assert min(gap, 1 - gap) < Fraction(1, 2**50)


def test_keys_have_no_weight_and_may_be_left_out_where_nothing_is_contributed():
    table = some_records(4)
    answer = MemoryRecords(table).contributions(QUESTIONS["keys"])
    frame = table.to_pandas()
    for place, row in enumerate(answer.keys.to_pylist()):
        chosen = frame[frame.town.isna() if row["town"] is None else frame.town == row["town"]]
        _, unit, short, _ = answer.units
        key = unit.number(answer.sums[2 : 2 + unit.cuts])[place]
        assert key == pytest.approx(chosen.key.sum())
        counted = chosen[chosen.x.notna() & (chosen.x != 0)]
        assert short.number(answer.sums[-2:-1])[place] == pytest.approx(counted.short_key.sum())


def test_a_sum_that_would_not_fit_is_cut():
    assert Units.of(Extent(2, 1e10), Extent(), 1000).decimals == 2
    assert Units.of(Extent(2, 1e13), Extent(), 100_000).decimals is None
    assert Units.of(Extent(None, 5e-320), Extent(), 1).scale < np.inf


def test_bad_questions_are_told(opened, tmp_path):
    pq.write_table(
        some_records(1).append_column("far", pa.array([np.inf] * 60)), tmp_path / "r.parquet"
    )
    records = opened(tmp_path / "r.parquet")
    for asked, words in (
        (Breakdown(("town",), (Amount("town"),)), "must hold numbers"),
        (Breakdown(("towm",), ()), "Did you mean `town`"),
        (Breakdown((), ()), "none was given"),
        (Breakdown(("town",), (), contributor="whom"), "There is no attribute `whom`"),
        (Breakdown(("town",), (Amount("far"),)), "cannot be added up"),
    ):
        with pytest.raises(InputError, match=words):
            records.contributions(asked)
