"""What attributes are: roles, kinds and hierarchies, proposed and edited by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tacita.app.asking import Question
from tacita.app.bench import Bench, bench_of, form_of, go
from tacita.app.hierarchies import WAYS, filled_in, said_in
from tacita.app.projects import Project, in_yaml
from tacita.app.rooms.waiting import waiting
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
def attributes(request: Request, identifier: str) -> Response:
    """Show what is said of every attribute, and what is proposed."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    found = PROPOSED.answer(bench, project)
    if found is None:
        return waiting(bench, project, PROPOSED, request)
    said = _said(project)
    rows = [
        {"finding": one, "said": NOTHING | _of(said, one["name"])} for one in found["attributes"]
    ]
    return bench.page(
        "attributes.html.j2", project=project, rows=rows, found=found, roles=ROLES, kinds=KINDS
    )


@room.post("")
async def declare(request: Request, identifier: str) -> Response:
    """Take roles and kinds from the page."""
    bench = bench_of(request)
    form = await form_of(request)
    project = bench.projects.get(identifier)
    parent = int(form["variant"][0])
    said = _said(project, parent)
    for place, name in enumerate(form.get("name", ())):
        chosen = {"role": form.get(f"role {place}", []), "kind": form.get(f"kind {place}", [""])[0]}
        said[name] = _changed(_of(said, name), chosen)
    return _go_on(bench, project, said, "roles and kinds", parent)


@room.post("/proposed")
async def take_proposed(request: Request, identifier: str) -> Response:
    """Take everything that is proposed."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    found = PROPOSED.answer(bench, project)
    if found is None:
        raise InputError("The data are still being looked at; wait for the proposals.")
    return _go_on(bench, project, found["declared"], "proposed roles", project.current)


@room.get("/hierarchy/{place}")
def hierarchy(request: Request, identifier: str, place: int) -> Response:
    """Show the editor of a hierarchy; the attribute is named by its place, not in the address."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    name = _name_at(bench, project, place)
    said = _of(_said(project), name)
    way, texts = said_in(said.get("hierarchy"))
    written = in_yaml(said["hierarchy"]) if said.get("hierarchy") else ""
    return bench.page(
        "hierarchy.html.j2", project=project, here="roles", name=name, place=place, ways=WAYS,
        way=way, texts=texts, written=written,
    )  # fmt: skip


@room.post("/hierarchy/{place}/try")
async def try_hierarchy(request: Request, identifier: str, place: int) -> Response:
    """Try a hierarchy on the values, without keeping it."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    specification = filled_in(await form_of(request))
    if specification is None:
        raise InputError("Choose how values generalize, then try it.")
    name = _name_at(bench, project, place)
    bench.projects.checked(_with(project, {**_said(project), name: {"hierarchy": specification}}))
    job = bench.jobs.ask(
        project, project.variant, "hierarchy", "Trying the hierarchy", lane="quick", name=name,
        hierarchy=specification,
    )  # fmt: skip
    return JSONResponse({"load": f"{request.url.path.removesuffix('/try')}/tried/{job.identifier}"})


@room.get("/hierarchy/{place}/tried/{number}")
def tried(request: Request, identifier: str, place: int, number: str) -> Response:  # noqa: ARG001
    """Show what a hierarchy makes of the values."""
    bench = bench_of(request)
    job = bench.jobs.get(number)
    if job.state != "done":
        return bench.page("job.html.j2", job=job, then=request.url.path)
    return bench.page("levels.html.j2", found=bench.jobs.found(job))


@room.post("/hierarchy/{place}")
async def keep_hierarchy(request: Request, identifier: str, place: int) -> Response:
    """Keep a hierarchy, or none."""
    bench = bench_of(request)
    form = await form_of(request)
    project = bench.projects.get(identifier)
    name = _name_at(bench, project, place)
    said = _said(project)
    own = {word: one for word, one in _of(said, name).items() if word != "hierarchy"}
    specification = filled_in(form)
    said[name] = own if specification is None else {**own, "hierarchy": specification}
    _go_on(bench, project, said, f"hierarchy of {name}", project.current)
    return go(f"/p/{identifier}/roles")


def _said(project: Project, number: int | None = None) -> dict[str, Any]:
    """Return what a plan says of the attributes."""
    variant = project.variant if number is None else project.variants[number]
    return dict(variant.part("data", "attributes") or {})


def _of(said: Said, name: str) -> dict[str, Any]:
    """Return what is said of one attribute; a role alone may stand for it."""
    one = said.get(name) or {}
    return {"role": one} if isinstance(one, str) else dict(one)


def _changed(said: dict[str, Any], chosen: Said) -> dict[str, Any]:
    roles = [role for role in chosen["role"] if role]
    said["role"] = roles[0] if len(roles) == 1 else roles
    said["kind"] = chosen["kind"]
    return {word: one for word, one in said.items() if one}


def _go_on(bench: Bench, project: Project, said: Said, change: str, parent: int) -> Response:
    bench.projects.change(project.identifier, _with(project, said, parent), change, parent=parent)
    return go("")


def _with(project: Project, said: Said, number: int | None = None) -> dict[str, Any]:
    """Return a plan that says other things of the attributes."""
    plan = (project.variant if number is None else project.variants[number]).plan
    return {**plan, "data": {**plan["data"], "attributes": dict(said)}}


def _name_at(bench: Bench, project: Project, place: int) -> str:
    found = PROPOSED.answer(bench, project)
    if found is None or not 0 <= place < len(found["attributes"]):
        raise InputError("There is no such attribute; go back to the roles.")
    name: str = found["attributes"][place]["name"]
    return name
