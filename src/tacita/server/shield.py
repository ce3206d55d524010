"""What surrounds every request: its size, security headers, and silence about what went wrong."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacita.api.remote import LOOPBACK

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("tacita.server")

FAILED = "The server could not answer; its curator finds the reason in the server's log."
LARGE = "The request is too large for this server."
FOREIGN = "Without tokens, this server answers only to its own machine."
CONSOLE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
HEADERS = ((b"content-security-policy", CONSOLE.encode()), *ALWAYS)
STRICT = (b"strict-transport-security", b"max-age=31536000")


class Shield:
    """Surrounds an application.

    An exception becomes one constant text, for its own text could hold what nobody may see.

    Args:
        app: the application.
        longest: the most bytes of a body.
        local_only: whether requests must name this machine as their host. Without tokens that
            keeps out web pages that lead their own name to this machine.
        encrypted: whether browsers are told to keep to TLS.
    """

    def __init__(
        self, app: ASGIApp, *, longest: int, local_only: bool, encrypted: bool = False
    ) -> None:
        self._app, self._longest, self._local_only = app, longest, local_only
        self._headers = [*HEADERS, STRICT] if encrypted else list(HEADERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message["headers"], *self._headers]
            await send(message)

        try:
            await self._guarded(scope, receive, sending)
        except Exception:
            log.exception("A request failed.")
            if not started:
                await _say(sending, 500, FAILED)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._local_only and _host(scope["headers"]) not in LOOPBACK:
            await _say(send, 403, FOREIGN)
            return
        body = await self._body(receive) if scope["method"] == "POST" else b""
        if body is None:
            await _say(send, 413, LARGE)
            return
        await self._app(scope, _replayed(body, receive), send)

    async def _body(self, receive: Receive) -> bytes | None:
        """Return the whole body, or None where it is too large."""
        parts, size, more = [], 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return b""
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._longest:
                return None
            more = message.get("more_body", False)
        return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return what gives the body that was read already, and then whatever else comes."""
    read = False

    async def replay() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _host(headers: Sequence[tuple[bytes, bytes]]) -> str:
    """Return the host that a request names, without its port."""
    host = next((value for name, value in headers if name == b"host"), b"").decode("latin-1")
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


async def _say(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"detail": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
