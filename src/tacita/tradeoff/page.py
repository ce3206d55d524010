"""The page of a risk-utility map: hover, choose lines, find a point in the table; no script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from tacita.release.report.html import html
from tacita.release.report.model import KeyNumber, Markup, Notice, Paragraph, Report, Section
from tacita.release.report.plots import CONFIG, INK, cleaned
from tacita.release.report.told import Audience
from tacita.results import counted, show
from tacita.tradeoff.drawing import MARKED, SHAPES, look, specification
from tacita.tradeoff.trial import Trial

if TYPE_CHECKING:
    from tacita.tradeoff.risk_utility_map import RiskUtilityMap

DESCRIBED = re.compile(r'(?<=<path )aria-label="([^"]*)"')
POINT = re.compile(rf'<path data-told="{MARKED} (\d+)"([^>]*)/>')
LINE = re.compile(r'<path data-told="line (\d+)"')
SYMBOLS = dict(zip(SHAPES, "●■▲◆▼✚", strict=True))
STYLE = f"""
main {{ --halo: color-mix(in srgb, var(--ink) 30%, transparent); }}
.lines {{ display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0 0 8px; font-size: 13px; }}
.lines label {{ display: flex; align-items: center; gap: 6px; cursor: pointer; }}
.lines i {{ font-style: normal; }}
.readout {{ min-height: 3em; margin: 0 0 4px; font-size: 13px; max-width: none; }}
.readout span {{ display: none; }}
svg [stroke="{INK}"] {{ stroke: var(--chart-ink); }}
svg a {{ cursor: pointer; outline: none; }}
svg a path {{ stroke: transparent; stroke-width: 12px; paint-order: stroke; }}
tr[id]:target td, tr[id]:hover td {{ background: var(--soft); }}
tr[id] {{ scroll-margin-top: 40vh; }}
"""


def page(drawn: RiskUtilityMap) -> str:
    """Return the page of a map as HTML."""
    best = drawn.ranking[0]
    report = Report(
        audience=Audience.INTERNAL,
        title="Risk-utility map",
        subtitle="What ways to mask the same data risk and cost. It tells how the data may have "
        "been masked: keep it in the house.",
        verdict=f"{best.label()} has the lowest {_what(best)}.",
        state="neutral",
        lead=f"{counted(len(drawn), 'way')} to mask tried; {len(drawn.front)} on the Pareto front: "
        "nothing else that was tried has a lower risk at the same or a lower loss.",
        numbers=_numbers(drawn, best),
        sections=tuple(_sections(drawn)),
        run=(("Seconds", f"{sum(trial.seconds for trial in drawn.trials):,.1f}"),),
    )
    return html(report)


def _what(best: Trial) -> str:
    return f"loss, {show(best.loss)}" if best.score is None else f"score, {show(best.score)}"


def _numbers(drawn: RiskUtilityMap, best: Trial) -> tuple[KeyNumber, ...]:
    risk, loss = drawn.axes
    return (
        KeyNumber("Score", show(best.score), f"of {best.label()}"),
        KeyNumber("Risk", show(best.risk), risk),
        KeyNumber("Loss", show(best.loss), loss),
        KeyNumber("Tried", f"{len(drawn):,}", f"on {counted(best.records, 'record')}"),
    )


def _sections(drawn: RiskUtilityMap) -> Iterator[Section]:
    told = (
        "Low and left is best. Rings and the dashed line mark the Pareto front, with the settings "
        "that lie on it. Point at a trial to read its numbers, choose it to find it in the table, "
        "and choose which lines are shown."
    )
    yield Section("map", "The map", (Paragraph(told), Markup(_map(drawn))))
    yield Section("trials", "All trials, best first", (Markup(_table(drawn)),))
    if drawn.skipped:
        lines = tuple(f"{label}: {why}" for label, why in drawn.skipped)
        yield Section("skipped", "Not tried", (Notice("Not tried", lines),))


def _map(drawn: RiskUtilityMap) -> str:
    boxes = [_box(place, line) for place, line in enumerate(drawn.lines)]
    readout = [
        f'<span class="told-{place}">{escape(_told(trial))}</span>'
        for place, trial in enumerate(drawn.trials)
    ]
    return "".join(
        [
            f"<style>{STYLE}{_rules(drawn)}</style>",
            f'<div class="lines">{"".join(boxes)}</div>',
            f'<p class="readout" aria-hidden="true">{"".join(readout)}</p>',
            f"<figure>{_drawing(drawn)}</figure>",
        ]
    )


def _box(place: int, line: str) -> str:
    """Return the box that shows or leaves out a line."""
    color, shape = look(place)
    symbol = f'<i style="color: {color}">{SYMBOLS[shape]}</i>'
    box = f'<input type="checkbox" id="line-{place}" checked>'
    return f"<label>{box}{symbol}{escape(line)}</label>"


def _rules(drawn: RiskUtilityMap) -> str:
    """Tie points, rows and boxes together, which takes one rule each without a script."""
    rules = [
        f'main:has(#line-{place}:not(:checked)) [data-line="{place}"] {{ display: none; }}'
        for place in range(len(drawn.lines))
    ]
    for place in range(len(drawn)):
        here = f'main:has([data-trial="{place}"]:is(:hover, :focus, :target))'
        rules.append(f"{here} .told-{place} {{ display: inline; }}")
        rules.append(f'{here} a[data-trial="{place}"] path {{ stroke: var(--halo); }}')
    return "\n".join(rules)


def _told(trial: Trial) -> str:
    numbers = {"score": trial.score, "risk": trial.risk, "loss": trial.loss, **trial.measures}
    return f"{trial.label()}: " + ", ".join(f"{name} {show(v)}" for name, v in numbers.items())


def _drawing(drawn: RiskUtilityMap) -> str:
    """Draw the map, with every point a link to its row."""
    import vl_convert

    spec = {"background": None, "config": CONFIG | {"aria": True}}
    raw = vl_convert.vegalite_to_svg(
        {**spec, **specification(drawn, legend=False)}, allowed_base_urls=[]
    )
    plain = cleaned(DESCRIBED.sub(r'data-told="\1"', raw), "map")
    plain = LINE.sub(r'<path data-line="\1"', plain)

    def linked(found: re.Match[str]) -> str:
        place = int(found[1])
        trial = drawn.trials[place]
        told = escape(_told(trial))
        return (
            f'<a href="#trial-{place}" data-trial="{place}" '
            f'data-line="{drawn.lines.index(trial.line)}" aria-label="{told}">'
            f"<path{found[2]}><title>{told}</title></path></a>"
        )

    return POINT.sub(linked, plain)


def _table(drawn: RiskUtilityMap) -> str:
    measures = list(dict.fromkeys(name for trial in drawn.trials for name in trial.measures))
    heads = ["", "score", "risk", "loss", *measures]
    cells = [
        f'<th scope="col" class="{"number" if head else "text"}">{escape(head)}</th>'
        for head in heads
    ]
    places = {id(trial): place for place, trial in enumerate(drawn.trials)}
    rows = [_row(drawn, trial, places[id(trial)], measures) for trial in drawn.ranking]
    return f"<table><thead><tr>{''.join(cells)}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _row(drawn: RiskUtilityMap, trial: Trial, place: int, measures: list[str]) -> str:
    front = "<small>on the front</small>" if drawn.is_on_front(trial) else ""
    numbers = [trial.score, trial.risk, trial.loss, *map(trial.measures.get, measures)]
    cells = "".join(
        f'<td class="number">{"" if number is None else show(number)}</td>' for number in numbers
    )
    line = drawn.lines.index(trial.line)
    name = f'<td class="text"><span class="main">{escape(trial.label())}</span>{front}</td>'
    return f'<tr id="trial-{place}" data-trial="{place}" data-line="{line}">{name}{cells}</tr>'
