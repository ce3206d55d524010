"""The report as one HTML page: no script, no network, nothing beside the file."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tacita.release.report import plots
from tacita.release.report.model import Report

if TYPE_CHECKING:
    from jinja2 import Template


def html(report: Report) -> str:
    """Return a report as HTML."""
    return _template().render(report=report, colors=plots)


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("tacita.release.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["drawing"] = (
        Markup  # our own figures, already escaped by the drawing library
    )
    return environment.get_template("report.html.j2")
