"""Verifying the tables of a release: from their public files, and with the source from records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from pydantic import ValidationError

from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.release.plan import DataPlan, Plan
from tacita.release.table_files import digest, read_public, write_public
from tacita.release.table_plan import TablePlan
from tacita.release.tables import ReleasedTable, ReleasedTables, release_tables
from tacita.release.verification import Line, Status, line
from tacita.release.written import (
    KeptTable,
    KeptTables,
    StatedMeasure,
    StatedPerturbation,
    StatedRequirement,
    StatedTable,
    StatedTables,
)
from tacita.results import Measures, Verdict, brief, counted, show
from tacita.tables.linked import LinkedTables
from tacita.tables.system import not_adding_up
from tacita.tables.table import Table

CLOSE = 1e-6  # of an interval's width: how far two runs of linear programs may be apart


@dataclass(frozen=True)
class TableVerifier:
    """Goes through the tables of a release line by line.

    Args:
        stated: what the public was told of them.
        public: the public folder.
        kept: what the house keeps of them, if it is at hand.
        required: what was required of them, and the verdicts on it.
        original: the source, if it is at hand.
    """

    stated: StatedTables
    public: Path
    kept: KeptTables | None = None
    required: Sequence[StatedRequirement] = ()
    original: Dataset | None = None

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
            yield line(f"table {one.name} suppressed", hidden == one.suppressed, told)
        yield self.audited(tables)
        if self.stated.perturbation is not None:
            yield self.added_up(tables, self.stated.perturbation)
        yield from self.made_again()

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
        return line("tables added up", off == stated.not_additive, told)

    def files(self, one: StatedTable) -> Iterator[Line]:
        """Say whether the files of a table are those stated."""
        for name, stated in one.files.items():
            file = self.public / "tables" / Path(name).name
            same = file.is_file() and digest(file) == stated
            yield line(f"table {one.name} file", same, f"{file.name} is the file stated")

    def audited(self, tables: LinkedTables) -> Line:
        """Audit the public files: whoever reads them can do so, too."""
        from tacita.tables.audit.audit import audit

        what, stated = "tables audited together", self.stated.together
        if self.stated.perturbation is not None:
            return Line(what, Status.ATTESTED, "what perturbed values tell needs the source")
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
        return line(what, same and _is_near(float(width), stated.narrowest), told)

    def made_again(self) -> Iterator[Line]:
        """Make every table again from the source, or say that it cannot be done."""
        if self.kept is None or self.original is None:
            yield from self.attested("it needs the source")
            return
        named = [row.plan.get("name") for row in self.kept.tables]
        if named != [one.name for one in self.stated.tables]:
            raise InputError("Statement and evidence tell of different tables.")
        plan = _plan(self.kept, self.public.parent / "internal" / "tables")
        if not _is_repeatable(plan, self.kept):
            yield from self.attested(
                "noise of a secure source, or what a clock stopped, cannot be made again"
            )
            return
        yield from self.compared(release_tables(plan, self.original, self.kept.seed), self.kept)

    def attested(self, why: str) -> Iterator[Line]:
        """Say of every table that it is protected, or not, as the house says."""
        for one in self.stated.tables:
            told = "holds" if one.protected else "FAILS"
            what = f"required {brief({'protected': one.name})}"
            yield Line(what, Status.ATTESTED, f"{told}; {why}")

    def compared(self, made: ReleasedTables, kept: KeptTables) -> Iterator[Line]:
        """Compare tables made again with what was stated and kept of them."""
        for one, stated, held in zip(made.tables, self.stated.tables, kept.tables, strict=True):
            same = _files(one.published, one.plan) == stated.files
            yield line(f"table {one.plan.name}", same, "making it again gives the released files")
            yield from _made_again(one, held)
            yield from self.judged_again(one.verdicts, stated)
            yield _measured_again(f"table {one.plan.name} measures", one.measures, held.measures)
        yield _measured_again("tables together", made.measures, kept.measures)

    def judged_again(self, verdicts: Sequence[Verdict], stated: StatedTable) -> Iterator[Line]:
        """Say of what was required of a table whether the verdict on it is the same again."""
        attested = [(row.requirement, row.holds) for row in self.required]
        for verdict in verdicts:
            agree = (dict(verdict.requirement), verdict.holds) in attested
            if verdict is verdicts[0]:
                agree &= verdict.holds == stated.protected
            yield line(f"required {brief(verdict.requirement)}", agree, str(verdict))


def _is_repeatable(plan: Plan, kept: KeptTables) -> bool:
    """Tell whether perturbing the same tables again gives the same values."""
    way = plan.tables[0].perturbation
    reproducible = kept.perturbation is None or kept.perturbation.reproducible
    return reproducible and (way is None or way.repeatable)


def _made_again(one: ReleasedTable, held: KeptTable) -> Iterator[Line]:
    """Say whether waivers lowered the same cells again, and whether the roll-up is the same."""
    waived, rolled_up = one.made.waived, one.made.rolled_up
    if waived is not None:
        told = f"waivers lower {counted(len(waived.uses), 'cell')}"
        yield line(f"table {one.plan.name} waivers", waived.to_dict() == held.waivers, told)
    if rolled_up is not None:
        told = f"{counted(len(one.table), 'cell')} left of {len(one.made.judged):,}"
        yield line(f"table {one.plan.name} rolled up", rolled_up.to_dict() == held.roll_up, told)


def _measured_again(what: str, made: Measures, kept: Sequence[StatedMeasure]) -> Line:
    found = {measured.name: measured.to_dict()["value"] for measured in made}
    agree = found == {row.name: row.value for row in kept}
    return line(what, agree, f"{counted(len(found), 'measure')} as attested")


def is_of_table(requirement: Mapping[str, Any]) -> bool:
    """Tell whether a requirement is about a table."""
    said = next(iter(requirement.values()))
    return "protected" in requirement or (isinstance(said, Mapping) and "table" in said)


def _plan(kept: KeptTables, internal: Path) -> Plan:
    """Return the plan of the tables, with their files where the release keeps them."""
    tables = []
    for row in kept.tables:
        said = _said(row.plan)
        tables.append(said.as_kept().model_copy(update={"compare": ()}))
    return Plan(DataPlan(), tables=tuple(tables), folder=internal)


def _said(plan: Mapping[str, Any]) -> TablePlan:
    try:
        return TablePlan(**plan)
    except (ValidationError, TypeError) as error:
        raise InputError(
            "The evidence does not say how a table was made; it was changed."
        ) from error


def _files(published: Table, said: TablePlan) -> dict[str, str]:
    """Return the hashes of the files that a table gives."""
    with TemporaryDirectory() as folder:
        write_public(published, said, Path(folder))
        return {name: digest(Path(folder) / name) for name in said.files}


def _is_near(width: float, stated: float | None) -> bool:
    if stated is None or not np.isfinite(width):
        return stated is None and not np.isfinite(width)
    return abs(width - stated) <= CLOSE * max(width, stated)
