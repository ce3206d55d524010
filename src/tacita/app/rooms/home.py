"""The first page: open data or a plan, or go on with a project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tacita.app.bench import bench_of, form_of, go
from tacita.app.documents import from_here
from tacita.app.workplace import PLANS
from tacita.data.examples import GENERATED, generate
from tacita.data.formats import FORMATS, is_address
from tacita.errors import InputError, ParameterError, TacitaError, shown
from tacita.release.plan import read_plan

room = APIRouter()
MOST = 10_000_000  # records of an example
RECORDS = 10_000  # of an example when nothing else is said
LARGEST = 2**22  # bytes of a plan


@room.get("/")
def home(request: Request) -> Response:
    """Show what can be opened."""
    bench = bench_of(request)
    return bench.page(
        "home.html.j2",
        projects=bench.projects.all(),
        files=bench.workplace.files(),
        plans=bench.workplace.plans(),
        examples=sorted(GENERATED),
        records=RECORDS,
        folder=str(bench.workplace.folder),
        endings=[*FORMATS, *PLANS],
        largest=bench.workplace.largest,
    )


@room.put("/files/{name}")
async def bring_in(request: Request, name: str) -> Response:
    """Write a file that a person brings, and open it."""
    bench = bench_of(request)
    size = request.headers.get("content-length", "")
    brought = await bench.workplace.bring_in(
        name, request.stream(), size=int(size) if size.isdecimal() else None
    )
    opened = _of_plan if brought.lower().endswith(PLANS) else _of_file
    try:
        return go(_begun(request, *opened(request, brought)))
    except TacitaError:  # it is brought again when it is mended
        bench.workplace.inside(brought).unlink(missing_ok=True)
        raise


@room.post("/projects")
async def begin(request: Request) -> Response:
    """Open a file, a plan, an example or a table of a database as a new project."""
    form = {name: values[0].strip() for name, values in (await form_of(request)).items() if values}
    for word, opened in OPENED.items():
        if form.get(word):
            said = form[word] if word != "example" else f"{form[word]} {form.get('records', '')}"
            more = {"table": form["table"]} if word == "database" and form.get("table") else {}
            return go(_begun(request, *opened(request, said, **more)))
    raise InputError("Choose a file, a plan, an example or the address of a database.")


def _begun(request: Request, name: str, plan: Mapping[str, Any], change: str) -> str:
    project = bench_of(request).projects.begin(name, plan, change)
    return f"/p/{project.identifier}/data"


def _of_file(request: Request, said: str) -> tuple[str, Mapping[str, Any], str]:
    path = bench_of(request).workplace.inside(said)
    if not path.is_file():
        raise InputError(f"There is no file {said} in the folder.")
    return path.name, {"data": {"source": said}}, "opened"


def _of_plan(request: Request, said: str) -> tuple[str, Mapping[str, Any], str]:
    bench = bench_of(request)
    path = bench.workplace.inside(said)
    _refuse_large(path)
    document: Mapping[str, Any] = read_plan(path).located.document  # type: ignore[union-attr]
    inner = path.parent.relative_to(bench.workplace.folder)
    return path.stem, from_here(document, inner), "opened from a plan"


def _refuse_large(path: Path) -> None:
    """Refuse a file that no person wrote."""
    if path.is_file() and path.stat().st_size > LARGEST:
        raise InputError(f"{path.name} is larger than {LARGEST / 2**20:.0f} MB, which no plan is.")


def _of_example(_: Request, said: str) -> tuple[str, Mapping[str, Any], str]:
    name, many = said.split(" ", 1)
    if not many.isdecimal() or len(many) > len(str(MOST)) or not 0 < int(many) <= MOST:
        raise ParameterError(f"Expected a number of records between 1 and {MOST:,}.")
    if name not in GENERATED:
        raise ParameterError(
            f"There is no example {shown(name)}; there are {', '.join(GENERATED)}."
        )
    attributes = {one: dict(it.said) for one, it in generate(name, 1).attributes.items()}
    data = {"example": {name: int(many)}, "attributes": attributes}
    return f"{name} (example)", {"data": data}, "made an example"


def _of_database(
    _: Request, said: str, table: str | None = None
) -> tuple[str, Mapping[str, Any], str]:
    if not is_address(said):
        raise InputError("Expected the address of a database, such as postgresql://host/name.")
    data = {"source": said} | ({"table": table} if table else {})
    return table or "database", {"data": data}, "opened a database"


OPENED = {"file": _of_file, "plan": _of_plan, "example": _of_example, "database": _of_database}
