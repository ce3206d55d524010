"""Advice: what must hold and what is kept low go in, the masking to use comes out."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tacita.app.asking import advice_on
from tacita.app.bench import bench_of, form_of, go
from tacita.app.intruding import words
from tacita.app.microdata import brief_step, having, listed_in, required_in
from tacita.app.rooms.waiting import job_of, variant_in, variant_of
from tacita.app.workplace import INCOMING
from tacita.errors import InputError, ParameterError, shown
from tacita.plain_yaml import read_yaml
from tacita.registry import family, find
from tacita.release.requirement import Requirement

room = APIRouter(prefix="/p/{identifier}/advise")
SECONDS = 60  # that a search takes at most, when nothing else is said
LONGEST = 24 * 3600
TASK = "advise"


@room.get("")
def advise(request: Request, identifier: str) -> Response:
    """Show what can be asked, and the last advice."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = bench.projects.checked(project.variant.plan)
    last = next((job for job in bench.jobs.all(identifier) if job.task == TASK), None)
    return bench.page(
        "advise.html.j2",
        project=project,
        here="advise",
        required=required_in(plan),
        who=words(plan.intruder),
        written=_written(listed_in(project.variant.plan, "require")),
        losses=list(family("utility")),
        seconds=SECONDS,
        last=last,
    )


@room.post("")
async def ask(request: Request, identifier: str) -> Response:
    """Let advice be searched for."""
    bench = bench_of(request)
    form = await form_of(request)
    project = bench.projects.get(identifier)
    variant = variant_in(project, form)
    enough = bench.workplace.session / INCOMING / f"enough-{secrets.token_hex(8)}"
    question = advice_on(variant.plan, _asked(form), enough)
    job = bench.jobs.ask(project, variant, question.task, question.title, **question.arguments)
    return JSONResponse({"load": f"{request.url.path}/given/{job.identifier}"})


@room.get("/given/{job_name}")
def given(request: Request, identifier: str, job_name: str) -> Response:
    """Show the advice."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    job = job_of(bench, project, job_name, TASK)
    if job.state != "done":
        ending = Path(job.arguments["enough"]).exists()
        return bench.page(
            "advising.html.j2", project=project, job=job, then=request.url.path, ending=ending
        )
    found = bench.jobs.found(job)
    steps = [brief_step(step) for step in found["plan"]]
    return bench.page("advice.html.j2", project=project, job=job, found=found, steps=steps)


@room.post("/enough/{job_name}")
def enough(request: Request, identifier: str, job_name: str) -> Response:
    """End a search with the best so far, when the trial that has begun is finished."""
    bench = bench_of(request)
    job = job_of(bench, bench.projects.get(identifier), job_name, TASK)
    if not job.is_over:
        Path(job.arguments["enough"]).touch(mode=0o600)
    return JSONResponse({"load": f"/p/{identifier}/advise/given/{job_name}"})


@room.post("/use/{job_name}")
async def use(request: Request, identifier: str, job_name: str) -> Response:
    """Take the recommended steps, with the roles and requirements they are for, as a variant."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    job = job_of(bench, project, job_name, TASK)
    if job.state != "done":
        raise InputError("There is no advice yet; wait for it, or ask again.")
    found = bench.jobs.found(job)
    if not found["holds"]:
        raise InputError("Nothing was found that meets the requirements, so there is no advice.")
    before = variant_of(project, job.variant).plan
    plan = having(before, steps=found["plan"], require=_together(before, found["requirements"]))
    data = {**plan["data"], "attributes": found["attributes"]}
    bench.projects.change(
        identifier, {**plan, "data": data}, "as advised", parent=job.variant
    )  # fmt: skip
    return go(f"/p/{identifier}/protect")


def _together(plan: Mapping[str, Any], advised: Sequence[Any]) -> list[Any]:
    """Return what a plan requires with what the advice is for, each once."""
    said = listed_in(plan, "require")
    known = [Requirement.from_plan(one).to_plan() for one in said]
    return [*said, *(one for one in advised if one not in known)]


def _written(required: Sequence[Any]) -> str:
    """Return requirements one line each, without the braces around them."""
    said = [Requirement.from_plan(one).to_plan() for one in required]
    return "\n".join(
        yaml.safe_dump(one, default_flow_style=True, width=LONGEST).strip()[1:-1] for one in said
    )


def _asked(form: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    lines = form.get("require", [""])[0].splitlines()
    require = [_requirement(line) for line in lines if line.strip()]
    loss = form.get("loss", [""])[0]
    if loss:
        find(loss, ("utility",))
    return {"require": require, "loss": loss, "time_limit": _seconds(form)}


def _requirement(line: str) -> dict[str, Any]:
    try:
        said = read_yaml(f"{{{line}}}")
    except yaml.YAMLError as error:
        raise ParameterError(
            "What must hold is written as in a plan, one line each, such as `k_anonymity: 5` or "
            f"`uniqueness: {{at_most: 0.05}}`; found {shown(line)}."
        ) from error
    return Requirement.from_plan(said).to_plan()


def _seconds(form: Mapping[str, Sequence[str]]) -> int:
    said = form.get("seconds", [""])[0].strip()
    if not said.isdecimal() or not 0 < int(said) <= LONGEST:
        raise ParameterError(f"The time is in whole seconds, from 1 to {LONGEST:,}.")
    return int(said)
