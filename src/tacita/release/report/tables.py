"""The sections of a report that are about tables."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.release.report.measured import measured, not_measured
from tacita.release.report.model import (
    Block,
    Card,
    Cards,
    Cell,
    Figure,
    Figures,
    KeyNumber,
    Markup,
    Paragraph,
    Section,
    Table,
)
from tacita.release.report.told import (
    SHOWN,
    Facts,
    Pairs,
    PerturbationFact,
    RollUpFact,
    SuppressionFact,
    TableFact,
    WaiversFact,
)

TABLE_TERMS: Pairs = (
    (
        "Sensitive cell",
        (
            "A cell of a table that would tell too much of one respondent: too few contribute, or "
            "one contributes nearly all."
        ),
    ),
    (
        "Suppressed cell",
        (
            "A cell whose value is not published: because it is sensitive, or (a secondary "
            "suppression) so that a sensitive one cannot be computed from totals."
        ),
    ),
    (
        "Feasibility interval",
        (
            "The values that a suppressed cell can have, given all that is published. A sensitive "
            "cell is protected if the interval reaches far enough below and above its value."
        ),
    ),
    (
        "Waiver",
        (
            "The consent of a contributor to be uncovered. A cell is shown for it only if the "
            "rules find nothing sensitive in what all others contribute."
        ),
    ),
    (
        "Roll-up",
        "Leaving out the finest categories, branch by branch, until no cell is sensitive.",
    ),
    (
        "Perturbed table",
        (
            "A table that shows changed values instead of true ones, rounded or with noise, in all "
            "cells; totals need not be the sums of their parts."
        ),
    ),
)


def table_numbers(facts: Facts) -> Iterator[KeyNumber]:
    """Give the numbers that a reader of a release of tables alone sees first."""
    yield KeyNumber("Tables", f"{len(facts.tables):,}", "released")
    safe = sum(table.holds for table in facts.tables)
    yield KeyNumber("Protected", f"{safe:,}", "tables whose sensitive cells are all protected")


def table_sections(facts: Facts) -> Iterator[Section]:
    """Give one section a table, and one on all of them together."""
    for place, table in enumerate(facts.tables, 1):
        yield Section(f"table-{place}", f"Table {table.name}", tuple(_blocks(table)))
    if facts.tables:
        yield Section("tables", "All tables together", tuple(_together(facts)))


def _blocks(table: TableFact) -> Iterator[Block]:
    badge, lines = ("safe" if table.holds else "not safe"), (f"{table.verdict}.",)
    state = "good" if table.holds else "bad"
    yield Cards((Card("Audit", lines, table.about, badge=badge, state=state),))  # type: ignore[arg-type]
    rows = tuple((Cell(what), Cell(count)) for what, count in table.counts)
    yield Table("", (("What", "text"), ("Cells", "number")), rows)
    if table.rolled_up:
        yield Cards((_rolled_up(table.rolled_up),))
    if table.waivers:
        yield from _waivers(table.waivers)
    yield Markup(table.pattern)
    if table.measures:
        told = "What suppressing or changing cells cost, and attacks achieve; 0 is nothing."
        yield measured(table.measures, told)
    yield from not_measured(table.not_measured)
    if table.compared:
        yield from _compared(table)


def _rolled_up(told: RollUpFact) -> Card:
    """Say what each attribute was rolled up into, and what was lost."""
    badge, state = ("optimal", "good") if told.is_optimal else ("", "neutral")
    return Card("Roll-up", (told.sentence,), told.about, badge=badge, state=state)  # type: ignore[arg-type]


def _waivers(told: WaiversFact) -> Iterator[Block]:
    """List the cells that are published by consent, with who gave it."""
    yield Paragraph(told.sentence)
    if not told.uses:
        return
    columns = ("Cell", "Sensitive by", "Consented", "Document", "Status")
    rows = tuple(
        tuple(map(Cell, (one.cell, one.rules, one.contributors, one.documents, one.status)))
        for one in told.uses[:SHOWN]
    )
    left = len(told.uses) - SHOWN
    more = f"And {left:,} more, which the evidence lists." if left > 0 else ""
    yield Table("Cells lowered by consent.", tuple((one, "text") for one in columns), rows, more)


def _compared(table: TableFact) -> Iterator[Block]:
    """Show what other ways to protect the table risk and cost."""
    yield Paragraph("Ways to protect this table, compared; low in both is best.")
    columns = (("Way", "text"), ("Risk", "number"), ("Loss", "number"), ("", "text"))
    rows = tuple(
        (Cell(one.way), Cell(one.risk), Cell(one.loss), Cell(one.verdict)) for one in table.compared
    )
    yield Table("", columns, rows)  # type: ignore[arg-type]
    alt = "; ".join(f"{one.way}: risk {one.risk}, loss {one.loss}" for one in table.compared)
    name = f"compared-{table.name}"
    yield Figures((Figure(name, "Risk and loss", "Filled: nothing beats it.", alt, table.drawn),))


def _together(facts: Facts) -> Iterator[Block]:
    yield Paragraph(facts.together)
    if facts.suppression:
        yield Cards((_found_by(facts.suppression),))
    if facts.perturbation:
        yield from _perturbed_by(facts.perturbation)
    if facts.table_measures:
        yield measured(facts.table_measures, "Disclosure risks; 0 is no risk.")


def _perturbed_by(told: PerturbationFact) -> Iterator[Block]:
    """Say how the values of all tables were perturbed, and by how much."""
    pairs = (("way", told.way), *told.about)
    yield Cards((Card("Perturbation", (told.sentence,), pairs, told.reference),))
    if told.changes:
        rows = tuple((Cell(what), Cell(count)) for what, count in told.changes)
        yield Table("How far values were changed.", (("Change", "text"), ("Cells", "number")), rows)


def _found_by(told: SuppressionFact) -> Card:
    """Say how the secondary suppressions of all tables were found, and what they cost."""
    badge, state = ("optimal", "good") if told.is_optimal else ("", "neutral")
    pairs = (("way", told.way), *told.about)
    return Card("Suppression", (told.sentence,), pairs, told.reference, badge, state)  # type: ignore[arg-type]
