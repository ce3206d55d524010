from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.risk.distance_linkage import DistanceLinkage
from tacita.microdata.risk.rank_linkage import RankLinkage


def keyed(matrix: np.ndarray) -> ta.Microdata:
    names = [f"x{j}" for j in range(matrix.shape[1])]
    table = pa.table({name: matrix[:, j] for j, name in enumerate(names)})
    return ta.read(table, roles=dict.fromkeys(names, "key"))


def swapped(column: np.ndarray, percent: float, rng: np.random.Generator) -> np.ndarray:
    """Swap every value with one at most so many per cent of the ranks away."""
    order, reach = np.argsort(column, kind="stable"), int(percent * len(column) / 100)
    out, left = column.copy(), list(range(len(column)))
    while len(left) > 1:
        rank = left.pop(0)
        near = [other for other in left if other - rank <= reach]
        if near:
            other = int(rng.choice(near))
            left.remove(other)
            out[order[rank]], out[order[other]] = column[order[other]], column[order[rank]]
    return out


def rank_swapped(matrix: np.ndarray, percent: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack([swapped(column, percent, rng) for column in matrix.T])


@pytest.mark.parametrize("percent", [2, 5, 10])
def test_rank_swapped_records_are_found_by_ranks_more_than_by_distance(percent):
    matrix = np.random.default_rng(0).lognormal(sigma=1.5, size=(400, 4))
    data, safe = keyed(matrix), keyed(rank_swapped(matrix, percent, 1))
    by_value = DistanceLinkage().measure(*ta.pair(data, safe, "position")).value
    by_rank = RankLinkage().measure(*ta.pair(data, safe, "position")).value
    knowing = RankLinkage(swap_range=percent).measure(*ta.pair(data, safe, "position"))
    assert by_rank > by_value
    assert knowing.value > by_value
    assert knowing.figures["owner_among_guesses"] == 400


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0, 5, 12.5, 100]))
def test_candidates_are_those_within_the_ranks_of_every_value(seed, percent):
    rng = np.random.default_rng(seed)
    known, released = rng.integers(0, 12, (2, 40, 2)).astype(float)
    found = RankLinkage(swap_range=percent).measure(
        *ta.pair(keyed(known), keyed(released), "position")
    )
    fits = np.ones((40, 40), np.bool_)
    for j in range(2):
        values, reach = np.sort(known[:, j]), int(percent * 40 / 100)
        for i, value in enumerate(released[:, j]):
            first = int((released[:, j] < value).sum())
            last = int((released[:, j] <= value).sum()) - 1
            within = values[max(first - reach, 0) : last + reach + 1]
            fits[i] &= np.isin(known[:, j], within)
    assert found.details["candidates"].to_pylist() == fits.sum(axis=1).tolist()
    right = [Fraction(int(row[i]), max(int(row.sum()), 1)) for i, row in enumerate(fits)]
    assert found.value == sum(right) / 40


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_unmasked_data_are_linked_one_in_the_class(values):
    data = keyed(np.array(values, float)[:, None])
    expected = sum(Fraction(1, Counter(values)[v]) for v in values) / len(values)
    assert RankLinkage().measure(data, data).value == expected
    assert RankLinkage(swap_range=0).measure(data, data).value == expected


def test_ranks_do_not_see_a_monotone_transformation():
    matrix = np.random.default_rng(0).normal(size=(50, 2))
    data, bent = keyed(matrix), keyed(np.exp(matrix) * 1000)
    assert RankLinkage().measure(*ta.pair(data, bent, "position")).value == 1
    assert RankLinkage(swap_range=0).measure(*ta.pair(data, bent, "position")).value == 1
    assert DistanceLinkage().measure(*ta.pair(data, bent, "position")).value < 1


def test_a_sample_has_its_ranks_stretched():
    data = keyed(np.arange(40, dtype=float)[:, None])
    half = data.take(np.arange(0, 40, 2))
    found = RankLinkage(swap_range=0).measure(data, half)
    assert found.details["candidates"].to_pylist() == [2] * 20
    assert found.value == Fraction(1, 2)


def test_blanks_tell_nothing():
    data = keyed(np.array([[1.0], [2.0], [3.0]]))
    gone = data.with_column(data.attribute("x0"), pa.array([1.0, None, 3.0]))
    found = RankLinkage(swap_range=0).measure(data, gone)
    assert found.per_record[1] == pytest.approx(1 / 3)
    nothing = data.with_column(data.attribute("x0"), pa.array([None] * 3, pa.float64()))
    for method in (RankLinkage(), RankLinkage(swap_range=50)):
        assert method.measure(data, nothing).value == Fraction(1, 3)
        assert method.measure(nothing, data).value is not None


def test_dates_and_ordered_categories_have_ranks():
    toy = ta.example("toy", 60)
    found = RankLinkage().measure(toy, toy)
    assert "age, education, born" in found.sentence
    with pytest.raises(InputError, match=r"no such attribute \(continuous, ordinal, date\)"):
        RankLinkage().measure(*[ta.read(pa.table({"c": ["a"]}), roles={"c": "key"})] * 2)
    with pytest.raises(ParameterError, match="swap_range"):
        RankLinkage(swap_range=101)
