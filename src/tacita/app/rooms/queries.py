"""The curator's page: what is guarded, by which policies, and how the plan says it."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tacita.app.asking import attributes_of
from tacita.app.bench import Bench, bench_of, form_of, go
from tacita.app.choosing import chosen, one_of
from tacita.app.databases import (
    FAMILY,
    SETTINGS,
    begun,
    database_in,
    having_database,
    is_open,
    policy_in,
    refuse_no_database,
    saved_as,
    settings_in,
    settings_of,
    view_of,
)
from tacita.app.microdata import brief_step, moved, put
from tacita.app.projects import Project, in_yaml
from tacita.app.rooms.queries_attacks import attackable
from tacita.app.rooms.waiting import answer_page, number_in, variant_in, waiting
from tacita.errors import InputError
from tacita.registry import described, family, find

room = APIRouter(prefix="/p/{identifier}/queries")


@room.get("")
def queries(request: Request, identifier: str) -> Response:
    """Show the page."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = project.variant.plan
    said = database_in(plan)
    saved = saved_as(bench, plan) if said else None
    return bench.page(
        "queries.html.j2",
        project=project,
        here="queries",
        said=said,
        policies=_named(bench, project),
        offered={name: described(one)["summary"] for name, one in family(*FAMILY).items()},
        settings=settings_of(said or begun(project.name)),
        command=saved and shlex.join(["tacita", "serve", saved]),
        folder=str(bench.workplace.folder),
        **attackable(bench, project),
    )


@room.get("/form")
def form(request: Request, identifier: str, method: str = "", at: int | None = None) -> Response:
    """Show the form of a policy, or of one that is there; it needs to know the attributes."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = bench.projects.checked(project.variant.plan)
    policies = plan.queries.policies if plan.queries else ()
    if at is not None and not 0 <= at < len(policies):
        raise InputError("There is no such policy; load the page again.")
    question = attributes_of(project.variant.plan, 0)
    attributes = question.answer(bench, project)
    if attributes is None:
        return waiting(bench, project, question, request)
    if at is None:
        one = chosen(find(method, FAMILY), attributes)
    else:
        one = chosen(type(policies[at]), attributes, policies[at].parameters())
    return bench.page("queries_policy.html.j2", project=project, chosen=one, at=at)


@room.get("/view")
def view(request: Request, identifier: str) -> Response:
    """Show what analysts may name, and what holds of the answers."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    refuse_no_database(project.variant.plan)
    return answer_page(request, identifier, view_of(project.variant.plan), "queries_view.html.j2")


@room.post("/policies")
async def keep_policy(request: Request, identifier: str) -> Response:
    """Add a policy, or change one that is there; the first one begins the database."""
    bench = bench_of(request)
    form = await form_of(request)
    project = bench.projects.get(identifier)
    plan = variant_in(project, form).plan
    said = database_in(plan) or begun(project.name)
    at = form.get("at", [""])[0]
    policy = policy_in(form)
    place = number_in(form, "at") if at else None
    policies = put(said.get("policies") or [], policy, place)
    name = next(iter(policy))
    return _changed(bench, project, form, {**said, "policies": policies}, f"policy {name}")


@room.post("/policies/move")
async def move_policy(request: Request, identifier: str) -> Response:
    """Let a policy have its say earlier or later, or no more."""
    bench = bench_of(request)
    form = await form_of(request)
    project = bench.projects.get(identifier)
    said = refuse_no_database(variant_in(project, form).plan)
    how, at = one_of(form, "do"), number_in(form, "at")
    if how not in ("up", "down", "remove"):
        raise InputError("A policy can be moved up, moved down or removed.")
    policies = moved(said["policies"], at, how)  # type: ignore[arg-type]
    if not policies:
        raise InputError("A database needs a policy; add another before you remove the last one.")
    change = "fewer policies" if how == "remove" else "other order of policies"
    return _changed(bench, project, form, {**said, "policies": policies}, change)


@room.post("/settings")
async def keep_settings(request: Request, identifier: str) -> Response:
    """Keep what the database is called, where its history lies, and so on."""
    bench = bench_of(request)
    form = await form_of(request)
    project = bench.projects.get(identifier)
    before = refuse_no_database(variant_in(project, form).plan)
    # What the form does not ask for stays as it is.
    kept = {word: one for word, one in before.items() if word not in SETTINGS}
    said = {**settings_in(form), **kept}
    return _changed(bench, project, form, said, "settings of the database")


@room.post("/remove")
async def remove(request: Request, identifier: str) -> Response:
    """Take the database out of the plan; its ledger stays where it is."""
    bench = bench_of(request)
    form = await form_of(request)
    project = bench.projects.get(identifier)
    if is_open(bench, project):
        raise InputError("The database is open; close it first.")
    return _changed(bench, project, form, None, "no database")


@room.post("/plan")
async def save_plan(request: Request, identifier: str) -> Response:
    """Write the plan into the folder, so that `tacita serve` can be given it."""
    bench = bench_of(request)
    plan = bench.projects.get(identifier).variant.plan
    view = refuse_no_database(plan)["view"]
    if saved_as(bench, plan) is None:
        await bench.workplace.bring_in(f"{view}.yaml", _pieces(in_yaml(plan)))
    return go("")


async def _pieces(text: str) -> AsyncIterator[bytes]:
    yield text.encode()


def _changed(bench: Bench, project: Project, form: Any, said: Any, change: str) -> Response:
    variant = variant_in(project, form)
    plan = having_database(variant.plan, said)
    bench.projects.change(project.identifier, plan, change, parent=variant.number)
    return go("")


def _named(bench: Bench, project: Project) -> list[str]:
    """Return the policies as a person names them."""
    plan = bench.projects.checked(project.variant.plan)
    return [brief_step(one.to_plan()) for one in (plan.queries.policies if plan.queries else ())]
