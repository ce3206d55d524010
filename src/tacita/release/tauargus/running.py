"""Runs a tau-ARGUS job: command after command, and its files at the end, all of them or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import singledispatchmethod
from pathlib import Path
from typing import Any

import numpy as np

from tacita.errors import InputError, OutputError, TacitaError
from tacita.progress import progress
from tacita.release.tauargus.commands import (
    LINKED,
    Adjustment,
    Apriori,
    Clear,
    Command,
    GoInteractive,
    Hypercube,
    Logbook,
    Modular,
    Network,
    OpenMetadata,
    OpenMicrodata,
    OpenTableData,
    Optimal,
    ReadMicrodata,
    ReadTable,
    Recode,
    Rounding,
    SafetyRule,
    Silent,
    Solver,
    SpecifyTable,
    Suppress,
    VersionInfo,
    WriteTable,
)
from tacita.release.tauargus.given_cells import with_apriori
from tacita.release.tauargus.logbook import Log, program
from tacita.release.tauargus.parsing import read_job
from tacita.release.tauargus.places import file_to_write, found_file
from tacita.release.tauargus.protected_table import STATUSES, JobTable
from tacita.release.tauargus.ready_made import ReadyMade, open_ready_made
from tacita.release.tauargus.records import Records, open_records
from tacita.release.tauargus.suppressing import protect
from tacita.release.tauargus.writing import texts_of
from tacita.results import counted
from tacita.tables.formats.text import write_texts


@dataclass(frozen=True, eq=False)
class JobResult:
    """What a job did.

    Args:
        job: the job.
        tables: its tables as they are at its end.
        files: the files that were written, its log among them.
        log: what it told.
    """

    job: Path
    tables: tuple[JobTable, ...]
    files: tuple[Path, ...]
    log: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the result in plain types."""
        return {
            "job": str(self.job),
            "tables": [
                {
                    "number": number,
                    "name": one.name,
                    "cells": len(one.table),
                    "statuses": {STATUSES[status]: n for status, n in one.counts().items()},
                }
                for number, one in enumerate(self.tables, start=1)
            ],
            "files": [str(file) for file in self.files],
            "log": list(self.log),
        }


def run_job(
    path: str | Path, *, out: Path | None = None, rng: np.random.Generator | None = None
) -> JobResult:
    """Run a job of tau-ARGUS.

    Nothing is written before everything is done; of a job that fails, only its log is.

    Args:
        path: the `.arb` file; files that it names lie beside it.
        out: the folder that its files are written to; where the job says, when left out.
        rng: where randomness comes from, if a method needs any; drawn anew when left out.

    Raises:
        InputError: a line of the job cannot be understood or followed; the message says which.
        ProtectionError: a table cannot be protected.
        OutputError: a file cannot be written.
    """
    path = Path(path)
    commands = read_job(path)
    running = _Running(path, out, rng or np.random.default_rng(), Log(path))
    running.log.begin()
    try:
        with progress(len(commands)) as tell:
            for command in commands:
                tell(type(command).__name__)
                if running.follow(command) is Ended:
                    break
        running.write({**running.texts, **running.log.texts()})
    except TacitaError as error:
        running.log.lines.append(f"The job failed, and no table was written: {error}")
        running.write(running.log.texts())
        raise
    files = [*running.texts, *([running.log.file] if running.log.file else [])]
    return JobResult(path, tuple(running.tables), tuple(files), tuple(running.log.lines))


class Ended:
    """Says that a job goes no further."""


@dataclass
class _Asked:
    """A table that the job has specified and not yet read, and the data it is in."""

    table: SpecifyTable
    source: Records | ReadyMade
    safety: SafetyRule | None = None


@dataclass
class _Running:
    """A job on its way.

    Args:
        path: the job.
        out: the folder for its files, if one was said.
        rng: where randomness comes from.
        log: what it tells.
    """

    path: Path
    out: Path | None
    rng: np.random.Generator
    log: Log
    data: tuple[Path, bool] | None = None
    source: Records | ReadyMade | None = None
    asked: list[_Asked] = field(default_factory=list)
    tables: list[JobTable] = field(default_factory=list)
    texts: dict[Path, str] = field(default_factory=dict)

    def follow(self, command: Command) -> object:
        """Do what a command says; what is wrong is told with its line."""
        with self._located(command):
            return self._follow(command)

    @contextmanager
    def _located(self, command: Command) -> Iterator[None]:
        try:
            yield
        except TacitaError as error:
            raise type(error)(f"{self.path}, line {command.line}: {error}") from error

    @singledispatchmethod
    def _follow(self, command: Command) -> object:
        raise TypeError(f"a job has no command {type(command).__name__}")

    # -- what goes in ----------------------------------------------------------------------------

    @_follow.register
    def _(self, command: OpenMicrodata) -> None:
        self._refuse_unfinished()
        self.data = (found_file(self.path.parent, command.file), False)

    @_follow.register
    def _(self, command: OpenTableData) -> None:
        self._refuse_unfinished()
        self.data = (found_file(self.path.parent, command.file), True)

    def _refuse_unfinished(self) -> None:
        if self.source is not None and not isinstance(self.source, ReadyMade):
            raise InputError("data are open already; <CLEAR> them first.")

    @_follow.register
    def _(self, command: OpenMetadata) -> None:
        if self.data is None:
            raise InputError("a data file must be opened before its description.")
        metadata = found_file(self.path.parent, command.file)
        data, is_table = self.data
        self.source = (open_ready_made if is_table else open_records)(data, metadata)
        self.data = None
        self.log.tell(command.line, f"opened {data.name}, described by {metadata.name}")
        if isinstance(self.source, Records):
            self.log.tell(command.line, *self.source.contents.warnings)

    @_follow.register
    def _(self, command: SpecifyTable) -> None:
        if self.source is None:
            raise InputError("data and their description must be opened before a table is said.")
        self.asked.append(_Asked(command, self.source))

    @_follow.register
    def _(self, command: SafetyRule) -> None:
        if not self.asked or self.asked[-1].safety is not None:
            raise InputError("a <SPECIFYTABLE> must stand before its <SAFETYRULE>.")
        self.asked[-1].safety = command

    @_follow.register
    def _(self, command: ReadMicrodata) -> None:
        asked = [(one, one.source) for one in self.asked if isinstance(one.source, Records)]
        if not asked:
            raise InputError("microdata and a table must be said before they are read.")
        for one, source in asked:
            safety = one.safety or SafetyRule(line=command.line)
            self._add(command.line, source.table(one.table, safety))
            if one.safety is None:
                told = f"table {len(self.tables)} has no <SAFETYRULE>; no cell is called unsafe"
                self.log.tell(command.line, told)
        self.asked = []

    @_follow.register
    def _(self, command: ReadTable) -> None:
        asked = [(one, one.source) for one in self.asked if isinstance(one.source, ReadyMade)]
        if not asked:
            raise InputError("the data of a table, and the table, must be said before it is read.")
        for one, source in asked:
            self._add(command.line, source.table(one.table, one.safety, command))
        self.asked, self.source = [], None

    def _add(self, line: int, one: JobTable) -> None:
        self.tables.append(one)
        self.log.count(line, len(self.tables), one)

    @_follow.register
    def _(self, command: Clear) -> None:
        self.data = self.source = None
        self.asked, self.tables = [], []
        self.log.tell(command.line, "forgot all tables and data")

    # -- what is done ----------------------------------------------------------------------------

    @_follow.register
    def _(self, command: Recode) -> None:
        self._table(command.table)
        if not isinstance(self.source, Records):
            raise InputError("tables that were read as they are cannot be recoded.")
        name = self.source.variable(command.variable).name
        if name not in [self.source.variable(n).name for n in self._table(command.table).asked.by]:
            raise InputError(f"`{name}` does not span table {command.table}.")
        self.source = self.source.recoded(command, self.path.parent)
        for place, one in enumerate(self.tables):
            if name in [self.source.variable(n).name for n in one.asked.by]:
                self.tables[place] = self.source.table(one.asked, one.safety)
                self.log.count(command.line, place + 1, self.tables[place])

    @_follow.register
    def _(self, command: Apriori) -> None:
        one = self._table(command.table)
        path = found_file(self.path.parent, command.file)
        table, followed, passed = with_apriori(one.judged, command, path, one.safety.manual_margin)
        self.tables[command.table - 1] = replace(one, judged=table, table=table)
        self.log.tell(
            command.line,
            f"{counted(followed, 'line')} of {path.name} followed, {passed} passed over",
        )
        self.log.count(command.line, command.table, self.tables[command.table - 1])

    @_follow.register(Hypercube)
    @_follow.register(Modular)
    @_follow.register(Optimal)
    @_follow.register(Network)
    @_follow.register(Rounding)
    @_follow.register(Adjustment)
    def _(self, command: Suppress) -> None:
        if command.table == LINKED:
            places = list(range(len(self.tables)))
        else:
            self._table(command.table)
            places = [command.table - 1]
        if not places:
            raise InputError("there is no table yet.")
        made, told = protect([self.tables[place] for place in places], command, self.rng)
        self.log.tell(command.line, *told)
        for place, one in zip(places, made, strict=True):
            self.tables[place] = one
            self.log.count(command.line, place + 1, one)

    def _table(self, number: int) -> JobTable:
        if not 1 <= number <= len(self.tables):
            held = f"there are {len(self.tables)}" if self.tables else "none was read yet"
            raise InputError(f"there is no table {number}; {held}.")
        return self.tables[number - 1]

    # -- what comes out --------------------------------------------------------------------------

    @_follow.register
    def _(self, command: WriteTable) -> None:
        path = self._place(command.file)
        for file, text in texts_of(self._table(command.table), command, path).items():
            self._take(file, text)
        self.log.tell(command.line, f"table {command.table} goes to {path}")

    @_follow.register
    def _(self, command: Logbook) -> None:
        self.log.file = self._place(command.file)

    @_follow.register
    def _(self, command: VersionInfo) -> None:
        self._take(self._place(command.file), f"{program()}\n")

    def _place(self, name: str) -> Path:
        return file_to_write(self.path.parent, name, self.out)

    def _take(self, file: Path, text: str) -> None:
        if self.out is not None and file in self.texts:
            raise OutputError(f"Two files of the job would be {file}; rename one of them.")
        self.texts[file] = text

    def write(self, texts: Mapping[Path, str]) -> None:
        """Write files, all of them or none."""
        if self.out is not None and texts:
            try:
                self.out.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                why = error.strerror or str(error)
                raise OutputError(f"Cannot make the folder {self.out}: {why}.") from error
        write_texts(texts)

    # -- what means little here ------------------------------------------------------------------

    @_follow.register
    def _(self, command: Solver) -> None:
        self.log.tell(command.line, f"the solver {command.name} is not used; Tacita has its own")

    @_follow.register
    def _(self, command: Silent) -> None:
        self.log.tell(command.line, "there are no windows here, so that everything is silent")

    @_follow.register
    def _(self, command: GoInteractive) -> type[Ended]:
        self.log.tell(
            command.line, "<GOINTERACTIVE> is not possible without windows; the job ends here"
        )
        return Ended
