"""The page of a risk-utility map, which shows it as the report of a release does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacita.release.comparing.trial import Trial
from tacita.release.report.html import html
from tacita.release.report.map_section import (
    TRIALS_TITLE,
    map_blocks,
    skipped_blocks,
    trial_blocks,
)
from tacita.release.report.model import KeyNumber, Report, Section
from tacita.release.report.told import Audience
from tacita.results import counted, show

if TYPE_CHECKING:
    from tacita.release.comparing.risk_utility_map import RiskUtilityMap


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
    yield Section("map", "The map", map_blocks(drawn))
    yield Section("trials", TRIALS_TITLE, trial_blocks(drawn))
    if skipped := skipped_blocks(drawn):
        yield Section("skipped", "Not tried", skipped)
