"""Who attacks: an intruder of the library of scenarios, or one's own."""

from __future__ import annotations

from typing import Any

import yaml
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tacita.app.asking import Question, attributes_of
from tacita.app.bench import bench_of, form_of, go
from tacita.app.intruding import (
    OWN,
    WAYS,
    WORST,
    WRITTEN,
    filled_in,
    kind_of,
    offered,
    rows,
    words,
)
from tacita.app.microdata import having
from tacita.app.projects import Document
from tacita.app.rooms.waiting import job_of, variant_in, variant_of, waiting
from tacita.intruders.library import scenario
from tacita.intruders.scenario import Scenario

room = APIRouter(prefix="/p/{identifier}/intruder")
TASK = "intruder"
MANY = 200  # attributes that a form lists; of more, those that are held, and keys first


@room.get("")
def intruder(request: Request, identifier: str, who: str | None = None) -> Response:
    """Show who attacks, and the form of whoever is looked at."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    now = bench.projects.checked(project.variant.plan).intruder
    return bench.page(
        "intruder.html.j2",
        project=project,
        here="protect",
        now=words(now),
        worst=WORST,
        who=kind_of(now) if who is None else who,
        scenarios=offered(),
        own=OWN,
        written=WRITTEN,
    )


@room.get("/form")
def form(request: Request, identifier: str, variant: int, who: str = "") -> Response:
    """Show the form of an intruder; it needs to know the attributes."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = variant_of(project, variant).plan
    question = attributes_of(plan, 0)
    attributes = question.answer(bench, project)
    if attributes is None:
        return waiting(bench, project, question, request)
    now = bench.projects.checked(plan).intruder
    of_library = None if who in ("", OWN, WRITTEN) else scenario(who)
    if isinstance(now, Scenario) and of_library is not None and now.path == of_library.path:
        of_library = now
    said = _said(plan)
    return bench.page(
        "intruder_form.html.j2",
        project=project,
        number=variant,
        who=who,
        scenario=of_library,
        now=now if who == OWN and kind_of(now) == OWN else None,
        rows=rows(now, _names(attributes)) if who == OWN else [],
        names=_names(attributes),
        ways=WAYS,
        text=yaml.safe_dump(said, allow_unicode=True, sort_keys=False) if said else "",
    )


@room.post("/try")
async def try_intruder(request: Request, identifier: str) -> Response:
    """Look for what an intruder holds of these data, without keeping anything."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    sent = await form_of(request)
    plan = variant_in(project, sent).plan
    part = {"data": plan["data"], "microdata": {"intruder": filled_in(sent, _said(plan))}}
    if part["microdata"]["intruder"] is None:
        part = {"data": plan["data"]}
    bench.projects.checked(part)
    question = Question(TASK, "Looking at what is held", "quick", {"plan": part, "sample": True})
    job = question.job(bench, project)
    return JSONResponse({"load": f"/p/{identifier}/intruder/tried/{job.identifier}"})


@room.get("/tried/{job_name}")
def tried(request: Request, identifier: str, job_name: str) -> Response:
    """Show what an intruder holds of these data."""
    bench = bench_of(request)
    job = job_of(bench, bench.projects.get(identifier), job_name, TASK)
    if job.state != "done":
        return bench.page("job.html.j2", job=job, then=request.url.path)
    return bench.page("intruder_held.html.j2", found=bench.jobs.found(job))


@room.post("")
async def keep(request: Request, identifier: str) -> Response:
    """Let risks be those of an intruder, or of the worst case again."""
    bench = bench_of(request)
    sent = await form_of(request)
    variant = variant_in(bench.projects.get(identifier), sent)
    said = filled_in(sent, _said(variant.plan))
    plan = having(variant.plan, intruder=said)
    who = bench.projects.checked(plan).intruder
    told = "attacked by the worst case" if who is None else f"attacked by {words(who)}"
    bench.projects.change(identifier, plan, told[:80], parent=variant.number)
    return go(f"/p/{identifier}/protect")


def _said(plan: Document) -> Any:
    return (plan.get("microdata") or {}).get("intruder")


def _names(attributes: Any) -> list[str]:
    """Return the attributes that an intruder may hold, keys first where there are very many."""
    if len(attributes) <= MANY:
        return [str(one["name"]) for one in attributes]
    first = sorted(attributes, key=lambda one: "key" not in one["roles"])
    return [str(one["name"]) for one in first[:MANY]]
