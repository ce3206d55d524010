from __future__ import annotations

import multiprocessing

from tacita.app.hands import working


def test_what_is_loaded_first_is_there_before_any_work_begins(monkeypatch):
    happened = []
    monkeypatch.setattr(working.signal, "signal", lambda *_: None)
    monkeypatch.setattr(working, "_end_with_server", lambda: None)
    monkeypatch.setattr(working, "_done", lambda *_: (happened.append("work"), ("done", None))[1])
    ours, theirs = multiprocessing.Pipe()
    ours.send({"task": "records"})

    def first() -> None:
        assert not ours.poll(0.2)  # the work waits
        happened.append("loaded")

    with ours, theirs:
        monkeypatch.setattr(theirs, "recv", _once(theirs.recv))
        working.work_on(theirs, first)
    assert happened == ["loaded", "work"]


def _once(recv):
    """Return what receives one piece of work, and then finds that nobody sends any more."""
    left = [recv]

    def received():
        if not left:
            raise EOFError
        return left.pop()()

    return received
