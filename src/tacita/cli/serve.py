"""`tacita serve`: let analysts ask a guarded database over HTTP."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tacita.server.running import Server
    from tacita.server.settings import Listening


def serve(
    plan: Annotated[Path, typer.Argument(help="The plan, with its part `queries`.")],
    host: Annotated[
        str, typer.Option(help="The address to listen on; only this machine by default.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 8000,
    certificate: Annotated[
        Path | None, typer.Option(help="The file of a TLS certificate (PEM).")
    ] = None,
    certificate_key: Annotated[
        Path | None, typer.Option(help="The file of its private key (PEM).")
    ] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy in front does TLS.")
    ] = False,
) -> None:
    """Serve a database by its plan until SIGTERM or Ctrl-C; running answers finish first.

    On other addresses than this machine's it needs tokens, and TLS or a proxy that does it.
    """
    from tacita.api.database import serve_plan
    from tacita.cli.printing import say
    from tacita.errors import load_extra
    from tacita.server.settings import Listening

    for module in ("fastapi", "uvicorn"):
        load_extra(module, "server")
    listening = Listening(host, port, certificate, certificate_key, behind_proxy)
    server = _ready(serve_plan(plan), listening)
    say(f"Answering at {server.url}, with a console at {server.url}/console/. Ctrl-C stops it.")
    sys.stdout.flush()  # whoever started it through a pipe waits for the address
    server.run()


def _ready(served: Any, listening: Listening) -> Server:
    """Return a server of what a plan describes; if there can be none, the guard is closed."""
    from tacita.server.collecting import Collection
    from tacita.server.running import ready
    from tacita.server.settings import Settings
    from tacita.server.tokens import Tokens

    tokens = None if served.tokens is None else Tokens(served.tokens)
    try:
        settings = Settings(tick=served.tick, rate=served.rate)
        collection = Collection(served.collect, served.collected) if served.collect else None
        return ready(served.guard, tokens, settings, listening, collection=collection)
    except BaseException:
        served.guard.close()
        raise
