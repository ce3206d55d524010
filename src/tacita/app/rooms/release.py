"""Releasing: the plan is run on all records, judged and written; what is there is handed out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse

from tacita.app.bench import bench_of, form_of, go
from tacita.app.choosing import one_of
from tacita.app.microdata import having, required_in, told
from tacita.app.projects import Document
from tacita.app.releases import (
    SIDES,
    Released,
    Side,
    find_release,
    refuse_name,
    releases_in,
)
from tacita.app.rooms.waiting import job_of, number_in, variant_in
from tacita.errors import InputError
from tacita.method import Method
from tacita.release.plan import RELEASED

room = APIRouter(prefix="/p/{identifier}/release")
TASK = "release"
SYNTHESIS = "synthesis"  # the family whose methods make several copies
PIECE = 2**20  # bytes
# A report brings its own styles and no script; nothing of the workbench can be reached from it.
REPORT = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox"
)


@room.get("")
def release(request: Request, identifier: str) -> Response:
    """Show what would be released, and what was."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = bench.projects.checked(project.variant.plan)
    return bench.page(
        "release.html.j2",
        project=project,
        here="release",
        plan=plan,
        formats=RELEASED,
        steps=told(plan),
        makes_copies=any(isinstance(one, Method) and one.family == SYNTHESIS for one in plan.steps),
        required=required_in(plan),
        name=_free_name(project.name, releases_in(bench.workplace)),
        last=next((job for job in bench.jobs.all(identifier) if job.task == TASK), None),
    )


@room.get("/there")
def there(request: Request, identifier: str) -> Response:
    """Show the releases that lie in the folder."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    return bench.page("releases.html.j2", project=project, releases=releases_in(bench.workplace))


@room.post("")
async def write(request: Request, identifier: str) -> Response:
    """Run the plan in the background and write the release."""
    bench = bench_of(request)
    form = await form_of(request)
    project = bench.projects.get(identifier)
    variant = variant_in(project, form)
    name = refuse_name(bench.workplace, form.get("name", [""])[0].strip())
    job = bench.jobs.ask(
        project,
        variant,
        TASK,
        f"Releasing {name}",
        again=True,
        name=name,
        force="force" in form,
        waive=form.get("waive", [""])[0].strip() or None,
    )
    return JSONResponse({"load": f"{request.url.path}/written/{job.identifier}"})


@room.post("/as")
async def write_as(request: Request, identifier: str) -> Response:
    """Choose the format of the released file, how many copies, and whether a mapping is kept."""
    bench = bench_of(request)
    form = await form_of(request)
    variant = variant_in(bench.projects.get(identifier), form)
    said = {"format": one_of(form, "format"), "mapping": "mapping" in form}
    plan: Document = {**variant.plan, "release": {**(variant.plan.get("release") or {}), **said}}
    if "copies" in form:
        many = number_in(form, "copies")
        plan = having(plan, copies=None if many == 1 else many)
    bench.projects.change(identifier, plan, f"released as {said['format']}", parent=variant.number)
    return go("")


@room.get("/written/{job_name}")
def written(request: Request, identifier: str, job_name: str) -> Response:
    """Show what a run gave."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    job = job_of(bench, project, job_name, TASK)
    if job.state != "done":
        return bench.page("job.html.j2", job=job, then=request.url.path)
    found = bench.jobs.found(job)
    lying = [one for one in releases_in(bench.workplace) if one.name == found["name"]]
    return bench.page("released.html.j2", project=project, found=found, releases=lying)


@room.get("/{name}/{side}.zip")
def archive(request: Request, identifier: str, name: str, side: str) -> Response:
    """Hand out all files for the public, or all that stay in the house."""
    found, of = _found(request, identifier, name, side)
    file = TemporaryFile(dir=bench_of(request).workplace.session)  # noqa: SIM115 - read on below
    found.archive(of, file)
    size = file.tell()
    file.seek(0)
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name)}-{of}.zip",
        "content-length": str(size),
    }
    return StreamingResponse(_read(file), media_type="application/zip", headers=headers)


@room.get("/{name}/{side}/{part}/report.html")
def report(request: Request, identifier: str, name: str, side: str, part: int) -> Response:
    """Show a report; its own styles are allowed in it, and nothing else."""
    found, of = _found(request, identifier, name, side)
    file = _part(found, part) / of / "report.html"
    return _handed(file, "text/html; charset=utf-8", {"content-security-policy": REPORT})


@room.get("/{name}/{side}/{part}/report.pdf")
def report_pdf(request: Request, identifier: str, name: str, side: str, part: int) -> Response:
    """Hand out a report to print."""
    found, of = _found(request, identifier, name, side)
    named = {"content-disposition": f'attachment; filename="report-{of}.pdf"'}
    return _handed(_part(found, part) / of / "report.pdf", "application/pdf", named)


@room.get("/{name}/plan.yaml")
def plan(request: Request, identifier: str, name: str) -> Response:
    """Hand out the plan of a release, as it was run."""
    found, of = _found(request, identifier, name, "internal")
    named = {"content-disposition": 'attachment; filename="plan.yaml"'}
    return _handed(_part(found, 0) / of / "plan.yaml", "application/yaml", named)


def _found(request: Request, identifier: str, name: str, side: str) -> tuple[Released, Side]:
    bench = bench_of(request)
    bench.projects.get(identifier)
    for known in SIDES:
        if side == known:
            return find_release(bench.workplace, name), known
    raise InputError("A release has a public and an internal side.")


def _part(found: Released, place: int) -> Path:
    if not 0 <= place < len(found.parts):
        raise InputError("There is no such copy in the release.")
    return found.parts[place]


def _read(file: IO[bytes]) -> Iterator[bytes]:
    """Return a file piece by piece, and let go of it."""
    with file:
        while piece := file.read(PIECE):
            yield piece


def _handed(file: Path, kind: str, headers: dict[str, str]) -> Response:
    if not file.is_file():
        raise InputError("The file is no longer there.")
    return FileResponse(file, media_type=kind, headers=headers)


def _free_name(name: str, found: list[Released]) -> str:
    """Return a name that no release has yet."""
    taken = {one.name for one in found}
    stem = re.sub(r"[^\w-]+", "-", Path(name).stem).strip("-_") or "release"
    number = 1
    while f"{stem[:60]}-{number}" in taken:
        number += 1
    return f"{stem[:60]}-{number}"
