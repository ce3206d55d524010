"""What a report is made of, whatever format it goes out in: sections of plain blocks.

A block says what it is in `kind`, which is how templates choose how to set it. All texts are plain
text; a renderer escapes them for its format.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tacita.release.report.told import Audience, Pairs

State = Literal["good", "bad", "warn", "neutral"]
Align = Literal["text", "name", "number"]


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    text: str
    kind: str = field(default="paragraph", init=False)


@dataclass(frozen=True)
class Notice:
    """Sentences that must not be overlooked."""

    title: str
    lines: tuple[str, ...]
    kind: str = field(default="notice", init=False)


@dataclass(frozen=True)
class Cell:
    """The field of a table, with small print under it."""

    text: str
    note: str = ""


@dataclass(frozen=True)
class Table:
    """A table.

    Args:
        caption: what it shows, in a sentence.
        columns: the heading of every column and how its fields are set.
        rows: its fields.
        more: what was left out, in words.
    """

    caption: str
    columns: tuple[tuple[str, Align], ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: str = ""
    kind: str = field(default="table", init=False)


@dataclass(frozen=True)
class Figure:
    """A drawing.

    Args:
        key: its name in the document.
        title: the heading above it.
        caption: the small print under it.
        alt: what it shows, for those who cannot see it.
        svg: the drawing.
    """

    key: str
    title: str
    caption: str
    alt: str
    svg: str


@dataclass(frozen=True)
class Figures:
    """Drawings beside one another; one alone takes the whole width."""

    figures: tuple[Figure, ...]
    legend: Pairs = ()
    kind: str = field(default="figures", init=False)


@dataclass(frozen=True)
class Card:
    """A step or a promise.

    Args:
        title: its name.
        badge: a word of judgement, if there is one.
        state: whether the judgement is good.
        lines: what is said of it, the most important first.
        pairs: parameters, notes, worst cases.
        source: its paper.
    """

    title: str
    lines: tuple[str, ...]
    pairs: Pairs = ()
    source: str = ""
    badge: str = ""
    state: State = "neutral"


@dataclass(frozen=True)
class Cards:
    """Steps or promises, numbered where their order matters."""

    cards: tuple[Card, ...]
    numbered: bool = False
    kind: str = field(default="cards", init=False)


@dataclass(frozen=True)
class Terms:
    """Words and what they mean."""

    pairs: Pairs
    kind: str = field(default="terms", init=False)


@dataclass(frozen=True)
class Markup:
    """Something that only a page can show: our own HTML, in which every text is escaped.

    Args:
        html: what the page shows.
        paper: what a page of paper shows in its place.
    """

    html: str
    paper: tuple[Table | Figures, ...] = ()
    kind: str = field(default="markup", init=False)


Block = Paragraph | Notice | Table | Figures | Cards | Terms | Markup


@dataclass(frozen=True)
class Section:
    """A section with its name in the document."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class KeyNumber:
    """A number that a reader sees first, with the number before masking where that is told."""

    label: str
    value: str
    hint: str
    before: str = ""


@dataclass(frozen=True)
class Report:
    """A report.

    Args:
        audience: who reads it.
        title: its title.
        subtitle: whom it is for.
        verdict: the judgement in one sentence.
        state: whether it is good.
        lead: what was done, in a few sentences.
        numbers: the numbers a reader sees first.
        sections: the rest, in order.
        run: what differs between two runs of the same plan.
    """

    audience: Audience
    title: str
    subtitle: str
    verdict: str
    state: State
    lead: str
    numbers: tuple[KeyNumber, ...]
    sections: tuple[Section, ...]
    run: Pairs
