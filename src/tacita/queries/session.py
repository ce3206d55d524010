"""What a database has answered so far, in numbers for those who keep it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tacita.queries.answer import Released
from tacita.queries.cells import Cell


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
    """

    queries: Counter[str] = field(default_factory=Counter)
    not_understood: int = 0
    cells: int = 0
    refused: int = 0
    refused_queries: int = 0
    smallest: int | None = None

    def note(self, user: str, cells: Sequence[Cell], released: Sequence[Released | None]) -> None:
        """Count a query with what became of its cells."""
        self.queries[user] += 1
        answered = [cell for cell, one in zip(cells, released, strict=True) if one is not None]
        self.cells += len(cells)
        self.refused += len(cells) - len(answered)
        self.refused_queries += bool(cells) and not answered
        sizes = [cell.members.size for cell in answered]
        if sizes:
            self.smallest = min(sizes) if self.smallest is None else min(*sizes, self.smallest)

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
        }
