from __future__ import annotations

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from tacita.errors import InputError, ParameterError
from tacita.server import tokens as tokens_module
from tacita.server.tokens import Tokens


def test_a_token_lets_its_user_in(tokens):
    token, secret = tokens.add("ana", "analyst")
    assert secret.startswith(f"tacita_{token.id}_")
    assert len(secret) == len(f"tacita_{token.id}_") + 43  # 32 bytes
    assert tokens.known(secret) is None
    assert tokens.verify(secret) == token
    assert tokens.known(secret) == token
    assert (token.user, token.role, token.scopes) == ("ana", "analyst", ("query", "view"))


def test_the_file_holds_a_salted_hash_and_nobody_else_reads_it(tokens):
    secrets = [tokens.add("ana", "analyst")[1] for _ in range(2)]
    text = tokens.path.read_text()
    kept = json.loads(text)["tokens"]
    assert tokens.path.stat().st_mode & 0o777 == 0o600
    for one, secret in zip(kept, secrets, strict=True):
        assert secret.split("_", 2)[2] not in text
        again = hashlib.scrypt(
            secret.encode(), salt=bytes.fromhex(one["salt"]), dklen=32, **tokens_module.COST
        )
        assert again.hex() == one["hash"]
    assert kept[0]["salt"] != kept[1]["salt"]
    assert not [path for path in tokens.path.parent.iterdir() if path != tokens.path]


def test_a_file_that_others_could_read_is_closed_at_the_next_writing(tokens):
    tokens.add("ana", "analyst")
    tokens.path.chmod(0o644)
    tokens.add("bo", "analyst")
    assert tokens.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "change",
    [
        lambda secret: secret[:-1],
        lambda secret: secret + "A",
        lambda secret: secret.upper(),
        lambda secret: secret.replace("tacita_", ""),
        lambda secret: "",
        lambda secret: "tacita_",
        lambda secret: "tacita_00000000_" + secret.rpartition("_")[2],
        lambda secret: "é" * 60,
    ],
)
def test_a_changed_token_lets_nobody_in(tokens, change):
    wrong = change(tokens.add("ana", "analyst")[1])
    assert tokens.verify(wrong) is None
    assert tokens.known(wrong) is None


def test_a_secret_does_not_open_another_users_token(tokens):
    (ana, _), (_, of_bo) = tokens.add("ana", "analyst"), tokens.add("bo", "curator")
    assert tokens.verify(f"tacita_{ana.id}_{of_bo.split('_', 2)[2]}") is None


def test_a_verified_token_is_not_hashed_again(tokens, monkeypatch):
    _, secret = tokens.add("ana", "analyst")
    tokens.verify(secret)
    monkeypatch.setattr(tokens_module, "_hash", pytest.fail)
    assert tokens.known(secret).user == "ana"
    assert tokens.verify(secret).user == "ana"


def test_what_was_verified_is_forgotten_after_a_while(tokens, monkeypatch):
    _, secret = tokens.add("ana", "analyst")
    tokens.verify(secret)
    later = tokens_module.time.monotonic() + tokens_module.REMEMBERED + 1
    monkeypatch.setattr(tokens_module.time, "monotonic", lambda: later)
    assert tokens.known(secret) is None


def test_what_another_process_revokes_is_out_at_once(tokens):
    token, secret = tokens.add("ana", "analyst")
    tokens.verify(secret)
    Tokens(tokens.path).revoke(token.id)
    assert tokens.known(secret) is None
    assert tokens.verify(secret) is None


def test_what_is_revoked_twice_keeps_its_first_time(tokens):
    token, _ = tokens.add("ana", "analyst")
    assert tokens.revoke(token.id) == tokens.revoke(token.id)


def test_an_expired_token_is_out_even_if_it_was_verified(tokens, monkeypatch):
    _, secret = tokens.add("ana", "analyst", days=1)
    tokens.verify(secret)

    class Tomorrow(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(UTC) + timedelta(days=1, seconds=1)

    monkeypatch.setattr(tokens_module, "datetime", Tomorrow)
    assert tokens.known(secret) is None
    assert tokens.verify(secret) is None


def test_a_token_without_end_does_not_expire(tokens):
    token, _ = tokens.add("ana", "analyst", days=None)
    assert token.is_valid(datetime.max.replace(tzinfo=UTC))


def test_another_file_of_the_same_size_and_time_is_noticed(tokens):
    token, secret = tokens.add("ana", "analyst")
    tokens.verify(secret)
    seen = tokens.path.stat()
    text = tokens.path.read_text().replace(token.hash, "0" * len(token.hash))
    other = tokens.path.with_name("other")
    other.write_text(text)
    os.utime(other, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    other.replace(tokens.path)
    assert tokens.known(secret) is None
    assert tokens.verify(secret) is None


def test_without_the_file_nobody_gets_in(tokens):
    _, secret = tokens.add("ana", "analyst")
    tokens.verify(secret)
    tokens.path.unlink()
    assert tokens.known(secret) is None
    assert list(tokens) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tokens": [{"id": "x"}]}', '{"tokens": 3}'])
def test_a_damaged_file_is_told_in_a_sentence(tokens, text):
    _, secret = tokens.add("ana", "analyst")
    tokens.path.write_text(text)
    with pytest.raises(InputError, match="is not a file of tokens"):
        tokens.known(secret)


def test_many_writers_lose_nothing(tokens):
    with ThreadPoolExecutor(8) as threads:
        made = list(
            threads.map(lambda i: Tokens(tokens.path).add(f"user {i}", "analyst")[0], range(40))
        )
    assert {token.id for token in tokens} == {token.id for token in made}


def test_who_comes_at_once_with_one_token_is_hashed_once(tokens, monkeypatch):
    _, secret = tokens.add("ana", "analyst")
    hashes = []
    real = tokens_module._hash
    monkeypatch.setattr(tokens_module, "_hash", lambda *given: hashes.append(given) or real(*given))
    with ThreadPoolExecutor(50) as threads:
        found = list(threads.map(tokens.verify, [secret] * 50))
    assert {token.user for token in found} == {"ana"}
    assert len(hashes) == 1


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (("ana", "analist"), "Did you mean `analyst`"),
        ((" ", "analyst"), "A user needs a name"),
        (("a\nb", "analyst"), "A user needs a name"),
    ],
)
def test_wrong_words_are_told(tokens, said, sentence):
    with pytest.raises(ParameterError, match=sentence):
        tokens.add(*said)
    assert not tokens.path.exists()


def test_a_scope_beyond_the_role_is_refused(tokens):
    with pytest.raises(ParameterError, match="cannot allow ledger"):
        tokens.add("ana", "analyst", scopes=["view", "ledger"])


@pytest.mark.parametrize("days", [0, -1, 1e9, float("nan")])
def test_a_token_lasts_some_days(tokens, days):
    with pytest.raises(ParameterError, match="at most 36,500 days"):
        tokens.add("ana", "analyst", days=days)


def test_revoking_what_is_not_there_and_writing_nowhere(tokens, tmp_path):
    with pytest.raises(InputError, match="has no token 'abc'"):
        tokens.revoke("abc")
    with pytest.raises(InputError, match="no folder"):
        Tokens(tmp_path / "nowhere" / "tokens.json").add("ana", "analyst")
