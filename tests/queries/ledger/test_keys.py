from __future__ import annotations

import pytest

from tacita.errors import LedgerError, ParameterError
from tacita.queries.ledger.keys import key_from_file, key_from_variable


def test_a_variable(monkeypatch):
    monkeypatch.setenv("LEDGER_KEY", "sixteen letters.")
    assert len(key_from_variable("LEDGER_KEY")) == 32
    assert key_from_variable("LEDGER_KEY") == key_from_variable("LEDGER_KEY")
    monkeypatch.setenv("LEDGER_KEY", "fifteen letters")
    with pytest.raises(ParameterError, match="LEDGER_KEY, which is too short"):
        key_from_variable("LEDGER_KEY")
    monkeypatch.delenv("LEDGER_KEY")
    with pytest.raises(ParameterError, match="LEDGER_KEY, which is not set"):
        key_from_variable("LEDGER_KEY")


def test_a_file_is_made_once_for_its_owner_alone(tmp_path):
    path, ledger = tmp_path / "key", tmp_path / "elsewhere" / "ledger.db"
    made = key_from_file(path, new_for=ledger)
    assert path.stat().st_mode & 0o777 == 0o600
    assert key_from_file(path) == key_from_file(path, new_for=ledger) == made
    assert key_from_file(tmp_path / "other", new_for="postgresql://localhost/firms") != made


def test_a_key_is_made_for_a_new_ledger_and_apart_from_it(tmp_path):
    ledger = tmp_path / "ledger.db"
    with pytest.raises(LedgerError, match="in the folder of the ledger"):
        key_from_file(tmp_path / "key", new_for=ledger)
    ledger.touch()
    (tmp_path / "keys").mkdir()
    with pytest.raises(LedgerError, match=r"is there and its key .* is not; bring the key back"):
        key_from_file(tmp_path / "keys" / "key", new_for=ledger)
    assert list((tmp_path / "keys").iterdir()) == []


def test_a_file_says_the_same_as_a_variable(tmp_path, monkeypatch):
    path = tmp_path / "key"
    path.touch(0o600)
    path.write_text("sixteen letters.\n")
    monkeypatch.setenv("LEDGER_KEY", "sixteen letters.")
    assert key_from_file(path) == key_from_variable("LEDGER_KEY")


def test_files_that_are_no_key(tmp_path):
    path = tmp_path / "key"
    with pytest.raises(LedgerError, match="No such file"):
        key_from_file(path)
    with pytest.raises(LedgerError, match="No such file"):
        key_from_file(tmp_path / "nowhere" / "key", new_for=tmp_path / "ledger.db")
    path.touch(0o600)
    with pytest.raises(LedgerError, match="has 0 characters; expected 16 or more"):
        key_from_file(path)
    path.chmod(0o640)
    with pytest.raises(LedgerError, match="can be read by others"):
        key_from_file(path)
