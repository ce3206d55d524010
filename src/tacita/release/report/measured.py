"""Measures as a table of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacita.release.report import words
from tacita.release.report.model import Align, Cell, Table
from tacita.release.report.told import Measure, Pairs

FIGURES_TOLD = 16  # further numbers told of one measure


def measured(measures: Sequence[Measure], caption: str) -> Table:
    """Set measures in a table, with values before masking and sentences where they are told."""
    compared = any(measure.compared for measure in measures)
    told = any(measure.sentence for measure in measures)
    before: tuple[tuple[str, Align], ...] = (("Before", "number"),) if compared else ()
    last = "In words" if told else "What it is"
    columns: tuple[tuple[str, Align], ...] = (
        ("Measure", "text"),
        *before,
        ("After" if compared else "Value", "number"),
        (last, "text"),
    )
    return Table(caption, columns, tuple(_row(measure, compared, told) for measure in measures))


def _row(measure: Measure, compared: bool, told: bool) -> tuple[Cell, ...]:
    name = words.title(measure.name)
    before = (Cell(words.number(measure.before) if measure.compared else ""),) if compared else ()
    value = Cell(measure.band or words.number(measure.value), measure.within)
    if not told:
        return (Cell(name), *before, value, Cell(measure.summary))
    figures = words.listed((f"{what} {value}" for what, value in measure.figures), FIGURES_TOLD)
    sentence = Cell(words.capital(measure.sentence), words.capital(figures))
    return (Cell(name, measure.summary), *before, value, sentence)


def not_measured(reasons: Pairs) -> Iterator[Table]:
    """Say what was not measured, and why, if there is something to say."""
    if reasons:
        rows = tuple((Cell(name), Cell(why)) for name, why in reasons)
        columns: tuple[tuple[str, Align], ...] = (("Measure", "text"), ("Reason", "text"))
        yield Table("What was not measured, and why.", columns, rows)
