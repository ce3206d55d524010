"""The analyst's console: a question, its answer and what holds of it, and what was asked before."""

from __future__ import annotations

import json
import secrets
import time
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tacita.app.bench import Bench, bench_of, form_of
from tacita.app.choosing import one_of
from tacita.app.databases import database_in, is_open, refuse_no_database, view_of
from tacita.app.jobs import Job
from tacita.app.projects import Project
from tacita.app.rooms.queries_watching import CURATOR, users_of
from tacita.app.rooms.waiting import answer_page, variant_of
from tacita.errors import InputError, ParameterError, shown

room = APIRouter(prefix="/p/{identifier}/ask")
TASK = "ask"
EXPLAIN = "EXPLAIN PRIVACY "
LONGEST = 20_000  # characters of a question
SHOWN = 30  # questions of the history
STATISTICS = (
    "count(*)", "count(", "count(DISTINCT ", "sum(", "avg(", "min(", "max(", "median(", "quantile(",
    "stddev(", "variance(", "corr(", "weighted_avg(", "weighted_sum(", "regr_slope(", "stddev_pop(",
    "var_pop(", "covar_pop(", "covar_samp(",
)  # fmt: skip
KEYWORDS = (
    "AND", "AS", "ASC", "BETWEEN", "CASE", "CAST(", "CUBE (", "DESC", "ELSE", "END",
    "EXPLAIN PRIVACY", "FROM", "GROUP BY", "GROUPING SETS (", "HAVING", "IN (", "IS NOT NULL",
    "IS NULL", "LIKE", "LIMIT", "NOT", "NULLS LAST", "OFFSET", "OR", "ORDER BY", "ROLLUP (",
    "SELECT", "THEN", "WHEN", "WHERE",
)  # fmt: skip


@room.get("")
def console(request: Request, identifier: str) -> Response:
    """Show the page."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    asked = _asked(bench, project)
    return bench.page(
        "ask.html.j2",
        project=project,
        here="queries",
        said=database_in(project.variant.plan),
        is_open=is_open(bench, project),
        user=asked[0].arguments["user"] if asked else CURATOR,
        users=users_of(bench, project),
        last=asked[0] if asked else None,
        begun=_row(bench, asked[0]) if asked else None,
        language=[*STATISTICS, *KEYWORDS],
    )


@room.get("/about")
def about(request: Request, identifier: str) -> Response:
    """Show what can be asked about, and what holds of the answers."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    refuse_no_database(project.variant.plan)
    return answer_page(request, identifier, view_of(project.variant.plan), "ask_about.html.j2")


@room.post("")
async def ask(request: Request, identifier: str) -> Response:
    """Put a question to the database, or let it tell what the answer would cost."""
    bench = bench_of(request)
    form = await form_of(request)
    project = bench.projects.get(identifier)
    if not is_open(bench, project):
        raise InputError("The database is closed; open it first.")
    sql, user = one_of(form, "sql").rstrip("; \n\t"), one_of(form, "user")
    if len(sql) > LONGEST or not user.isprintable():
        raise InputError(f"A question has at most {LONGEST:,} characters, and who asks a name.")
    explains = form.get("do", [""])[0] == "explain"
    if explains and not sql.upper().startswith(EXPLAIN):
        sql = EXPLAIN + sql
    job = bench.jobs.ask(
        project,
        variant_of(project, project.current),
        TASK,
        "Asking the database",
        lane="guard",
        sql=sql,
        user=user,
        parameters=_parameters(form),
        once=secrets.token_hex(8),  # a question that is asked again is another one
    )
    return JSONResponse({"load": f"{request.url.path}/answered/{job.identifier}"})


@room.get("/answered/{job_name}")
def answered(request: Request, identifier: str, job_name: str) -> Response:
    """Show an answer."""
    bench = bench_of(request)
    job = bench.jobs.get(job_name)
    if job.project != identifier or job.task != TASK:
        raise InputError("There is no such question.")
    if job.state != "done":
        return bench.page("job.html.j2", job=job, then=request.url.path)
    found = bench.jobs.found(job)
    explains = job.arguments["sql"].upper().startswith(EXPLAIN)
    return bench.page("ask_answer.html.j2", job=job, found=found, explains=explains)


@room.get("/history")
def history(request: Request, identifier: str) -> Response:
    """Show what was asked here before, the last first."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    rows = [_row(bench, job) for job in _asked(bench, project)[:SHOWN]]
    return bench.page("ask_history.html.j2", project=project, rows=rows)


def _asked(bench: Bench, project: Project) -> list[Job]:
    return [one for one in bench.jobs.all(project.identifier) if one.task == TASK]


def _row(bench: Bench, job: Job) -> dict[str, Any]:
    return {
        "job": job.identifier,
        "when": time.strftime("%H:%M:%S", time.localtime(job.begun)),
        "user": job.arguments["user"],
        "sql": job.arguments["sql"],
        "plain": _plain(job.arguments["sql"]),
        "parameters": json.dumps(job.arguments["parameters"])
        if job.arguments["parameters"]
        else "",
        "came": _came_to(bench, job),
    }


def _plain(sql: str) -> str:
    """Return a question as it was typed, whether it was asked or explained."""
    return sql[len(EXPLAIN) :] if sql.startswith(EXPLAIN) else sql


def _came_to(bench: Bench, job: Job) -> str:
    """Tell in a few words what became of a question."""
    if job.state != "done":
        return job.error or job.state
    try:
        found = bench.jobs.found(job)
    except InputError:  # one answer that is lost does not hide the others
        return "no longer there"
    if found["reason"]:
        return "not understood"
    if job.arguments["sql"].upper().startswith(EXPLAIN):
        return "explained"
    refused = sum(map(sum, found["refused"]))
    numbers = len(found["rows"]) * sum(found["statistics"] or [True] * len(found["columns"]))
    if not refused:
        return "answered"
    return "refused" if refused >= numbers else "partly refused"


def _parameters(form: Any) -> Any:
    text = form.get("parameters", [""])[0].strip()
    if not text:
        return []
    try:
        said = json.loads(text)
    except ValueError:
        said = None
    if not isinstance(said, list | dict):
        raise ParameterError(
            f'The values of parameters are a JSON list such as ["IT", 2024]; found {shown(text)}.'
        )
    return said
