from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from tacita.app.hands import hand as module
from tacita.app.hands.hand import Hand, Stopped


class Process:
    """A process that says some things, and then is silent until it is ended."""

    def __init__(self, *said: object) -> None:
        self.said = list(said)
        self.ended = threading.Event()
        self.listened = threading.Event()
        self.closed_by: list[int] = []

    def send(self, _: object) -> None:
        self.listened.set()

    def recv(self) -> object:
        if self.said:
            return self.said.pop(0)
        assert self.ended.wait(60)
        raise EOFError

    def close(self) -> None:
        self.closed_by.append(threading.get_ident())

    def is_alive(self) -> bool:
        return not self.ended.is_set()

    def kill(self) -> None:
        self.ended.set()

    def join(self) -> None:
        pass


def worked_by(monkeypatch, *processes: Process) -> Hand:
    begun = iter(processes)
    monkeypatch.setattr(Hand, "_begun", lambda _: (one := next(begun), one))
    return Hand()


def test_who_waits_for_an_answer_closes_the_connection_and_nobody_else(monkeypatch):
    process = Process()
    hand = worked_by(monkeypatch, process)
    ended: list[type] = []

    def waits() -> None:
        with pytest.raises(Stopped):
            hand.do("a", dict, print)
        ended.append(Stopped)

    waiting = threading.Thread(target=waits)
    waiting.start()
    assert process.listened.wait(60)
    hand.stop("a")
    waiting.join(60)
    assert ended == [Stopped]
    assert process.closed_by == [waiting.ident]


def test_who_waits_for_nothing_is_closed_at_once(monkeypatch):
    process = Process()
    hand = worked_by(monkeypatch, process)
    hand.start()
    hand.stop()
    assert process.closed_by == [threading.get_ident()]


def test_what_is_said_after_somebody_stopped_listening_is_no_answer_to_the_next(monkeypatch):
    first, second = Process(("step", "reading"), ("done", "old")), Process(("done", "new"))
    hand = worked_by(monkeypatch, first, second)

    def fails(_: object) -> None:
        raise ValueError("nobody listens")

    with pytest.raises(ValueError, match="nobody listens"):
        hand.do("a", dict, fails)
    assert hand.do("b", dict, print) == "new"
    assert first.ended.is_set()


def test_a_process_that_cannot_be_started_leaves_nothing_to_be_stopped(monkeypatch):
    real = module.multiprocessing.get_context("spawn")

    def full() -> None:
        raise BlockingIOError("too many processes")

    def process(**_: object) -> SimpleNamespace:
        return SimpleNamespace(start=full)

    context = SimpleNamespace(Pipe=real.Pipe, Process=process)
    monkeypatch.setattr(module.multiprocessing, "get_context", lambda _: context)
    hand = Hand()
    with pytest.raises(BlockingIOError):
        hand.do("a", dict, print)
    hand.stop()
