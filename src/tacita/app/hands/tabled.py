"""Tables of a plan as a process holds them: judged, or protected and audited as in a release."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from tacita.app.hands.asked import as_asked, plainly
from tacita.app.hands.work import Work, digest
from tacita.app.reaching import states
from tacita.data.dataset import Dataset
from tacita.release.execute import derived
from tacita.release.table_making import make_table
from tacita.release.table_plan import TablePlan
from tacita.release.tables import Intervals, ReleasedTables, count_table_steps, release_tables
from tacita.tables.table import Table


@dataclass(frozen=True, eq=False)
class Tabled:
    """A table that somebody looks at.

    Args:
        said: what the plan says of it.
        table: the table with its truth and statuses.
        published: what a reader sees of it.
        data: the records behind it.
        intervals: what a reader of all tables can work out; None before an audit.
    """

    said: TablePlan
    table: Table
    published: Table
    data: Dataset
    intervals: Intervals | None = None


def tabled(work: Work) -> Tabled:
    """Return the table that was asked about, made now or remembered."""
    place = int(work.arguments["place"])
    if work.arguments["stage"] == "judged":
        return _judged(as_asked(work), place)
    one = released(work).tables[place]
    return Tabled(one.plan, one.table, one.published, work.original, one.intervals)


def released(work: Work) -> ReleasedTables:
    """Return the tables of a plan as they would be released, made now or remembered."""
    work = as_asked(work)
    plan, data = work.plan, work.original

    def made() -> tuple[Dataset, ReleasedTables]:
        work.tell(count_table_steps(plan))
        seed = derived(work.seed, crc32(b"tables"))  # as in a release: this is what it will show
        return data, release_tables(plan, data, seed, work.tell)

    with plainly(work):
        return work.memory.get(_key(work, data, "released"), made)[1]


def _judged(work: Work, place: int) -> Tabled:
    said, data = work.plan.tables[place], work.original

    def made() -> Tabled:
        work.tell(f"tabulating {said.name}")
        table = make_table(work.plan, place, data).table
        return Tabled(said, table, table.published(), data)

    with plainly(work):
        return work.memory.get(_key(work, data, "judged"), made)


def _key(work: Work, data: Dataset, stage: str) -> str:
    """Name what is remembered; the data are kept beside, so that no others get their number."""
    said = [table.to_plan() for table in work.plan.tables]
    changed = states(work.plan.located.document["tables"], work.file.parent)  # type: ignore[union-attr]
    return f"{stage} tables of {id(data)}: {digest(said, changed, work.seed)}"
