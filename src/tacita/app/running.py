"""Running the workbench until it is told to stop."""

from __future__ import annotations

import contextlib
import socket
from dataclasses import dataclass

import uvicorn

from tacita.app.application import create_app
from tacita.app.bench import Bench
from tacita.app.entrance import TOKEN
from tacita.app.workplace import Workplace
from tacita.errors import InputError

HOST = "127.0.0.1"
PATIENCE = 2  # seconds that running answers get to finish


@dataclass(frozen=True)
class Running:
    """A workbench whose address is taken: who opens it waits until it runs.

    Args:
        uvicorn: what runs it.
        taken: the socket it listens on, of this machine only.
        bench: the workbench.
    """

    uvicorn: uvicorn.Server
    taken: socket.socket
    bench: Bench

    @property
    def url(self) -> str:
        """Where a person opens it; whoever has this address can work with it."""
        port = self.taken.getsockname()[1]
        return f"http://{HOST}:{port}/?{TOKEN}={self.bench.keys.token}"

    def run(self) -> None:
        """Serve until Ctrl-C, SIGTERM or `stop`."""
        with self.taken, contextlib.suppress(KeyboardInterrupt):
            self.uvicorn.run(sockets=[self.taken])

    def stop(self) -> None:
        """Let `run` come to its end."""
        self.uvicorn.should_exit = True


def ready(workplace: Workplace, *, port: int = 0) -> Running:
    """Make a workbench that is ready to run, for this machine only.

    Args:
        workplace: the folder.
        port: the port; 0 takes a free one.

    Raises:
        InputError: the port is in use.
    """
    taken = _bound(port)
    bench = Bench.at(workplace)
    config = uvicorn.Config(
        create_app(bench),
        server_header=False,
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=PATIENCE,
    )
    return Running(uvicorn.Server(config), taken, bench)


def _bound(port: int) -> socket.socket:
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((HOST, port))
        taken.listen()
    except OSError as error:
        taken.close()
        raise InputError(f"Cannot listen on port {port}: {error.strerror}.") from error
    return taken
