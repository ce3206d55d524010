"""Drawing a risk-utility map: a Vega-Lite specification, drawn without a browser or network.

As in the figures of the report, nothing that stands in the data enters a specification but as data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacita.release.report.plots import CONFIG, INK, Spec
from tacita.tradeoff.grid import brief_value

if TYPE_CHECKING:
    from tacita.tradeoff.risk_utility_map import RiskUtilityMap

# Seen as well on a light as on a dark page; lines beyond them differ in their shapes.
COLORS = (
    "#0b8a9e",
    "#d9603b",
    "#7d6bc4",
    "#5a9a3c",
    "#c9588f",
    "#b98a1d",
    "#4a7fc1",
    "#8c6d5a",
)
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
WIDTH, HEIGHT = 640, 420
PAPER = "#ffffff"
EDGE = 0.05  # of the largest loss, which is where the axis begins to be in the way
MARKED = "trial"


def look(place: int) -> tuple[str, str]:
    """Return colour and shape of a line, by its place."""
    return COLORS[place % len(COLORS)], SHAPES[place // len(COLORS) % len(SHAPES)]


def svg(drawn: RiskUtilityMap) -> str:
    """Draw a map as a picture that stands alone."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(_alone(drawn), allowed_base_urls=[]))


def png(drawn: RiskUtilityMap, scale: float) -> bytes:
    """Draw a map as pixels."""
    import vl_convert

    return bytes(vl_convert.vegalite_to_png(_alone(drawn), scale=scale, allowed_base_urls=[]))


def _alone(drawn: RiskUtilityMap) -> Spec:
    config = CONFIG | {"aria": True, "padding": 12, "legend": {"labelColor": INK, "title": None}}
    title = "Risk-utility map; rings and the dashed line mark the Pareto front"
    return {
        "background": PAPER,
        "title": title,
        "config": config,
        **specification(drawn, legend=True),
    }


def specification(drawn: RiskUtilityMap, *, legend: bool) -> Spec:
    """Return a map as Vega-Lite says it: loss to the right, risk upwards, so that low left is best.

    Points are described by their place among the trials, where a page has its own legend and
    finds them by it, and by their label where the picture stands alone.
    """
    lines = drawn.lines
    rows = [
        {
            "line": trial.line,
            "place": place,
            "risk": trial.risk,
            "loss": trial.loss,
            "told": trial.label() if legend else f"{MARKED} {place}",
            "of": f"line {lines.index(trial.line)}",
        }
        for place, trial in enumerate(drawn.trials)
    ]
    front: list[dict[str, Any]] = [
        {
            "risk": trial.risk,
            "loss": trial.loss,
            "told": ", ".join(map(brief_value, trial.setting.values())),
        }
        for trial in drawn.front
    ]
    risk, loss = drawn.axes
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "encoding": {"x": _axis("loss", loss), "y": _axis("risk", risk)},
        "layer": [
            _front_line(front),
            _lines(drawn, rows, legend=legend),
            _rings(front),
            _points(drawn, rows, legend=legend),
            *_settings(front, EDGE * max(trial.loss for trial in drawn.trials)),
        ],
    }


def _axis(field: str, title: str) -> Spec:
    axis = {"title": title, "titlePadding": 8, "tickCount": 6}
    return {"field": field, "type": "quantitative", "axis": axis, "scale": {"zero": True}}


def _front_line(front: list[dict[str, Any]]) -> Spec:
    """Draw the boundary of what can be had: from each point on, up to the next one's loss."""
    mark = {
        "type": "line",
        "interpolate": "step-after",
        "color": INK,
        "strokeWidth": 1.2,
        "strokeDash": [4, 3],
        "aria": False,
    }
    return {"data": {"values": front}, "mark": mark}


def _rings(front: list[dict[str, Any]]) -> Spec:
    mark = {"type": "point", "size": 150, "color": INK, "strokeWidth": 1.2, "aria": False}
    return {"data": {"values": front}, "mark": mark | {"filled": False}}


def _settings(front: list[dict[str, Any]], edge: float) -> Iterator[Spec]:
    """Write the settings below and left of their points; above and right at the axis."""
    places = {"right": (-8, 11), "left": (7, -9)}
    for align, (dx, dy) in places.items():
        rows = [row for row in front if (row["loss"] < edge) == (align == "left")]
        mark = {"type": "text", "dx": dx, "dy": dy, "align": align, "fontSize": 10, "color": INK}
        encoding = {"text": {"field": "told"}}
        yield {"data": {"values": rows}, "mark": mark | {"aria": False}, "encoding": encoding}


def _lines(drawn: RiskUtilityMap, rows: list[dict[str, Any]], *, legend: bool) -> Spec:
    return {
        "data": {"values": rows},
        "mark": {"type": "line", "strokeWidth": 1.2, "opacity": 0.75, "aria": not legend},
        "encoding": {
            "order": {"field": "place"},
            "color": _scale(drawn, 0, legend=legend),
            **({} if legend else {"description": {"field": "of"}}),
        },
    }


def _points(drawn: RiskUtilityMap, rows: list[dict[str, Any]], *, legend: bool) -> Spec:
    return {
        "data": {"values": rows},
        "mark": {"type": "point", "filled": True, "size": 42, "opacity": 1},
        "encoding": {
            "color": _scale(drawn, 0, legend=legend),
            "shape": _scale(drawn, 1, legend=legend),
            "description": {"field": "told"},
        },
    }


def _scale(drawn: RiskUtilityMap, which: int, *, legend: bool) -> Spec:
    lines = drawn.lines
    scale = {"domain": lines, "range": [look(place)[which] for place in range(len(lines))]}
    told = {"title": None, "labelLimit": 260, "symbolOpacity": 1} if legend else None
    return {"field": "line", "type": "nominal", "scale": scale, "legend": told}
