"""Guards that are opened on data of all sorts, and go on when they change."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.queries.language.parse import parse
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.opening import Followed, Guarding
from tacita.queries.versions import Versions, in_order

KEY = b"k" * 32
ROLES = {"id": "identifier", "sector": "key", "pay": "confidential"}


def firms(ids=(1, 2, 3, 4), pay=(5, 6, 7, 8)) -> ta.Microdata:
    columns = {"id": list(ids), "sector": ["IT"] * len(ids), "pay": list(pay)}
    return ta.read(pa.table(columns), roles=ROLES)


def guarding(tmp_path, **more) -> Guarding:
    folder = Versions(tmp_path / "old")
    return Guarding(view="firms", policies=[ta.Audit()], record="id", versions=folder, **more)


def test_a_change_is_in_the_ledger_before_it_is_answered_from(tmp_path, monkeypatch) -> None:
    """If it were not and the power failed in between, answers would be of data nobody knows."""
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        followed = Followed(firms(), guarding(tmp_path), ledger)
        written = []
        monkeypatch.setattr(
            followed.guard, "move", lambda _: written.append([one.kind for one in ledger.entries()])
        )
        assert followed.refresh(firms(pay=(5, 6, 7, 9)))
        assert written == [["ledger", "data", "data"]]
        assert len(list((tmp_path / "old").iterdir())) == 2


def test_a_change_that_cannot_be_followed_is_not_in_the_ledger(tmp_path) -> None:
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        followed = Followed(firms(), guarding(tmp_path), ledger)
        with pytest.raises(InputError, match="must name every record once"):
            followed.refresh(firms(ids=(1, 2, 3, 3)))
        assert [one.kind for one in ledger.entries()] == ["ledger", "data"]
        assert followed.guard.ask("SELECT sum(pay) FROM firms", user="ana").value == 26


@pytest.mark.parametrize("ids", [(1, 2, 3, 3), (1, 2, 3, None)])
def test_records_have_names_from_the_start(tmp_path, ids) -> None:
    with pytest.raises(InputError, match="must name every record once"):
        Followed(firms(ids=ids), guarding(tmp_path), None)


def test_known_records_are_said_as_the_data_say_them(tmp_path) -> None:
    with pytest.raises(InputError, match="`known` names records by `id`, which holds int64; found"):
        Followed(firms(), guarding(tmp_path, known=["four"]), None)


def test_an_insider_knows_a_record_that_comes_and_one_that_goes(tmp_path) -> None:
    """Records 4 and 5 are known: 4 is deleted, 5 comes; both names stay as they are."""
    said = guarding(tmp_path, known=[4, 5])
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        Followed(firms(), guarding(tmp_path, known=[4]), ledger)
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        later = firms(ids=(1, 2, 3, 5), pay=(5, 6, 7, 1))
        followed = Followed(later, said, ledger)
        assert followed.guard.ask("SELECT sum(pay) FROM firms", user="ana").value == 19


def test_sets_of_values_are_put_in_order() -> None:
    baskets = pa.array([["b"], ["a", "b"], None])
    data = ta.read(pa.table({"basket": baskets, "n": [1, 2, 3]}), roles={"n": "key"})
    assert in_order(data, None).column("n").to_pylist() == [2, 1, 3]
    assert in_order(data, "n").column("n").to_pylist() == [1, 2, 3]


def test_other_policies_are_in_the_ledger(tmp_path) -> None:
    """Whoever reads it later can tell by what an answer was judged."""
    for k, kinds in ((2, ["data"]), (2, ["data"]), (3, ["data", "policies"])):
        with open_ledger(tmp_path / "l.db", KEY) as ledger:
            Followed(firms(), Guarding("firms", [ta.Audit(k)]), ledger)
            told = list(ledger.entries())[1:]
            assert [entry.kind for entry in told] == kinds
            assert told[-1].content["policies"] == [ta.Audit(k).to_plan()]


def test_versions_can_be_kept_from_the_second_start_on(tmp_path) -> None:
    unkept = Guarding("firms", [ta.Audit()], record="id")
    for said, data in ((unkept, firms()), (guarding(tmp_path), firms())):
        with open_ledger(tmp_path / "l.db", KEY) as ledger:
            Followed(data, said, ledger).guard.ask("SELECT sum(pay) FROM firms", user="ana")
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        followed = Followed(firms((1, 2, 3), (5, 6, 7)), guarding(tmp_path), ledger)
        assert followed.guard.session()["queries"] == 2
        assert followed.guard.ask("SELECT sum(pay) FROM firms", user="ana").is_refused


def test_noise_that_would_be_drawn_anew_at_every_start_is_refused(employees, tmp_path) -> None:
    noisy = Guarding(view="salaries", policies=[ta.RecordSetNoise(2.0)])
    with (
        open_ledger(tmp_path / "l.db", KEY) as ledger,
        pytest.raises(ParameterError, match="`record_set_noise` draws other noise at every start"),
    ):
        Followed(employees, noisy, ledger)
    Followed(employees, noisy, None)


def test_what_was_refused_altogether_is_counted_and_not_read_again(tmp_path, monkeypatch) -> None:
    """Nothing is learned from it; a ledger of thousands of refusals is opened as quickly as read."""
    said = Guarding(view="firms", policies=[ta.QuerySetSize(2)])
    both = "SELECT sum(pay), count(*) FROM firms WHERE sector = 'HC'"
    some = "SELECT sector, sum(pay) FROM firms GROUP BY sector"
    data = ta.read(
        pa.table({"sector": ["IT", "IT", "IT", "HC", "ES", "ES"], "pay": [5, 6, 7, 8, 9, 9]}),
        roles={"sector": "key", "pay": "confidential"},
    )
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        first = Followed(data, said, ledger).guard
        for sql in (both, some, both):
            first.ask(sql, user="ana")
        before = first.session()
    assert (before["refused"], before["refused_queries"], before["numbers"]) == (5, 2, 7)
    read = []
    monkeypatch.setattr(
        "tacita.queries.guard.parse", lambda sql, *a, **b: read.append(sql) or parse(sql, *a, **b)
    )
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        assert Followed(data, said, ledger).guard.session() == before
    (only,) = read
    assert "GROUP BY" in only
