from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from tacita.api import remote
from tacita.cli import shell
from tacita.cli.shell import Shell, statements
from tacita.errors import QueryError
from tacita.queries.answer import REFUSAL, Answer

URL = "http://127.0.0.1:1"
VIEW = {
    "view": "firms",
    "public": {
        "sector": {"kind": "nominal", "values": ["IT", "O'Neil"]},
        "age": {"kind": "continuous"},
    },
    "confidential": {"salary": {"kind": "continuous"}},
}


class Database:
    """Answers by rote and remembers what it was asked."""

    url = URL
    view = VIEW
    policies = [{"name": "query_set_size", "guarantee": "Three or more.", "simulatable": True}]

    def __init__(self, left=None):
        self.asked = []
        self.left = left or {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def cost(self, queries, **spent):
        self.asked += queries
        self.spent = spent
        price = {"epsilon": 0.2, "enough": True}
        return {"private_answers": price} if self.left else {}

    def ask(self, sql, parameters=(), **spent):
        self.spent = spent
        self.asked.append((sql, list(parameters)))
        if "*" in sql and "count" not in sql:
            raise QueryError("Rows are not answered.")
        return Answer(
            ("sector", "count"), (("IT, old", 6), ("Fin", None)), ((False, False), (False, True))
        )


@pytest.fixture
def database(monkeypatch):
    made = Database()
    made.connected = []

    def connect(url, token, *, certificate):
        made.connected.append((url, token, certificate))
        return made

    monkeypatch.setattr(remote, "connect", connect)
    monkeypatch.delenv("TACITA_TOKEN", raising=False)
    return made


def test_one_query_as_a_table(run_cli, database):
    done = run_cli("ask", URL, "SELECT count(*) FROM firms")
    assert done.code == 0
    assert done.out.splitlines() == ["sector     count", "IT, old        6", "Fin      refused"]
    assert done.err == f"{REFUSAL}\n"


def test_as_csv(run_cli, database):
    done = run_cli("ask", URL, "SELECT count(*) FROM firms", "--format", "csv")
    assert done.out.splitlines() == ['"sector","count"', '"IT, old",6', '"Fin",']
    assert done.err == f"{REFUSAL}\n"


def test_as_json(run_cli, database):
    done = run_cli("ask", URL, "SELECT count(*) FROM firms", "--format", "json")
    assert done.json["refused"] == [[False, False], [False, True]]
    assert done.json["notice"] == REFUSAL


def test_parameters_are_numbers_or_texts(run_cli, database):
    words = ["08001", "3", "2.5", "IT", '"3"', "null"]
    run_cli("ask", URL, "SELECT 1", *(part for word in words for part in ("--parameter", word)))
    assert database.asked == [("SELECT 1", ["08001", 3, 2.5, "IT", "3", None])]


def test_what_queries_cost_together(run_cli, database, monkeypatch):
    done = run_cli("ask", URL, "SELECT 1;\nSELECT\n2;", "--explain")
    assert (database.asked, done.out) == (
        ["SELECT 1", "SELECT\n2"],
        "No policy here has a budget.\n",
    )
    database.left = {"epsilon": 1.0}
    monkeypatch.setattr("sys.stdin", io.StringIO("SELECT 3"))
    done = run_cli("ask", URL, "--explain")
    assert [line.split() for line in done.out.splitlines()[1:]] == [
        ["private_answers", "epsilon", "0.2"],
        ["private_answers", "enough", "True"],
    ]
    assert database.asked[2:] == ["SELECT 3"]
    done = run_cli("ask", URL, "SELECT 4", "--explain", "--format", "json")
    assert done.json == {"private_answers": {"epsilon": 0.2, "enough": True}}


def test_what_a_query_shall_cost(run_cli, database):
    run_cli("ask", URL, "SELECT 1", "--epsilon", "0.25", "--delta", "1e-9")
    assert database.spent == {"epsilon": 0.25, "delta": 1e-9}
    run_cli("ask", URL, "SELECT 1", "--explain", "--rho", "0.01")
    assert database.spent == {"rho": 0.01}
    done = run_cli("ask", URL, "--epsilon", "0.25")
    assert done.code
    assert "`--epsilon` says what one query shall cost" in done.err


def test_the_token_comes_from_the_environment(run_cli, database, monkeypatch):
    monkeypatch.setenv("TACITA_TOKEN", "one")
    monkeypatch.setenv("OTHER", "two")
    run_cli("ask", URL, "SELECT 1")
    run_cli("ask", URL, "SELECT 1", "--token-from", "OTHER")
    assert [token for _, token, _ in database.connected] == ["one", "two"]


def test_a_refused_language_is_one_sentence(run_cli, database):
    done = run_cli("ask", URL, "SELECT *")
    assert (done.code, done.err) == (1, "tacita: Rows are not answered.\n")


def test_nobody_there(run_cli, monkeypatch):
    monkeypatch.delenv("TACITA_TOKEN", raising=False)
    done = run_cli("ask", "http://127.0.0.1:9", "SELECT 1")
    assert done.code == 1
    assert done.err.startswith("tacita: Cannot reach http://127.0.0.1:9")


# -- the shell -------------------------------------------------------------------------------------


def test_a_pipe_of_queries_and_commands(run_cli, database, monkeypatch):
    typed = (
        "SELECT count(*)\n  FROM firms;\n\n\\left\nSELECT *;\n\\policies\n\\view\nSELECT count(1)"
    )
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    done = run_cli("ask", URL, "--format", "json")
    assert [sql for sql, _ in database.asked] == [
        "SELECT count(*)\n  FROM firms",
        "SELECT *",
        "SELECT count(1)",
    ]
    assert "Rows are not answered." in done.err
    for word in ("No policy here has a budget", "Three or more.", "O'Neil", "salary"):
        assert word in done.out


def test_quit_ends_and_what_is_unknown_helps(capsys):
    database = Database({"epsilon": 0.25})
    shown = []
    lines = iter(["\\left", "\\nonsense", "SELECT 1;", "\\quit", "SELECT 2;"])
    Shell(database, shown.append)._each(statements(lambda _: next(lines, None)))
    assert [sql for sql, _ in database.asked] == ["SELECT 1"]
    assert len(shown) == 1
    out = capsys.readouterr().out
    assert "0.25" in out
    assert "A query ends with a semicolon" in out


def test_control_c_drops_what_was_begun():
    lines = iter(["SELECT secret", KeyboardInterrupt, "SELECT 1;", None])
    prompts = []

    def read(begun):
        prompts.append(begun)
        line = next(lines)
        if line is KeyboardInterrupt:
            raise KeyboardInterrupt
        return line

    assert list(statements(read)) == ["SELECT 1"]
    assert prompts == [False, True, False, False]


@pytest.mark.parametrize(
    ("begun", "found"),
    [
        ("sel", ["SELECT"]),
        ("SEC", ["sector"]),
        ("'o", ["'O''Neil'"]),
        ("fi", ["firms"]),
        ("sal", ["salary"]),
        ("\\q", ["\\quit"]),
        ("zzz", []),
    ],
)
def test_completion_knows_the_language_and_the_view(begun, found):
    talking = Shell(Database(), print)
    completed = []
    while (word := talking.complete(begun, len(completed))) is not None:
        completed.append(word)
    assert completed == found


class Readline(SimpleNamespace):
    """Stands for the module, so that the tests leave the terminal alone."""

    def __init__(self):
        super().__init__(read=[], written=[], bound=[])

    def set_completer(self, complete):
        self.complete = complete

    def set_completer_delims(self, delimiters):
        self.delimiters = delimiters

    def parse_and_bind(self, key):
        self.bound.append(key)

    def read_history_file(self, path):
        self.read.append(path)

    def set_history_length(self, length):
        self.length = length

    def write_history_file(self, path):
        self.written.append(path)
        path.write_text("SELECT 1;\n")


@pytest.fixture
def terminal(monkeypatch, tmp_path):
    """A person at a terminal who types one query and leaves."""
    module = Readline()
    monkeypatch.setattr(shell, "_readline", lambda: module)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))

    def type_once():
        lines = iter(["SELECT count(*)", "FROM firms;"])
        module.prompts = []

        def typed(prompt):
            module.prompts.append(prompt)
            try:
                return next(lines)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", typed)

    module.type_once = type_once
    return module


def test_a_person_has_history_and_completion(run_cli, database, terminal, tmp_path):
    history = tmp_path / "tacita" / "history"
    for _ in range(2):
        terminal.type_once()
        assert run_cli("ask", URL).code == 0
    assert terminal.prompts == ["tacita> ", "   ...> ", "tacita> "]
    assert terminal.read == [history]  # the second time
    assert terminal.written == [history, history]
    assert history.stat().st_mode & 0o777 == 0o600
    assert terminal.complete("sec", 0) == "sector"
    assert [sql for sql, _ in database.asked] == ["SELECT count(*)\nFROM firms"] * 2


def test_without_a_home_there_is_no_history(run_cli, database, terminal, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    terminal.type_once()
    assert run_cli("ask", URL).code == 0
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", Mock(side_effect=RuntimeError))
    terminal.type_once()
    assert run_cli("ask", URL).code == 0
    assert terminal.written == []


def test_no_history_when_told_so(run_cli, database, terminal, tmp_path):
    terminal.type_once()
    assert run_cli("ask", URL, "--no-history").code == 0
    assert terminal.written == []
    assert not (tmp_path / "tacita").exists()
