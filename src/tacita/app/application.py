"""The application: rooms behind the entrance."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from tacita.app.bench import WRONG, Bench, bench_of
from tacita.app.entrance import Entrance
from tacita.app.rooms import ROOMS
from tacita.errors import TacitaError

STATIC = Path(__file__).parent / "static"


def create_app(bench: Bench) -> FastAPI:
    """Make the application of a workbench; the jobs end when it stops."""
    app = FastAPI(
        docs_url=None, redoc_url=None, openapi_url=None, lifespan=lambda _: _running(bench)
    )
    app.state.bench = bench
    for room in ROOMS:
        app.include_router(room)
    app.mount("/static", StaticFiles(directory=STATIC), "static")
    app.add_exception_handler(TacitaError, _refused)
    app.add_exception_handler(RequestValidationError, _misunderstood)
    app.add_exception_handler(HTTPException, _missing)
    app.add_middleware(Entrance, keys=bench.keys)
    return app


@asynccontextmanager
async def _running(bench: Bench) -> AsyncIterator[None]:
    yield
    bench.jobs.close()


async def _refused(request: Request, error: Exception) -> Response:
    """Say in one sentence why something cannot be done: in the page, or as a page."""
    return _told(request, str(error), 404 if request.method == "GET" else 400)


async def _misunderstood(request: Request, _: Exception) -> Response:
    return _told(request, WRONG, 422)


async def _missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - it handles nothing else
    return _told(request, "There is no such page.", error.status_code)


def _told(request: Request, sentence: str, status: int) -> Response:
    if request.method != "GET":
        return JSONResponse({"detail": sentence}, status)
    page = bench_of(request).page("wrong.html.j2", sentence=sentence)
    page.status_code = status
    return page
