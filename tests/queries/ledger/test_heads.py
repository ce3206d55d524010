"""The head that is kept of every ledger: a cut-off end, a lost head, an old ledger, a new one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tacita.errors import LedgerError
from tacita.queries.ledger.entries import Head
from tacita.queries.ledger.heads import SLOT, HeadFile, files_of, head_of, heads_in
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.ledger.store import open_store
from tacita.queries.ledger.verify import UNPROVEN, verify

KEY = b"k" * 32


def write(path: Path, kept: HeadFile | None, count: int = 6) -> Head:
    with open_ledger(path, KEY, kept=kept) as ledger:
        for number in range(count):
            ledger.append("answer", {"number": number}).wait()
        return ledger.head


def cut_off(path: Path, count: int) -> None:
    """Take the last entries away as somebody would who can write the file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER nothing_goes")
        connection.execute(
            "DELETE FROM entries WHERE number > (SELECT max(number) FROM entries) - ?", (count,)
        )
        connection.commit()


@pytest.fixture
def kept(tmp_path) -> HeadFile:
    (tmp_path / "keys").mkdir()
    found = head_of(tmp_path / "l.db", tmp_path / "keys" / "l.key")
    assert found is not None
    return found


def test_a_ledger_whose_end_was_cut_off_is_not_opened(tmp_path, kept):
    head = write(tmp_path / "l.db", kept)
    assert kept.read() == head
    cut_off(tmp_path / "l.db", 4)
    with pytest.raises(LedgerError, match="Entries 4 to 7 are missing at the end"):
        open_ledger(tmp_path / "l.db", KEY, kept=kept)
    found = verify(open_store(tmp_path / "l.db").read(), KEY, [head])
    assert (found.holds, found.broken) == (False, 4)


def test_without_a_head_the_sentence_says_what_is_not_proven(tmp_path):
    write(tmp_path / "l.db", None)
    cut_off(tmp_path / "l.db", 4)
    found = verify(open_store(tmp_path / "l.db").read(), KEY)
    assert found.holds
    assert "Nothing was changed, moved or put in up to entry 3" in found.sentence
    assert "whether later entries were taken away is not proven" in found.sentence


def test_with_the_last_head_the_sentence_says_that_nothing_was_taken_away(tmp_path, kept):
    head = write(tmp_path / "l.db", kept)
    older = Head(2, next(open_store(tmp_path / "l.db").read(1)).digest)
    sentence = verify(open_store(tmp_path / "l.db").read(), KEY, [head]).sentence
    assert "no entry up to that one was taken away" in sentence
    sentence = verify(open_store(tmp_path / "l.db").read(), KEY, [older]).sentence
    assert "whether later entries after entry 2, which was anchored, were taken away" in sentence


def test_a_ledger_of_an_earlier_version_is_taken_up_and_says_so(tmp_path, kept):
    before = write(tmp_path / "l.db", None)
    with open_ledger(tmp_path / "l.db", KEY, kept=kept) as ledger:
        assert [entry.kind for entry in ledger.entries(before.number)] == [UNPROVEN]
        assert kept.read() == ledger.head
    found = verify(open_store(tmp_path / "l.db").read(), KEY, [ledger.head])
    assert found.holds
    (note,) = found.notes
    assert note.startswith("Entry 8: no head was at hand when the ledger was opened; whether")
    assert note.endswith("after entry 7 had been taken away is not proven.")
    with open_ledger(tmp_path / "l.db", KEY, kept=kept) as again:
        assert again.head == ledger.head  # it is said once


def test_a_ledger_that_is_gone_is_not_begun_anew_unnoticed(tmp_path, kept):
    write(tmp_path / "l.db", kept)
    for file in tmp_path.glob("l.db*"):
        file.unlink()
    with pytest.raises(LedgerError, match=r"keeps the head of one with 7; bring the ledger back"):
        open_ledger(tmp_path / "l.db", KEY, kept=kept)
    kept.path.unlink()
    write(tmp_path / "l.db", kept)


def test_another_ledger_in_its_place_is_refused(tmp_path, kept):
    write(tmp_path / "l.db", kept)
    write(tmp_path / "other.db", None, 20)
    (tmp_path / "l.db").write_bytes((tmp_path / "other.db").read_bytes())
    with pytest.raises(LedgerError, match="Entry 7 is not the one that was anchored"):
        open_ledger(tmp_path / "l.db", KEY, kept=kept)


@pytest.mark.parametrize("by_link", [False, True])
def test_a_ledger_whose_end_was_cut_off_is_known_in_another_place(tmp_path, kept, by_link):
    head = write(tmp_path / "l.db", kept)
    cut_off(tmp_path / "l.db", 4)
    (tmp_path / "l.db").rename(tmp_path / "m.db")
    if by_link:
        (tmp_path / "l.db").symlink_to(tmp_path / "m.db")
    place = tmp_path / ("l.db" if by_link else "m.db")
    there = head_of(place, tmp_path / "keys" / "l.key")
    assert there is not None
    assert there.path != kept.path  # a link is followed
    with pytest.raises(LedgerError, match="Entries 4 to 7 are missing at the end"):
        open_ledger(place, KEY, kept=there)
    assert heads_in(files_of(there, open_store(place))) == [head]


def test_a_ledger_that_was_moved_whole_goes_on(tmp_path, kept):
    head = write(tmp_path / "l.db", kept)
    (tmp_path / "l.db").rename(tmp_path / "m.db")
    there = head_of(tmp_path / "m.db", tmp_path / "keys" / "l.key")
    with open_ledger(tmp_path / "m.db", KEY, kept=there) as ledger:
        assert ledger.head == head  # and no entry says that something is unproven


def test_a_copy_does_not_go_on_beside_the_ledger(tmp_path, kept):
    """Each of two would have the whole budget."""
    write(tmp_path / "l.db", kept)
    (tmp_path / "m.db").write_bytes((tmp_path / "l.db").read_bytes())
    there = head_of(tmp_path / "m.db", tmp_path / "keys" / "l.key")
    write(tmp_path / "m.db", there, 2)
    with pytest.raises(LedgerError, match="Entries 8 to 9 are missing at the end"):
        open_ledger(tmp_path / "l.db", KEY, kept=kept)


def test_where_nobody_has_a_home_there_is_no_head(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert head_of(tmp_path / "l.db") is None
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    found = head_of(tmp_path / "l.db")
    assert found is not None
    assert found.path.parent == tmp_path / "state" / "tacita" / "ledgers"


@pytest.mark.parametrize("torn", [0, 1])
def test_a_record_of_which_a_part_was_written_leaves_the_other(tmp_path, torn):
    heads = [Head(number, bytes([number]) * 32) for number in (1, 2, 3)]
    file = HeadFile(tmp_path / "h")
    for head in heads[: 2 + torn]:
        file.write(head)
    file.close()
    content = bytearray(file.path.read_bytes())
    newest = 1 - torn
    content[newest * SLOT + 30] ^= 1
    file.path.write_bytes(content)
    assert file.read() == heads[torn]
    file.write(heads[2])  # over the broken one
    assert file.read() == heads[2]
    file.close()


def test_a_file_without_a_whole_head_is_refused(tmp_path):
    file = HeadFile(tmp_path / "h")
    assert file.read() is None
    file.path.write_bytes(b"x" * 2 * SLOT)
    with pytest.raises(LedgerError, match="it holds no head"):
        file.read()
    with pytest.raises(LedgerError, match="No such file or directory"):
        HeadFile(tmp_path / "nowhere" / "h").write(Head(1, bytes(32)))
