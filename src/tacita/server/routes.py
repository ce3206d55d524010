"""The routes: ask, look at the view and the policies, and read the ledger."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request, Response

from tacita.errors import InputError, QueryError
from tacita.queries.answer import Answer
from tacita.queries.guard import Submitted
from tacita.queries.private.spending import Spending
from tacita.server.bodies import Batch, Price, Question, Reply, Said
from tacita.server.bodies import Query as Asked
from tacita.server.formats import MEDIA, form_of, told_beside, written
from tacita.server.gate import needs
from tacita.server.ticks import on_ticks
from tacita.server.tokens import Token

routes = APIRouter()
Asker = Annotated[Token, needs("query")]
Viewer = Annotated[Token, needs("view")]
Observer = Annotated[Token, needs("session")]
Auditor = Annotated[Token, needs("ledger")]
Keeper = Annotated[Token, needs("tokens")]
MOST_ENTRIES = 10_000
FEW = 100  # rows of an answer that are not worth a thread
REFUSED: dict[int | str, dict[str, Any]] = {
    401: {"model": Said, "description": "There is no valid token."},
    403: {"model": Said, "description": "The token does not allow this."},
    429: {"model": Said, "description": "Too often; the header Retry-After says how long to wait."},
}
OF_QUERIES: dict[int | str, dict[str, Any]] = {
    200: {
        "model": Reply,
        "description": "The answer. Cells that a policy refuses are null, with a constant notice.",
        "content": {MEDIA["csv"]: {}, MEDIA["arrow"]: {}},
    },
    400: {"model": Said, "description": "It is not a statistical query; the text says why."},
    413: {"model": Said, "description": "The request is too large."},
    **REFUSED,
}
OF_PRICES: dict[int | str, dict[str, Any]] = OF_QUERIES | {
    200: {"model": dict[str, Price], "description": "The cost, by policy; none without a budget."}
}


@routes.post("/query", responses=OF_QUERIES, summary="Ask a statistical query", tags=["analyst"])
async def query(question: Question, request: Request, caller: Asker) -> Response:
    """Answer one SELECT of statistics, cell by cell as the policies allow."""
    state = request.app.state
    form = question.format or form_of(request.headers.get("accept", ""))
    async with on_ticks(state.settings.tick):
        submitted = await _submitted(request, question, caller)
        if isinstance(submitted, Response):
            return submitted
        reply = partial(_reply, submitted.answer, form)
        made = reply() if len(submitted.answer.rows) <= FEW else await _in_thread(request, reply)
        await _in_ledger(state.guard, submitted)
        return made


async def _submitted(request: Request, question: Question, caller: Token) -> Submitted | Response:
    """Return a question on its way into the ledger, or why it is no statistical query."""
    guard = request.app.state.guard
    asked: dict[str, Any] = {"user": caller.user, "parameters": question.parameters}
    try:
        asked["spending"] = _spending(question)
        submitted: Submitted = guard.submit_quickly(question.sql, **asked) or await _in_thread(
            request, partial(guard.submit, question.sql, **asked)
        )
    except QueryError as error:
        return _refusal(error)
    return submitted


def _spending(asked: Asked) -> Spending | None:
    return Spending.said(asked.epsilon, asked.rho, asked.delta)


def _reply(answer: Answer, form: str) -> Response:
    return Response(written(answer, form), 200, told_beside(answer), MEDIA[form])


async def _in_ledger(guard: Any, submitted: Submitted) -> None:
    """Wait, without a thread, until an answer is in the ledger; raise if it will not be."""
    if submitted.pending is not None:
        await asyncio.wait([asyncio.wrap_future(submitted.pending.durable)])
    guard.settled(submitted)


@routes.post("/explain", responses=OF_PRICES, summary="What queries would cost", tags=["analyst"])
async def explain(batch: Batch, request: Request, caller: Asker) -> Response:
    """Return of every policy with a budget what queries cost together; it costs nothing."""
    state = request.app.state
    async with on_ticks(state.settings.tick):
        reply: Response = await _in_thread(request, partial(_priced, state.guard, batch, caller))
        return reply


def _priced(guard: Any, batch: Batch, caller: Token) -> Response:
    try:
        queries = [(one.sql, one.parameters, _spending(one)) for one in batch.queries]
        told = guard.cost(queries, user=caller.user)
    except QueryError as error:
        return _refusal(error)
    return Response(json.dumps(told), 200, media_type=MEDIA["json"])


@routes.get("/view", responses=REFUSED, summary="What can be asked about", tags=["analyst"])
async def view(request: Request, _: Viewer) -> Any:
    """Return the attributes of the view: public ones with few values show them."""
    return await _in_thread(request, lambda: request.app.state.guard.view)


@routes.get("/policies", responses=REFUSED, summary="What holds of the answers", tags=["analyst"])
async def policies(request: Request, _: Viewer) -> Any:
    """Return every policy with its guarantee, and whether its refusals can be simulated."""
    return await _in_thread(request, lambda: request.app.state.guard.policies)


@routes.get("/budget", responses=REFUSED, summary="What is left", tags=["analyst"])
async def budget(request: Request, caller: Asker) -> Any:
    """Return what is left of the caller's budgets; nothing where no policy has one."""
    return await _in_thread(request, lambda: request.app.state.guard.left(caller.user))


@routes.get("/session", responses=REFUSED, summary="Measures of the session", tags=["curator"])
async def session(request: Request, _: Observer) -> Any:
    """Return what was refused, how wide answers were, and the smallest query set answered."""
    return await _in_thread(request, request.app.state.guard.session)


@routes.get("/ledger/head", responses=REFUSED, summary="The ledger's head", tags=["auditor"])
async def head(request: Request, _: Auditor) -> Any:
    """Return the head of the hash chain, to be kept elsewhere."""
    return {"head": str(_ledger(request).head)}


@routes.get("/ledger/entries", responses=REFUSED, summary="The ledger", tags=["auditor"])
async def entries(
    request: Request,
    _: Auditor,
    after: Annotated[int, Query(ge=0, description="The number of the entry to go on from.")] = 0,
    most: Annotated[int, Query(ge=1, le=MOST_ENTRIES, description="How many at most.")] = 1000,
) -> Any:
    """Return entries in their order."""
    ledger = _ledger(request)
    return await _in_thread(
        request, lambda: [entry.to_dict() for entry in islice(ledger.entries(after), most)]
    )


@routes.get("/tokens", responses=REFUSED, summary="Who may come in", tags=["curator"])
async def tokens(request: Request, _: Keeper) -> Any:
    """Return all tokens, without their hashes."""
    return [token.shown() for token in request.app.state.gate.tokens]


@routes.delete("/tokens/{name}", responses=REFUSED, summary="Revoke a token", tags=["curator"])
async def revoke(request: Request, name: str, _: Keeper) -> Any:
    """Take a token back, at once."""
    try:
        token = await _in_thread(request, partial(request.app.state.gate.tokens.revoke, name))
    except InputError as error:
        raise HTTPException(404, "There is no token of that id.") from error
    return token.shown()


@routes.get("/health", summary="Whether the server runs", tags=["all"])
async def health() -> dict[str, str]:
    """Return that it does; nothing else without a token."""
    return {"status": "ok"}


def _refusal(error: QueryError) -> Response:
    return Response(json.dumps({"detail": str(error)}), 400, media_type=MEDIA["json"])


def _ledger(request: Request) -> Any:
    ledger = request.app.state.guard.ledger
    if ledger is None:
        raise HTTPException(404, "This database keeps no ledger.")
    return ledger


async def _in_thread(request: Request, work: Callable[[], Any]) -> Any:
    """Run what may wait for the ledger in one of the server's threads."""
    return await asyncio.get_running_loop().run_in_executor(request.app.state.threads, work)
