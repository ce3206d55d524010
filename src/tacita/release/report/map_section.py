"""A risk-utility map on a page: hover, choose lines, find a point in the table; no script.

The page of a map alone and the report of a release show it in the same blocks. On paper a drawing
and a table stand in their place.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from tacita.release.report import words
from tacita.release.report.map_drawing import MARKED, SHAPES, STAR, looks, specification
from tacita.release.report.model import (
    Align,
    Block,
    Cell,
    Figure,
    Figures,
    Markup,
    Notice,
    Paragraph,
    Section,
    Table,
)
from tacita.release.report.plots import CONFIG, INK, cleaned, svg
from tacita.results import counted, show

if TYPE_CHECKING:
    from tacita.release.comparing.risk_utility_map import RiskUtilityMap
    from tacita.release.comparing.trial import Trial

DESCRIBED = re.compile(r'(?<=<path )aria-label="([^"]*)"')
POINT = re.compile(rf'<path data-told="{MARKED} (\d+)"([^>]*)/>')
LINE = re.compile(r'<path data-told="line (\d+)"')
SYMBOLS = {**dict(zip(SHAPES, "●■▲◆▼✚", strict=True)), STAR: "★"}
HOW_TO_READ = (
    "Low and left is best. Rings and the dashed line mark the Pareto front, with the settings "
    "that lie on it."
)
HOW_TO_CHOOSE = (
    "Point at a trial to read its numbers, choose it to find it in the table, and choose which "
    "lines are shown."
)
TRIALS_TITLE = "All trials, best first"
NAMED = "trial"
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
tr[data-trial]:target td, tr[data-trial]:hover td {{ background: var(--soft); }}
tr[data-trial] {{ scroll-margin-top: 40vh; }}
"""


def map_section(drawn: RiskUtilityMap, records: int) -> Section:
    """Return the section of a report that shows other ways to mask beside a release.

    Args:
        drawn: the map, with the release among its trials where it could be measured.
        records: how many records the original data have.
    """
    told = (Paragraph(_about(drawn, records)), Paragraph(_standing(drawn)))
    blocks = (*map_blocks(drawn), Markup(f"<h3>{TRIALS_TITLE}</h3>"), *trial_blocks(drawn))
    return Section("map", "Risk-utility map", (*told, *blocks, *skipped_blocks(drawn)))


def _about(drawn: RiskUtilityMap, records: int) -> str:
    """Say what was tried, and on how many records."""
    others = counted(len(drawn) - (drawn.own is not None), "other way")
    tried_on = drawn.trials[0].records
    if tried_on == records:
        return f"{others} to mask the same data, tried on all {counted(records, 'record')}."
    return (
        f"{others} to mask the same data, tried on a random sample of {tried_on:,} of "
        f"{counted(records, 'record')}, as were the steps of this release. Records of a smaller "
        "file are easier to find: compare these risks with each other only."
    )


def _standing(drawn: RiskUtilityMap) -> str:
    """Say whether anything that was tried is better than the release."""
    if drawn.own is None:
        return (
            "This release could not be measured in the same way; the end of the section says why."
        )
    if not drawn.better:
        return "The star is this release. Nothing that was tried beats it in both risk and loss."
    few = len(drawn.better)
    return (
        f"The star is this release. {few:,} of the other ways {'beats' if few == 1 else 'beat'} it "
        f"in risk and loss; the best of them is {drawn.better[0].label()}."
    )


def map_blocks(drawn: RiskUtilityMap) -> tuple[Block, ...]:
    """Return how to read a map, and the map."""
    boxes = [_box(place, line, drawn) for place, line in enumerate(drawn.lines)]
    readout = [
        f'<span class="told-{place}">{escape(_told(trial))}</span>'
        for place, trial in enumerate(drawn.trials)
    ]
    page = [
        f"<style>{STYLE}{_rules(drawn)}</style>",
        f"<p>{HOW_TO_CHOOSE}</p>",
        f'<div class="lines">{"".join(boxes)}</div>',
        f'<p class="readout" aria-hidden="true">{"".join(readout)}</p>',
        f"<figure>{_drawing(drawn)}</figure>",
    ]
    return (Paragraph(HOW_TO_READ), Markup("".join(page), (Figures((_figure(drawn),)),)))


def trial_blocks(drawn: RiskUtilityMap) -> tuple[Block, ...]:
    """Return the table of all trials, best first."""
    return (Markup(_table(drawn), (_paper_table(drawn),)),)


def skipped_blocks(drawn: RiskUtilityMap) -> tuple[Block, ...]:
    """Return what could not be tried, and why."""
    lines = tuple(f"{label}: {words.clipped(why)}" for label, why in drawn.skipped)
    return (Notice("Not tried", lines),) if lines else ()


# -- the map -------------------------------------------------------------------------------------


def _box(place: int, line: str, drawn: RiskUtilityMap) -> str:
    """Return the box that shows or leaves out a line."""
    color, shape = looks(drawn)[place]
    shown = "var(--chart-ink)" if color == INK else color
    symbol = f'<i aria-hidden="true" style="color: {shown}">{SYMBOLS[shape]}</i>'
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


def _figure(drawn: RiskUtilityMap) -> Figure:
    """Draw the map for paper, with its lines named beside it."""
    risk, loss = drawn.axes
    front = ", ".join(trial.label() for trial in drawn.front)
    return Figure(
        "map-drawn",
        "Risk against loss",
        "",
        f"Risk ({risk}) against loss ({loss}) of {counted(len(drawn), 'trial')}, listed below; on "
        f"the Pareto front: {front}.",
        svg(specification(drawn, legend=True), "map-drawn"),
    )


# -- the table -----------------------------------------------------------------------------------


def _heads(drawn: RiskUtilityMap) -> list[str]:
    measures = dict.fromkeys(name for trial in drawn.trials for name in trial.measures)
    return ["score", "risk", "loss", *measures]


def _numbers(trial: Trial, heads: list[str]) -> list[str]:
    numbers = [trial.score, trial.risk, trial.loss, *map(trial.measures.get, heads[3:])]
    return ["" if number is None else show(number) for number in numbers]


def _noted(drawn: RiskUtilityMap, trial: Trial) -> str:
    """Return the small print under a trial: what a release did, and what nothing beats."""
    steps = " + ".join(method.name for method in trial.methods) if drawn.is_own(trial) else ""
    front = "on the front" if drawn.is_on_front(trial) else ""
    return "; ".join(filter(None, (steps, front)))


def _table(drawn: RiskUtilityMap) -> str:
    heads = _heads(drawn)
    cells = [f'<th scope="col" class="number">{escape(head)}</th>' for head in heads]
    first = f'<th scope="col" class="text">{NAMED}</th>'
    places = {id(trial): place for place, trial in enumerate(drawn.trials)}
    rows = [_row(drawn, trial, places[id(trial)], heads) for trial in drawn.ranking]
    head = f"<thead><tr>{first}{''.join(cells)}</tr></thead>"
    return f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"


def _row(drawn: RiskUtilityMap, trial: Trial, place: int, heads: list[str]) -> str:
    noted = _noted(drawn, trial)
    front = f"<small>{noted}</small>" if noted else ""
    cells = "".join(f'<td class="number">{number}</td>' for number in _numbers(trial, heads))
    line = drawn.lines.index(trial.line)
    name = f'<td class="text"><span class="main">{escape(trial.label())}</span>{front}</td>'
    return f'<tr id="trial-{place}" data-trial="{place}" data-line="{line}">{name}{cells}</tr>'


def _paper_table(drawn: RiskUtilityMap) -> Table:
    heads = _heads(drawn)
    columns: tuple[tuple[str, Align], ...] = (
        (NAMED, "text"),
        *((head, "number") for head in heads),
    )
    rows = tuple(
        (Cell(trial.label(), _noted(drawn, trial)), *map(Cell, _numbers(trial, heads)))
        for trial in drawn.ranking
    )
    return Table(f"{TRIALS_TITLE}.", columns, rows)
