"""Two variants side by side: their steps, what they require, what they risk and cost."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tacita.app.asking import measures_of
from tacita.app.bench import Bench, bench_of
from tacita.app.measures import side_by_side
from tacita.app.microdata import required_in, told
from tacita.app.projects import Project, Variant
from tacita.app.rooms.waiting import variant_of, waiting

room = APIRouter(prefix="/p/{identifier}/compare")


@room.get("")
def compare(request: Request, identifier: str, left: int, right: int) -> Response:
    """Show the page."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    sides = [_said(bench, variant_of(project, number)) for number in (left, right)]
    return bench.page("compare.html.j2", project=project, here="protect", sides=sides)


@room.get("/{left}/{right}")
def measures(
    request: Request, identifier: str, left: int, right: int, exact: bool = False
) -> Response:
    """Show the measures of both, of the same records."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    plans = [variant_of(project, number).plan for number in (left, right)]
    found = _known(bench, project, plans, exact=True)
    if None in found:
        found = _known(bench, project, plans, exact=exact)
    for plan, one in zip(plans, found, strict=True):
        if one is None:
            return waiting(bench, project, measures_of(plan, exact=exact), request)
    both = zip((left, right), found, strict=True)
    after = {f"Variant {number}": one["after"] for number, one in both}
    return bench.page(
        "compared.html.j2",
        project=project,
        found=found[0],
        numbers=(left, right),
        tables=side_by_side({"Original": found[0]["before"], **after}),
    )


def _said(bench: Bench, variant: Variant) -> dict[str, Any]:
    plan = bench.projects.checked(variant.plan)
    profile = [f"all that a {plan.profile.name} needs"] if plan.profile else []
    return {"variant": variant, "steps": told(plan), "required": required_in(plan) + profile}


def _known(bench: Bench, project: Project, plans: Any, *, exact: bool) -> list[Any]:
    return [measures_of(plan, exact=exact).answer(bench, project) for plan in plans]
