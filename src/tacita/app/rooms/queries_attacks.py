"""Attacks on a copy of the database, tried by its curator."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tacita.app.bench import Bench, bench_of, form_of
from tacita.app.databases import attacks_on, refuse_no_database
from tacita.app.projects import Project
from tacita.app.rooms.waiting import variant_in, variant_of
from tacita.errors import InputError, ParameterError
from tacita.registry import described, family

room = APIRouter(prefix="/p/{identifier}/queries")
TASK = "attack_queries"
QUICK = ("individual_tracker", "general_tracker", "padding", "pairwise_differencing", "injection")
MOST = 20  # victims
LONGEST = 3600  # seconds of an attack
SECONDS = 20


def attackable(bench: Bench, project: Project) -> dict[str, Any]:
    """Return what the form of attacks shows, and the last attack."""
    return {
        "attacks": {
            name: described(one)["summary"] for name, one in family("query attack").items()
        },
        "usual": QUICK,
        "seconds": SECONDS,
        "attacked": next(
            (one for one in bench.jobs.all(project.identifier) if one.task == TASK), None
        ),
    }


@room.post("/attack")
async def attack(request: Request, identifier: str) -> Response:
    """Let attacks be tried in the background."""
    bench = bench_of(request)
    form = await form_of(request)
    project = bench.projects.get(identifier)
    variant = variant_in(project, form)
    refuse_no_database(variant.plan)
    known = family("query attack")
    attacks = [name for name in form.get("attack", ()) if name in known]
    attribute = form.get("attribute", [""])[0]
    if not attacks or not attribute:
        raise InputError("Choose at least one attack, and the confidential number it is after.")
    question = attacks_on(
        variant.plan,
        attacks=attacks,
        attribute=attribute,
        victims=_whole(form, "victims", MOST),
        seconds=_whole(form, "seconds", LONGEST),
    )
    job = bench.jobs.ask(
        project, variant, question.task, question.title, again=True, **question.arguments
    )
    return JSONResponse({"load": f"{request.url.path}ed/{job.identifier}"})


@room.get("/attacked/{job_name}")
def attacked(request: Request, identifier: str, job_name: str) -> Response:
    """Show what attacks came to."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    job = bench.jobs.get(job_name)
    if job.project != identifier or job.task != TASK:
        raise InputError("There is no such attack.")
    if job.state != "done":
        return bench.page("job.html.j2", job=job, then=request.url.path)
    policies = variant_of(project, job.variant).part("queries", "policies")
    same = policies == project.variant.part("queries", "policies")
    return bench.page("queries_attacked.html.j2", found=bench.jobs.found(job), same=same)


def _whole(form: Any, name: str, most: int) -> int:
    text = form.get(name, [""])[0].strip()
    if not text.isdecimal() or not 0 < int(text) <= most:
        raise ParameterError(f"`{name}` is a whole number from 1 to {most:,}.")
    return int(text)
