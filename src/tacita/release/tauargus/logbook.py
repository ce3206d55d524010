"""What a job tells: line by line what was done, and how many cells have which status."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tacita.data.formats.rda import decoded
from tacita.release.tauargus.protected_table import STATUSES, JobTable


@dataclass
class Log:
    """The lines of a log.

    Args:
        job: the job.
        lines: what was told so far.
        file: where it is written at the end, if anywhere.
    """

    job: Path
    lines: list[str] = field(default_factory=list)
    file: Path | None = None

    def begin(self) -> None:
        """Tell which job is run, by whom and when."""
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        self.lines.append(f"{program()}: {self.job.name}, {now}")

    def tell(self, line: int, *sentences: str) -> None:
        """Tell what a line of the job did."""
        for sentence in sentences:
            self.lines += [f"line {line}: {part}" for part in sentence.splitlines()]

    def count(self, line: int, number: int, one: JobTable) -> None:
        """Tell how many cells of a table have which status."""
        counts = one.counts()
        self.tell(line, f"table {number} ({one.name}): {sum(counts.values()):,} cells")
        self.lines += [
            f"  {status:>2} {STATUSES[status]:<24}{cells:>10,}" for status, cells in counts.items()
        ]

    def texts(self) -> dict[Path, str]:
        """Return the log's file, if the job names one, with what it held before."""
        if self.file is None:
            return {}
        before = decoded(self.file, self.file.read_bytes()) if self.file.is_file() else ""
        return {self.file: before + "".join(f"{line}\n" for line in self.lines)}


def program() -> str:
    """Return who runs the job."""
    return f"Tacita {version('tacita')}, running a tau-ARGUS job"
