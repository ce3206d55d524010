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

from tacita.app.bench import Bench, bench_of
from tacita.app.entrance import Entrance
from tacita.app.rooms import ROOMS
from tacita.errors import TacitaError

STATIC = Path(__file__).parent / "static"
WRONG = "The page sent something that the workbench does not understand; load it again."


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
    if request.method == "GET":
        page = bench_of(request).page("wrong.html.j2", sentence=str(error))
        page.status_code = 404
        return page
    return JSONResponse({"detail": str(error)}, 400)


async def _misunderstood(_: Request, __: Exception) -> Response:
    return JSONResponse({"detail": WRONG}, 422)


async def _missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - it handles nothing else
    page = bench_of(request).page("wrong.html.j2", sentence="There is no such page.")
    page.status_code = error.status_code
    return page
