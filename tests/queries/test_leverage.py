"""Who an answer is about, and what policies make of it."""

# ruff: noqa: S608 - the texts are the tests' own

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.guard import Guard
from tacita.queries.leverage import contributing, contributors, largest_share
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked, Statistic

ROLES = {"kids": "key", "town": "key", "income": "confidential", "rent": "confidential"}


def classes_of(kids, incomes, rents=None, weights=None) -> PublicClasses:
    columns = {
        "kids": pa.array(kids, pa.int64()),
        "town": [f"town {n % 3}" for n in range(len(kids))],
        "income": pa.array(incomes, pa.float64()),
        "rent": pa.array(incomes if rents is None else rents, pa.float64()),
        "weight": np.ones(len(kids)) if weights is None else weights,
    }
    return PublicClasses.of(ta.read(pa.table(columns), roles=ROLES | {"weight": "weight"}), "t")


def cell(data: PublicClasses, statistic: str, *names: str, **more) -> Cell:
    everybody = QuerySet(data, places=np.arange(len(data)))
    return Cell(Asked(Statistic(statistic), *names, **more), everybody)


def answered(guard: Guard, asked: str, where: str = "1 = 1") -> bool:
    return not guard.ask(f"SELECT {asked} FROM t WHERE {where}", user="ana").is_refused


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 9)), min_size=2, max_size=9))
@settings(max_examples=60)
def test_the_share_is_what_a_value_moves_the_slope_by(people):
    """The slope is linear in the values: adding 1 to one of them moves it by its coefficient."""
    kids, incomes = zip(*people, strict=True)
    data = classes_of(kids, incomes)
    z, x = data.numbers("kids"), data.numbers("income")
    share = largest_share(cell(data, "regr_slope", "income", "kids"))
    if np.ptp(z) == 0:
        assert share == 0
        return

    def slope(values):
        return np.polyfit(z, values, 1)[0]

    moved = np.array([slope(x + one) for one in np.eye(len(z))]) - slope(x)
    assert float(share) == pytest.approx(np.abs(moved).max() / np.abs(moved).sum())
    assert share == largest_share(cell(data, "covar", "kids", "income"))


def test_sums_and_counts_rest_on_all_alike():
    data = classes_of([1, 2, 3, 4], [5, 6, None, 8])
    assert largest_share(cell(data, "sum", "income")) == Fraction(1, 3)
    assert largest_share(cell(data, "count")) == Fraction(1, 4)
    assert contributing(cell(data, "avg", "income")) == len(
        contributors(cell(data, "avg", "income"))
    )


def test_a_weighted_sum_rests_on_who_weighs_most():
    data = classes_of([1, 2, 3, 4], [5, 6, 7, 8], weights=[1.0, 1.0, 1.0, 97.0])
    assert largest_share(cell(data, "sum", "income", weighted=True)) == Fraction(97, 100)
    guard = Guard(data, [ta.QuerySetSize(2)])
    assert answered(guard, "sum(income)")
    assert not answered(guard, "weighted_sum(income)")


def test_a_pair_needs_both_values():
    data = classes_of([None, 2, 3, 4], [5, None, 7, 8], [1, 2, None, 3])
    assert contributing(cell(data, "covar", "income", "kids")) == 2
    assert contributing(cell(data, "covar", "income", "rent")) == 2


class TestSizeControl:
    def test_records_without_a_value_do_not_count(self):
        data = classes_of(range(9), [52000, None, None, *range(6)])
        guard = Guard(data, [ta.QuerySetSize(3)])
        assert answered(guard, "count(*)", "kids < 3")
        for asked in ("sum(income)", "avg(income)", "count(income)"):
            assert not answered(guard, asked, "kids < 3")
            assert answered(guard, asked, "kids BETWEEN 1 AND 5")

    def test_everybody_with_a_value_may_be_too_few(self):
        data = classes_of(range(9), [52000, 47000, *[None] * 7])
        guard = Guard(data, [ta.QuerySetSize(3)])
        assert answered(guard, "count(*)")
        assert not answered(guard, "sum(income)")
        assert not answered(guard, "sum(income)", "kids < 5")

    @pytest.mark.parametrize("asked", ["max(income)", "min(income)", "median(income)"])
    def test_values_of_single_records_are_refused(self, asked):
        guard = Guard(classes_of(range(20), range(20)), [ta.QuerySetSize(3)])
        assert not answered(guard, asked)
        assert answered(guard, asked.replace("income", "kids"))

    def test_slopes_are_answered_unless_one_record_carries_them(self):
        even = classes_of([0, 1, 2, 3] * 5, range(20))
        guard = Guard(even, [ta.QuerySetSize(3)])
        for asked in ("regr_slope(income, kids)", "covar_pop(kids, income)", "corr(income, kids)"):
            assert answered(guard, asked)
        one = Guard(classes_of([0] * 19 + [12], range(20)), [ta.QuerySetSize(3)])
        for asked in ("regr_slope(income, kids)", "covar_pop(kids, income)", "corr(income, kids)"):
            assert not answered(one, asked)
        assert answered(one, "covar_pop(income, rent)")


class TestOverlapControl:
    @pytest.mark.parametrize(
        "asked",
        ["regr_slope(income, kids)", "max(income)", "median(income)", "var_pop(income)",
         "weighted_sum(income)", "covar_pop(income, rent)"],
    )  # fmt: skip
    def test_what_the_theorem_does_not_cover_is_refused(self, asked):
        guard = Guard(classes_of(range(60), range(60)), [ta.QuerySetOverlap(50, 1)])
        assert not answered(guard, asked)
        for answerable in ("sum(income)", "avg(income)", "count(*)", "max(kids)"):
            assert answered(guard, answerable)

    def test_records_without_a_value_do_not_count(self):
        guard = Guard(
            classes_of(range(9), [52000, None, None, *range(6)]), [ta.QuerySetOverlap(3, 1)]
        )
        assert not answered(guard, "sum(income)", "kids < 3")
        assert answered(guard, "sum(income)", "kids BETWEEN 3 AND 6")


@pytest.mark.parametrize(
    "policy",
    [
        ta.RandomSample(0.9),
        ta.RecordSetNoise(2.0),
        ta.CellKeyNoise(5, variance=3, magnitudes=(0.3,)),
        ta.RoundedAnswers(5, values={"income": 10}),
    ],
    ids=lambda policy: policy.name,
)
def test_beside_noise_nothing_confidential_is_exact(policy):
    guard = Guard(classes_of([0, 1, 2, 3] * 10, range(40)), [ta.QuerySetSize(3), policy])
    for asked in ("regr_slope(income, kids)", "covar_pop(income, rent)"):
        assert not answered(guard, asked)
    assert answered(guard, "count(*)")
    assert answered(guard, "sum(income)")
