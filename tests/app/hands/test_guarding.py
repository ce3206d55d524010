from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tacita.app.hands.guarding import closed, opened, tried
from tacita.app.hands.tasks import ask, attack_queries, guard_close, guard_open, guard_state
from tacita.app.hands.work import Memory, Work
from tacita.errors import InputError, PlanError

COUNT = "SELECT count(*) FROM toy"
ROLES = {"sex": "key", "age": "key", "income": "confidential"}


@pytest.fixture
def plan(tmp_path, monkeypatch) -> dict:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    rows = "".join(f"{'fm'[i % 2]},{20 + i % 5},{1000 * i}\n" for i in range(40))
    (tmp_path / "toy.csv").write_text("sex,age,income\n" + rows + "f,77,5555\n")
    said = {"view": "toy", "policies": [{"query_set_size": 3}], "ledger": "l.db"}
    return {"data": {"source": "toy.csv", "attributes": ROLES}, "queries": said}


@pytest.fixture
def work(tmp_path):
    memory = Memory()

    def made(plan: dict, **arguments) -> Work:
        text, file = yaml.safe_dump(plan), tmp_path / "plan.yaml"
        return Work(text, file, 1, {"plan": plan, **arguments}, lambda _: None, memory)

    yield made
    if memory.held.get("open guard"):
        memory.held["open guard"][1].close()


def test_a_guard_is_opened_once_and_again_only_for_something_else(work, plan, tmp_path):
    first = opened(work(plan))
    assert opened(work(plan)) is first
    other = {**plan, "queries": {**plan["queries"], "policies": [{"query_set_size": 4}]}}
    second = opened(work(other))
    assert second is not first
    assert first.is_closed
    # Data that nobody can follow are refused, and then nothing is open.
    Path(tmp_path / "toy.csv").write_text("sex,age,income\nf,1,2\n")
    with pytest.raises(Exception, match="not those that were answered from"):
        opened(work(other))
    assert second.is_closed
    assert not closed(work(other))


def test_the_history_outlives_the_guard(work, plan):
    audited = {**plan, "queries": {**plan["queries"], "policies": ["audit"]}}
    total = "SELECT sum(income) FROM toy"
    by_ana = {"user": "ana", "parameters": []}
    assert ask.run(work(audited, sql=total, **by_ana))["notice"] == ""
    assert closed(work(audited))
    rest = ask.run(work(audited, sql=f"{total} WHERE age <> 77", **by_ana))
    assert "does not allow" in rest["notice"]


def test_what_is_tried_touches_no_ledger(work, plan, tmp_path):
    assert tried(work(plan)).ask(COUNT, user="ana").value == 41
    assert not (tmp_path / "l.db").exists()
    assert not (tmp_path / "settings").exists()


def test_a_masked_copy_is_tried_as_it_is_guarded(work, plan):
    masked = {
        **plan,
        "microdata": {"steps": [{"top_code": {"attribute": "age", "above": 22}}]},
        "queries": {**plan["queries"], "input": "masked"},
    }
    ages = [tried(work(masked)), opened(work(masked))]
    assert [max(one.view["public"]["age"]["values"]) for one in ages] == [22, 22]
    answer = ask.run(work(masked, sql=COUNT, user="ana", parameters=[]))
    assert "masked data" in answer["guarantees"]["input"]


def test_no_database_is_said(work, plan):
    with pytest.raises(PlanError, match="guards no database"):
        opened(work({"data": plan["data"]}))


def test_attacks_find_the_only_one_of_a_kind(work, plan):
    asked = {"attribute": "income", "attacks": ["general_tracker", "padding"], "victims": 2}
    found = attack_queries.run(work(plan, seconds=60, **asked))
    assert found["victims"] == [{"sex": "f", "age": "77"}]
    tracker, padding = found["attacks"]
    assert tracker["succeeded"] == 1
    assert tracker["found"][0]["lower"] == 5555
    assert tracker["found"][0]["right"] is True
    assert (padding["succeeded"], padding["tried"]) == (0, 1)


def test_an_attack_that_takes_too_long_proves_nothing(work, plan):
    asked = {"attribute": "income", "attacks": ["averaging", "injection"], "victims": 1}
    found = attack_queries.run(work(plan, seconds=-1, **asked))
    for one in found["attacks"]:
        assert (one["tried"], one["succeeded"]) == (0, 0)
        assert "proves nothing" in one["unfit"][0]


def test_where_nobody_is_alone_there_is_no_target(work, plan, tmp_path):
    (tmp_path / "toy.csv").write_text("sex,age,income\n" + "f,1,2\n" * 9)
    asked = {"attribute": "income", "attacks": ["padding"], "victims": 1, "seconds": 9}
    with pytest.raises(InputError, match="no target"):
        attack_queries.run(work(plan, **asked))
    with pytest.raises(InputError, match="confidential number"):
        attack_queries.run(work(plan, **{**asked, "attribute": "age"}))


def test_what_was_asked_before_somebody_closed_it_does_not_open_it_again(work, plan):
    question = {"sql": COUNT, "user": "ana", "parameters": []}
    guard_open.run(work(plan))
    assert guard_close.run(work(plan)) == {"closed": True}
    for late in (lambda: ask.run(work(plan, **question)),
                 lambda: guard_state.run(work(plan, users=["ana"]))):  # fmt: skip
        with pytest.raises(InputError, match="is closed; open it first"):
            late()
    assert not closed(work(plan))
    guard_open.run(work(plan))
    assert ask.run(work(plan, **question))["rows"] == [[41]]
