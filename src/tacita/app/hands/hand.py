"""A process that works for the workbench, from the side of the workbench."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from typing import Any

from tacita.app.hands.working import work_on
from tacita.errors import ProtectionError, TacitaError

STOPPED = "It was stopped."


class Stopped(TacitaError):  # noqa: N818 - what happened is no error
    """The work was stopped before it was done."""


class Hand:
    """A process that does one piece of work after the other; it is started when it is needed."""

    def __init__(self) -> None:
        self.job = ""  # what it works on, by name
        self._process: Any = None
        self._connection: Any = None
        self._changing = threading.Lock()  # nobody stops what is only half started

    def do(self, asked: dict[str, Any], tell: Callable[[str | int], None]) -> Any:
        """Let the process do a piece of work, and wait for it.

        Args:
            asked: the task with all it needs, in plain types.
            tell: is told of every step.

        Raises:
            TacitaError: it could not be done; the message says why.
            Stopped: the process was stopped meanwhile.
        """
        self._start()
        try:
            self._connection.send(asked)
            while True:
                kind, said = self._connection.recv()
                if kind == "done":
                    return said
                if kind == "refused":
                    raise ProtectionError(said)
                tell(said)
        except (EOFError, OSError) as error:
            self.stop()
            raise Stopped(STOPPED) from error

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        with self._changing:
            process, self._process = self._process, None
            if process is not None:
                process.kill()
                process.join()
                self._connection.close()

    def _start(self) -> None:
        with self._changing:
            if self._process is not None and self._process.is_alive():
                return
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=work_on, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()
