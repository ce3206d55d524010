"""With next to no noise private answers are the exact ones of the clamped values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from tacita.mechanisms.private.mechanisms import MECHANISMS
from tacita.queries.answering import true_value
from tacita.queries.private.contributions import ONE_EACH
from tacita.queries.private.measuring import Measuring
from tacita.queries.private.parts import Neighbours
from tacita.queries.public_classes import PublicClasses

BOUNDS = {"pay": (-10.0, 1000.0), "debt": (-10.0, 10.0)}
PLENTY = Fraction(10**20)  # a loss that buys answers without noise
EXACT = (
    "SELECT count(*), count(pay), sum(pay), sum(debt) FROM firms",
    "SELECT sector, region, count(*), sum(pay) FROM firms GROUP BY CUBE(sector, region)",
    "SELECT region, count(*), sum(pay) FROM firms WHERE debt > 2 GROUP BY region",
)
CLOSE = (
    "SELECT avg(pay), var_pop(pay), var_samp(debt), stddev(pay) FROM firms",
    "SELECT corr(pay, debt), covar_pop(pay, debt), covar_samp(pay, debt) FROM firms",
    "SELECT regr_slope(pay, debt), regr_slope(debt, pay) FROM firms",
    "SELECT region, avg(pay), stddev_pop(debt) FROM firms GROUP BY ROLLUP(region)",
)


def measuring(measure: str, bounds=BOUNDS, steps=2020) -> Measuring:
    return Measuring(
        bounds, MECHANISMS[measure], Neighbours.CHANGE_ONE, ONE_EACH, steps, "private_answers"
    )


@pytest.mark.parametrize("measure", MECHANISMS)
@pytest.mark.parametrize("question", EXACT)
def test_counts_and_sums(firms, asked, measure, question):
    cells = asked(question, firms)
    found = [one.value for one in measuring(measure).released(cells, PLENTY)]
    assert found == [true_value(cell) or 0 for cell in cells]


@pytest.mark.parametrize("measure", MECHANISMS)
@pytest.mark.parametrize("question", CLOSE)
def test_statistics_of_moments(firms, asked, measure, question):
    cells = asked(question, firms)
    found = [one.value for one in measuring(measure).released(cells, PLENTY)]
    assert found == pytest.approx([true_value(cell) for cell in cells], rel=1e-3)


@pytest.mark.parametrize("measure", MECHANISMS)
def test_quantiles_are_of_the_candidates_next_to_the_exact_one(firms, asked, measure):
    cells = asked("SELECT median(pay), quantile_cont(pay, 0.25) FROM firms", firms)
    median, quarter = (one.value for one in measuring(measure).released(cells, PLENTY))
    assert median == 32.5
    assert 15 <= quarter <= 28


def test_grouped_medians(firms, asked):
    cells = asked("SELECT region, median(debt) FROM firms GROUP BY region", firms)
    found = [one.value for one in measuring("epsilon", steps=20).released(cells, PLENTY)]
    assert 2 <= found[0] <= 4
    assert 3 <= found[1] <= 6


def test_values_are_clamped(firms, asked):
    cells = asked("SELECT sum(pay), avg(pay) FROM firms", firms)
    total, mean = measuring("epsilon", {"pay": (0.0, 60.0)}).released(cells, PLENTY)
    assert total.value == 230.5
    assert mean.value == pytest.approx(230.5 / 7, abs=1e-4)


def test_intervals_stay_within_what_a_statistic_can_be(firms, asked):
    cells = asked("SELECT avg(pay), corr(pay, debt), var_pop(debt) FROM firms", firms)
    for _ in range(20):
        mean, correlation, variance = measuring("epsilon").released(cells, Fraction(1, 10))
        assert -10 <= mean.lower <= mean.value <= mean.upper <= 1000
        assert -1 <= correlation.lower <= correlation.value <= correlation.upper <= 1
        assert 0 <= variance.lower <= variance.value
        assert mean.by == "private_answers"


def test_errors_are_told_beforehand(firms, asked):
    cells = asked("SELECT count(*), sum(pay), median(pay), avg(debt) FROM firms", firms)
    told = measuring("epsilon").errors(cells, Fraction(5))  # five parts, one each
    assert told["error of count(*)"] == pytest.approx(3.496, abs=1e-3)  # log 20, and half a unit
    assert told["error of sum(pay)"] == pytest.approx(1010 * 2.9957, rel=1e-3)
    assert told["error of avg(debt), its count"] == told["error of count(*)"]
    assert told["error of avg(debt), its sum of debt"] == pytest.approx(20 * 2.9957, rel=1e-3)
    assert told["error of quantile(pay, 0.5), in ranks"] == pytest.approx(
        42.4, abs=0.1
    )  # of half its cost


@pytest.mark.parametrize(("measure", "cost"), [("epsilon", Fraction(1, 2)), ("rho", Fraction(5))])
def test_intervals_hold_the_truth_as_often_as_they_say(chance, toy, asked, measure, cost):
    """Of 100 intervals 95, or 93 where they are approximate."""
    data = PublicClasses.of(toy, "toy")
    bounds = {"income": (0.0, 200_000.0), "age": (0.0, 120.0)}
    cells = asked(
        "SELECT region, count(*), avg(income), stddev(income), corr(income, age) FROM toy "
        "WHERE region IS NOT NULL GROUP BY ROLLUP(region)",
        data,
    )
    true, many = [true_value(cell) for cell in cells], 60
    held = np.zeros(len(cells))
    for _ in range(many):
        found = measuring(measure, bounds).released(cells, cost)
        held += [one.lower <= value <= one.upper for one, value in zip(found, true, strict=True)]
    assert all(chance.allows_up_to(stats.binom(many, 0.07), many - one) for one in held)
