"""Ctrl-C on the command line is late at worst, and never lost."""

from __future__ import annotations

import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tacita as ta
from tacita.api import run as api
from tacita.cli.main import main
from tacita.data.formats import atomic
from tacita.interrupts import (
    forget_interrupt,
    noting_interrupts,
    raise_if_interrupted,
    until_interrupted,
)
from tacita.release import release, report

PLAN = """\
data: {example: {toy: 60}}
microdata: {steps: [], measure: [], waive: a test}
release: {format: csv}
"""


@pytest.fixture(autouse=True)
def _pythons_own() -> Iterator[None]:
    """Whoever runs the tests in the background lets them ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def drop_interrupt() -> None:
    """Do what a library does that catches everything."""
    try:
        signal.raise_signal(signal.SIGINT)
        pytest.fail("nothing was raised")
    except KeyboardInterrupt:
        pass


# -- the note --------------------------------------------------------------------------------------


def ends(work: Callable[[], object]) -> None:
    """Take it that work on the command line ends by an interrupt."""

    def noted() -> None:
        with noting_interrupts():
            work()

    with pytest.raises(KeyboardInterrupt):
        noted()


def test_a_dropped_interrupt_is_raised_at_the_next_look():
    def work() -> None:
        raise_if_interrupted()
        drop_interrupt()
        raise_if_interrupted()
        pytest.fail("it was lost")

    ends(work)


def test_a_dropped_interrupt_is_raised_at_every_look():
    """Whatever drops it may be on the way of the next look, too."""

    def work() -> None:
        drop_interrupt()
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                raise_if_interrupted()

    ends(work)


def test_a_dropped_interrupt_is_raised_at_the_end():
    ends(drop_interrupt)


def test_what_fails_after_a_dropped_interrupt_is_an_interrupt():
    def work() -> None:
        drop_interrupt()
        raise ValueError("half of an answer")

    ends(work)


def test_a_second_interrupt_acts_at_once():
    def work() -> None:
        drop_interrupt()
        signal.raise_signal(signal.SIGINT)
        pytest.fail("it went on")

    ends(work)


def test_an_interrupt_that_was_dealt_with_is_forgotten():
    with noting_interrupts():
        drop_interrupt()
        forget_interrupt()
        raise_if_interrupted()
        with until_interrupted():
            signal.raise_signal(signal.SIGINT)
        raise_if_interrupted()


def test_nothing_is_known_of_interrupts_before_or_after():
    drop_interrupt()
    raise_if_interrupted()
    with noting_interrupts():
        raise_if_interrupted()
    ends(drop_interrupt)
    raise_if_interrupted()


def test_a_signal_that_another_thread_was_given_is_found():
    """Python does not look for it in the main thread before that takes the lock again."""
    ended = threading.Event()
    other = threading.Thread(target=ended.wait)
    other.start()
    end = time.monotonic() + 60

    def work() -> None:
        signal.pthread_kill(other.ident, signal.SIGINT)
        while time.monotonic() < end:
            raise_if_interrupted()

    try:
        ends(work)
    finally:
        ended.set()
        other.join()


def test_interrupts_that_are_ignored_stay_so():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with noting_interrupts():
        signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_interrupts_are_left_to_whoever_handles_them():
    seen = []
    signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    with noting_interrupts():
        signal.raise_signal(signal.SIGINT)
        raise_if_interrupted()
    assert seen == [1]
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_threads_leave_interrupts_alone():
    seen = []

    def work() -> None:
        with noting_interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


# -- a release -------------------------------------------------------------------------------------

Drop = Callable[[pytest.MonkeyPatch], None]


def before(module: Any, name: str) -> Drop:
    """Return what drops an interrupt just before a function of a run does its work."""

    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        work = getattr(module, name)

        def dropping(*args: Any, **kwargs: Any) -> Any:
            drop_interrupt()
            return work(*args, **kwargs)

        monkeypatch.setattr(module, name, dropping)

    return plant


PLACES = {
    "before it reads": before(api, "read_plan"),
    "while it reads": before(release, "read_source"),
    "while it masks": before(release, "protect"),
    "while it writes the data": before(release, "write_contents"),
    "while the public report is made": before(release, "public_report"),
    "while the internal report is made": before(release, "internal_report"),
    "while a report is written": before(report, "html"),
    "while the red team looks": before(release, "refuse_leaks"),
    "while manifests are written": before(release, "write_manifests"),
    "while it waits for the disk": before(atomic, "_to_disk"),
}


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN)
    return plan


def contents(folder: Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def run_cli(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(map(str, arguments)))
    return int(left.value.code or 0)


@pytest.mark.parametrize("plant", PLACES.values(), ids=PLACES)
def test_a_dropped_interrupt_ends_a_run_and_leaves_nothing(
    plan: Path, plant: Drop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    plant(monkeypatch)
    assert run_cli("run", plan, "--out", plan.parent / "out") == 130
    assert capsys.readouterr() == ("", "tacita: Interrupted; nothing half-written is left.\n")
    assert list(plan.parent.iterdir()) == [plan]


def test_an_interrupt_in_a_callback_ends_a_run_by_one_sentence(
    plan: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Python drops what is raised there, with a traceback on the screen."""
    work = release.public_report

    def dropping(*args: Any) -> Any:
        event = threading.Event()
        reference = weakref.ref(event, lambda _: signal.raise_signal(signal.SIGINT))
        del event
        assert reference() is None
        return work(*args)

    monkeypatch.setattr(release, "public_report", dropping)
    assert run_cli("run", plan, "--out", plan.parent / "out") == 130
    assert capsys.readouterr().err == "tacita: Interrupted; nothing half-written is left.\n"
    assert list(plan.parent.iterdir()) == [plan]


def test_a_dropped_interrupt_leaves_the_earlier_release_as_it_was(
    plan: Path, monkeypatch: pytest.MonkeyPatch
):
    ta.run(plan, plan.parent / "out")
    earlier = contents(plan.parent)
    before(release, "public_report")(monkeypatch)
    assert run_cli("run", plan, "--out", plan.parent / "out") == 130
    assert contents(plan.parent) == earlier


def test_an_interrupt_that_comes_too_late_leaves_a_whole_release(
    plan: Path, monkeypatch: pytest.MonkeyPatch
):
    before(atomic, "_put_folder")(monkeypatch)
    assert run_cli("run", plan, "--out", plan.parent / "out") == 130
    monkeypatch.undo()
    assert run_cli("verify", plan.parent / "out") == 0


def test_a_dropped_interrupt_leaves_no_converted_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    source = tmp_path / "a.csv"
    source.write_text("x,y\n1,2\n")
    before(atomic, "_hidden")(monkeypatch)
    assert run_cli("convert", source, tmp_path / "b.csv") == 130
    assert list(tmp_path.iterdir()) == [source]


def test_a_program_of_somebody_else_keeps_its_handler(plan: Path, monkeypatch: pytest.MonkeyPatch):
    """What Ctrl-C does in a program that uses the library is that program's business."""
    handlers = []
    work = release.public_report

    def looking(*args: Any) -> Any:
        handlers.append(signal.getsignal(signal.SIGINT))
        return work(*args)

    monkeypatch.setattr(release, "public_report", looking)
    ta.run(plan, plan.parent / "out")
    assert handlers == [signal.default_int_handler]
