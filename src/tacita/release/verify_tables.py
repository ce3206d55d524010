"""Verifying the tables of a release from their public files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacita.errors import InputError
from tacita.release.proof import mark_of
from tacita.release.table_files import digest, read_public
from tacita.release.verification import Line, Status, line
from tacita.release.written import (
    StatedPerturbation,
    StatedTable,
    StatedTables,
)
from tacita.results import brief, counted, show
from tacita.tables.linked import LinkedTables
from tacita.tables.system import not_adding_up

CLOSE = 1e-6  # of an interval's width: how far two runs of linear programs may be apart


@dataclass(frozen=True)
class TableVerifier:
    """Goes through the tables of a release line by line.

    Args:
        stated: what the public was told of them.
        public: the public folder.
    """

    stated: StatedTables
    public: Path

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
        moved = self.stated.perturbation
        name = None if moved is None else moved.method
        return read_public(self.stated.tables, self.public / "tables", name)

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
