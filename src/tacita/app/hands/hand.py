"""A process that works for the workbench, from the side of the workbench."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from typing import Any

from tacita.app.hands.working import work_on
from tacita.errors import ProtectionError, TacitaError

STOPPED = "It was stopped."
ENDED = (
    "The process that worked on it came to an end; there may not have been enough memory. Start it "
    "again, on fewer records perhaps."
)


class Stopped(TacitaError):  # noqa: N818 - what happened is no error
    """The work was stopped before it was done."""


class Hand:
    """A process that does one piece of work after the other; it is started when it is needed."""

    def __init__(self, first: Callable[[], None] | None = None) -> None:
        """Make one.

        Args:
            first: what the process does beside its first work.
        """
        self._first = first
        self._job = ""  # what it works on, by name
        self._process: Any = None
        self._connection: Any = None
        self._changing = threading.Lock()  # nobody stops what is only half started

    def do(
        self, job: str, asked: Callable[[], dict[str, Any]], tell: Callable[[str | int], None]
    ) -> Any:
        """Let the process do a piece of work, and wait for it.

        Args:
            job: the name of the work, by which it can be stopped from now on.
            asked: returns the task with all it needs, in plain types.
            tell: is told of every step.

        Raises:
            TacitaError: it could not be done; the message says why.
            Stopped: the process was stopped meanwhile.
        """
        connection = self._started(job)
        try:
            connection.send(asked())
            while True:
                kind, said = connection.recv()
                if kind == "done":
                    return said
                if kind == "refused":
                    raise ProtectionError(said)
                tell(said)
        except (EOFError, OSError) as error:
            if self._connection is not connection:  # somebody stopped it
                raise Stopped(STOPPED) from error
            self.stop()
            raise ProtectionError(ENDED) from error
        finally:
            with self._changing:
                self._job = ""

    def start(self) -> None:
        """Start the process before there is work, so that the first does not wait for it."""
        self._started("")

    def stop(self, job: str | None = None) -> None:
        """End the process, whatever it is doing; with a job, only if it works on that one."""
        with self._changing:
            if job is not None and job != self._job:
                return
            process, self._process = self._process, None
            connection, self._connection = self._connection, None
            if process is not None:
                process.kill()
                process.join()
                connection.close()

    def _started(self, job: str) -> Any:
        with self._changing:
            if job:
                self._job = job
            if self._process is None or not self._process.is_alive():
                context = multiprocessing.get_context("spawn")
                self._connection, theirs = context.Pipe()
                self._process = context.Process(
                    target=work_on, args=(theirs, self._first), daemon=True
                )
                self._process.start()
                theirs.close()
            return self._connection
