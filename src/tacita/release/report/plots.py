"""The figures of the report: Vega-Lite specifications, drawn as SVG without a browser or network.

Attribute names never enter a specification, and categories only as data, so nothing that stands in
the data can act as a field name or an expression. The colours are those of the light page; the page
gives them others in the dark, which it can since every colour here is used for one thing only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from tacita.release.report.counts import SIZE_BINS, Bars, Distribution, Histogram
from tacita.release.report.words import percent

INK = "#44505c"
GRID = "#e3e7eb"
BEFORE = "#87929e"
AFTER = "#0b6478"
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

WIDTH = 380  # of a small figure, axes included; all small figures have the same size
HEIGHT = 164
GAP = 14
LABELS = 96  # what category names take of the width
TICKS = 34  # what percentages at the left of a histogram take
FOOT = 22  # what the axis at the foot takes
HEAD = 16  # what a heading takes
BAND = 26  # the most a category takes of the height
KEPT = 128  # drawings that are kept: a report has some twenty

Spec = dict[str, Any]

CONFIG: Spec = {
    "font": FONT,
    "padding": 0,
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "gridColor": GRID,
        "domain": False,
        "ticks": False,
        "labelPadding": 5,
    },
    "title": {"color": INK, "fontSize": 11, "fontWeight": "normal", "anchor": "start", "offset": 4},
    "scale": {"bandPaddingInner": 0.22, "bandPaddingOuter": 0.12},
}


def class_sizes(after: Sequence[float], before: Sequence[float] | None) -> str:
    """Draw the share of records by the size of their class."""
    series = {"after": after} if before is None else {"before": before, "after": after}
    rows = [
        {
            "size": size,
            "who": who,
            "share": share,
            "told": _told(share),
        }
        for who, shares in series.items()
        for size, share in zip(SIZE_BINS, shares, strict=True)
    ]
    encoding = {
        "x": {
            "field": "size",
            "type": "ordinal",
            "sort": None,
            "axis": {"title": "records in the class", "labelAngle": 0, "titlePadding": 8},
        },
        "xOffset": {"field": "who", "sort": list(series)},
        "y": {"field": "share", "type": "quantitative", "axis": _shares(4) | {"title": None}},
    }
    label = {"type": "text", "baseline": "bottom", "dy": -3, "fontSize": 10, "color": INK}
    return svg(
        {
            "width": 760,
            "height": 160,
            "data": {"values": rows},
            "encoding": encoding,
            "layer": [
                {"mark": {"type": "bar"}, "encoding": {"color": _by_series(series)}},
                {"mark": label, "encoding": {"text": {"field": "told"}}},
            ],
        },
        "class-sizes",
    )


def _told(share: float) -> str:
    near = round(share, 3)
    return percent(near if 0 < near < 1 else share) if share else ""


def parts(values: Sequence[tuple[str, float]], key: str) -> str:
    """Draw what each attribute adds to a measure."""
    rows = [{"label": label, "value": value} for label, value in values]
    spec = {
        "width": WIDTH - LABELS,
        "height": {"step": 16},
        "data": {"values": rows},
        "mark": {"type": "bar", "color": AFTER},
        "encoding": {
            "y": _categories(),
            "x": {"field": "value", "type": "quantitative", "axis": _plain_axis()},
        },
    }
    return svg(spec, key)


def distribution(shown: Distribution, key: str) -> str:
    """Draw an attribute before and after masking: over one another, or side by side."""
    if shown.together:
        series = {"before": shown.before, "after": shown.after}
        return svg(_panel(series, WIDTH, HEIGHT), key)
    half = (WIDTH - GAP) // 2
    panels = [
        {**_panel({who: drawn}, half, HEIGHT - HEAD), "title": who}
        for who, drawn in (("before", shown.before), ("after", shown.after))
    ]
    return svg({"hconcat": panels, "spacing": GAP}, key)


Series = dict[str, Histogram | Bars]


def _panel(series: Series, width: int, height: int) -> Spec:
    draw: Callable[..., Spec] = (
        _bars if isinstance(next(iter(series.values())), Bars) else _histogram
    )
    return draw(series, width, height - FOOT)


def _histogram(series: Series, width: int, height: int) -> Spec:
    """Draw the original as bars and the released data as a line over them."""
    dates = any(isinstance(drawn, Histogram) and drawn.dates for drawn in series.values())
    along = {"type": "temporal", "scale": {"type": "utc"}} if dates else {"type": "quantitative"}
    x = {"field": "low", **along, "axis": _along(dates)}
    if not dates:
        x["scale"] = {"zero": False, "nice": False}
    y = {"field": "share", "type": "quantitative", "axis": _shares(3) | _extent(TICKS)}
    layers = [
        {
            **_steps(drawn, filled=who == "before" or len(series) == 1, color=_color(who)),
            "encoding": {"x": x, "y": y},
        }
        for who, drawn in series.items()
    ]
    return {"width": width - TICKS - 6, "height": height, "layer": layers}


def _steps(drawn: Histogram | Bars, *, filled: bool, color: str) -> Spec:
    """Draw a histogram as the outline of its steps, with the ground under it filled or not."""
    edges: tuple[float, ...] = drawn.edges if isinstance(drawn, Histogram) else ()
    shares = (*drawn.shares, *drawn.shares[-1:])
    rows = [{"low": low, "share": share} for low, share in zip(edges, shares, strict=True)]
    mark = {"type": "area"} if filled else {"type": "line", "strokeWidth": 1.6}
    return {"data": {"values": rows}, "mark": {**mark, "color": color, "interpolate": "step-after"}}


def _bars(series: Series, width: int, height: int) -> Spec:
    rows = [
        {"label": label, "who": who, "value": share}
        for who, drawn in series.items()
        if isinstance(drawn, Bars)
        for label, share in zip(drawn.labels, drawn.shares, strict=True)
    ]
    labels = LABELS if len(series) > 1 else LABELS - 16
    share = {"field": "value", "type": "quantitative", "axis": _shares(3)}
    alone = {} if len(series) > 1 else {"color": _color(next(iter(series)))}
    beside = {"yOffset": {"field": "who", "sort": list(series)}, "color": _by_series(series)}
    return {
        "width": width - labels - 6,
        "height": min(height, BAND * max(len(rows) // len(series), 1)),
        "data": {"values": rows},
        "mark": {"type": "bar", **alone},
        "encoding": {"y": _categories(labels), "x": share} | ({} if alone else beside),
    }


def _categories(width: int = LABELS) -> Spec:
    axis = {"title": None, "labelLimit": width - 6, "labelFontSize": 10, "labelOverlap": False}
    return {"field": "label", "type": "nominal", "sort": None, "axis": axis | _extent(width)}


def _extent(width: int) -> Spec:
    return {"minExtent": width, "maxExtent": width}


def _shares(ticks: int) -> Spec:
    return {"title": None, "format": "~%", "tickCount": ticks}


def _plain_axis() -> Spec:
    return {"title": None, "tickCount": 4, "format": "~g"}


def _along(dates: bool) -> Spec:
    common = {"title": None, "tickCount": 5, "grid": False, "labelOverlap": True}
    return common if dates else common | {"format": "~s"}


def _color(who: str) -> str:
    return BEFORE if who == "before" else AFTER


def _by_series(series: Iterable[str]) -> Spec:
    domain = list(series)
    scale = {"domain": domain, "range": [_color(who) for who in domain]}
    return {"field": "who", "type": "nominal", "scale": scale, "legend": None}


# -- drawing -------------------------------------------------------------------------------------

TAG = re.compile(r"<[^>]*>")
NOISE = re.compile(r' (?:aria-[a-z]+|role|pointer-events|class|xmlns(?::\w+)?|version)="[^"]*"')
MADE_ID = re.compile(r'(?<=id="|rl\(#)[A-Za-z_]+\d+')
EMPTY = re.compile(r'<path d="(?:M0,0h0v0h0Z)?"(?: display="none")?/>')


def svg(spec: Spec, key: str) -> str:
    """Draw a figure; the drawing depends on nothing but the specification."""
    return cleaned(_drawn(json.dumps({"background": None, **spec, "config": CONFIG})), key)


@lru_cache(maxsize=KEPT)
def _drawn(spec: str) -> str:
    """Draw what a specification in JSON says; who reports on the same data again has it drawn."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(json.loads(spec), allowed_base_urls=[]))


def cleaned(drawing: str, key: str) -> str:
    """Take out what a page does not need, and give made-up names ones that are always the same.

    >>> cleaned('<svg version="1.1"><g id="clip7"><text>a &lt; b</text></g></svg>', "age")
    '<svg><g id="age-1"><text>a &lt; b</text></g></svg>'
    """
    names: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        return names.setdefault(found[0], f"{key}-{len(names) + 1}")

    def tag(found: re.Match[str]) -> str:
        return MADE_ID.sub(renamed, NOISE.sub("", found[0]))

    return EMPTY.sub("", TAG.sub(tag, drawing))
