from __future__ import annotations

import itertools
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta

NUMBERS = st.lists(st.integers(-5, 5), min_size=1, max_size=40)


def numbers(values, weights=None) -> ta.Microdata:
    table = {"x": pa.array(np.asarray(values, float), from_pandas=True)}
    if weights is None:
        return ta.read(pa.table(table))
    return ta.read(pa.table({**table, "w": np.array(weights, float)}), roles={"w": "weight"})


def measured(before, after) -> float:
    return ta.KolmogorovSmirnov(["x"]).measure(before, after).value


def scipy_gap(before, after) -> float:
    from scipy.stats import ks_2samp

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the p-value, which is not asked for
        return float(ks_2samp(before, after).statistic)


@given(NUMBERS, NUMBERS)
def test_agrees_with_scipy(before, after):
    expected = scipy_gap(before, after)
    assert measured(numbers(before), numbers(after)) == pytest.approx(expected)
    assert measured(numbers(after), numbers(before[::-1])) == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), min_size=1), NUMBERS)
def test_weights_act_like_repeated_records(weighted, other):
    values, times = zip(*weighted, strict=True)
    repeated = numbers(np.repeat(values, times))
    assert measured(numbers(values, times), numbers(other)) == pytest.approx(
        measured(repeated, numbers(other))
    )


def test_agrees_with_scipy_on_a_noisy_file(tarragona):
    before, after = tarragona
    found = ta.KolmogorovSmirnov().measure(ta.read(before), ta.read(after))
    for name, gap in found.parts.items():
        assert gap == pytest.approx(scipy_gap(before[name], after[name]))
    assert found.figures["largest"] == max(found.parts.values())


def test_blanks_are_left_out():
    before, after = numbers([1, 2, 3, 4, np.nan]), numbers([np.nan, np.nan, 1, 2, 2])
    assert measured(before, after) == pytest.approx(0.5)


def test_ordinal_values_lie_in_their_order_and_dates_in_time():
    said = {"kinds": {"o": "ordinal"}, "orders": {"o": ["low", "mid", "high"]}}
    days = [pa.array(n, pa.int32()).cast(pa.date32()) for n in ([1, 2], [2, 3])]
    before = ta.read(pa.table({"o": ["low", "mid"], "d": days[0]}), **said)
    after = ta.read(pa.table({"o": ["high", "mid"], "d": days[1]}), **said)
    assert ta.KolmogorovSmirnov().measure(before, after).parts == {"o": 0.5, "d": 0.5}


def test_labels_that_have_no_place_in_the_order_are_left_out(toy):
    coarse = toy.apply(ta.Generalize("education", level=1), seed=0)
    assert ta.KolmogorovSmirnov(["education"]).measure(toy, coarse).value == 1


def pairs(rows) -> ta.Microdata:
    x, y = np.array(rows, float).reshape(-1, 2).T
    return ta.read(pa.table({"x": x, "y": y}))


def quadrant_gap(before, after) -> float:
    """Compare the shares of all four quadrants at every corner of original values."""
    ours, theirs = np.array(before), np.array(after)
    gaps = []
    for x, y in itertools.product(*np.array(before).T):
        for low_x, low_y in itertools.product((True, False), repeat=2):
            shares = [
                np.mean(((rows[:, 0] <= x) == low_x) & ((rows[:, 1] <= y) == low_y))
                for rows in (ours, theirs)
            ]
            gaps.append(abs(shares[0] - shares[1]))
    return max(gaps)


@given(st.data())
def test_pairs_are_compared_in_all_four_quadrants(data):
    point = st.tuples(st.integers(0, 4), st.integers(0, 4))
    before = data.draw(st.lists(point, min_size=1, max_size=12))
    known = [st.sampled_from([row[place] for row in before]) for place in (0, 1)]
    after = data.draw(st.lists(st.tuples(*known), min_size=1, max_size=12))
    found = ta.KolmogorovSmirnov(["x", "y"]).measure(pairs(before), pairs(after))
    assert found.figures["pairs_mean"] == pytest.approx(quadrant_gap(before, after))
    assert found.details.column("other").to_pylist() == ["y"]


def test_a_broken_dependence_shows_in_the_pair_alone():
    before, after = pairs([(0, 0), (1, 1)]), pairs([(0, 1), (1, 0)])
    found = ta.KolmogorovSmirnov(["x", "y"]).measure(before, after)
    assert found.value == 0
    assert found.figures["pairs_mean"] == 0.5
