"""The page of the experiment: its tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacita.api.experiment.stages import CONFIDENTIAL, HIGH_CHARGE, KEYS, ORIGINAL, RESOLUTIONS, Row
from tacita.release.report.html import html
from tacita.release.report.model import (
    Cell,
    Figure,
    Figures,
    KeyNumber,
    Paragraph,
    Report,
    Section,
    Table,
)
from tacita.release.report.plots import AFTER, BEFORE, INK, Spec, svg
from tacita.release.report.told import Audience

SHADES = ["#e6f1f3", "#0b6478"]
DARK = "#0d1317"
PAPER = "#ffffff"
SOURCE = "Sanchez, Martinez & Domingo-Ferrer, Science 351:1274, 2016"


def page(found: Mapping[str, Any], seconds: float) -> str:
    """Return the page as HTML."""
    rows: Sequence[Row] = found["protections"]
    report = Report(
        audience=Audience.PUBLIC,
        title="Reidentification and proper anonymization",
        subtitle=f"The experiment of {SOURCE}, on {found['records']:,} generated discharges.",
        verdict=_verdict(rows),
        state="neutral",
        lead="In PD, records unique in "
        f"{'all keys' if found['unique_in'] == 'keys' else 'the attributes that it names'} "
        "are masked in the order of Table S3; SPD fills what was masked (Algorithm S1). All "
        "other protections are of SPD. No record is real, so the numbers are not the paper's.",
        numbers=_numbers(found),
        sections=(
            _regeneration(found),
            _attack(found["uniqueness"]),
            _comparison(rows),
            _grids(found["grid"]),
            _closeness(rows),
        ),
        run=(("Seconds", f"{seconds:,.0f}"), ("Seed", str(found["seed"]))),
    )
    return html(report)


def _verdict(rows: Sequence[Row]) -> str:
    clusters = [row for row in rows if row["group"] in ("k", "k and t")]
    unique = sum(row["reidentification"] > 0 for row in clusters)
    if not unique:
        return "k-anonymity leaves no record unique, with and without t-closeness."
    return f"{unique} of {len(clusters)} k-anonymous versions have unique records."


def _numbers(found: Mapping[str, Any]) -> tuple[KeyNumber, ...]:
    known = found["uniqueness"][-1]
    return (
        KeyNumber("Unique in SPD", _percent(known["SPD"]), "to who knows all nine keys"),
        KeyNumber("Unique in PD", _percent(known["PD"]), "masked values fit many"),
        KeyNumber("Agreement", _correlation(found["agreement"]), "of correlations in PD and SPD"),
    )


def _regeneration(found: Mapping[str, Any]) -> Section:
    told = (
        "The correlation of every two keys, as in the paper's Tables S4 and S5: in PD over the "
        "values that were not masked, in SPD over all values. The correlation of both "
        f"sets of correlations is {_correlation(found['agreement'])}."
    )
    tables = (_correlations(found["correlations"], data) for data in ("PD", "SPD"))
    return Section("regeneration", "Synthetic regeneration", (Paragraph(told), *tables))


def _correlations(rows: Sequence[Row], data: str) -> Table:
    value = {(row["one"], row["other"]): _correlation(row[data]) for row in rows}
    return Table(
        f"Correlations in {data} (Table {'S4' if data == 'PD' else 'S5'})",
        (("", "name"), *((name, "number") for name in KEYS[1:])),
        tuple(
            (Cell(one), *(Cell(value.get((one, other), "")) for other in KEYS[1:]))
            for one in KEYS[:-1]
        ),
    )


def _attack(rows: Sequence[Row]) -> Section:
    long = [
        {"label": row["known"], "who": data, "value": row[data]}
        for row in rows
        for data in ("PD", "SPD")
    ]
    figure = Figure(
        "figure-s3",
        "Reidentification risk by what an attacker knows (Figure S3)",
        "Share of unique records; in PD, records that may be alone in fitting somebody.",
        "; ".join(f"{r['label']}, {r['who']}: {_percent(r['value'])}" for r in long),
        _bars(long, "figure-s3", {"PD": BEFORE, "SPD": AFTER}, 660, share=True),
    )
    legend = (("before", "PD"), ("after", "SPD"))
    return Section("attack", "Reidentification risk", (Figures((figure,), legend),))


def _comparison(rows: Sequence[Row]) -> Section:
    chosen = [row for row in rows if row["group"] != "k and t"]
    told = (
        "k-anonymity by Algorithm S2, coarsening by Algorithm S3, both of SPD, and PD. A record of "
        "a k-anonymous version is guessed at random with probability 1/k at most."
    )
    figures = [
        _single(chosen, "reidentification", "Reidentification risk (eq. 1)", share=True),
        _single(chosen, "attribute_disclosure", _disclosure(), share=True),
        _single(chosen, "information_loss", "Information loss (eqs. 2-4)", share=False),
    ]
    blocks = (Paragraph(told), Figures(tuple(figures)), _table(rows))
    return Section("comparison", "Protections compared (Figure S4)", blocks)


def _disclosure() -> str:
    return f"Attribute disclosure (eq. 5), {CONFIDENTIAL} above {HIGH_CHARGE:,}"


def _single(rows: Sequence[Row], what: str, title: str, *, share: bool) -> Figure:
    long = [{"label": row["name"], "who": "after", "value": row[what]} for row in rows]
    said = _percent if share else _plain
    alt = "; ".join(f"{row['label']}: {said(row['value'])}" for row in long)
    key = f"figure-s4-{what.replace('_', '-')}"
    return Figure(key, title, "", alt, _bars(long, key, {"after": AFTER}, 240, share=share))


def _table(rows: Sequence[Row]) -> Table:
    headings = ("unique", "random guess", "attribute disclosure", "information loss", "t reached")
    return Table(
        "The same numbers, with t-closeness",
        (("", "text"), *((heading, "number") for heading in headings)),
        tuple(
            (
                Cell(row["name"]),
                Cell(_percent(row["reidentification"])),
                Cell(_percent(row["random_reidentification"])),
                Cell(_percent(row["attribute_disclosure"])),
                Cell(_plain(row["information_loss"])),
                Cell("" if row["t"] is None else f"{row['t']:.4f}"),
            )
            for row in rows
        ),
    )


def _grids(rows: Sequence[Row]) -> Section:
    told = (
        "Spatiotemporal keys (hospital, length of stay, quarter) and census keys coarsened "
        "independently, from two intervals to the original values."
    )
    figures = (
        _grid(rows, "reidentification", "Reidentification risk (Figure S5)", share=True),
        _grid(rows, "information_loss", "Information loss (Figure S6)", share=False),
    )
    return Section("grids", "Coarsening in two directions", (Paragraph(told), Figures(figures)))


def _grid(rows: Sequence[Row], what: str, title: str, *, share: bool) -> Figure:
    said = _percent if share else _plain
    most = max((row[what] for row in rows), default=0) or 1
    values = [
        {
            "x": row["spatiotemporal"],
            "y": row["census"],
            "value": row[what],
            "told": said(row[what]),
            "dark": row[what] > most / 2,
        }
        for row in rows
    ]
    order = [str(resolution or ORIGINAL) for resolution in RESOLUTIONS]
    axes = {
        "x": _axis("x", "spatiotemporal resolution", order),
        "y": _axis("y", "census resolution", order[::-1]),
    }
    shade = {"field": "value", "type": "quantitative", "legend": None, "scale": {"range": SHADES}}
    ink = {"condition": {"test": "datum.dark", "value": PAPER}, "value": DARK}
    spec: Spec = {
        "width": 330,
        "height": 250,
        "data": {"values": values},
        "encoding": axes,
        "layer": [
            {"mark": {"type": "rect"}, "encoding": {"color": shade}},
            {
                "mark": {"type": "text", "fontSize": 10},
                "encoding": {"text": {"field": "told"}, "color": ink},
            },
        ],
    }
    alt = "; ".join(f"{v['x']} by {v['y']}: {v['told']}" for v in values)
    key = f"figure-{what.replace('_', '-')}-grid"
    return Figure(key, title, "", alt, svg(spec, key))


def _axis(field: str, title: str, order: Sequence[str]) -> Spec:
    scale = {"paddingInner": 0.04, "paddingOuter": 0}
    axis = {"title": title, "labelAngle": 0, "titlePadding": 8}
    return {"field": field, "type": "ordinal", "sort": list(order), "scale": scale, "axis": axis}


def _closeness(rows: Sequence[Row]) -> Section:
    chosen = [row for row in rows if row["group"] in ("k", "k and t")]
    figures = [
        _with_and_without(chosen, "attribute_disclosure", _disclosure(), share=True),
        _with_and_without(chosen, "information_loss", "Information loss (eqs. 2-4)", share=False),
    ]
    legend = (("before", "k-anonymity"), ("after", "k-anonymity and t-closeness (Table S9)"))
    blocks = (Figures(tuple(figures), legend),)
    return Section("closeness", "With t-closeness (Figure S7)", blocks)


def _with_and_without(rows: Sequence[Row], what: str, title: str, *, share: bool) -> Figure:
    long = [
        {"label": row["name"].partition(",")[0], "who": row["group"], "value": row[what]}
        for row in rows
    ]
    said = _percent if share else _plain
    alt = "; ".join(f"{row['label']}, {row['who']}: {said(row['value'])}" for row in long)
    key = f"figure-s7-{what.replace('_', '-')}"
    colors = {"k": BEFORE, "k and t": AFTER}
    return Figure(key, title, "", alt, _bars(long, key, colors, 280, share=share))


def _bars(
    rows: Sequence[Row], key: str, colors: Mapping[str, str], width: int, *, share: bool
) -> str:
    """Draw horizontal bars, side by side where there are several series, with their numbers."""
    said = _percent if share else _plain
    values = [{**row, "told": said(row["value"])} for row in rows]
    series = list(colors)
    axis: Spec = {"title": None, "tickCount": 4, "format": "~%" if share else "~g"}
    most = max((row["value"] for row in rows), default=0) or 1
    encoding: Spec = {
        "y": {"field": "label", "type": "nominal", "sort": None, "axis": {"title": None}},
        "x": {
            "field": "value",
            "type": "quantitative",
            "axis": axis,
            "scale": {"domain": [0, 1.18 * most], "nice": False},  # the numbers need room
        },
    }
    if len(series) > 1:
        encoding["yOffset"] = {"field": "who", "sort": series}
    color = {
        "field": "who",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": series, "range": list(colors.values())},
    }
    label = {"type": "text", "align": "left", "dx": 4, "fontSize": 10, "color": INK}
    spec: Spec = {
        "width": width,
        "height": {"step": 15 if len(series) > 1 else 20},
        "data": {"values": values},
        "encoding": encoding,
        "layer": [
            {"mark": {"type": "bar"}, "encoding": {"color": color}},
            {"mark": label, "encoding": {"text": {"field": "told"}}},
        ],
    }
    return svg(spec, key)


def _correlation(number: float | None) -> str:
    return "undefined" if number is None else f"{number:.3f}"


def _percent(share: float) -> str:
    if share == 0:
        return "0 %"
    if 0 < share < 0.0001:  # noqa: PLR2004 - what two decimals show
        return "<0.01 %"
    return f"{100 * share:.2f} %" if 0 < share < 0.1 else f"{100 * share:.1f} %"  # noqa: PLR2004


def _plain(number: float) -> str:
    return f"{number:.3f}"
