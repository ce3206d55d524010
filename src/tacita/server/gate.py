"""The gate: every request shows a token that allows what it wants, and not too often."""

from __future__ import annotations

import math
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.concurrency import run_in_threadpool

from tacita.server.rates import Rates
from tacita.server.tokens import LOCAL, Token, Tokens

UNKNOWN = "This needs a valid token: send it as `Authorization: Bearer ...`."
OFTEN = "Too many requests; wait as long as the header Retry-After says."
GUESSES = (5.0, 1000.0)  # wrong tokens in a second, from one address and from all

Credentials = Annotated[
    HTTPAuthorizationCredentials | None,
    Depends(HTTPBearer(auto_error=False, description="A token made by `tacita token add`.")),
]


class Gate:
    """Who may come in.

    Args:
        tokens: the tokens; None where everybody on this machine may do all.
        rates: how often a user may ask.
    """

    def __init__(self, tokens: Tokens | None, rates: Rates) -> None:
        self.tokens = tokens
        self._rates = rates
        self._guesses = Rates(*GUESSES)

    async def let_in(self, secret: str, scope: str, address: str) -> Token:
        """Return whose request it is.

        Args:
            secret: the token as it was sent; empty if there was none.
            scope: what the request wants to do.
            address: where it comes from.

        Raises:
            HTTPException: 401 without a valid token, 403 where it does not allow that, 429 where
                it is too often.
        """
        token = LOCAL if self.tokens is None else await self._verified(self.tokens, secret, address)
        if scope not in token.scopes:
            raise HTTPException(403, f"A token of the role {token.role} does not allow this.")
        _refuse_often(self._rates.take(token.user))
        return token

    async def _verified(self, tokens: Tokens, secret: str, address: str) -> Token:
        token = tokens.known(secret)
        if token is None and secret:
            _refuse_often(self._guesses.wait(address))
            token = await run_in_threadpool(tokens.verify, secret)
            if token is None:
                self._guesses.take(address)
        if token is None:
            raise HTTPException(401, UNKNOWN, {"WWW-Authenticate": "Bearer"})
        return token


def _refuse_often(wait: float) -> None:
    if wait > 0:
        raise HTTPException(429, OFTEN, {"Retry-After": str(math.ceil(wait))})


def needs(scope: str) -> Any:
    """Return what a route depends on: a token that allows something."""

    async def caller(request: Request, credentials: Credentials) -> Token:
        gate: Gate = request.app.state.gate
        secret = credentials.credentials if credentials else ""
        return await gate.let_in(secret, scope, request.client.host if request.client else "")

    return Depends(caller)
