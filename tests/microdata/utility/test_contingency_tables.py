from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta

ROWS = st.lists(st.tuples(*[st.sampled_from(["x", "y", None])] * 3), min_size=1, max_size=20)


def of(rows) -> ta.Microdata:
    columns = zip(*rows, strict=True)
    return ta.read(
        pa.table({n: pa.array(c, pa.string()) for n, c in zip("abc", columns, strict=False)})
    )


def test_two_attributes_by_hand():
    """One record of four moves from (x, u) to (y, u): each of the tables a and a x b changes by 2.

    The tables have 2, 2 and 4 cells.
    """
    before = of([("x", "u"), ("x", "u"), ("y", "u"), ("y", "v")])
    after = of([("x", "u"), ("y", "u"), ("y", "u"), ("y", "v")])
    found = ta.ContingencyTables().measure(*ta.pair(before, after, "position"))
    assert found.parts == {"a": 0.25, "b": 0.0}
    assert found.figures == pytest.approx(
        {
            "ctbil": 4,
            "ctbil_per_cell": 4 / 8,
            "loss_of_dimension_1": 0.125,
            "loss_of_dimension_2": 0.25,
            "recoded_alike": 0.5 / 3,
        }
    )
    assert found.value == pytest.approx(0.5 / 3)
    assert found.details["attributes"].to_pylist() == ["a", "b", "a x b"]
    assert found.details["cells"].to_pylist() == [2, 2, 4]


@given(ROWS, ROWS, st.integers(1, 4))
def test_agrees_with_counting_every_table(before, after, dimension):
    found = ta.ContingencyTables(dimension=dimension).measure(of(before), of(after))
    tables = [t for d in range(1, dimension + 1) for t in combinations(range(3), d)]
    gaps, shares = zip(*(_slow(before, after, table) for table in tables), strict=True)
    assert found.figures["ctbil"] == pytest.approx(sum(gaps))
    assert found.value == pytest.approx(np.mean(shares))


def _slow(before, after, places) -> tuple[float, float]:
    ours, theirs = (
        Counter(tuple(row[p] for p in places) for row in rows) for rows in (before, after)
    )
    cells = ours.keys() | theirs.keys()
    scale = len(before) / len(after)
    gap = sum(abs(ours[cell] - theirs[cell]) for cell in cells)
    return gap, sum(abs(ours[c] - scale * theirs[c]) for c in cells) / (2 * len(before))


def test_swapping_keeps_margins_and_breaks_pairs():
    before = of([("x", "u"), ("y", "v")])
    after = of([("x", "v"), ("y", "u")])
    found = ta.ContingencyTables().measure(*ta.pair(before, after, "position"))
    assert found.parts == {"a": 0, "b": 0}
    assert found.figures["loss_of_dimension_2"] == 1


def test_generalizing_moves_records_but_not_once_the_original_is_generalized_alike(toy):
    coarse = toy.apply(ta.Generalize("region", level=1), seed=0)
    coarse = coarse.apply(ta.Generalize("age", level=1), seed=0)
    found = ta.ContingencyTables(["region", "age", "disease"]).measure(toy, coarse)
    assert found.parts["region"] > 0.9
    assert found.parts["age"] > 0.9
    assert found.parts["disease"] == 0
    assert found.figures["recoded_alike"] == 0


def test_what_was_suppressed_stays_lost_when_recoded_alike():
    data = of([("x",), ("x",), ("x",), ("y",), ("z",)])
    released = pa.array(["xy", None, "xy", "xy", "z"])
    found = ta.ContingencyTables().measure(data, data.with_column(data.attribute("a"), released))
    assert found.value == pytest.approx(4 / 5)
    assert found.figures["recoded_alike"] == pytest.approx(1 / 5)


def test_without_known_pairs_nothing_is_recoded_alike():
    found = ta.ContingencyTables().measure(of([("x", "u")] * 2), of([("x", "u")]))
    assert found.value == 0
    assert found.figures["recoded_alike"] is None


def test_of_many_attributes_only_the_first_are_crossed():
    data = ta.read(pa.table({f"x{place}": ["a", "b"] for place in range(25)}))
    dimensions = ta.ContingencyTables(dimension=3).measure(data, data).details["dimension"]
    assert Counter(dimensions.to_pylist()) == {1: 25, 2: 190, 3: 165}
