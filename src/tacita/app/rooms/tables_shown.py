"""What tables look like: their cells, who contributes, the audit, ways compared, files."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tacita.app.bench import bench_of, form_of
from tacita.app.exports import EXPORTS, KINDS, OTHER
from tacita.app.rooms.waiting import answer_page, variant_of
from tacita.app.tables import Stage, asked_of, compared_of, has_way, table_at
from tacita.errors import InputError

room = APIRouter(prefix="/p/{identifier}/tables/{place}/at/{number}")
TASK = "table_export"


@room.get("/grid")
def grid(
    request: Request, identifier: str, place: int, number: int, stage: str = "", view: str = "",
    down: int = 0, across: int = -1, outer: str = "", first: int = 0, start: int = 0,
    tried: int | None = None,
) -> Response:  # fmt: skip
    """Show a part of the table as a grid."""
    plan = _plan(request, identifier, number)
    many = len(table_at(plan, place).get("by") or ())
    chosen = _stage(plan, stage, tried)
    question = asked_of(
        plan, place, chosen, "table_grid",
        "Tabulating" if chosen == "judged" else "Protecting and auditing the tables",
        tried=tried, down=down, across=across if across >= 0 else many - 1,
        outer=_codes(outer), first=max(first, 0), start=max(start, 0),
    )  # fmt: skip
    return answer_page(
        request, identifier, question, "table_grid.html.j2", place=place, number=number,
        stage=chosen, view="reader" if view == "reader" else "house", tried=tried,
        protected=has_way(plan),
    )  # fmt: skip


@room.get("/cell/{row}")
def cell(
    request: Request, identifier: str, place: int, number: int, row: int, stage: str = "",
    tried: int | None = None,
) -> Response:  # fmt: skip
    """Show everything that is known of a cell."""
    plan = _plan(request, identifier, number)
    chosen = _stage(plan, stage, tried)
    question = asked_of(
        plan, place, chosen, "table_cell", "Looking at a cell", tried=tried, row=row
    )
    return answer_page(
        request, identifier, question, "table_cell.html.j2", place=place, number=number,
        stage=chosen, tried=tried, perturbed=bool(table_at(plan, place).get("perturb")),
    )  # fmt: skip


@room.get("/contributors/{row}")
def contributors(
    request: Request, identifier: str, place: int, number: int, row: int
) -> Response:  # fmt: skip
    """Show who contributes to a cell."""
    plan = _plan(request, identifier, number)
    question = asked_of(
        plan, place, "judged", "table_contributors", "Looking for contributors", row=row
    )
    return answer_page(request, identifier, question, "table_contributors.html.j2")


@room.get("/audit")
def audit(
    request: Request, identifier: str, place: int, number: int, first: int = 0
) -> Response:  # fmt: skip
    """Show what readers can work out."""
    plan = _plan(request, identifier, number)
    question = asked_of(
        plan, place, "protected", "table_audit", "Auditing the tables", first=max(first, 0)
    )
    return answer_page(
        request, identifier, question, "table_audit.html.j2", place=place, number=number
    )


@room.get("/compared")
def compared(request: Request, identifier: str, place: int, number: int) -> Response:
    """Show how the ways to protect the table compare."""
    plan = _plan(request, identifier, number)
    if not table_at(plan, place).get("compare"):
        raise InputError("Choose ways to compare first.")
    return answer_page(
        request, identifier, compared_of(plan, place), "table_compared.html.j2", place=place,
        number=number,
    )  # fmt: skip


@room.post("/export")
async def export(request: Request, identifier: str, place: int, number: int) -> Response:
    """Let the table be written to a file."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    word = (await form_of(request)).get("export", [""])[0]
    if word not in EXPORTS:
        raise InputError("Choose the file that the table is written to.")
    plan = _plan(request, identifier, number)
    question = asked_of(
        plan, place, _stage(plan, "", None), TASK, f"Writing {EXPORTS[word].label}", export=word
    )
    job = question.job(bench, project)
    return JSONResponse({"load": f"{request.url.path}/{job.identifier}"})


@room.get("/export/{job_name}")
def exported(
    request: Request, identifier: str, place: int, number: int, job_name: str, take: bool = False
) -> Response:
    """Show that a file is ready, and hand it out."""
    bench = bench_of(request)
    _plan(request, identifier, number)
    job = bench.jobs.get(job_name)
    if job.project != identifier or job.task != TASK:
        raise InputError("There is no such file; write it again.")
    if job.state != "done":
        return bench.page("job.html.j2", job=job, then=request.url.path)
    found, export = bench.jobs.found(job), EXPORTS[job.arguments["export"]]
    if not take:
        return bench.page(
            "table_exported.html.j2", found=found, export=export, here=request.url.path, place=place
        )
    return Response(
        base64.b64decode(found["content"]),
        media_type=KINDS.get(Path(found["name"]).suffix, OTHER),
        headers={"content-disposition": f"attachment; filename*=utf-8''{quote(found['name'])}"},
    )


def _plan(request: Request, identifier: str, number: int) -> Any:
    return variant_of(bench_of(request).projects.get(identifier), number).plan


def _stage(plan: Any, said: str, tried: int | None) -> Stage:
    """Return which stage is shown: protected where it is, unless the other is asked for."""
    if tried is not None:
        return "protected"
    return "protected" if said == "protected" or (not said and has_way(plan)) else "judged"


def _codes(said: str) -> list[int]:
    """Return the places of codes that an address names, separated by dots."""
    parts = said.split(".") if said else []
    if not all(part.isdecimal() for part in parts):
        raise InputError("The address names codes by their places; load the page again.")
    return [int(part) for part in parts]
