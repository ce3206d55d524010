"""Protecting records: variants, the steps of a plan, methods to choose, risk and utility."""

from __future__ import annotations

from typing import Any

import yaml
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tacita.app.asking import attributes_of, measures_of, risky_of
from tacita.app.bench import Bench, bench_of, form_of, go
from tacita.app.choosing import TASKS, WRITTEN, chosen, offered, one_of, step_in
from tacita.app.intruding import words
from tacita.app.measures import side_by_side
from tacita.app.microdata import having, listed_in, moved, put, told
from tacita.app.projects import Document, Project, Variant
from tacita.app.repeating import ONCE, repetition_of, untils
from tacita.app.rooms import requirements
from tacita.app.rooms.waiting import answer_page, job_of, number_in, variant_in, variant_of, waiting
from tacita.errors import InputError
from tacita.method import THAT_MASK
from tacita.registry import find
from tacita.release.plan import Step, Until

room = APIRouter(prefix="/p/{identifier}/protect")
DEEPEST = 6  # branches of branches that are told apart in the tree
RISKY_BY = {
    "prosecutor_risk": "who is known to be in the file",
    "individual_risk": "who may be in the file, a sample of the population",
    "suda2": "few attributes that single a record out",
}


@room.get("")
def protect(request: Request, identifier: str) -> Response:
    """Show the page."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = bench.projects.checked(project.variant.plan)
    return bench.page(
        "protect.html.j2",
        project=project,
        here="protect",
        tree=tree(project),
        steps=told(plan),
        who=words(plan.intruder),
        methods=offered(TASKS),
        risky_by=RISKY_BY,
        written=WRITTEN,
        **requirements.shown_of(bench, project),
    )


@room.get("/form")
def form(
    request: Request, identifier: str, variant: int, method: str = "", place: int | None = None
) -> Response:
    """Show the form of a method, or of a step that is there; it needs to know the attributes."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = variant_of(project, variant).plan
    question = attributes_of(plan, place)
    attributes = question.answer(bench, project)
    if attributes is None:
        return waiting(bench, project, question, request)
    shown: dict[str, Any] = {"project": project, "number": variant, "place": place}
    step = None if place is None else _step(bench, plan, place)
    found = repetition_of(step) if isinstance(step, Until) else (step, ONCE)
    if method == WRITTEN or found is None:
        text = yaml.safe_dump(step.to_plan(), allow_unicode=True) if step else ""
        return bench.page("method.html.j2", chosen=None, text=text, **shown)
    said, how = found
    if said is None:
        one = chosen(find(method, THAT_MASK), attributes)
    else:
        one = chosen(type(said), attributes, said.parameters())
    until = untils(bench.projects.checked(plan), how)
    return bench.page("method.html.j2", chosen=one, how=how, untils=until, **shown)


@room.post("/try")
async def try_step(request: Request, identifier: str) -> Response:
    """Measure a step on a sample, without keeping it."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    variant, plan, _ = _changed(project, await form_of(request))
    bench.projects.checked(plan)
    job = measures_of(plan).job(bench, project)
    place = f"/p/{identifier}/protect/tried/{variant.number}/{job.identifier}"
    return JSONResponse({"load": place})


@room.get("/tried/{number}/{job_name}")
def tried(request: Request, identifier: str, number: int, job_name: str) -> Response:
    """Show what a step that is not kept would change."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    job = job_of(bench, project, job_name, "measure")
    if job.state != "done":
        return bench.page("job.html.j2", job=job, then=request.url.path)
    found = bench.jobs.found(job)
    now = measures_of(variant_of(project, number).plan).answer(bench, project)
    kept = {"Now": now["after"]} if now else {}
    return bench.page(
        "measures.html.j2",
        project=project,
        number=number,
        found=found,
        is_tried=True,
        tables=side_by_side({"Original": found["before"], **kept, "Tried": found["after"]}),
    )


@room.post("/apply")
async def apply(request: Request, identifier: str) -> Response:
    """Keep a step as a new variant."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    variant, plan, change = _changed(project, await form_of(request))
    bench.projects.change(identifier, plan, change, parent=variant.number)
    return go("")


@room.post("/steps")
async def steps(request: Request, identifier: str) -> Response:
    """Move a step, or take it away."""
    bench = bench_of(request)
    form = await form_of(request)
    variant = variant_in(bench.projects.get(identifier), form)
    how, place = one_of(form, "do"), number_in(form, "at")
    if how not in ("up", "down", "remove"):
        raise InputError("A step can be moved up, moved down or removed.")
    plan = having(variant.plan, steps=moved(listed_in(variant.plan, "steps"), place, how))  # type: ignore[arg-type]
    what = told(bench.projects.checked(variant.plan))[place]
    bench.projects.change(
        identifier, plan, f"{'moved' if how != 'remove' else 'without'} {what}",
        parent=variant.number,
    )  # fmt: skip
    return go("")


@room.get("/measures/{number}")
def measures(request: Request, identifier: str, number: int, exact: bool = False) -> Response:
    """Show risk and utility before and after: of all records where they were measured."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = variant_of(project, number).plan
    found = measures_of(plan, exact=True).answer(bench, project)
    question = measures_of(plan, exact=exact)
    if found is None:
        found = question.answer(bench, project)
    if found is None:
        return waiting(bench, project, question, request)
    return bench.page(
        "measures.html.j2",
        project=project,
        number=number,
        found=found,
        is_tried=False,
        tables=side_by_side({"Original": found["before"], "Now": found["after"]}),
    )


@room.get("/risky/{number}")
def risky(request: Request, identifier: str, number: int, by: str) -> Response:
    """Show which records are risky."""
    project = bench_of(request).projects.get(identifier)
    if by not in RISKY_BY:
        raise InputError(f"Records are told to be risky by one of {', '.join(RISKY_BY)}.")
    question = risky_of(variant_of(project, number).plan, by)
    return answer_page(request, identifier, question, "risky.html.j2")


def _step(bench: Bench, plan: Document, place: int) -> Step:
    steps = bench.projects.checked(plan).steps
    if not 0 <= place < len(steps):
        raise InputError("There is no such step; load the page again.")
    return steps[place]


def tree(project: Project) -> list[tuple[Variant, int]]:
    """Return the variants as a tree that reads downwards, each with the depth of its branch.

    What was made from a variant first goes on below it; what was made from it later branches off.
    """
    rows, left = [], [(project.variants[0], 0)]
    while left:
        variant, depth = left.pop()
        rows.append((variant, min(depth, DEEPEST)))
        children = project.children(variant.number)
        left += [(one, depth) for one in children[:1]]
        left += [(one, depth + 1) for one in reversed(children[1:])]
    return rows


def _changed(project: Project, form: Any) -> tuple[Variant, Document, str]:
    """Return the variant a page showed, its plan with the step filled in, and the change."""
    variant = variant_in(project, form)
    place = number_in(form, "at") if any(form.get("at", ())) else None
    step = step_in(form)
    plan = having(variant.plan, steps=put(listed_in(variant.plan, "steps"), step, place))
    name = next(iter(step)) if isinstance(step, dict) and step else str(step)
    what = f"{name} changed" if place is not None else str(name)
    return variant, plan, what[:80]
