"""Intervals of quantiles: right whatever the data are, as long as noise keeps to its margin."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tacita as ta
from tacita.mechanisms.private.mechanisms import MECHANISMS, Gaussian, Laplace, Sensitivity
from tacita.queries.guard import Guard
from tacita.queries.private import enclosing
from tacita.queries.private.enclosing import enclosed, margin
from tacita.queries.private.ranks import Rank, candidates_between
from tacita.queries.public_classes import PublicClasses

CANDIDATES = candidates_between((0.0, 100.0), 50)
fractions = st.sampled_from([0.5, 0.25, 0.9, 0.01, 0.333])
# Ties and values between two candidates and beyond the bounds.
values = st.lists(
    st.one_of(st.sampled_from([7.0, 50.0, 50.3]), st.floats(-20, 120)), min_size=1, max_size=60
)


class Wilful:
    """Noise that anybody chooses within its margin."""

    measure = Laplace.measure
    exceeding = Laplace().exceeding

    def __init__(self, draw, largest=None):
        self._draw, self._largest = draw, largest

    def scale(self, moved, cost):
        found = Laplace().scale(moved, cost)
        chance = 0.05 / 12  # of six halvings at both ends
        self._largest = margin(Laplace(), found, chance) - 1
        return found

    def noised(self, numbers, _):
        return [one + self._draw(-self._largest, self._largest) for one in numbers]


def within(monkeypatch, noise, fraction, values, cost) -> tuple[float, float]:
    monkeypatch.setitem(enclosing.MECHANISMS, Laplace.measure, noise)
    known = np.sort(np.array(values))
    moved = Sensitivity(1000, 1000.0)
    (found,) = enclosed(Rank("pay", fraction), [known], CANDIDATES, Laplace(), moved, cost)
    return found


@pytest.mark.numeric
@given(fraction=fractions, values=values, data=st.data())
def test_no_noise_within_the_margin_moves_an_end_past_the_quantile(fraction, values, data):
    with pytest.MonkeyPatch.context() as patch:
        noise = Wilful(lambda low, high: data.draw(st.integers(low, high)))
        low, high = within(patch, noise, fraction, values, Fraction(10**4))
    truth = np.quantile(np.clip(values, 0, 100), fraction)
    assert low <= truth <= high


@pytest.mark.numeric
@given(fraction=fractions, values=values)
def test_without_noise_the_ends_are_next_to_the_quantile(fraction, values):
    with pytest.MonkeyPatch.context() as patch:
        noise = Wilful(lambda low, high: 0)
        low, high = within(patch, noise, fraction, values, Fraction(10**9))
    known = np.sort(np.clip(values, 0, 100))
    at = (len(known) - 1) * Rank("pay", fraction).ratio
    below, above = known[at.__floor__()], known[at.__ceil__()]
    # A margin of one: two comparisons by whole numbers and a rounded fraction.
    spare = [one for one in CANDIDATES if low < one < below - 2]
    assert not spare or sum(known < spare[0]) >= sum(known < below) - 1
    assert low <= below
    assert high >= above


@pytest.mark.parametrize("mechanism", [Laplace(), Gaussian()])
@pytest.mark.parametrize("scale", [0.3, 2.0, 77.0])
def test_the_margin_is_the_least_that_is_seldom_enough(mechanism, scale):
    for chance in (0.05, 0.05 / 20):
        least = margin(mechanism, scale, chance)
        assert mechanism.exceeding(least, scale) <= chance
        assert least == 1 or mechanism.exceeding(least - 1, scale) > chance


@pytest.fixture(scope="module")
def tied() -> PublicClasses:
    """Half have the same value, between two candidates."""
    rng = np.random.default_rng(0)
    pay = np.append(np.full(2000, 41.03), rng.uniform(0, 100, 2000))
    table = pa.table({"sex": ["f", "m"] * 2000, "pay": pay})
    return PublicClasses.of(ta.read(table, roles={"sex": "key", "pay": "confidential"}), "people")


@pytest.mark.parametrize(
    "more", [{}, {"delta": 1e-6}, {"delta": 1e-4, "noise": "analytic_gaussian"}]
)
@pytest.mark.parametrize("fraction", [0.5, 0.1])
def test_intervals_hold_the_quantile_of_every_group(tied, chance, more, fraction):
    policy = ta.PrivateAnswers(
        5.0, {"pay": (0.0, 100.0)}, share_each=0.02, groups={"sex": ["f", "m"]}, **more
    )
    sql = f"SELECT sex, quantile_cont(pay, {fraction}) FROM people GROUP BY sex"  # noqa: S608
    truths = {
        sex: np.quantile(tied.numbers("pay")[tied.of_record == at], fraction)
        for at, sex in enumerate(tied.columns["sex"].of_classes().to_pylist())
    }
    missed = asked = 0
    for _ in range(4):
        guard = Guard(tied, [policy])
        for _ in range(25):
            answer = guard.ask(sql, user="ana")
            for (sex, value), (_, bounds) in zip(answer.rows, answer.intervals, strict=True):
                assert bounds[0] <= value <= bounds[1]
                missed += not bounds[0] <= truths[sex] <= bounds[1]
                asked += 1
    # Both ends of both groups together keep to it: at most so often.
    assert chance.allows(stats.binom(asked, 0.05), missed) or missed < 0.05 * asked


def test_the_cost_of_a_quantile_is_its_share_and_no_more(tied, monkeypatch):
    """What is chosen and all comparisons together spend what the query costs, and not more."""
    spent: list[Fraction] = []

    class Counting:
        def __init__(self, inner):
            self._inner = inner

        def __getattr__(self, name):
            return getattr(self._inner, name)

        def noised(self, numbers, scale):
            # Two groups: a respondent who changes moves both.
            spent.append(Fraction(2) / Fraction(scale))
            return self._inner.noised(numbers, scale)

    monkeypatch.setitem(
        enclosing.MECHANISMS, Laplace.measure, Counting(MECHANISMS[Laplace.measure])
    )
    policy = ta.PrivateAnswers(
        1.0, {"pay": (0.0, 100.0)}, share_each=0.5, groups={"sex": ["f", "m"]}
    )
    Guard(tied, [policy]).ask("SELECT sex, median(pay) FROM people GROUP BY sex", user="ana")
    assert len(spent) == 20
    assert Fraction(1, 4) * Fraction(99, 100) < sum(spent) <= Fraction(1, 4)
