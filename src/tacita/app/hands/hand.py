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
            first: what the process does before its first work.
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
            return self._answer(connection, tell)
        except (EOFError, OSError) as error:
            if self._connection is not connection:  # somebody stopped it
                raise Stopped(STOPPED) from error
            self.stop()
            raise ProtectionError(ENDED) from error
        finally:
            with self._changing:
                self._job = ""
                if self._connection is not connection:
                    connection.close()

    def _answer(self, connection: Any, tell: Callable[[str | int], None]) -> Any:
        while True:
            kind, said = connection.recv()
            if kind == "done":
                return said
            if kind == "refused":
                raise ProtectionError(said)
            try:
                tell(said)
            except BaseException:
                self.stop()  # or what it says later would be taken for the answer to the next work
                raise

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
                # Who waits for an answer closes it: its number could be another file's at once.
                if not self._job:
                    connection.close()

    def _started(self, job: str) -> Any:
        with self._changing:
            if self._process is None or not self._process.is_alive():
                if self._connection is not None:
                    self._connection.close()
                self._process, self._connection = self._begun()
            if job:
                self._job = job
            return self._connection

    def _begun(self) -> tuple[Any, Any]:
        """Start a process; return it with the connection to it."""
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        with theirs:
            process = context.Process(target=work_on, args=(theirs, self._first), daemon=True)
            try:
                process.start()
            except BaseException:
                ours.close()
                raise
        return process, ours
