"""Undo, redo, branches, and the plan to take home."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tacita.app.bench import bench_of, form_of, go
from tacita.app.projects import in_yaml
from tacita.app.rooms.waiting import number_in

room = APIRouter(prefix="/p/{identifier}")


@room.post("/undo")
async def undo(request: Request, identifier: str) -> Response:
    """Go back by one change."""
    seen = await _seen(request)
    bench_of(request).projects.undo(identifier, seen=seen)
    return go("")


@room.post("/redo")
async def redo(request: Request, identifier: str) -> Response:
    """Take back the last undoing."""
    seen = await _seen(request)
    bench_of(request).projects.redo(identifier, seen=seen)
    return go("")


@room.post("/goto/{number}")
def goto(request: Request, identifier: str, number: int) -> Response:
    """Go to any variant."""
    bench_of(request).projects.goto(identifier, number)
    return go("")


@room.get("/plan.yaml")
def plan(request: Request, identifier: str) -> Response:
    """Hand out the plan of the current variant; `tacita run` runs it."""
    project = bench_of(request).projects.get(identifier)
    headers = {"content-disposition": 'attachment; filename="plan.yaml"'}
    return Response(in_yaml(project.variant.plan), media_type="application/yaml", headers=headers)


async def _seen(request: Request) -> int | None:
    """Return the variant that the page shows, if it says so."""
    form = await form_of(request)
    return number_in(form, "variant") if "variant" in form else None
