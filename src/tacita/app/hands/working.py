"""What a process does: take a piece of work, tell how far it is, give back the result."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from importlib import import_module
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from tacita.app.hands.work import Memory, Work
from tacita.app.refusing import why
from tacita.app.telling import log_failure
from tacita.errors import TacitaError

FAILED = "The work could not be done: something went wrong in Tacita itself ({}). Please report it."


def work_on(connection: Connection, first: Callable[[], None] | None = None) -> None:
    """Do what comes through a connection, one piece after the other, until it is closed.

    Args:
        connection: through which work comes and results go.
        first: what is done before the first work, so that work is quicker.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this too
    threading.Thread(target=_end_with_server, daemon=True).start()
    if first is not None:
        first()  # not beside: of packages that two threads import at once one may get a half
    memory = Memory()
    while True:
        try:
            asked = connection.recv()
        except EOFError:
            return
        connection.send(_done(asked, memory, lambda said: connection.send(("step", said))))


def _end_with_server() -> None:
    """End when the server is gone, however it went: nobody waits for the work any more."""
    server = parent_process()
    if server is not None:
        wait([server.sentinel])
        os._exit(1)


def _done(
    asked: dict[str, Any], memory: Memory, tell: Callable[[str | int], None]
) -> tuple[str, Any]:
    """Return the result of a piece of work, or the sentence that says why there is none."""
    file, session = Path(asked["file"]), Path(asked["session"])
    work = Work(
        asked["text"], file, asked["seed"], asked["arguments"], tell, memory, session,
        asked["project"],
    )  # fmt: skip
    try:
        os.chdir(file.parent)  # from where relative addresses of databases start
        run = import_module(f"tacita.app.hands.tasks.{asked['task']}").run
        return "done", run(work)
    except TacitaError as error:
        return "refused", why(str(error), work.file)
    except MemoryError:
        return "refused", "There is not enough memory for it; try it on fewer records."
    except Exception as error:  # noqa: BLE001 - the process goes on with the next piece
        log_failure("A task failed", error)
        return "refused", FAILED.format(type(error).__name__)
