"""What waivers changed: the judged table, and the evidence."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from tacita.results import counted
from tacita.tables.status import Status
from tacita.tables.table import Table


@dataclass(frozen=True)
class Use:
    """A cell whose status waivers lowered.

    Args:
        cell: its codes.
        name: how a person names it.
        rules: the rules that called it sensitive.
        contributors: those of its contributors who consented.
        documents: where their consents are kept.
        after: its status now.
        before: its status by the rules alone.
    """

    cell: tuple[str, ...]
    name: str
    rules: tuple[str, ...]
    contributors: tuple[str, ...]
    documents: tuple[str, ...]
    after: str
    before: str = Status.SENSITIVE.word

    def to_dict(self) -> dict[str, Any]:
        """Return the use in plain types."""
        return {part.name: _plain(getattr(self, part.name)) for part in fields(self)}


@dataclass(frozen=True, eq=False, repr=False)
class Waived:
    """A judged table with what waivers changed; for the house only, as it names contributors.

    Args:
        table: the table, judged; cells that became safe have the reason `waiver`.
        uses: every cell whose status was lowered, and by which waivers.
        remarks: waivers that did not count and why, and cells that stay sensitive in spite of one.
    """

    table: Table
    uses: tuple[Use, ...]
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        told = f"{self.table!r}, {counted(len(self.uses), 'cell')} made safe by waivers"
        return "\n".join((told, *self.remarks))

    def to_dict(self) -> dict[str, Any]:
        """Return the record in plain types."""
        return {"uses": [use.to_dict() for use in self.uses], "remarks": list(self.remarks)}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
