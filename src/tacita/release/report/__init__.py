"""The reports of a release: one for whoever gets the data, one for the house.

Both come from one chain: `facts` decides what an audience may be told, `content` puts
it into sections of words, tables and figures, `html` and `pdf` set the same content. The public
report comes from the public statement and files alone, so that any reader can make it again.
Two runs of the same plan, data and seed give the same reports but for their `run` block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.release.execute import Outcome
from tacita.release.report.content import content
from tacita.release.report.facts import internal_facts, public_facts
from tacita.release.report.html import html
from tacita.release.report.model import Report
from tacita.release.report.pdf import pdf

if TYPE_CHECKING:
    from tacita.data.dataset import Dataset
    from tacita.tables.table import Table

__all__ = ["internal_report", "public_report", "write_report"]


def public_report(
    statement: Mapping[str, Any], released: Dataset, published: Sequence[Table] = ()
) -> Report:
    """Return the report for whoever gets the data, from what they get."""
    return content(public_facts(statement, released, published))


def internal_report(outcome: Outcome, run: Mapping[str, Any]) -> Report:
    """Return the report for the house.

    Args:
        outcome: what the run gave.
        run: what differs between two runs: time, machine, versions.
    """
    return content(internal_facts(outcome, run))


def write_report(report: Report, folder: Path) -> None:
    """Write a report as HTML and PDF."""
    (folder / "report.html").write_text(html(report), encoding="utf-8", newline="\n")
    (folder / "report.pdf").write_bytes(pdf(report))
