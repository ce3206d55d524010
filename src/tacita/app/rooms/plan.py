"""The plan as text: everything that a plan can say, and how it is run without a browser."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tacita.app.bench import bench_of, form_of, go
from tacita.app.choosing import one_of
from tacita.app.projects import in_yaml
from tacita.app.rooms.waiting import variant_in
from tacita.errors import PlanError
from tacita.release.plan import understood

room = APIRouter(prefix="/p/{identifier}/plan")


@room.get("")
def plan(request: Request, identifier: str) -> Response:
    """Show the plan of the current variant, to be read and edited."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    return bench.page(
        "plan.html.j2", project=project, here="release", text=in_yaml(project.variant.plan)
    )


@room.post("")
async def keep(request: Request, identifier: str) -> Response:
    """Keep another plan; what cannot be run is said with its line."""
    bench = bench_of(request)
    form = await form_of(request)
    variant = variant_in(bench.projects.get(identifier), form)
    document = _read(one_of(form, "text"), bench.workplace.folder / "plan.yaml")
    bench.projects.change(identifier, document, "plan edited", parent=variant.number)
    return go("")


def _read(text: str, file: Path) -> Mapping[str, object]:
    """Return what a text says.

    Raises:
        PlanError: it is no plan; lines are those of the text.
    """
    try:
        located = understood(text, file).located
    except PlanError as error:
        raise PlanError(str(error).replace(f"{file}, line ", "Line ", 1)) from error
    found: Mapping[str, object] = located.document  # type: ignore[union-attr]
    return found
