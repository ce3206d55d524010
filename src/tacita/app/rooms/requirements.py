"""Requirements: what must hold before anything is released, as traffic lights."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tacita.app.asking import attributes_of, verdicts_of
from tacita.app.bench import Bench, bench_of, form_of, go
from tacita.app.choosing import REQUIRED, chosen, offered, requirement_in
from tacita.app.microdata import having, listed_in, moved, required_in
from tacita.app.projects import Project
from tacita.app.rooms.waiting import number_in, variant_in, variant_of, waiting
from tacita.registry import find
from tacita.release.profile import PROFILES, find_profile
from tacita.release.requirement import FAMILIES

room = APIRouter(prefix="/p/{identifier}/requirements")


@room.get("/form")
def form(request: Request, identifier: str, variant: int, method: str) -> Response:
    """Show the form of a model or a measure that is to be required."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    question = attributes_of(variant_of(project, variant).plan)
    attributes = question.answer(bench, project)
    if attributes is None:
        return waiting(bench, project, question, request)
    one = chosen(find(method, FAMILIES), attributes)
    return bench.page("requirement.html.j2", project=project, number=variant, chosen=one)


@room.get("/{number}")
def lights(request: Request, identifier: str, number: int, exact: bool = False) -> Response:
    """Show whether each requirement holds: of all records where that is known."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = variant_of(project, number).plan
    sure = verdicts_of(plan, exact=True)
    found = sure.answer(bench, project)
    known = found is not None
    if not known:
        question = sure if exact else verdicts_of(plan)
        found = question.answer(bench, project)
        if found is None:
            return waiting(bench, project, question, request)
        known = found["records"] == found["all"]
    return bench.page("lights.html.j2", project=project, number=number, found=found, exact=known)


@room.post("")
async def require(request: Request, identifier: str) -> Response:
    """Require something."""
    form = await form_of(request)
    said = requirement_in(form)
    return _changed(
        request, identifier, form, f"require {next(iter(said))}",
        lambda before: {"require": [*before, said]},
    )  # fmt: skip


@room.post("/remove")
async def remove(request: Request, identifier: str) -> Response:
    """Require something no more."""
    form = await form_of(request)
    place = number_in(form, "at")
    return _changed(
        request, identifier, form, "require less",
        lambda before: {"require": moved(before, place, "remove") or None},
    )  # fmt: skip


@room.post("/profile")
async def profile(request: Request, identifier: str) -> Response:
    """Choose whom the file is for."""
    form = await form_of(request)
    name = form.get("profile", [""])[0] or None
    find_profile(name)
    change = f"for a {name}" if name else "for nobody in particular"
    return _changed(request, identifier, form, change, lambda _: {"profile": name})


def shown_of(bench: Bench, project: Project) -> dict[str, Any]:
    """Return what the editor of requirements shows."""
    plan = bench.projects.checked(project.variant.plan)
    return {
        "required": required_in(plan),
        "profile": plan.profile.name if plan.profile else None,
        "profiles": list(PROFILES.values()),
        "requirable": offered(REQUIRED),
    }


def _changed(request: Request, identifier: str, form: Any, change: str, parts: Any) -> Response:
    projects = bench_of(request).projects
    variant = variant_in(projects.get(identifier), form)
    plan = having(variant.plan, **parts(listed_in(variant.plan, "require")))
    projects.change(identifier, plan, change, parent=variant.number)
    return go("")
