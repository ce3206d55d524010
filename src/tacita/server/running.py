"""Running the server until it is told to stop."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from typing import Any

import uvicorn

from tacita.errors import InputError
from tacita.interrupts import until_interrupted
from tacita.server.app import create_app
from tacita.server.collecting import Collection
from tacita.server.settings import Listening, Settings
from tacita.server.tokens import Tokens

CONNECTIONS = 1000  # at once; more are told to come again
PATIENCE = 30  # seconds that running answers get to finish
IDLE = 65  # seconds that an unused connection stays open; clients give it up before
WAITING = 512  # connections that may wait until they are taken


@dataclass(frozen=True)
class Server:
    """A server whose address is taken: who connects waits until it runs.

    Args:
        uvicorn: what runs it.
        taken: the socket it listens on.
        listening: where that is.
    """

    uvicorn: uvicorn.Server
    taken: socket.socket
    listening: Listening

    @property
    def url(self) -> str:
        """Where it is reached."""
        scheme = "https" if self.listening.is_encrypted else "http"
        host, port = self.listening.host, self.taken.getsockname()[1]
        return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"

    def run(self) -> None:
        """Answer until SIGTERM, Ctrl-C or `stop`; running answers finish, the guard is closed."""
        with self.taken, until_interrupted():
            self.uvicorn.run(sockets=[self.taken])

    def stop(self) -> None:
        """Let `run` come to its end."""
        self.uvicorn.should_exit = True


def ready(
    guard: Any,
    tokens: Tokens | None,
    settings: Settings,
    listening: Listening,
    *,
    collection: Collection | None = None,
) -> Server:
    """Make a server that is ready to run.

    Raises:
        ParameterError: strangers could come in or read along where it is to listen.
        InputError: the address is in use or none of this machine, or the certificate is no good.
    """
    listening.refuse_open(authenticated=tokens is not None)
    _refuse_certificate(listening)
    app = create_app(
        guard, tokens, settings, collection=collection, encrypted=listening.is_encrypted
    )
    config = uvicorn.Config(
        app,
        ssl_certfile=listening.certificate,
        ssl_keyfile=listening.certificate_key,
        proxy_headers=listening.behind_proxy,
        server_header=False,
        access_log=False,
        log_level="warning",
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=PATIENCE,
    )
    return Server(uvicorn.Server(config), _bound(listening), listening)


def _refuse_certificate(listening: Listening) -> None:
    """Refuse a certificate that cannot be used, before anybody connects."""
    if listening.certificate is None:
        return
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(listening.certificate, listening.certificate_key)
    except OSError as error:  # ssl.SSLError is one
        raise InputError(
            f"{listening.certificate} and {listening.certificate_key} are not a certificate and "
            "its key that can be read; give both as PEM, the key without a password."
        ) from error


def _bound(listening: Listening) -> socket.socket:
    family = socket.AF_INET6 if ":" in listening.host else socket.AF_INET
    # The protocol is named, or asyncio would not send replies at once (TCP_NODELAY).
    taken = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((listening.host, listening.port))
        taken.listen(WAITING)
    except OSError as error:
        taken.close()
        raise InputError(
            f"Cannot listen on {listening.host}:{listening.port}: {error.strerror}. "
            "Choose another address or port."
        ) from error
    return taken
