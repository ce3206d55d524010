"""Running the workbench until it is told to stop."""

from __future__ import annotations

import fcntl
import os
import socket
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import uvicorn

from tacita.app.application import create_app
from tacita.app.bench import Bench
from tacita.app.entrance import TOKEN
from tacita.app.workplace import Workplace
from tacita.errors import InputError
from tacita.interrupts import until_interrupted

HOST = "127.0.0.1"
LEADING_ON = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Tacita</title>'
    '<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={url}">'
    '<a href="{url}">Go to the workbench</a></html>'
)
PATIENCE = 2  # seconds that running answers get to finish


@dataclass(frozen=True)
class Running:
    """A workbench whose address is taken: who opens it waits until it runs.

    Args:
        uvicorn: what runs it.
        taken: the socket it listens on, of this machine only.
        bench: the workbench.
        held: what keeps other workbenches out of the session folder.
    """

    uvicorn: uvicorn.Server
    taken: socket.socket
    bench: Bench
    held: IO[str]

    @property
    def url(self) -> str:
        """Where a person opens it: a new address each time, which lets in one browser, once."""
        port = self.taken.getsockname()[1]
        return f"http://{HOST}:{port}/?{TOKEN}={self.bench.keys.issue()}"

    def open_browser(self) -> None:
        """Open the workbench in the browser of whoever started it.

        Everybody on a machine sees the arguments of its programs. So the browser is given a page
        that only its owner can read, and that page leads on to the address.
        """
        page = self._page
        page.unlink(missing_ok=True)
        opened = os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "w", encoding="utf-8") as file:
            file.write(LEADING_ON.format(url=self.url))
        webbrowser.open(page.resolve().as_uri())

    @property
    def _page(self) -> Path:
        return self.bench.workplace.session / "enter.html"

    def run(self) -> None:
        """Serve until Ctrl-C, SIGTERM or `stop`."""
        with self.held, self.taken, until_interrupted():
            try:
                self.uvicorn.run(sockets=[self.taken])
            finally:
                self.bench.jobs.close()  # also when it was interrupted before it served
                self._page.unlink(missing_ok=True)

    def stop(self) -> None:
        """Let `run` come to its end."""
        self.uvicorn.should_exit = True


class _Server(uvicorn.Server):
    """Ends the jobs before anything else, so that no page waits for them while it shuts down."""

    def __init__(self, config: uvicorn.Config, bench: Bench) -> None:
        super().__init__(config)
        self._bench = bench

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._bench.jobs.close()
        await super().shutdown(sockets)


def ready(workplace: Workplace, *, port: int = 0, warm: bool = False) -> Running:
    """Make a workbench that is ready to run, for this machine only.

    Args:
        workplace: the folder.
        port: the port; 0 takes a free one.
        warm: whether what a person waits for is made ready beforehand.

    Raises:
        InputError: the port is in use, or the session folder.
    """
    taken = _bound(port)
    try:
        held = _held(workplace)
    except InputError:
        taken.close()
        raise
    workplace.sweep()
    bench = Bench.at(workplace, warm=warm)
    config = uvicorn.Config(
        create_app(bench),
        server_header=False,
        proxy_headers=False,
        ws="none",
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=PATIENCE,
    )
    return Running(_Server(config, bench), taken, bench, held)


def _bound(port: int) -> socket.socket:
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((HOST, port))
        taken.listen()
    except OSError as error:
        taken.close()
        raise InputError(
            f"Cannot listen on port {port}: {error.strerror}. Choose another with --port, or leave "
            "it out to take a free one."
        ) from error
    return taken


def _held(workplace: Workplace) -> IO[str]:
    """Keep others out of the session folder, for two would write over each other's work."""
    held = (workplace.session / "open").open("a+", encoding="utf-8")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        held.close()
        raise InputError(
            f"The workbench of {workplace.folder} is open already; use the address it printed, "
            "stop it, or choose another session folder with --session."
        ) from error
    return held
