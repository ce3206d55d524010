"""The application: a guard behind routes, gate and shield."""

from __future__ import annotations

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles

from tacita.server.collecting import Collection, collect_in
from tacita.server.gate import Gate
from tacita.server.rates import Rates
from tacita.server.routes import routes
from tacita.server.settings import Settings
from tacita.server.shield import Shield
from tacita.server.tokens import Tokens

CONSOLE = Path(__file__).parent / "console"
THREADS = 4  # decisions are made one after the other; nobody in them waits for the ledger
DESCRIPTION = """Statistics of a protected database, in SQL.

Questions that are not statistical queries are refused with the reason; what a policy refuses is
null in the answer, with one constant notice. Every answer is in the ledger before it leaves."""

PARAMETERS = (
    "The request is not as it must be: `parameters` are a list, or an object by name, of texts, "
    "finite numbers, true, false and null."
)


def create_app(
    guard: Any,
    tokens: Tokens | None = None,
    settings: Settings | None = None,
    *,
    collection: Collection | None = None,
    encrypted: bool = False,
) -> FastAPI:
    """Make the application of a guard.

    Args:
        guard: what answers; it is closed when the application stops.
        tokens: who may come in; None lets in everybody on this machine, as a curator and auditor.
        settings: how fast and how much.
        collection: questions that respondents answer at random; None for none.
        encrypted: whether it is served over TLS.
    """
    settings = settings or Settings()
    app = FastAPI(
        title="Tacita",
        description=DESCRIPTION,
        version=version("tacita"),
        docs_url=None,  # its page would be fetched from elsewhere
        redoc_url=None,
        lifespan=partial(_running, guard=guard, collection=collection),
    )
    app.state.guard = guard
    app.state.settings = settings
    app.state.gate = Gate(tokens, Rates(settings.rate, settings.rate_of_all))
    app.include_router(routes)
    if collection is not None:
        collect_in(app, collection)
    app.mount("/console", StaticFiles(directory=CONSOLE, html=True), "console")
    app.add_api_route("/", lambda: RedirectResponse("console/"), include_in_schema=False)
    app.add_exception_handler(RequestValidationError, _explain)
    app.add_middleware(
        Shield, longest=settings.longest, local_only=tokens is None, encrypted=encrypted
    )
    return app


@asynccontextmanager
async def _running(app: FastAPI, guard: Any, collection: Collection | None) -> AsyncIterator[None]:
    """Keep threads while the application runs; at its end let them finish, and close all."""
    with ThreadPoolExecutor(THREADS, "tacita-ask") as threads:
        app.state.threads = threads
        yield
    guard.close()
    if collection is not None:
        collection.close()


async def _explain(_: Request, error: Exception) -> JSONResponse:
    """Say in one sentence what is wrong with a request; what was sent is not sent back."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - it handles nothing else
    first = error.errors()[0]
    if "parameters" in first["loc"]:  # which may be of many kinds, none of them the one meant
        return JSONResponse({"detail": PARAMETERS}, 422)
    place = ".".join(map(str, first["loc"]))
    return JSONResponse(
        {"detail": f"The request is not as it must be at {place}: {first['msg']}."}, 422
    )
