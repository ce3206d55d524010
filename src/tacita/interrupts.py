"""Ctrl-C on the command line: late at worst, never lost.

Python raises `KeyboardInterrupt` wherever the program happens to be. If that is in a library which
catches everything, or in a callback that can raise nothing, such as the one by which Python forgets
the lock of a module that it has imported, the interrupt is gone and the program goes on as if
nobody had pressed a key. So the command line notes every interrupt besides raising it, and what
writes files looks at the note before anything appears.

Only the command line does so: in somebody else's program, what Ctrl-C does is that program's
business, and nothing is ever noted.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs


class _Note:
    """Whether an interrupt came that nobody has dealt with."""

    is_set = False


_note = _Note()


@contextmanager
def noting_interrupts() -> Iterator[None]:
    """Note interrupts while the block runs; one that was lost inside is raised at its end.

    Each interrupt is raised at once, too, so that a second one acts where the first was dropped.
    Where interrupts are ignored or somebody else's business, they stay so.
    """
    if not _are_pythons_own():
        yield
        return
    _note.is_set = False
    before = signal.signal(signal.SIGINT, _interrupt)
    hook = sys.unraisablehook

    def without_interrupts(dropped: UnraisableHookArgs) -> None:
        """Print what Python drops, but no interrupt: it is noted."""
        if dropped.exc_type is not KeyboardInterrupt:
            hook(dropped)

    sys.unraisablehook = without_interrupts
    try:
        yield
        raise_if_interrupted()
    finally:
        sys.unraisablehook = hook
        signal.signal(signal.SIGINT, before)
        was_noted, _note.is_set = _note.is_set, False
        if was_noted:  # whatever else went wrong since may come of it
            raise KeyboardInterrupt


def _are_pythons_own() -> bool:
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    _note.is_set = True
    raise KeyboardInterrupt


def raise_if_interrupted() -> None:
    """Raise an interrupt again that was noted and dealt with by nobody.

    Raises:
        KeyboardInterrupt: there was one.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    # Python looks for a signal that another thread was given when it takes its lock again.
    time.sleep(0)
    if _note.is_set:
        raise KeyboardInterrupt


def forget_interrupt() -> None:
    """Say that an interrupt was dealt with, so that it is not raised again."""
    _note.is_set = False


@contextmanager
def until_interrupted() -> Iterator[None]:
    """Let an interrupt end a block, and nothing else."""
    try:
        yield
    except KeyboardInterrupt:
        forget_interrupt()
