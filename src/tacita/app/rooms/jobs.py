"""What is done in the background."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tacita.app.bench import bench_of

room = APIRouter(prefix="/jobs")
PATIENCE = 20.0  # seconds that a page waits for news


@room.get("/{identifier}")
def job(request: Request, identifier: str, wait: bool = False) -> Response:
    """Tell how a job stands; with `wait`, when something happened to it."""
    jobs = bench_of(request).jobs
    found = jobs.wait(identifier, PATIENCE) if wait else jobs.get(identifier)
    return JSONResponse(found.to_dict())


@room.post("/{identifier}/stop")
def stop(request: Request, identifier: str) -> Response:
    """Stop a job."""
    return JSONResponse(bench_of(request).jobs.stop(identifier).to_dict())
