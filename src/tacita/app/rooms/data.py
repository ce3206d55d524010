"""The data: types, distributions, missing values, and records to look at."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tacita.app.asking import Question
from tacita.app.bench import bench_of
from tacita.app.rooms.waiting import MANY, answer_page, start_of_page, waiting

room = APIRouter(prefix="/p/{identifier}")
MOST = 2**40  # records, more than there can be
OVERVIEW = Question("overview", "Reading the data", "quick", {})


@room.get("/data")
def data(request: Request, identifier: str) -> Response:
    """Show the data of a project."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    return bench.page("data.html.j2", project=project, here="data")


@room.get("/data/overview")
def overview(request: Request, identifier: str, first: int = 0) -> Response:
    """Show the attributes with their distributions, of very many some at a time."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    found = OVERVIEW.answer(bench, project)
    if found is None:
        return waiting(bench, project, OVERVIEW, request)
    start = start_of_page(first, found["attributes"])
    return bench.page("overview.html.j2", project=project, found=found, start=start, many=MANY)


@room.get("/data/records")
def records(request: Request, identifier: str, first: int = 0) -> Response:
    """Show some records."""
    start = min(max(first, 0), MOST)
    some = Question("records", "Reading records", "quick", {"first": start})
    return answer_page(request, identifier, some, "records.html.j2", first=start)
