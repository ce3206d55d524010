"""What a verification says: every line of a release, re-derived, attested or wrong."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """How a line of a release stands."""

    REDERIVED = "re-derived"
    ATTESTED = "attested"
    WRONG = "WRONG"


@dataclass(frozen=True)
class Line:
    """One line of a release, and how it stands."""

    what: str
    status: Status
    sentence: str

    def to_dict(self) -> dict[str, str]:
        """Return the line in plain types."""
        return {"what": self.what, "status": self.status.value, "sentence": self.sentence}


@dataclass(frozen=True)
class Verification:
    """Every line of a release, re-derived, attested or wrong."""

    lines: tuple[Line, ...]

    @property
    def holds(self) -> bool:
        """Whether no line is wrong."""
        return all(line.status is not Status.WRONG for line in self.lines)

    def __str__(self) -> str:
        width = max((len(line.what) for line in self.lines), default=0)
        return "\n".join(
            f"{line.status:<10}  {line.what:<{width}}  {line.sentence}" for line in self.lines
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the verification in plain types."""
        return {"holds": self.holds, "lines": [line.to_dict() for line in self.lines]}


def line(what: str, holds: bool, sentence: str) -> Line:
    """Return a line that was computed again."""
    return Line(what, Status.REDERIVED if holds else Status.WRONG, sentence)
