"""Requirements: what must hold before anything is released, as traffic lights."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tacita.app.asking import attributes_of, verdicts_of
from tacita.app.bench import Bench, bench_of, form_of, go
from tacita.app.choosing import REQUIRED, bounds_of, chosen, offered, requirement_in
from tacita.app.microdata import having, listed_in, moved, put, required_in
from tacita.app.projects import Document, Project
from tacita.app.rooms.waiting import number_in, variant_in, variant_of, waiting
from tacita.errors import InputError
from tacita.registry import find
from tacita.release.profile import PROFILES, find_profile
from tacita.release.requirement import FAMILIES, Requirement

room = APIRouter(prefix="/p/{identifier}/requirements")
OWN = "required-"  # begins the names of its fields in the page, where a step has some as well


@room.get("/form")
def form(
    request: Request, identifier: str, variant: int, method: str = "", place: int | None = None
) -> Response:
    """Show the form of a model or a measure that is to be required, or is required already."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = variant_of(project, variant).plan
    question = attributes_of(plan)
    attributes = question.answer(bench, project)
    if attributes is None:
        return waiting(bench, project, question, request)
    there = None if place is None else _required(plan, place)
    what = find(method, FAMILIES) if there is None else type(there.method)
    said = {} if there is None else there.method.parameters()
    return bench.page(
        "requirement.html.j2",
        project=project,
        number=variant,
        place=place,
        chosen=chosen(what, attributes, said, within=OWN),
        bounds={} if there is None else bounds_of(there),
    )


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
    """Require something, or change what is required."""
    form = await form_of(request)
    said = requirement_in(form)
    place = number_in(form, "at") if any(form.get("at", ())) else None
    change = f"require {next(iter(said))}" + (" otherwise" if place is not None else "")
    return _changed(
        request, identifier, form, change, lambda before: {"require": put(before, said, place)}
    )


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


def _required(plan: Document, place: int) -> Requirement:
    said = listed_in(plan, "require")
    if not 0 <= place < len(said):
        raise InputError("There is no such requirement; load the page again.")
    return Requirement.from_plan(said[place])


def _changed(request: Request, identifier: str, form: Any, change: str, parts: Any) -> Response:
    projects = bench_of(request).projects
    variant = variant_in(projects.get(identifier), form)
    plan = having(variant.plan, **parts(listed_in(variant.plan, "require")))
    projects.change(identifier, plan, change, parent=variant.number)
    return go("")
