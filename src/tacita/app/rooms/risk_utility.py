"""The risk-utility map of what was tried: every variant, risk against loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tacita.app.asking import Question, measures_of
from tacita.app.bench import Bench, bench_of
from tacita.app.hands.live import LIVE, MOVED
from tacita.app.jobs import INTERRUPTED
from tacita.app.projects import Project, Variant
from tacita.app.rooms.waiting import waiting
from tacita.errors import InputError
from tacita.registry import find
from tacita.release.pareto import pareto_front
from tacita.release.report.plots import CONFIG, INK

room = APIRouter(prefix="/p/{identifier}/map")
RISKS = tuple(name for name in LIVE if find(name).family == "risk")
LOSSES = (MOVED, *(name for name in LIVE if find(name).family == "utility"))
RISK = "exact_linkage"  # drawn when nothing else is chosen: it means something after any masking
WIDTH, HEIGHT = 560, 400
Point = dict[str, Any]


@room.get("")
def the_map(request: Request, identifier: str, risk: str = RISK, loss: str = MOVED) -> Response:
    """Show the page; its address says what is drawn, so that a reload draws the same."""
    _refuse_axes(risk, loss)
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    return bench.page(
        "map.html.j2", project=project, here="map", risks=RISKS, losses=LOSSES, risk=risk,
        loss=loss,
    )  # fmt: skip


@room.get("/drawn")
def drawn(request: Request, identifier: str, risk: str = RISK, loss: str = MOVED) -> Response:
    """Draw the variants that can be measured; those that were not yet are measured first."""
    _refuse_axes(risk, loss)
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    points: list[Point] = []
    gone: list[tuple[Variant, str]] = []
    for variant in project.variants:
        question = measures_of(variant.plan)
        found = question.answer(bench, project)
        why = "" if found else _refused(bench, project, question)
        if not found and not why:
            return waiting(bench, project, question, request)
        point = _point(variant, found, risk, loss) if found else None
        if point is None:
            gone.append((variant, why or _unmeasured(found, risk, loss)))
        else:
            points.append(point)
    _mark_front(points)
    specification = _specification(points, project.current, risk, loss) if points else None
    return bench.page(
        "drawn.html.j2", project=project, points=points, gone=gone, risk=risk, loss=loss,
        specification=specification,
    )  # fmt: skip


def _refuse_axes(risk: str, loss: str) -> None:
    if risk not in RISKS or loss not in LOSSES:
        raise InputError("The map cannot be drawn of these measures; choose others.")


def _refused(bench: Bench, project: Project, question: Question) -> str:
    """Say why a variant could not be measured; nothing where it is to be tried, or done."""
    job = question.last(bench, project)
    if job is None or job.state not in ("failed", "stopped") or job.error == INTERRUPTED:
        return ""
    return job.error or "it was stopped"


def _unmeasured(found: Mapping[str, Any], risk: str, loss: str) -> str:
    """Say why a variant has no point, as the measure says it."""
    skipped = dict(found["skipped"])
    why = skipped.get(risk) or skipped.get(loss)
    return str(why or "one of the two cannot be measured for it.")


def _point(variant: Variant, found: Mapping[str, Any], risk: str, loss: str) -> Point | None:
    values = {one["name"]: one["value"] for one in found["after"]}
    if values.get(risk) is None or values.get(loss) is None:
        return None
    return {
        "number": variant.number,
        "told": f"Variant {variant.number}: {variant.change}",
        "change": variant.change,
        "risk": values[risk],
        "loss": values[loss],
        "records": found["original"],
        "all": found["all"],
    }


def _mark_front(points: Sequence[Point]) -> None:
    front = set(pareto_front([(one["risk"], one["loss"]) for one in points]))
    for place, point in enumerate(points):
        point["best"] = place in front


def _specification(points: Sequence[Point], current: int, risk: str, loss: str) -> dict[str, Any]:
    """Return the map as Vega-Lite says it: loss to the right, risk upwards, low left is best."""
    rows = [{**one, "current": one["number"] == current} for one in points]
    front = sorted((one for one in points if one["best"]), key=lambda one: one["loss"])
    line = {"type": "line", "interpolate": "step-after", "color": INK, "strokeDash": [4, 3]}
    dot = {"type": "point", "filled": True, "size": 130, "opacity": 1, "cursor": "pointer"}
    text = {"type": "text", "dx": 9, "dy": -9, "align": "left", "color": INK, "aria": False}
    color = {"condition": {"test": "datum.current", "value": "#d9603b"}, "value": "#0b8a9e"}
    shape = {"condition": {"test": "datum.best", "value": "diamond"}, "value": "circle"}
    told = {"field": "told", "type": "nominal"}
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "background": "transparent",
        "config": {**CONFIG, "padding": 5},
        "data": {"values": rows},
        "encoding": {"x": _axis("loss", loss), "y": _axis("risk", risk)},
        "layer": [
            {"data": {"values": front}, "mark": {**line, "strokeWidth": 1.2, "aria": False}},
            {
                "mark": dot,
                "encoding": {"color": color, "shape": shape, "description": told, "tooltip": told},
            },
            {"mark": text, "encoding": {"text": {"field": "number", "type": "nominal"}}},
        ],
    }


def _axis(field: str, measure: str) -> dict[str, Any]:
    axis = {"title": measure.replace("_", " "), "titlePadding": 8, "tickCount": 6}
    return {"field": field, "type": "quantitative", "axis": axis, "scale": {"zero": True}}
