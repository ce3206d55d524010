"""Policies that answer: paid before they do, also when they fail, and known after a restart."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from tacita.errors import LedgerError, ParameterError
from tacita.method import ANY_KIND, Method
from tacita.queries.answer import Released
from tacita.queries.answering import true_value
from tacita.queries.guard import Guard
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.policies.audit import Audit
from tacita.queries.policies.record_set_noise import RecordSetNoise
from tacita.queries.statistic import Statistic

KEY = b"k" * 32
TOTAL = "SELECT sum(salary) FROM salaries"


class RoundedSums(Method):
    """Sums to the next hundred thousand, one coin a number."""

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = "none: it is for these tests"
    missing: ClassVar = "They add nothing."

    coins: int

    def watch(self, data: object) -> Purse:
        return Purse(self.coins)


class Purse:
    guarantee = "Sums are rounded."
    simulatable = True

    def __init__(self, coins: int) -> None:
        self.coins = coins

    def covers(self, cell) -> bool:
        return cell.asked.statistic is Statistic.SUM

    def allows(self, cell) -> bool:
        return True

    def learn(self, cell) -> None:
        pass

    def move(self, update) -> None:
        pass

    def debit(self, cells: Sequence[Any], user: str) -> Mapping[str, Any] | None:
        if len(cells) > self.coins:
            return None
        self.coins -= len(cells)
        return {"coins": len(cells)}

    def charge(self, cost: Mapping[str, Any], user: str) -> None:
        self.coins -= cost["coins"]

    def release(self, cells) -> list[Released]:
        return [self.rounded(true_value(cell)) for cell in cells]

    def rounded(self, value: float) -> Released:
        near = round(value, -5)
        return Released(near, near - 50000, near + 50000, "rounded_sums")

    def explain(self, cells, user: str) -> dict[str, Any]:
        return {"coins": len(cells)}

    def left(self, user: str) -> dict[str, float]:
        return {"coins": self.coins}


def opened(salaries, ledger=None, coins: int = 3) -> Guard:
    audit = Audit(statistics=[Statistic.COUNT])
    return Guard(salaries, [RoundedSums(coins), audit], ledger=ledger)


def test_each_policy_answers_what_it_covers(salaries) -> None:
    guard = opened(salaries)
    answer = guard.ask("SELECT sum(salary), count(*) FROM salaries", user="ana")
    assert answer.rows == ((1900000, 15),)
    assert answer.intervals == (((1850000, 1950000), None),)
    assert (answer.cost, answer.left) == ({"rounded_sums": {"coins": 1}}, {"coins": 2})
    assert set(answer.guarantees) == {"rounded_sums", "audit"}
    assert "1900000 [1,850,000, 1,950,000]" in repr(answer)


def test_a_query_is_paid_whole_or_refused_whole(salaries) -> None:
    guard = opened(salaries)
    each = "SELECT sector, region, sum(salary) AS s FROM salaries GROUP BY sector, region"
    assert guard.ask(each, user="ana").is_refused
    assert guard.left("ana") == {"coins": 3}
    assert guard.ask("SELECT sector, sum(salary) FROM salaries GROUP BY sector", user="ana").cost


def test_it_is_paid_before_it_is_answered_and_when_it_fails(
    salaries, tmp_path, monkeypatch
) -> None:
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        guard = opened(salaries, ledger)

        def broken(self, cells):
            raise RuntimeError("no noise today")

        monkeypatch.setattr(Purse, "release", broken)
        with pytest.raises(RuntimeError, match="no noise"):
            guard.ask(TOTAL, user="ana")
        kinds = [one.kind for one in ledger.entries()]
        assert kinds[1:] == ["debit", "failure"]
        assert guard.left("ana") == {"coins": 2}


def test_a_policy_is_named_once(salaries) -> None:
    with pytest.raises(ParameterError, match="`rounded_sums` is named twice"):
        Guard(salaries, [RoundedSums(1), RoundedSums(2)])


def test_what_was_paid_is_paid_after_a_restart(salaries, tmp_path) -> None:
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        opened(salaries, ledger).ask(TOTAL, user="ana")
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        guard = opened(salaries, ledger)
        guard.replay(one for one in ledger.entries() if one.kind in ("debit", "answer"))
        assert guard.left("ana") == {"coins": 2}
        told = [json.loads(one.payload) for one in ledger.entries() if one.kind == "debit"]
        assert told[0]["costs"] == {"rounded_sums": {"coins": 1}}


def test_one_coin_answers_one_of_many_at_once(salaries) -> None:
    guard = opened(salaries, coins=1)
    with ThreadPoolExecutor(20) as pool:
        found = list(pool.map(lambda i: guard.ask(TOTAL, user=f"u{i}").is_refused, range(20)))
    assert sorted(found) == [False] + [True] * 19


def test_explaining_costs_nothing(salaries) -> None:
    guard = opened(salaries)
    assert guard.explain(TOTAL, user="ana") == {"rounded_sums": {"coins": 1}}
    told = guard.ask(f"explain privacy {TOTAL}", user="ana")
    assert told.rows == (("rounded_sums", "coins", 1),)
    assert guard.left("ana") == {"coins": 3}


def test_session_tells_the_noise(salaries) -> None:
    guard = opened(salaries)
    guard.ask(TOTAL, user="ana")
    assert guard.session()["mean_relative_noise"] == pytest.approx(16000 / 1916000)
    assert guard.session()["mean_relative_width"] is None


def test_of_policies_that_answer_the_guarantee_is_told_of_the_one_that_did(salaries) -> None:
    noise = RecordSetNoise(2.0)
    guard = Guard(salaries, [RoundedSums(3), noise, Audit(statistics=[Statistic.COUNT])])
    assert set(guard.ask(TOTAL, user="ana").guarantees) == {"rounded_sums"}
    counted = guard.ask("SELECT count(*) FROM salaries", user="ana")
    assert set(counted.guarantees) == {"record_set_noise", "audit"}


def test_a_debit_has_its_place_before_anybody_else_decides(salaries, tmp_path) -> None:
    """Else the next answer could rest on what the first one bought, and be durable before it."""
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        guard = opened(salaries, ledger)
        guard._lock = Meanwhile(guard._lock, lambda: guard.ask(TOTAL, user="ben"))
        guard.ask(TOTAL, user="ana")
        debits = [one.content["user"] for one in ledger.entries() if one.kind == "debit"]
        assert debits == ["ana", "ben"]


class Meanwhile:
    """A lock that lets something happen when it is first free again."""

    def __init__(self, lock: Any, then: Callable[[], object]) -> None:
        self.lock, self.then = lock, [then]

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(self, *error: object) -> None:
        self.lock.release()
        if self.then:
            self.then.pop()()


def test_what_explaining_rests_on_is_durable(salaries, tmp_path) -> None:
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        guard = opened(salaries, ledger)
        guard.ask(TOTAL, user="ana")
        lost: Future[Any] = Future()
        lost.set_exception(LedgerError("The disk is full."))
        guard._paid = replace(guard._paid, durable=lost)
        with pytest.raises(LedgerError, match="disk is full"):
            guard.explain(TOTAL, user="ana")
        assert guard.is_closed
