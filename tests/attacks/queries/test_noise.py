"""Attacks on noise: each finds what it is made to find, and fails where it must."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np
import pytest

import tacita as ta
from tacita.attacks.queries.averaging import Averaging
from tacita.attacks.queries.budget_race import BudgetRace
from tacita.attacks.queries.floating_point import FloatingPoint
from tacita.attacks.queries.intruding.chance import random_sets, small_sets
from tacita.attacks.queries.intruding.intruder import Intruder
from tacita.attacks.queries.linear_reconstruction import LinearReconstruction
from tacita.attacks.queries.noise_exploitation import NoiseExploitation
from tacita.attacks.queries.query_membership import QueryMembership
from tacita.queries.guard import Guard
from tacita.queries.policies.cell_key_noise import CellKeyNoise
from tacita.queries.policies.random_sample import RandomSample
from tacita.queries.policies.record_set_noise import RecordSetNoise
from tacita.queries.policies.rounded_answers import RoundedAnswers

KEYED = {"key_from": "TACITA_TEST_NOISE"}


@pytest.fixture(autouse=True)
def secret(monkeypatch) -> None:
    monkeypatch.setenv("TACITA_TEST_NOISE", "correct horse battery staple")


@pytest.fixture
def truths(salaries, victim) -> np.ndarray:
    """The sums over the classes of the register."""
    names = [salaries.columns[name].of_classes().to_pylist() for name in victim.register.names]
    totals = salaries.totals("salary").sums.tolist()
    of_class = dict(zip(zip(*names, strict=True), totals, strict=True))
    return np.array([of_class[one] for one in victim.register.classes], float)


class Noisy:
    """A database that draws noise anew for every answer."""

    def __init__(self, guard, scale: float, seed: int = 5) -> None:
        self._guard, self._scale = guard, scale
        self._rng = np.random.default_rng(seed)

    def ask(self, sql, *, user):
        told = self._guard.ask(sql, user=user)
        value = float(told.rows[0][0]) + self._rng.laplace(0, self._scale)
        return replace(told, rows=((value,),))


def test_random_sets_mean_what_they_choose(guard, victim):
    """The text of a set chooses the records that its mask says, and sets determine classes."""
    database = guard(ta.Unprotected())
    sets = [
        *islice(random_sets(victim.register, 0), 60),
        *islice(small_sets(victim.register, 0, 3), 9),
    ]
    intruder = Intruder(database, victim)
    for one in sets:
        assert intruder.ask("count(*)", one.text) == victim.register.size(one)
    assert np.linalg.matrix_rank(np.array([one.holds for one in sets[:30]], float)) == 6


@pytest.mark.parametrize("repeats", [1, 3])
def test_fresh_noise_is_averaged_away(guard, victim, repeats):
    noisy = Noisy(guard(ta.Unprotected()), 15_000)
    outcome = Averaging(31, repeats=repeats, within=0.3).attack(noisy, victim)
    assert outcome.right
    assert outcome.asked == 38 * repeats  # as many different sets were drawn
    assert outcome.upper - outcome.lower < 80_000


def test_repeating_gains_nothing_where_noise_belongs_to_records(guard, victim):
    database = guard(RecordSetNoise(1, **KEYED))
    one, many = (Averaging(5, repeats=n, within=1e9).attack(database, victim) for n in (1, 20))
    assert (one.lower, one.upper) == pytest.approx((many.lower, many.upper))
    assert not Averaging(5, repeats=20).attack(database, victim).succeeded


def test_rounding_to_small_bases_is_averaged_away(guard, victim):
    policy = RoundedAnswers(5, values={"salary": 5000}, **KEYED)
    assert Averaging().attack(guard(policy), victim).succeeded


@pytest.mark.parametrize("by", ["least_squares", "linear_program"])
def test_reconstruction_recovers_everybody_behind_little_noise(guard, victim, truths, by):
    noisy = Noisy(guard(ta.Unprotected()), 2000)
    outcome = LinearReconstruction(63, by=by).attack(noisy, victim, truths)
    assert outcome.right
    assert outcome.findings == ("100 % of the classes are recovered within 10 %",)
    much = Noisy(guard(ta.Unprotected()), 400_000)
    assert not LinearReconstruction(63, by=by).attack(much, victim, truths).succeeded


def test_reconstruction_is_exact_without_noise_and_silent_without_answers(guard, victim, truths):
    found = LinearReconstruction(60).reconstructed(Intruder(guard(ta.Unprotected()), victim))
    assert np.allclose(found.sums, truths)
    assert np.allclose(found.errors, 0)
    assert found.recovered(truths * 1.3, 0.1) == 0
    nothing = LinearReconstruction(60).reconstructed(Intruder(guard(ta.QuerySetSize(15)), victim))
    assert not np.isfinite(nothing.errors).any()


def test_membership_is_told_by_equal_noise_and_hidden_by_large_fresh_noise(guard, victim):
    known = replace(victim, known={"sector": "Fin", "region": "TGN"})
    register = replace(
        victim.register,
        classes=tuple(one for one in victim.register.classes if one != ("IT", "TGN")),
        sizes=victim.register.sizes[[one != ("IT", "TGN") for one in victim.register.classes]],
    )
    target = replace(known, register=register)
    data = guard(ta.Unprotected()).data
    for policy in (ta.Unprotected(), CellKeyNoise(5, variance=3, **KEYED)):
        assert not QueryMembership().attack(Guard(data, [policy]), victim).succeeded
        outcome = QueryMembership(20).attack(WithoutIT(Guard(data, [policy])), target)
        assert outcome.findings == ("the counts tell that the victim is in the data",)
    noisy = WithoutIT(Noisy(guard(ta.Unprotected()), 10))
    assert not QueryMembership(20).attack(noisy, target).succeeded


class WithoutIT:
    """The database without anybody of IT in TGN."""

    def __init__(self, database) -> None:
        self._database = database

    def ask(self, sql, *, user):
        gone = " AND NOT (sector = 'IT' AND region = 'TGN')"
        head, _, where = sql.partition(" WHERE ")
        return self._database.ask(f"{head} WHERE ({where}){gone}", user=user)


@pytest.mark.parametrize(
    "policy",
    [
        RecordSetNoise(2, confidential_sets=True, **KEYED),
        RandomSample(0.9, confidential_sets=True, **KEYED),
    ],
    ids=lambda policy: policy.name,
)
def test_equal_noise_encloses_a_value(guard, victim, policy):
    """Why conditions on confidential attributes need permission."""
    attack = NoiseExploitation(100_000, precision=2000, votes=1)
    outcome = attack.attack(guard(policy), victim)
    assert outcome.right
    assert outcome.upper - outcome.lower < 2000
    closed = type(policy)(**{**policy.parameters(), "confidential_sets": False})
    refused = attack.attack(guard(closed), victim)
    assert not refused.succeeded
    assert refused.refused == refused.asked


def test_fresh_noise_tells_nothing_by_equality(guard, victim):
    noisy = Noisy(guard(ta.Unprotected()), 5)
    assert not NoiseExploitation(sets=1).attack(noisy, victim).succeeded


def test_doubles_with_noise_are_found_and_whole_numbers_are_not(guard, victim):
    outcome = FloatingPoint().attack(Noisy(guard(ta.Unprotected()), 1000), victim)
    assert outcome.succeeded
    assert "told to the last bit" in outcome.findings[0]
    for policy in (ta.Unprotected(), RecordSetNoise(2, **KEYED), RandomSample(0.9, **KEYED)):
        assert not FloatingPoint().attack(guard(policy), victim).succeeded


class Paying:
    """A database with a budget; `careless` looks at it, answers, and takes the cost afterwards."""

    def __init__(self, guard, budget: int, *, careless: bool, clients: int) -> None:
        self._guard, self._left, self._careless = guard, budget, careless
        self._lock, self._asked = threading.Lock(), 0
        self._together = threading.Barrier(clients)
        self._clients = clients

    def ask(self, sql, *, user):
        with self._lock:
            self._asked += 1
            racing = 2 < self._asked <= 2 + self._clients
            allowed = self._left > 0
            if not self._careless:
                self._left -= allowed
        told = self._guard.ask(sql, user=user)
        if self._careless:
            if racing:
                self._together.wait(120)  # all have looked before anybody pays
            with self._lock:
                self._left -= allowed
        value = told.rows[0][0] if allowed else None
        left = {"epsilon": float(self._left)}
        return replace(told, rows=((value,),), refused=((not allowed,),), left=left)


@pytest.mark.parametrize("careless", [True, False])
def test_a_budget_that_is_overspent_is_found(guard, victim, careless):
    attack = BudgetRace(8)
    database = Paying(guard(ta.Unprotected()), 4, careless=careless, clients=8)
    outcome = attack.attack(database, victim)
    assert outcome.succeeded == careless
    assert outcome.asked == 11
    if careless:
        assert outcome.findings == ("answers cost 8 of epsilon, of which 2 was left",)
    else:
        assert outcome.refused == 7


NAMES = [
    "averaging",
    "linear_reconstruction",
    "query_membership",
    "group_membership",
    "price_oracle",
    "noise_exploitation",
    "floating_point",
    "budget_race",
]


@pytest.mark.parametrize("name", NAMES)
def test_the_page_tells_what_comes_out(arena, agrees, name):
    (attack,) = [one for one in arena["ATTACKS"] if one.name == name]
    agrees(attack)


def test_reconstruction_recovers_all_classes_of_exact_answers_and_few_of_audited_ones(arena):
    data = arena["firms"]()
    shares = [
        arena["recovered"](partial(arena["guarded"], arena["POLICIES"][name]), data)
        for name in ("unprotected", "audit")
    ]
    assert shares[0] == "100 %"
    assert float(shares[1].split()[0]) < 20


def test_what_is_paid_for_may_be_another_answer_each_time(guard, victim):
    noisy = ta.PrivateAnswers(1.0, {"salary": (0, 500_000)}, share_each=0.05)
    assert not ta.EquivalentRewrites().attack(guard(noisy), victim).succeeded


def test_sums_with_noise_tell_nothing_of_others(guard, victim):
    """Seven lines of a plane always have a solution; with noise it is a wrong one."""
    outcome = ta.DeepDifferencing().attack(guard(RecordSetNoise(1, **KEYED)), victim)
    assert outcome.right is not True
    assert not outcome.succeeded
