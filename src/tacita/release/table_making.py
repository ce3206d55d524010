"""Making a table of a release: tabulated, judged, with waivers, rolled up, and settled by hand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.attribute import Role
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.release.table_plan import TablePlan, given_file
from tacita.tables.status import Status

if TYPE_CHECKING:
    from tacita.data.classes import Ints
    from tacita.release.plan import Plan
    from tacita.release.table_options import RollUpPlan, WaiversPlan
    from tacita.tables.rolling_up.rolled_up import RolledUp
    from tacita.tables.table import Table
    from tacita.tables.waiving.waived import Waived


@dataclass(frozen=True, eq=False)
class MadeTable:
    """A table with its sensitive cells found, before it is protected.

    Args:
        table: the table; what was rolled up is not in it any more.
        judged: the table before it was rolled up.
        waived: what waivers changed, if there are any.
        rolled_up: how it was rolled up, if it was.
        kept: the files that were read for it, as they were, by the name that a release gives them.
    """

    table: Table
    judged: Table
    waived: Waived | None = None
    rolled_up: RolledUp | None = None
    kept: tuple[tuple[str, bytes], ...] = ()

    def whole(self, table: Table) -> Table:
        """Return the table, as it was protected, with what was rolled up put back as suppressed."""
        if self.rolled_up is None:
            return table
        status = np.where(self._all.cells.sensitive, Status.SENSITIVE, Status.SECONDARY)
        status[self._rows] = table.cells.status
        return self._all.with_cells(status=status.astype(np.int8))

    @cached_property
    def _all(self) -> Table:
        from tacita.tables.rolling_up.twins import with_sensitive_twins

        return with_sensitive_twins(self.judged)  # as the roll-up takes it

    @cached_property
    def _rows(self) -> Ints:
        from tacita.tables.placing import numbers_in

        return self._all.find(numbers_in(self._all, self.table))


def make_table(plan: Plan, place: int, data: Dataset) -> MadeTable:
    """Tabulate, find the sensitive cells, roll up, and do what the plan says by hand.

    Args:
        plan: the plan.
        place: which of its tables to make.
        data: the records.
    """
    said, waived, rolled_up = plan.tables[place], None, None
    with plan.placing("tables", place):
        table = _tabulated(said, data)
    if said.waivers is not None:
        with plan.placing("tables", place, "waivers"):
            waived = _waived(said, said.waivers, table, data, plan.folder)
            table = waived.table
    with plan.placing("tables", place, "given"):
        table = judged = _with_given(said, table, plan)
    if said.roll_up is not None:
        with plan.placing("tables", place, "roll_up"):
            rolled_up = _rolled_up(said.roll_up, table)
            table = rolled_up.table
    with plan.placing("tables", place, "suppress"):
        table = table.suppress(*said.suppress)
    return MadeTable(table, judged, waived, rolled_up, _kept(said, plan.folder))


def _tabulated(said: TablePlan, data: Dataset) -> Table:
    from tacita.tables.judging import judge
    from tacita.tables.tabulate import tabulate

    names = [name for name in said.by if name in data.with_role(Role.IDENTIFIER)]
    if names:
        raise InputError(
            f"`{names[0]}` is an identifier; a table by it would list the respondents. Leave it "
            "out of `by`."
        )
    table = tabulate(data, said.by, name=said.name, **said.tabulation)
    return judge(table, said.methods) if said.rules and said.waivers is None else table


def _with_given(said: TablePlan, table: Table, plan: Plan) -> Table:
    from tacita.tables.apriori import read_apriori, with_given

    file = given_file(said, plan.folder)
    return table if file is None else with_given(table, read_apriori(file))


def _waived(
    said: TablePlan, waivers: WaiversPlan, table: Table, data: Dataset, folder: Path
) -> Waived:
    from tacita.tables.waivers import read_waivers
    from tacita.tables.waiving.waive import waived

    return waived(
        data,
        table,
        said.methods,
        read_waivers(folder / waivers.file),
        identity=said.identity or "",
        on=waivers.on,
        period=waivers.period,
        tabulated=said.tabulation,
    )


def _rolled_up(said: RollUpPlan, table: Table) -> RolledUp:
    from tacita.tables.rolling_up.roll_up import roll_up

    return roll_up(table, loss=said.loss, allowed=said.allowed)


def _kept(said: TablePlan, folder: Path) -> tuple[tuple[str, bytes], ...]:
    names = zip(said.inputs, said.as_kept().inputs, strict=True)
    return tuple((there, (folder / here).read_bytes()) for here, there in names)
