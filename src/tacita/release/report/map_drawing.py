"""Drawing a risk-utility map: a Vega-Lite specification, drawn without a browser or network.

As in the figures of the report, nothing that stands in the data enters a specification but as data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacita.release.comparing.grid import brief_value
from tacita.release.report.plots import CONFIG, INK, Spec

if TYPE_CHECKING:
    from tacita.release.comparing.risk_utility_map import RiskUtilityMap

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
POINT, OWN_POINT = 42, 150  # how large points are drawn
STAR = (
    "M0,-1L0.23,-0.32L0.95,-0.31L0.38,0.12L0.59,0.81L0,0.4L-0.59,0.81L-0.38,0.12L-0.95,-0.31"
    "L-0.23,-0.32Z"
)


def look(place: int) -> tuple[str, str]:
    """Return colour and shape of a line, by its place."""
    return COLORS[place % len(COLORS)], SHAPES[place // len(COLORS) % len(SHAPES)]


def looks(drawn: RiskUtilityMap) -> list[tuple[str, str]]:
    """Return colour and shape of every line; a release that others lie beside is a star."""
    own = None if drawn.own is None else drawn.trials[drawn.own].line
    return [(INK, STAR) if line == own else look(place) for place, line in enumerate(drawn.lines)]


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
    rows, front = _rows(drawn, legend=legend), _front(drawn)
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
            *_own_name(drawn),
        ],
    }


def _rows(drawn: RiskUtilityMap, *, legend: bool) -> list[dict[str, Any]]:
    lines = drawn.lines
    return [
        {
            "line": trial.line,
            "place": place,
            "risk": trial.risk,
            "loss": trial.loss,
            "told": trial.label() if legend else f"{MARKED} {place}",
            "of": f"line {lines.index(trial.line)}",
            "size": OWN_POINT if drawn.is_own(trial) else POINT,
        }
        for place, trial in enumerate(drawn.trials)
    ]


def _front(drawn: RiskUtilityMap) -> list[dict[str, Any]]:
    return [
        {
            "risk": trial.risk,
            "loss": trial.loss,
            "told": ", ".join(map(brief_value, trial.setting.values())),
        }
        for trial in drawn.front
    ]


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


def _own_name(drawn: RiskUtilityMap) -> Iterator[Spec]:
    """Write beside the star what it is: to its left in the right half, else to its right."""
    if drawn.own is None:
        return
    own = drawn.trials[drawn.own]
    is_right = 2 * own.loss > max(trial.loss for trial in drawn.trials)
    mark = {
        "type": "text",
        "dx": -13 if is_right else 13,
        "align": "right" if is_right else "left",
        "baseline": "middle",
        "fontSize": 11,
        "fontWeight": "bold",
        "color": INK,
        "aria": False,
    }
    row = {"risk": own.risk, "loss": own.loss, "told": own.label()}
    yield {"data": {"values": [row]}, "mark": mark, "encoding": {"text": {"field": "told"}}}


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
        "mark": {"type": "point", "filled": True, "opacity": 1},
        "encoding": {
            "size": {"field": "size", "type": "quantitative", "scale": None, "legend": None},
            "color": _scale(drawn, 0, legend=legend),
            "shape": _scale(drawn, 1, legend=legend),
            "description": {"field": "told"},
        },
    }


def _scale(drawn: RiskUtilityMap, which: int, *, legend: bool) -> Spec:
    scale = {"domain": drawn.lines, "range": [one[which] for one in looks(drawn)]}
    told = {"title": None, "labelLimit": 260, "symbolOpacity": 1} if legend else None
    return {"field": "line", "type": "nominal", "scale": scale, "legend": told}
