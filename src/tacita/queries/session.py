"""What a database has answered so far, in numbers for those who keep it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tacita.queries.answer import Released
from tacita.queries.answering import true_value
from tacita.queries.cells import Cell
from tacita.queries.computed import Computed


@dataclass
class Mean:
    """A mean of numbers that come one by one; no number is kept."""

    total: float = 0.0
    count: int = 0

    def add(self, number: float) -> None:
        """Take one more number."""
        self.total += number
        self.count += 1

    @property
    def value(self) -> float | None:
        """The mean; None of no numbers."""
        return self.total / self.count if self.count else None


@dataclass
class Session:
    """The measures of a session, over all users: utility lost, and the risk that was taken.

    Attributes:
        queries: the queries that were understood, by user.
        not_understood: the questions that were no statistical queries.
        cells: the numbers that were asked for.
        refused: those that were refused.
        refused_queries: the queries of which everything was refused.
        smallest: the number of records of the smallest query set that was answered.
        widths: the relative widths of interval answers.
        noise: the relative distances of perturbed answers from the truth.
    """

    queries: Counter[str] = field(default_factory=Counter)
    not_understood: int = 0
    cells: int = 0
    refused: int = 0
    refused_queries: int = 0
    smallest: int | None = None
    widths: Mean = field(default_factory=Mean)
    noise: Mean = field(default_factory=Mean)

    def note(self, user: str, cells: Sequence[Cell], released: Sequence[Released | None]) -> None:
        """Count a query with what became of its cells."""
        answered = [cell for cell, one in zip(cells, released, strict=True) if one is not None]
        self.note_asked(user, len(cells), len(cells) - len(answered))
        self.note_answered(answered)
        for cell, one in zip(cells, released, strict=True):
            if one is not None and one.by:
                self._note_loss(cell, one)

    def note_asked(self, user: str, cells: int, refused: int) -> None:
        """Count a query by the number of its cells, and of those that were refused."""
        self.queries[user] += 1
        self.cells += cells
        self.refused += refused
        self.refused_queries += bool(cells) and refused == cells

    def note_answered(self, cells: Sequence[Cell]) -> None:
        """Remember the smallest query set that was answered."""
        sizes = [cell.members.size for cell in cells]
        if sizes:
            self.smallest = min(sizes) if self.smallest is None else min(*sizes, self.smallest)

    def _note_loss(self, cell: Cell, one: Released) -> None:
        """Tell how far an answer is from the truth, and how wide its bounds are."""
        if isinstance(cell.asked.attribute, Computed) or isinstance(cell.asked.other, Computed):
            return
        truth = true_value(cell)
        if not truth:
            return
        if one.value is not None:
            self.noise.add(abs((one.value - truth) / truth))
        elif one.lower is not None and one.upper is not None:
            self.widths.add(abs((one.upper - one.lower) / truth))

    def to_dict(self) -> dict[str, Any]:
        """Return the measures in plain types."""
        asked = sum(self.queries.values())
        return {
            "queries": asked,
            "users": len(self.queries),
            "not_understood": self.not_understood,
            "numbers": self.cells,
            "refused": self.refused,
            "refused_share": self.refused / self.cells if self.cells else None,
            "refused_queries": self.refused_queries,
            "smallest_query_set": self.smallest,
            "mean_relative_width": self.widths.value,
            "mean_relative_noise": self.noise.value,
        }
