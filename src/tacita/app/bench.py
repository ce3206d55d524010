"""What all pages share: the workplace, the projects, the jobs, and how pages are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from json import dumps, loads
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tacita.app.entrance import Keys
from tacita.app.jobs import Jobs
from tacita.app.projects import Projects
from tacita.app.workplace import Workplace
from tacita.errors import InputError
from tacita.results import counted, percent, show

TEMPLATES = Path(__file__).parent / "templates"
LARGEST = 2**24  # bytes of a form
WRONG = "The page sent something that the workbench does not understand; load it again."
ESCAPED = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


@dataclass(eq=False)
class Bench:
    """The workbench of one person.

    Args:
        workplace: the folder.
        projects: what is worked on.
        jobs: what is done in the background.
        keys: what pages prove with.
    """

    workplace: Workplace
    projects: Projects
    jobs: Jobs
    keys: Keys

    @classmethod
    def at(cls, workplace: Workplace, *, warm: bool = False) -> Bench:
        """Open a workplace; with `warm`, what a person waits for is made ready beforehand."""
        projects = Projects(workplace)
        return cls(workplace, projects, Jobs(projects, warm=warm), Keys())

    @cached_property
    def templates(self) -> Environment:
        """The pages; names and values of data are hostile, so that everything is escaped."""
        environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters |= {"show": show, "share": _as_share, "data": _as_data}
        environment.globals |= {"counted": counted, "proof": self.keys.proof}
        return environment

    def page(self, template: str, **shown: Any) -> HTMLResponse:
        """Return a page, or a part of one."""
        return HTMLResponse(self.templates.get_template(template).render(**shown))


def bench_of(request: Request) -> Bench:
    """Return the workbench that a request is for."""
    bench: Bench = request.app.state.bench
    return bench


def go(place: str) -> JSONResponse:
    """Tell the page where to go after a change."""
    return JSONResponse({"go": place})


def _as_share(share: float) -> str:
    """Return a share as a person reads it."""
    return percent(Fraction(share))


def _as_data(value: Any) -> Markup:
    """Return a value as JSON that can stand in a script element, whatever it holds."""
    return Markup(dumps(value, default=str).translate(ESCAPED))  # noqa: S704 - escaped just now


async def form_of(request: Request) -> Mapping[str, list[str]]:
    """Return the fields of a form that a page sent; it sends them as JSON.

    Raises:
        InputError: it sent something else.
    """
    text = bytearray()
    async for piece in request.stream():
        text += piece
        if len(text) > LARGEST:
            raise InputError(f"The form is larger than {LARGEST / 2**20:.0f} MB; fill in less.")
    try:
        said = loads(text)
        text.decode()
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict) or not all(map(_is_field, said.values())):
        raise InputError(WRONG)
    return said


def _is_field(values: Any) -> bool:
    """Tell whether something is the values of a field: texts that can be written to a file."""
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        return False
    return not any("\ud800" <= letter <= "\udfff" for one in values for letter in one)
