"""Verifying the tables of a release from their public files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import numpy as np

from tacita.errors import InputError, MissingExtraError
from tacita.release.proof import mark_of
from tacita.release.table_files import digest, read_public, read_shown
from tacita.release.table_plan import Format
from tacita.release.verification import Line, Status, line, written_again
from tacita.release.written import (
    StatedPerturbation,
    StatedTable,
    StatedTables,
)
from tacita.results import brief, counted, show
from tacita.tables.formats import write_table
from tacita.tables.linked import LinkedTables
from tacita.tables.system import not_adding_up

CLOSE = 1e-6  # of an interval's width: how far two runs of linear programs may be apart


@dataclass(frozen=True)
class TableVerifier:
    """Goes through the tables of a release line by line.

    Args:
        stated: what the public was told of them.
        public: the public folder.
        run: what the manifest says of the run that made the release, if there is one.
    """

    stated: StatedTables
    public: Path
    run: Mapping[str, Any] | None

    def lines(self) -> Iterator[Line]:
        """Say of every line about tables how it stands."""
        for one in self.stated.tables:
            yield from self.files(one)
        try:
            tables = self.read()
        except InputError as error:
            yield Line("tables", Status.WRONG, f"the files do not fit their statement: {error}")
            return
        for one, table in zip(self.stated.tables, tables, strict=True):
            if self.run is not None:
                yield from self.nothing_beside(one, self.run)
            hidden = int(table.cells.suppressed.sum())
            told = f"{counted(hidden, 'cell')} without a value"
            other = f"{told}, where {one.suppressed} are stated"
            yield line(f"table {one.name} suppressed", hidden == one.suppressed, told, other)
        yield self.audited(tables)
        if self.stated.perturbation is not None:
            yield self.added_up(tables, self.stated.perturbation)
        yield from self.attested()

    def read(self) -> LinkedTables:
        """Read the public files; values that were perturbed need not add up."""
        return read_public(self.stated.tables, self.public / "tables", self.perturbed_by)

    @property
    def perturbed_by(self) -> str | None:
        """The method by which values were perturbed, if they were."""
        return None if self.stated.perturbation is None else self.stated.perturbation.method

    def added_up(self, tables: LinkedTables, stated: StatedPerturbation) -> Line:
        """Add up the perturbed values that were published."""
        try:
            system = tables.system()
        except InputError as error:
            return Line("tables added up", Status.WRONG, str(error))
        off = not_adding_up(system.relations, system.cells.value, system.rhs).size
        told = f"{counted(off, 'published total')} not the sum of the parts"
        other = f"{told}, where {stated.not_additive} are stated"
        return line("tables added up", off == stated.not_additive, told, other)

    def files(self, one: StatedTable) -> Iterator[Line]:
        """Say whether the files of a table are those stated."""
        for name, stated in one.files.items():
            file = self.public / "tables" / Path(name).name
            same = file.is_file() and digest(file) == stated
            told, other = f"{file.name} is the file stated", f"{file.name} is not the file stated"
            yield line(f"table {one.name} file", same, told, other)

    def nothing_beside(self, one: StatedTable, run: Mapping[str, Any]) -> Iterator[Line]:
        """Say of every file of a table whether it holds the table and nothing else.

        The table is read from its rows and written again in every format: what a reader of the
        values does not see (hidden sheets, comments, properties, scripts, columns that nobody
        named, bytes between parts) is not written again, and neither is another value.
        """
        table = read_shown(one, self.public / "tables", self.perturbed_by)
        known = {f"{one.name}.{suffix}" for suffix in get_args(Format)}
        with TemporaryDirectory() as temporary:
            for name in one.files:
                file, again = self.public / "tables" / name, Path(temporary) / name
                what = f"table {one.name} in {name}"
                if name not in known:
                    yield Line(what, Status.WRONG, "no release has a file of a table called so")
                    continue
                try:
                    write_table(table, again)
                except MissingExtraError as error:
                    yield Line(what, Status.NOT_PROVEN, f"it cannot be written again: {error}")
                    continue
                told = (
                    "written again from the cells, it has the same bytes",
                    "it holds something else than the cells: written again, it has other bytes",
                )
                yield written_again(what, file, again.read_bytes(), told, run)

    def audited(self, tables: LinkedTables) -> Line:
        """Audit the public files: whoever reads them can do so, too."""
        from tacita.tables.audit.audit import audit

        what, stated = "tables audited together", self.stated.together
        if self.stated.perturbation is not None:
            return Line(
                what,
                Status.ATTESTED,
                "what perturbed values tell needs the source and the internal folder",
            )
        if stated is None:
            return Line(what, Status.ATTESTED, "published values cannot be added up by readers")
        try:
            found = audit(tables)
        except InputError as error:
            return Line(what, Status.WRONG, str(error))
        hidden = found.system.unknown
        width = (found.upper - found.lower)[hidden & ~found.disclosed].min(initial=np.inf)
        computable = int((hidden & found.disclosed).sum())
        same = (int(hidden.sum()), computable) == (stated.suppressed, stated.computable)
        told = f"{computable} of {counted(int(hidden.sum()), 'suppressed cell')} can be computed"
        if np.isfinite(width):
            told += f", the narrowest interval of the others is {show(float(width))} wide"
        same = same and _is_near(float(width), stated.narrowest)
        return line(what, same, told, f"it is stated otherwise: {told}")

    def attested(self) -> Iterator[Line]:
        """Say of every table that it is protected, or not, as the house says."""
        for one in self.stated.tables:
            requirement = {"protected": one.name}
            told, what = mark_of(requirement, holds=one.protected), f"required {brief(requirement)}"
            yield Line(
                what, Status.ATTESTED, f"{told}; it needs the source and the internal folder"
            )


def is_of_table(requirement: Mapping[str, Any]) -> bool:
    """Tell whether a requirement is about a table."""
    said = next(iter(requirement.values()))
    return "protected" in requirement or (isinstance(said, Mapping) and "table" in said)


def _is_near(width: float, stated: float | None) -> bool:
    if stated is None or not np.isfinite(width):
        return stated is None and not np.isfinite(width)
    return abs(width - stated) <= CLOSE * max(width, stated)
