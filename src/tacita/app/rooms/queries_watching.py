"""A database that is open: budgets, the session, the ledger, and who may come in."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool

from tacita.app.bench import Bench, bench_of, form_of
from tacita.app.choosing import one_of
from tacita.app.databases import (
    begun,
    database_in,
    having_database,
    is_open,
    refuse_no_database,
    stamp_of,
)
from tacita.app.jobs import CLOSING, OPENING, Job
from tacita.app.projects import Project
from tacita.errors import InputError, ParameterError
from tacita.server.tokens import ROLES, Tokens

room = APIRouter(prefix="/p/{identifier}/queries")
CURATOR = "curator"  # who asks if nobody else is said
MEASURES = {
    "queries": "queries understood",
    "users": "users who asked",
    "not_understood": "questions that were no statistical queries, since it was opened",
    "numbers": "numbers asked for",
    "refused": "numbers refused",
    "refused_share": "share of refused numbers",
    "refused_queries": "queries refused altogether",
    "smallest_query_set": "records of the smallest query set answered",
    "mean_relative_width": "mean relative width of intervals",
    "mean_relative_noise": "mean relative noise",
}


@room.post("/open")
def open_database(request: Request, identifier: str) -> Response:
    """Open the database here: its ledger begins, or its history is taken up."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    ledger = refuse_no_database(project.variant.plan)["ledger"]
    bench.jobs.ask(
        project, project.variant, OPENING, "Opening the database", lane="guard", again=True,
        ledger=ledger,
    )  # fmt: skip
    return JSONResponse({"load": f"/p/{identifier}/queries/state"})


@room.post("/close")
def close_database(request: Request, identifier: str) -> Response:
    """Close it, so that a server may write the ledger."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    bench.jobs.ask(
        project, project.variant, CLOSING, "Closing the database", lane="guard", again=True
    )
    return JSONResponse({"load": f"/p/{identifier}/queries/state"})


@room.get("/state")
def state(request: Request, identifier: str, seen: str = "") -> Response:
    """Show whether it is open; if so, budgets and measures of the session."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plan = project.variant.plan
    said = refuse_no_database(plan)
    last = next((one for one in bench.jobs.all(identifier) if one.task in (OPENING, CLOSING)), None)
    if last is not None and (not last.is_over or (last.task == OPENING and last.error)):
        return bench.page(
            "queries_opening.html.j2", project=project, job=last, then=request.url.path
        )
    shown: dict[str, Any] = {"project": project, "said": said, "measures": MEASURES}
    if not is_open(bench, project):
        return bench.page("queries_state.html.j2", found=None, **shown)
    asked = {"stamp": stamp_of(bench, plan), "users": users_of(bench, project)}
    found = _seen(bench, project, "guard_state", seen)
    if found is None:
        found = bench.jobs.result(project, project.variant, "guard_state", **asked)
    if found is None:
        job = bench.jobs.ask(
            project, project.variant, "guard_state", "Looking at the session", lane="guard", **asked
        )
        return _waiting(request, job)
    return bench.page("queries_state.html.j2", found=found, **shown)


@room.get("/ledger")
def ledger(request: Request, identifier: str, after: int | None = None, seen: str = "") -> Response:
    """Show entries of the ledger, the last ones if nothing else is said."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    refuse_no_database(project.variant.plan)
    asked = {
        "stamp": stamp_of(bench, project.variant.plan),
        "after": None if after is None else max(after, 0),
    }
    if asked["stamp"] is None:
        return bench.page("queries_ledger.html.j2", project=project, found=None)
    found = _seen(bench, project, "guard_ledger", seen)
    if found is None:
        found = bench.jobs.result(project, project.variant, "guard_ledger", **asked)
    if found is None:
        job = bench.jobs.ask(
            project, project.variant, "guard_ledger", "Reading the ledger", lane="quick", **asked
        )
        return _waiting(request, job)
    return bench.page("queries_ledger.html.j2", project=project, found=found)


@room.post("/verify")
def verify(request: Request, identifier: str) -> Response:
    """Check the whole ledger in the background."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    refuse_no_database(project.variant.plan)
    job = bench.jobs.ask(
        project, project.variant, "guard_verify", "Verifying the ledger", again=True
    )
    return JSONResponse({"load": f"/p/{identifier}/queries/verified/{job.identifier}"})


@room.get("/verified/{job_name}")
def verified(request: Request, identifier: str, job_name: str) -> Response:
    """Show whether the ledger is what was written."""
    bench = bench_of(request)
    job = bench.jobs.get(job_name)
    if job.project != identifier or job.task != "guard_verify":
        raise InputError("There is no such verification.")
    if job.state != "done":
        return bench.page("job.html.j2", job=job, then=request.url.path)
    return bench.page("queries_verified.html.j2", found=bench.jobs.found(job))


@room.get("/users")
def users(request: Request, identifier: str) -> Response:
    """Show who may ask a server of this database."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    refuse_no_database(project.variant.plan)
    now = datetime.now(UTC)
    held = [
        {
            **one.shown(),
            "expires": "never" if one.expires is None else f"{one.expires:%Y-%m-%d}",
            "state": "revoked" if one.revoked else "valid" if one.is_valid(now) else "expired",
        }
        for one in _tokens(bench, project) or ()
    ]
    return bench.page("queries_users.html.j2", project=project, held=held, roles=list(ROLES))


@room.post("/users")
async def add_user(request: Request, identifier: str) -> Response:
    """Let somebody in; the secret is told this once, to the page that asked for it."""
    bench = bench_of(request)
    form = await form_of(request)
    user, role, days = one_of(form, "user"), one_of(form, "role"), _days(form)
    project = bench.projects.get(identifier)
    said = refuse_no_database(project.variant.plan)
    if said.get("tokens") is None:
        named = {**said, "tokens": begun(said["view"])["tokens"]}
        plan = having_database(project.variant.plan, named)
        project = bench.projects.change(
            identifier, plan, "a file of tokens", parent=project.current
        )
    held = _tokens(bench, project)
    assert held is not None  # noqa: S101 - the plan names it now
    _, secret = await run_in_threadpool(held.add, user, role, days=days)
    return JSONResponse({"secret": secret, "load": f"/p/{identifier}/queries/users"})


@room.post("/users/revoke")
async def revoke_user(request: Request, identifier: str) -> Response:
    """Take a token back; a running server lets it in no more, at once."""
    bench = bench_of(request)
    form = await form_of(request)
    held = _tokens(bench, bench.projects.get(identifier))
    if held is None:
        raise InputError("There are no tokens to take back.")
    await run_in_threadpool(held.revoke, one_of(form, "token"))
    return JSONResponse({"load": f"/p/{identifier}/queries/users"})


def users_of(bench: Bench, project: Project) -> list[str]:
    """Return those who are known: the curator, who has a token, who asked here."""
    tokens = [one.user for one in _tokens(bench, project) or () if one.role != "respondent"]
    asked = [
        str(one.arguments["user"])
        for one in bench.jobs.all(project.identifier)
        if one.task == "ask"
    ]
    return sorted({CURATOR, *tokens, *asked})


def _waiting(request: Request, job: Job) -> Response:
    """Show a job, and what it finds when it is done.

    Who came back to ask anew might wait for ever: a ledger that others write to is another one
    whenever it was read, and one on a server after some seconds.
    """
    where = request.url.include_query_params(seen=job.identifier)
    return bench_of(request).page("job.html.j2", job=job, then=f"{where.path}?{where.query}")


def _seen(bench: Bench, project: Project, task: str, name: str) -> Any:
    """Return what the job found that a page waited for; None where it waited for none."""
    for job in bench.jobs.all(project.identifier):
        if (job.identifier, job.task, job.state) == (name, task, "done"):
            return bench.jobs.found(job)
    return None


def _tokens(bench: Bench, project: Project) -> Tokens | None:
    said = database_in(project.variant.plan).get("tokens")
    return None if said is None else Tokens(Path(bench.workplace.inside(said)))


def _days(form: Any) -> float | None:
    text = form.get("days", [""])[0].strip()
    if not text:
        return None
    try:
        return float(text)
    except ValueError as error:
        raise ParameterError(
            "A token lasts a number of days, or for ever if none is said."
        ) from error
