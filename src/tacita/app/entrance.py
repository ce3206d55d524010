"""Who comes in: one person on this machine, from pages that this workbench itself sent."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from starlette.requests import ClientDisconnect

from tacita.api.remote import LOOPBACK
from tacita.app.telling import log_failure
from tacita.server.shield import ALWAYS

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN = "token"  # noqa: S105 - the name of a field
PROOF = b"x-tacita-proof"
CLOSED = (
    "Open the workbench with the address that `tacita app` printed. It lets in one browser, once: "
    "for another, stop the workbench and start it again; the work is kept."
)
FOREIGN = "The workbench answers only to pages of its own; load this page again."
FAILED = "Something went wrong in the workbench itself; what was done is kept. Its log says more."
READING = frozenset({"GET", "HEAD", "OPTIONS"})
OTHERS = frozenset({b"cross-site", b"same-site"})  # another port of this machine is of its site
ENTERED = (
    b'<!doctype html><html lang="en"><meta charset="utf-8"><title>Tacita</title>'
    b'<meta http-equiv="refresh" content="0; url=/"><a href="/">Go to the workbench</a></html>'
)
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; frame-src 'self'"
)
HEADERS = ((b"content-security-policy", POLICY.encode()), *ALWAYS)


@dataclass(frozen=True)
class Keys:
    """What a person proves with that they started the workbench; made anew at every start.

    Addresses end up in histories, in lists of processes and in logs. So the token in an address is
    good once, and what a browser is known by from then on is never in one.

    Args:
        session: it stands in the cookie of a browser that was let in.

    >>> keys = Keys()
    >>> token = keys.issue()
    >>> keys.redeem(token), keys.redeem(token)
    (True, False)
    """

    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _issued: set[str] = field(default_factory=set, repr=False)
    _redeeming: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie; of several workbenches on a machine each has its own."""
        return f"tacita-{hashlib.sha256(self.session.encode()).hexdigest()[:12]}"

    @property
    def proof(self) -> str:
        """What pages of the workbench send with every change; others cannot know it."""
        return hmac.new(
            self.session.encode(), b"a page of this workbench", hashlib.sha256
        ).hexdigest()

    def issue(self) -> str:
        """Return a new token for an address, which lets in one browser, once."""
        token = secrets.token_urlsafe(32)
        with self._redeeming:
            self._issued.add(token)
        return token

    def redeem(self, token: str) -> bool:
        """Tell whether a token lets in; it does not do so again."""
        with self._redeeming:
            fitting = [one for one in self._issued if _equal(one, token)]
            self._issued.difference_update(fitting)
        return bool(fitting)

    def opens(self, session: str) -> bool:
        """Tell whether a cookie is that of a browser that was let in."""
        return _equal(session, self.session)

    def proves(self, proof: str) -> bool:
        """Tell whether a page is one of this workbench."""
        return _equal(proof, self.proof)


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


class Entrance:
    """Surrounds the application: lets in one person, and adds what protects pages.

    Args:
        app: the application.
        keys: what is asked for.
    """

    def __init__(self, app: ASGIApp, *, keys: Keys) -> None:
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                given = {name.lower() for name, _ in message["headers"]}
                more = [one for one in HEADERS if one[0] not in given]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        try:
            await self._guarded(scope, headers, receive, sending)
        except ClientDisconnect:
            pass  # the person left the page; nobody waits for an answer
        except Exception as error:  # noqa: BLE001 - nothing of it is told
            log_failure("A request failed", error)
            if not started:
                await _say(sending, 500, FAILED)

    async def _guarded(
        self, scope: Scope, headers: dict[bytes, bytes], receive: Receive, send: Send
    ) -> None:
        host = headers.get(b"host", b"").decode("latin-1")
        if _name_in(host) not in LOOPBACK:
            await _say(send, 403, FOREIGN)
        elif scope["method"] == "GET" and (token := _token_in(scope)) is not None:
            await self._come_in(token, headers, send)
        elif not self._keys.opens(_cookie(headers, self._keys.cookie)):
            await _say(send, 403, CLOSED)
        elif not self._is_own(scope["method"], headers, host):
            await _say(send, 403, FOREIGN)
        else:
            await self._app(scope, receive, send)

    async def _come_in(self, token: str, headers: dict[bytes, bytes], send: Send) -> None:
        """Give a browser with a good token its cookie, and take the token out of the address.

        Browsers keep the cookie back while they follow a link of another page, and whatever that
        link leads on to. Then a page of our own leads on.
        """
        # Who is in already and loads the address again stays in.
        is_in = self._keys.opens(_cookie(headers, self._keys.cookie))
        if not (self._keys.redeem(token) or is_in):
            await _say(send, 403, CLOSED)
            return
        from_link = headers.get(b"sec-fetch-site") in OTHERS
        body = ENTERED if from_link else b""
        cookie = f"{self._keys.cookie}={self._keys.session}; Path=/; HttpOnly; SameSite=Strict"
        told = [(b"set-cookie", cookie.encode()), (b"content-length", b"%d" % len(body))]
        more = (b"content-type", b"text/html; charset=utf-8") if from_link else (b"location", b"/")
        status = 200 if from_link else 303
        await send({"type": "http.response.start", "status": status, "headers": [*told, more]})
        await send({"type": "http.response.body", "body": body})

    def _is_own(self, method: str, headers: dict[bytes, bytes], host: str) -> bool:
        """Tell whether a request comes from a page of this workbench, or from the person."""
        if method in READING:
            goes = headers.get(b"sec-fetch-mode") == b"navigate"
            return goes or headers.get(b"sec-fetch-site") not in OTHERS
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and origin != f"http://{host}":
            return False
        return self._keys.proves(headers.get(PROOF, b"").decode("latin-1"))


def _name_in(host: str) -> str | None:
    """Return the name of a machine without its port; None where it is none."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _token_in(scope: Scope) -> str | None:
    said = parse_qs(scope["query_string"].decode("latin-1")).get(TOKEN)
    return said[0] if said and scope["path"] == "/" else None


def _cookie(headers: dict[bytes, bytes], name: str) -> str:
    """Return a cookie. Those of other servers on this machine come too, and may be anything."""
    for part in headers.get(b"cookie", b"").decode("latin-1").split(";"):
        said, _, value = part.strip().partition("=")
        if said == name:
            return value
    return ""


async def _say(send: Send, status: int, sentence: str) -> None:
    body = sentence.encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", b"%d" % len(body)),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
