from __future__ import annotations

from fractions import Fraction
from math import inf, nan, nextafter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import ProtectionError
from tacita.mechanisms.private.mechanisms import Gaussian
from tacita.microdata.synthesis.measuring_marginals.answers import (
    GRID,
    Answers,
    Ledger,
    adds_up,
)

SIZES = (2, 3)
records = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), max_size=12)
SETS = [(0,), (1,), (0, 1)]


@pytest.fixture
def seen(monkeypatch):
    """What is handed to the noise, and with which scale or cost."""
    heard = []

    def noised(_, numbers, scale):
        heard.append((list(numbers), scale))
        return list(numbers)

    def chosen(_, scores, sensitivity, cost):
        heard.append((list(scores), sensitivity, cost))
        return 0

    monkeypatch.setattr(Gaussian, "noised", noised)
    monkeypatch.setattr(Gaussian, "chosen", chosen)
    return heard


def answers(rows, budget=Fraction(10)):
    return Answers(np.array(rows, np.int64).reshape(-1, 2), SIZES, Ledger(budget))


def test_counts_are_exact_before_the_noise(seen):
    told = answers([(0, 1), (0, 1), (1, 2)]).measured((0, 1), Fraction(1, 2))
    assert told.counts.tolist() == [[0, 2, 0], [0, 0, 1]]
    (numbers, scale), *_ = seen
    assert numbers == [0, 2, 0, 0, 0, 1]
    assert 1 <= scale < 1 + 1e-8  # 1 / sqrt(2 rho)
    assert told.variances == pytest.approx(1)


def test_scores_are_what_the_model_misses_less_the_handicap(seen):
    expected = [np.array([1.5, 1.5]), np.array([0.0, 2.0, 1.0])]
    told = answers([(0, 1), (0, 1), (1, 2)])
    told.chosen([(0,), (1,)], expected, [0.25, 0.0], Fraction(1, 8))
    assert seen[0][0] == [GRID - GRID // 4, 0]


@settings(max_examples=50, deadline=None)
@given(records, st.tuples(st.integers(0, 1), st.integers(0, 2)), st.integers(0, 99))
def test_a_record_more_moves_answers_no_further_than_is_paid_for(rows, more, seed):
    """The numbers before the noise: L2 distance 1 of counts, one record of every score."""
    rng = np.random.default_rng(seed)
    expected = [rng.exponential(3, [SIZES[at] for at in one]) for one in SETS]
    found = []
    for data in (rows, [*rows, more]):
        asked = answers(data)
        counts = [asked._counts(one) for one in SETS]
        missed = [asked._missed(one, cells) for one, cells in zip(SETS, expected, strict=True)]
        found.append((counts, missed))
    (one, scores), (other, other_scores) = found
    for before, after in zip(one, other, strict=True):
        assert np.abs(after - before).sum() == 1
    assert all(abs(a - b) <= GRID for a, b in zip(scores, other_scores, strict=True))


def test_the_library_certifies_the_cost_of_a_choice_and_of_counts():
    from tacita.mechanisms.private.mechanisms import _noisy_max, opendp
    from tacita.microdata.synthesis.measuring_marginals.answers import ONE_RECORD, ONE_SCORE

    dp, cost = opendp(), Fraction(1, 100)
    scale = Gaussian().scale(ONE_SCORE, cost)
    assert _noisy_max(scale, Gaussian.measure).map(GRID) <= cost
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    counts = dp.m.make_gaussian(
        domain, dp.l2_distance(T="f64"), scale=Gaussian().scale(ONE_RECORD, cost)
    )
    assert counts.map(1.0) <= cost


def test_losses_add_up_exactly_and_nothing_beyond_the_budget_is_answered(seen):
    asked = answers([(0, 1)], Fraction(3, 10))
    for _ in range(3):
        asked.measured((0,), Fraction(1, 10))
    assert asked.ledger.left == 0
    with pytest.raises(ProtectionError, match="0 of the budget are left"):
        asked.measured((0,), Fraction(1, 10**30))
    assert len(seen) == 3


def test_regrouped_answers_are_paid_from_the_same_ledger(seen):
    asked = answers([(0, 0), (0, 1), (1, 2)])
    coarse = asked.regrouped([np.array([0, 0]), np.array([0, 1, 1])])
    assert coarse.sizes == (1, 2)
    assert coarse.measured((0, 1), Fraction(1)).counts.tolist() == [[1, 2]]
    assert asked.ledger.spent == 1
    assert asked.ledger.told(["a", "b"])["answers"][0]["measured"] == ["a", "b"]


# -- the account as evidence tells it --------------------------------------------------------------

WEIGHTS = st.lists(st.integers(1, 20), min_size=1, max_size=20)
BUDGETS = st.fractions(Fraction(1, 10**6), 100, max_denominator=10**6)


def account(budget: Fraction, weights: list[int], share: Fraction) -> dict[str, Any]:
    """Spend a share of a budget in parts of some weights, and tell of it."""
    ledger = Ledger(budget)
    for weight in weights:
        ledger.pay(budget * share * weight / sum(weights))
    return ledger.told(())


@given(BUDGETS, WEIGHTS, st.fractions(Fraction(1, 1000), 1))
def test_every_honest_account_adds_up(budget, weights, share):
    assert adds_up(account(budget, weights, share))


@given(BUDGETS, WEIGHTS, st.data())
def test_no_account_that_is_changed_beyond_its_rounding_adds_up(budget, weights, data):
    told = account(budget, weights, Fraction(9, 10))
    by = 1 + data.draw(st.sampled_from([1, -1])) * 2.0**-40
    at = data.draw(st.integers(0, len(weights)))
    if at == len(weights):
        told["spent"] *= by
    else:
        told["answers"][at]["rho"] *= by
    assert not adds_up(told)


def test_an_account_beyond_its_budget_or_without_numbers_does_not_add_up():
    told = account(Fraction(1, 3), [1, 2, 3], Fraction(1))
    assert adds_up(told)
    assert not adds_up({**told, "rho": nextafter(told["spent"], 0)})
    assert not adds_up({**told, "answers": [*told["answers"], {"rho": 0.0}]})
    assert not adds_up({**told, "answers": [{"rho": nan}]})
    assert not adds_up({**told, "answers": [{"rho": inf}], "spent": inf, "rho": inf})
    assert not adds_up({**told, "answers": []})
    assert adds_up({"rho": 1.0, "spent": 0.0, "answers": []})
