"""The sections of a report that are about tables."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.release.report.measured import measured, not_measured
from tacita.release.report.model import (
    Block,
    Card,
    Cards,
    Cell,
    KeyNumber,
    Markup,
    Paragraph,
    Section,
    Table,
)
from tacita.release.report.told import Facts, Pairs, SuppressionFact, TableFact

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
    yield Markup(table.pattern)
    if table.measures:
        yield measured(table.measures, "What suppressions cost and attacks achieve; 0 is nothing.")
    yield from not_measured(table.not_measured)


def _together(facts: Facts) -> Iterator[Block]:
    yield Paragraph(facts.together)
    if facts.suppression:
        yield Cards((_found_by(facts.suppression),))
    if facts.table_measures:
        yield measured(facts.table_measures, "Disclosure risks; 0 is no risk.")


def _found_by(told: SuppressionFact) -> Card:
    """Say how the secondary suppressions of all tables were found, and what they cost."""
    badge, state = ("optimal", "good") if told.is_optimal else ("", "neutral")
    pairs = (("way", told.way), *told.about)
    return Card("Suppression", (told.sentence,), pairs, told.reference, badge, state)  # type: ignore[arg-type]
