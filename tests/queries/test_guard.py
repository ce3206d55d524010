"""The guard: decisions over all users, answers that are recorded first, histories taken up again."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, LedgerError, QueryError
from tacita.queries.guard import Guard
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.opening import Followed, Guarding
from tacita.queries.permitting import judged_cells
from tacita.queries.updating import updated
from tacita.queries.versions import Versions

KEY = b"k" * 32
EVERYBODY = "SELECT count(*) FROM salaries"
SECTORS = "SELECT sum(salary) FROM salaries WHERE sector = 'Fin'"
REGION = "SELECT sum(salary) FROM salaries WHERE sector = 'Fin' AND region = 'BCN'"


@pytest.fixture
def ledger(tmp_path):
    with open_ledger(tmp_path / "ledger.db", KEY) as opened:
        yield opened


def entries(ledger) -> list[tuple[str, dict]]:
    return [(one.kind, json.loads(one.payload)) for one in ledger.entries()]


def test_answer_names_its_entry_and_its_guarantee(salaries, ledger) -> None:
    answer = Guard(salaries, [ta.Audit()], ledger=ledger).ask(SECTORS, user="ana")
    kind, told = entries(ledger)[-1]
    assert (answer.value, kind, told["user"], told["refused"]) == (485000, "answer", "ana", 0)
    assert answer.head == str(ledger.head)
    by_chance = {"nonce", "commitment"}  # which may hold any digits
    assert "485000" not in json.dumps({k: v for k, v in told.items() if k not in by_chance})
    assert set(answer.guarantees) == {"audit"}
    said = json.dumps((answer.rows, answer.intervals)).encode()
    assert told["commitment"] == ledger.commitment(said, bytes.fromhex(told["nonce"]))


def test_refusals_and_misunderstandings_are_recorded(salaries, ledger) -> None:
    guard = Guard(salaries, [ta.Audit()], ledger=ledger)
    guard.ask(SECTORS, user="ana")
    assert guard.ask(REGION, user="ben").is_refused
    with pytest.raises(QueryError):
        guard.ask("SELECT * FROM salaries", user="eve")
    told = entries(ledger)
    assert [kind for kind, _ in told[1:]] == ["answer", "answer", "language"]
    assert told[2][1]["refused"] == 1
    assert told[3][1]["question"] == "SELECT * FROM salaries"


def test_a_query_without_groups_is_answered_with_no_rows(salaries, ledger) -> None:
    guard = Guard(salaries, [ta.Audit()], ledger=ledger)
    sql = "SELECT sector, count(*) FROM salaries WHERE sector = 'Law' GROUP BY sector"
    assert guard.ask(sql, user="ana").rows == ()
    assert entries(ledger)[-1][1]["cells"] == 0


def test_a_query_for_too_many_numbers_is_recorded(salaries, ledger, monkeypatch) -> None:
    monkeypatch.setattr("tacita.queries.expanding.MOST_CELLS", 2)
    guard = Guard(salaries, [ta.Audit()], ledger=ledger)
    with pytest.raises(QueryError, match="at most 2 numbers"):
        guard.ask("SELECT sector, count(*) FROM salaries GROUP BY sector", user="ana")
    assert entries(ledger)[-1][0] == "language"


def test_what_no_policy_covers_is_refused(salaries) -> None:
    guard = Guard(salaries, [ta.Audit(statistics=["count"])])
    assert guard.ask(SECTORS, user="ana").is_refused


def test_nothing_is_answered_once_the_ledger_fails(salaries, ledger, monkeypatch) -> None:
    guard = Guard(salaries, [ta.Audit()], ledger=ledger)

    def full(entries) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ledger._store, "write", full)
    with pytest.raises(LedgerError):
        guard.ask(SECTORS, user="ana")
    with pytest.raises(LedgerError, match="nothing more is answered"):
        guard.ask("SELECT count(*) FROM salaries", user="ana")


def test_what_was_decided_is_recorded_when_the_answer_fails(salaries, ledger, monkeypatch) -> None:
    guard = Guard(salaries, [ta.Audit()], ledger=ledger)
    monkeypatch.setattr("tacita.queries.guard.true_value", lambda cell: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        guard.ask(SECTORS, user="ana")
    assert entries(ledger)[-1][0] == "failure"
    monkeypatch.undo()
    assert guard.ask(REGION, user="ana").is_refused


def test_fifty_at_once_get_what_one_after_the_other_would(salaries, ledger) -> None:
    """Each half of a pair is harmless, both together are not: one of them is refused, always."""
    guard = Guard(salaries, [ta.Audit()], ledger=ledger)
    with ThreadPoolExecutor(50) as pool:
        found = list(
            pool.map(lambda i: guard.ask((SECTORS, REGION)[i % 2], user=f"u{i}"), range(50))
        )
    refused = {answer.is_refused for answer in found[::2]}, {one.is_refused for one in found[1::2]}
    assert sorted(map(sorted, refused)) == [[False], [True]]
    assert sum(kind == "answer" for kind, _ in entries(ledger)) == 50


def test_session_tells_what_was_refused(salaries) -> None:
    guard = Guard(salaries, [ta.Audit()])
    guard.ask(SECTORS, user="ana")
    guard.ask(REGION, user="ben")
    told = guard.session()
    assert (told["queries"], told["users"], told["refused_queries"]) == (2, 2, 1)
    assert (told["smallest_query_set"], told["refused_share"]) == (3, 0.5)


def test_published_tables_are_history(salaries) -> None:
    guard = Guard(salaries, [ta.Audit()], published=[SECTORS])
    assert guard.ask(REGION, user="ana").is_refused


# -- histories that are taken up again -------------------------------------------------------------


def guarding(tmp_path, **more) -> Guarding:
    return Guarding(
        view="salaries",
        policies=[ta.Audit()],
        record="id",
        versions=Versions(tmp_path / "old"),
        **more,
    )


def changed(employees, **columns) -> ta.Microdata:
    table = employees.to_arrow()
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    roles = {name: employees.attribute(name).roles for name in employees.names}
    return ta.read(
        table, roles={name: [str(role) for role in said] for name, said in roles.items()}
    )


def test_history_survives_a_restart_and_another_order_of_records(employees, tmp_path) -> None:
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        Followed(employees, guarding(tmp_path), ledger).guard.ask(SECTORS, user="ana")
    shuffled = employees.take(np.arange(15)[::-1])
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        guard = Followed(shuffled, guarding(tmp_path), ledger).guard
        assert guard.session()["queries"] == 1
        assert guard.ask(REGION, user="ben").is_refused
        assert guard.ask(SECTORS, user="ben").value == 485000


def test_history_goes_on_after_the_data_changed(employees, tmp_path) -> None:
    """Half was answered of the old data: with the other half of the new, a value would follow."""
    paid = employees.column("salary").to_pylist()
    new = changed(employees, salary=[*paid[:12], paid[12] + 1000, *paid[13:]])
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        followed = Followed(employees, guarding(tmp_path), ledger)
        followed.guard.ask(SECTORS, user="ana")
        assert followed.refresh(new)
        assert not followed.refresh(new)
        assert followed.guard.ask(SECTORS, user="ana").value == 486000
    with open_ledger(tmp_path / "l.db", KEY) as ledger:  # both versions are replayed
        followed = Followed(new, guarding(tmp_path), ledger)
        assert followed.guard.ask(REGION, user="ana").is_refused


def test_changed_data_without_their_past_are_refused(employees, tmp_path) -> None:
    plain = Guarding(view="salaries", policies=[ta.Audit()])
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        Followed(employees, plain, ledger).guard.ask(SECTORS, user="ana")
    with (
        open_ledger(tmp_path / "l.db", KEY) as ledger,
        pytest.raises(LedgerError, match="not those that were answered from"),
    ):
        Followed(changed(employees, sector=["IT"] * 15), plain, ledger)


def test_insiders_values_protect_nobody(employees, tmp_path) -> None:
    """Of the three of a sector two are known: the sum of the three tells the third."""
    known = guarding(tmp_path, known=[13, 14])
    assert Followed(employees, known, None).guard.ask(SECTORS, user="ana").is_refused
    with pytest.raises(InputError, match="that the data do not have"):
        Followed(employees, guarding(tmp_path, known=[99]), None)
    with pytest.raises(InputError, match="need a name"):
        Guarding(view="salaries", policies=[ta.Audit()], known=[1])


# -- questions that are asked again ----------------------------------------------------------------


def test_a_question_that_took_no_time_is_submitted_at_once(salaries, ledger, monkeypatch) -> None:
    monkeypatch.setattr("tacita.queries.guard.QUICK", 60)
    guard = Guard(salaries, [ta.Audit()], ledger=ledger)
    assert guard.submit_quickly(SECTORS, user="ana") is None
    value = guard.ask(SECTORS, user="ana").value
    again = guard.submit_quickly(SECTORS, user="ben")
    assert again is not None
    assert guard.settled(again).value == value
    assert [told["user"] for kind, told in entries(ledger) if kind == "answer"] == ["ana", "ben"]
    with guard._lock:
        assert guard.submit_quickly(SECTORS, user="ana") is None


def test_a_question_that_took_long_is_not_submitted_at_once(salaries, monkeypatch) -> None:
    monkeypatch.setattr("tacita.queries.guard.QUICK", 0)
    guard = Guard(salaries, [ta.Audit()])
    guard.ask(SECTORS, user="ana")
    assert guard.submit_quickly(SECTORS, user="ana") is None


def test_only_small_public_sets_are_remembered(salaries, monkeypatch) -> None:
    guard = Guard(salaries, [ta.Unprotected()])
    for sql in (SECTORS, "SELECT count(*) FROM salaries WHERE salary > 100000"):
        guard.ask(sql, user="ana")
    assert [one.canonical() for one in guard._small] == [guard._parsed(SECTORS).canonical()]
    monkeypatch.setattr("tacita.queries.guard.SMALL", 2)
    guard.ask(REGION, user="ana")
    assert len(guard._small) == 1


def test_what_is_submitted_does_not_settle_when_the_ledger_fails(salaries, ledger) -> None:
    guard = Guard(salaries, [ta.Audit()], ledger=ledger)
    ledger._store.write = _failing
    submitted = guard.submit(SECTORS, user="ana")
    with pytest.raises(LedgerError):
        guard.settled(submitted)
    with pytest.raises(LedgerError, match="nothing more is answered"):
        guard.ask(REGION, user="ana")


def _failing(_: object) -> None:
    raise OSError("the disk is full")


@pytest.mark.parametrize("telling", ["explain", "cost"])
def test_cells_of_data_that_change_meanwhile_are_not_remembered(
    employees, salaries, monkeypatch, telling
) -> None:
    """What is told of a query before the data change is no answer to it afterwards."""
    guard = Guard(salaries, [ta.QuerySetSize(2)])
    update = updated(salaries, employees, employees.take(np.arange(9)), by="id")
    judge, moving, held = judged_cells, Thread(target=guard.move, args=[update]), []

    def slowly(query, *others):
        held.append(query)  # as by somebody who asks the same at the moment
        cells = judge(query, *others)
        if moving.ident is None:
            moving.start()
            moving.join(0.2)  # it waits for those who look at the data
        return cells

    monkeypatch.setattr("tacita.queries.guard.judged_cells", slowly)
    asked = {"explain": EVERYBODY, "cost": [EVERYBODY]}[telling]
    getattr(guard, telling)(asked, user="ana")
    moving.join()
    assert guard.ask(EVERYBODY, user="ana").value == 9
