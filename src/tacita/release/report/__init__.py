"""The reports of a release: one for whoever gets the data, one for the house.

Both come from one chain: `facts` decides what an audience may be told, `content` puts
it into sections of words, tables and figures, `html` and `pdf` set the same content.
Two runs of the same plan, data and seed give the same reports but for their `run` block.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacita.release.execute import Outcome
from tacita.release.report.content import content
from tacita.release.report.facts import Audience, facts
from tacita.release.report.html import html
from tacita.release.report.model import Report
from tacita.release.report.pdf import pdf


def write_reports(outcome: Outcome, run: Mapping[str, Any], public: Path, internal: Path) -> None:
    """Write both reports, each as HTML and PDF.

    Args:
        outcome: what the run gave.
        run: what differs between two runs: time, machine, versions.
        public: the folder of what is given away.
        internal: the folder of what stays in the house.
    """
    for audience, folder in ((Audience.PUBLIC, public), (Audience.INTERNAL, internal)):
        report = build(outcome, run, audience)
        (folder / "report.html").write_text(html(report), encoding="utf-8", newline="\n")
        (folder / "report.pdf").write_bytes(pdf(report))


def build(outcome: Outcome, run: Mapping[str, Any], audience: Audience) -> Report:
    """Return the report for an audience."""
    return content(facts(outcome, run, audience))
