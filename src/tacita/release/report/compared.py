"""Drawing ways to protect a table against each other: what they risk and what they cost."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from tacita.release.report.plots import AFTER, CONFIG, INK, Spec, svg

if TYPE_CHECKING:
    from tacita.release.table_comparison import TableComparison

WIDTH, HEIGHT = 560, 260
PAPER = "#ffffff"
SIDES = {"left": {"dx": -9, "align": "right"}, "right": {"dx": 9, "align": "left"}}
NEAR = 0.6  # of the width: labels of points beyond are written to their left
BAND = 0.1  # of the height: points as near as that have their labels one above the other
LINE = 13  # from one such label to the next
ABOVE = 1.35  # times the largest risk: so high is the picture, for the labels of what risks most
LONGEST = 34  # letters in a line of a title


def picture(compared: TableComparison) -> str:
    """Draw a comparison as a picture that stands alone."""
    import vl_convert

    whole = {"background": PAPER, **specification(compared), "config": CONFIG | {"padding": 12}}
    return str(vl_convert.vegalite_to_svg(whole, allowed_base_urls=[]))


def figure(compared: TableComparison, key: str) -> str:
    """Draw a comparison for a page; the key tells its figures apart."""
    return svg(specification(compared), key)


def specification(compared: TableComparison) -> Spec:
    """Return a comparison as Vega-Lite says it; what nothing beats is filled."""
    widest = max((one.loss for one in compared), default=0.0)
    highest = ABOVE * max((one.risk for one in compared), default=0.0) or 1.0
    lifts = _lifts(compared, BAND * highest)
    rows: list[dict[str, Any]] = [
        {
            "risk": one.risk,
            "loss": one.loss,
            "told": one.label(),
            "front": compared.is_on_front(one),
            "side": "left" if one.loss > NEAR * widest else "right",
            "lift": lift,
        }
        for one, lift in zip(compared, lifts, strict=True)
    ]
    labels = [_labels(side, lift) for side in SIDES for lift in sorted(set(lifts))]
    risk, loss = compared.axes
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": rows},
        "encoding": {
            "x": _axis("loss", loss, {"zero": True, "nice": True}),
            "y": _axis("risk", risk, {"domain": [0, highest]}),
        },
        "layer": [_points(filled=True), _points(filled=False), *labels],
    }


def _lifts(compared: TableComparison, near: float) -> list[int]:
    """Return how many labels of points that are about as high lie below the label of each.

    Those of points further to the left do.
    """
    places = [(one.loss, number, one.risk) for number, one in enumerate(compared)]
    return [
        sum(before < place and abs(before[-1] - place[-1]) <= near for before in places)
        for place in places
    ]


def _axis(field: str, title: str, scale: Spec) -> Spec:
    lines = wrap(title.replace("_", " "), LONGEST)
    axis = {"title": lines, "titlePadding": 8, "tickCount": 5}
    return {"field": field, "type": "quantitative", "axis": axis, "scale": scale}


def _points(*, filled: bool) -> Spec:
    mark = {"type": "point", "size": 70, "color": AFTER, "filled": filled, "opacity": 1}
    return {"transform": [{"filter": {"field": "front", "equal": filled}}], "mark": mark}


def _labels(side: str, lift: int) -> Spec:
    """Write the names of ways beside their points, where there is room."""
    mark = {"type": "text", "fontSize": 11, "color": INK, "dy": -LINE * (lift + 0.7), **SIDES[side]}
    return {
        "transform": [
            {"filter": {"field": "side", "equal": side}},
            {"filter": {"field": "lift", "equal": lift}},
        ],
        "mark": mark,
        "encoding": {"text": {"field": "told"}},
    }
