from __future__ import annotations

import io
import sys
import time

import pytest

from tacita import progress as module
from tacita.progress import progress


class Terminal(io.StringIO):
    """What a person looks at."""

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Give a test a terminal; a fixture would come too early, before pytest takes stderr."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    monkeypatch.setenv("TERM", "xterm")
    return screen


def seen(terminal: Terminal, word: str) -> bool:
    """Look until a word is there; a busy machine may take two minutes."""
    return any(word in terminal.getvalue() or time.sleep(0.05) for _ in range(2400))


def test_a_bar_appears_on_a_terminal_when_it_takes_long(monkeypatch):
    terminal = on_terminal(monkeypatch)
    with progress(2) as step:
        step("reading")
        assert seen(terminal, "reading")


def test_nothing_appears_when_it_is_quick(monkeypatch):
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(module, "PATIENCE", 60)
    with progress(2) as step:
        step("reading")
    assert terminal.getvalue() == ""


def test_it_is_silent_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    with progress(1) as step:
        step("reading")
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_what_goes_wrong_inside_goes_through(monkeypatch):
    on_terminal(monkeypatch)
    with pytest.raises(KeyError, match="lost"), progress(1):
        raise KeyError("lost")


def test_inside_of_other_steps_there_is_no_second_bar(monkeypatch):
    terminal = on_terminal(monkeypatch)
    with progress(1) as step:
        step("releasing")
        with progress(1) as inner:
            inner("auditing")
            assert seen(terminal, "releasing")
            time.sleep(0.2)  # a bar that began a little later would show by now
    assert "auditing" not in terminal.getvalue()
