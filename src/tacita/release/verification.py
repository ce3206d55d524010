"""What a verification says: every line of a release, with how it is known, and what follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from tacita.errors import printable
from tacita.release.made_with import DRAWS, OURS, WRITES, others, what_changed
from tacita.release.report.sentences import difference

PAGE = ".html"
MISSING = "it is missing"


class Status(StrEnum):
    """How a line of a release is known."""

    REDERIVED = "re-derived"  # computed again from what is at hand, with the same result
    ATTESTED = "attested"  # signed under a key that the verifier named
    NOT_PROVEN = "not proven"  # nothing at hand shows it
    WRONG = "wrong"  # computed again, with another result


class Conclusion(StrEnum):
    """What follows from all lines."""

    HOLDS = "holds"
    NOT_PROVEN = "not proven"
    WRONG = "wrong"


@dataclass(frozen=True)
class Line:
    """One line of a release, and how it is known."""

    what: str
    status: Status
    sentence: str

    def to_dict(self) -> dict[str, str]:
        """Return the line in plain types."""
        return {"what": self.what, "how": self.status.value, "sentence": self.sentence}


@dataclass(frozen=True)
class Verification:
    """Every line of a release, with how it is known."""

    lines: tuple[Line, ...]

    @property
    def verdict(self) -> Conclusion:
        """What follows from the lines: one wrong line decides, then one that is not proven."""
        statuses = {line.status for line in self.lines}
        if Status.WRONG in statuses or not self.lines:
            return Conclusion.WRONG
        return Conclusion.NOT_PROVEN if Status.NOT_PROVEN in statuses else Conclusion.HOLDS

    @property
    def holds(self) -> bool:
        """Whether every line is re-derived or attested."""
        return self.verdict is Conclusion.HOLDS

    @property
    def sentence(self) -> str:
        """What follows from the lines, in words."""
        counts = {status: sum(one.status is status for one in self.lines) for status in Status}
        if self.verdict is Conclusion.WRONG:
            return f"The release is NOT what it says: {counts[Status.WRONG]} lines are wrong."
        if self.verdict is Conclusion.NOT_PROVEN:
            return (
                f"Nothing is wrong, but {counts[Status.NOT_PROVEN]} of {len(self.lines)} lines are "
                "not proven by what is at hand."
            )
        known = f"{counts[Status.REDERIVED]} lines were re-derived"
        if counts[Status.ATTESTED]:
            known += f", {counts[Status.ATTESTED]} are attested by the key you named"
        return f"The release is what it says: {known}."

    def __str__(self) -> str:
        width = max((len(line.what) for line in self.lines), default=0)
        return "\n".join(
            printable(f"{line.status:<10}  {line.what:<{width}}  {line.sentence}")
            for line in self.lines
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the verification in plain types."""
        return {
            "verdict": self.verdict.value,
            "sentence": self.sentence,
            "lines": [line.to_dict() for line in self.lines],
        }


def line(what: str, holds: bool, sentence: str, otherwise: str) -> Line:
    """Return a line that was computed again, with the sentence of what was found.

    Args:
        what: which line it is.
        holds: whether it came out as it is stated.
        sentence: what is said if it did.
        otherwise: what is said if it did not; never the same, or a reader believes it.
    """
    if holds:
        return Line(what, Status.REDERIVED, sentence)
    return Line(what, Status.WRONG, otherwise)


def made_again(what: str, holds: bool, sentence: str, otherwise: str, changed: str) -> Line:
    """Return a line of bytes that other versions of libraries may write otherwise.

    Args:
        what: which line it is.
        holds: whether the same bytes came out.
        sentence: what is said if they did.
        otherwise: what is said if they did not.
        changed: which versions are others here, if some are.
    """
    if changed and not holds:
        return Line(what, Status.NOT_PROVEN, f"it may be another now: {changed}")
    return line(what, holds, sentence, otherwise)


def written_again(
    what: str,
    file: Path,
    again: bytes,
    told: tuple[str, str],
    run: Mapping[str, Any] | None,
) -> Line:
    """Return the line of a file that was written again.

    Whoever changes a release can state other versions than those that wrote it. So a page that has
    other bytes under other versions has to say the same, word for word.

    Args:
        what: which line it is.
        file: the file as it lies there.
        again: what it should hold.
        told: what is said if it does, and if it does not.
        run: what the release says of the run that made it; None if it does not.
    """
    content = file.read_bytes() if file.is_file() else None
    changed = "" if run is None else what_changed(run, WRITES.get(file.suffix, ()))
    if content is None or run is None or not changed or content == again:
        return line(what, content == again, *told)
    return set_otherwise(what, file, content, again, run, changed)


def set_otherwise(
    what: str, file: Path, content: bytes, again: bytes, run: Mapping[str, Any], changed: str
) -> Line:
    """Return the line of a file that has other bytes than other versions write here."""
    other = others(run)
    if file.suffix != PAGE or OURS in other:  # whose sentences may be others
        return Line(what, Status.NOT_PROVEN, f"it may be another now: {changed}")
    if differs := difference(content, again, redrawn=DRAWS in other):
        return Line(what, Status.WRONG, differs)
    told = f"it says the same, word for word; how it is set may be another now: {changed}"
    return Line(what, Status.NOT_PROVEN, told)


def unattested(lines: Iterable[Line]) -> list[Line]:
    """Return lines where no signature counts: what the house only says is not proven."""
    return [
        replace(one, status=Status.NOT_PROVEN) if one.status is Status.ATTESTED else one
        for one in lines
    ]
