"""What a process does: take a piece of work, tell how far it is, give back the result."""

from __future__ import annotations

import signal
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tacita.app.hands.work import Memory, Work
from tacita.errors import TacitaError

FAILED = "The work could not be done: something went wrong in Tacita itself ({}). Please report it."


def work_on(connection: Connection) -> None:
    """Do what comes through a connection, one piece after the other, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this too
    memory = Memory()
    while True:
        try:
            asked = connection.recv()
        except EOFError:
            return
        connection.send(_done(asked, memory, lambda said: connection.send(("step", said))))


def _done(
    asked: dict[str, Any], memory: Memory, tell: Callable[[str | int], None]
) -> tuple[str, Any]:
    """Return the result of a piece of work, or the sentence that says why there is none."""
    work = Work(asked["text"], Path(asked["file"]), asked["seed"], asked["arguments"], tell, memory)
    try:
        run = import_module(f"tacita.app.hands.tasks.{asked['task']}").run
        return "done", run(work)
    except TacitaError as error:
        return "refused", str(error)
    except MemoryError:
        return "refused", "There is not enough memory for it; try it on fewer records."
    except Exception as error:
        import logging

        # What an exception says may hold values of respondents: the page names its kind only.
        logging.getLogger("tacita.app").exception("A task failed.")
        return "refused", FAILED.format(type(error).__name__)
