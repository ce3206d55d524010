"""What is done in the background."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tacita.app.bench import bench_of
from tacita.app.jobs import Job

room = APIRouter(prefix="/jobs")
PATIENCE = 20.0  # seconds that a page waits for news
SOON = 0.03  # seconds between two looks


@room.get("/{identifier}")
async def job(request: Request, identifier: str, wait: bool = False) -> Response:
    """Tell how a job stands; with `wait`, when something happened to it.

    No thread waits for it: who reloads a page many times must not use them up.
    """
    jobs = bench_of(request).jobs
    found = before = jobs.get(identifier)
    until = time.monotonic() + PATIENCE
    while wait and found == before and not found.is_over and time.monotonic() < until:
        if jobs.is_closed or await request.is_disconnected():
            break
        await asyncio.sleep(SOON)
        found = jobs.get(identifier)
    return JSONResponse(told(found))


def told(job: Job) -> dict[str, Any]:
    """Return what a page shows of a job; the plan and the question it is about are not among it."""
    words = ("identifier", "title", "state", "step", "done", "steps", "error")
    return {word: getattr(job, word) for word in words}


@room.post("/{identifier}/stop")
def stop(request: Request, identifier: str) -> Response:
    """Stop a job."""
    return JSONResponse(told(bench_of(request).jobs.stop(identifier)))
