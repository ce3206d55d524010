"""What attributes are: roles, kinds and hierarchies, proposed and edited by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tacita.app.asking import Question
from tacita.app.bench import Bench, bench_of, form_of, go
from tacita.app.declaring import declared, of_one, values_in, values_of
from tacita.app.hierarchies import WAYS, filled_in, said_in
from tacita.app.projects import Project, Variant
from tacita.app.rooms.waiting import MANY, job_of, start_of_page, variant_in, waiting
from tacita.data.attribute import Kind, Role
from tacita.errors import InputError

room = APIRouter(prefix="/p/{identifier}/roles")
ROLES = tuple(role.value for role in Role)
KINDS = tuple(kind.value for kind in Kind)
PROPOSED = Question("inspect", "Looking at the data", "quick", {})
NOTHING = {"role": "", "kind": "", "hierarchy": None}
Said = Mapping[str, Any]


@room.get("")
def roles(request: Request, identifier: str) -> Response:
    """Show the page of roles."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    return bench.page("roles.html.j2", project=project, here="roles")


@room.get("/attributes")
def attributes(request: Request, identifier: str, first: int = 0) -> Response:
    """Show what is said of every attribute, and what is proposed; of very many some at a time."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    found = PROPOSED.answer(bench, project)
    if found is None:
        return waiting(bench, project, PROPOSED, request)
    said = _said(project.variant)
    start = start_of_page(first, found["attributes"])
    rows = [
        {"finding": one, "said": NOTHING | of_one(said, one["name"]), "place": place,
         "proposed": found["declared"][one["name"]].get("hierarchy")}
        for place, one in enumerate(found["attributes"][start:start + MANY], start)
    ]  # fmt: skip
    return bench.page(
        "attributes.html.j2", project=project, rows=rows, found=found, roles=ROLES, kinds=KINDS,
        start=start, many=MANY,
    )  # fmt: skip


@room.post("")
async def declare(request: Request, identifier: str) -> Response:
    """Take roles and kinds from the page."""
    bench = bench_of(request)
    form = await form_of(request)
    variant = variant_in(bench.projects.get(identifier), form)
    said = _said(variant)
    for place, name in enumerate(form.get("name", ())):
        kind = (form.get(f"kind {place}") or [""])[0]
        said[name] = declared(of_one(said, name), form.get(f"role {place}", []), kind)
    return _go_on(bench, identifier, variant, said, "roles and kinds")


@room.post("/proposed")
async def take_proposed(request: Request, identifier: str) -> Response:
    """Take everything that is proposed."""
    bench = bench_of(request)
    form = await form_of(request)
    project = bench.projects.get(identifier)
    variant = variant_in(project, form) if "variant" in form else project.variant
    found = PROPOSED.answer(bench, project)
    if found is None:
        raise InputError("The data are still being looked at; wait for the proposals.")
    return _go_on(bench, identifier, variant, found["declared"], "proposed roles")


@room.get("/hierarchy/{place}")
def hierarchy(request: Request, identifier: str, place: int) -> Response:
    """Show the editor of an attribute, which is named by its place, not in the address."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    name, proposed = _attribute_at(bench, project, place)
    said = of_one(_said(project.variant), name)
    kept = said.get("hierarchy")
    way, texts = said_in(kept or proposed.get("hierarchy"))
    return bench.page(
        "hierarchy.html.j2", project=project, here="roles", name=name, place=place, ways=WAYS,
        way=way, texts=texts, said=said, values=values_of(said), is_proposed=way and not kept,
    )  # fmt: skip


@room.post("/hierarchy/{place}/try")
async def try_hierarchy(request: Request, identifier: str, place: int) -> Response:
    """Try a hierarchy on the values, without keeping it."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    form = await form_of(request)
    specification = filled_in(form)
    if specification is None:
        raise InputError("Choose how values generalize, then try it.")
    variant = variant_in(project, form) if "variant" in form else project.variant
    name, _ = _attribute_at(bench, project, place)
    own = {**of_one(_said(variant), name), "hierarchy": specification}
    bench.projects.checked(_with(variant, {**_said(variant), name: own}))
    job = bench.jobs.ask(
        project, variant, "hierarchy", "Trying the hierarchy", lane="quick", name=name,
        hierarchy=specification,
    )  # fmt: skip
    return JSONResponse({"load": f"{request.url.path.removesuffix('/try')}/tried/{job.identifier}"})


@room.get("/hierarchy/{place}/values")
def values(request: Request, identifier: str, place: int) -> Response:
    """Show the values of an attribute, and what they become by the hierarchy that is kept."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    name, _ = _attribute_at(bench, project, place)
    own = of_one(_said(project.variant), name).get("hierarchy")
    job = bench.jobs.ask(
        project, project.variant, "hierarchy", "Looking at the values", lane="quick", name=name,
        hierarchy=own,
    )  # fmt: skip
    return tried(request, identifier, place, job.identifier)


@room.get("/hierarchy/{place}/tried/{number}")
def tried(request: Request, identifier: str, place: int, number: str) -> Response:
    """Show what a hierarchy makes of the values."""
    bench = bench_of(request)
    job = job_of(bench, bench.projects.get(identifier), number, "hierarchy")
    where = f"/p/{identifier}/roles/hierarchy/{place}/tried/{number}"
    if job.state != "done":
        return bench.page("job.html.j2", job=job, then=where)
    return bench.page("levels.html.j2", found=bench.jobs.found(job))


@room.post("/hierarchy/{place}")
async def keep_hierarchy(request: Request, identifier: str, place: int) -> Response:
    """Keep a hierarchy, or none."""
    specification = filled_in(form := await form_of(request))
    return _keep(request, identifier, place, form, {"hierarchy": specification}, "hierarchy")


@room.post("/values/{place}")
async def keep_values(request: Request, identifier: str, place: int) -> Response:
    """Keep the order of categories, and codes that stand for no value."""
    said = values_in(form := await form_of(request))
    return _keep(request, identifier, place, form, said, "values")


def _keep(
    request: Request, identifier: str, place: int, form: Any, parts: Said, what: str
) -> Response:
    """Say something else of one attribute."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    variant = variant_in(project, form) if "variant" in form else project.variant
    name, _ = _attribute_at(bench, project, place)
    said = _said(variant)
    own = {**of_one(said, name), **parts}
    said[name] = {word: one for word, one in own.items() if one}
    _go_on(bench, identifier, variant, said, f"{what} of {name}"[:80])
    return go(f"/p/{identifier}/roles")


def _said(variant: Variant) -> dict[str, Any]:
    """Return what a plan says of the attributes."""
    return dict(variant.part("data", "attributes") or {})


def _go_on(bench: Bench, identifier: str, variant: Variant, said: Said, change: str) -> Response:
    bench.projects.change(identifier, _with(variant, said), change, parent=variant.number)
    return go("")


def _with(variant: Variant, said: Said) -> dict[str, Any]:
    """Return a plan that says other things of the attributes."""
    return {**variant.plan, "data": {**variant.plan["data"], "attributes": dict(said)}}


def _attribute_at(bench: Bench, project: Project, place: int) -> tuple[str, Said]:
    """Return the name of an attribute, and what is proposed for it."""
    found = PROPOSED.answer(bench, project)
    if found is None or not 0 <= place < len(found["attributes"]):
        raise InputError("There is no such attribute; go back to the roles.")
    name: str = found["attributes"][place]["name"]
    return name, found["declared"][name]
