"""The guard of a plan, held open by the one process that asks it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacita.api.database import open_plan, try_plan
from tacita.app.hands.work import Work, digest
from tacita.errors import InputError, PlanError
from tacita.queries.guard import Guard
from tacita.release.masked_input import masked_copy
from tacita.release.plan import Plan
from tacita.release.query_plan import QueryPlan

OPEN = "open guard"  # where a process remembers the guard that it holds


def guarded(plan: Plan) -> QueryPlan:
    """Return what a plan says of its database.

    Raises:
        PlanError: it guards none.
    """
    if plan.queries is None:
        raise PlanError("The plan guards no database yet: choose a policy on the page Queries.")
    return plan.queries


def opened(work: Work) -> Guard:
    """Return the guard of the plan, opened if it is not; of all guards one is open at a time.

    Only one guard may write a ledger. Whatever the plan, the policies or the data have become, the
    guard of before is closed first, and the new one takes up the history.

    Raises:
        InputError: a person closed it, before what was asked of it then came to its turn.
    """
    guarded(work.plan)
    if work.project in work.memory.shut:
        raise InputError("The database is closed; open it first.")
    key = _state(work.plan)
    held = work.memory.held.get(OPEN)
    if held is not None and held[0] == key and not held[1].is_closed:
        found: Guard = held[1]
        return found
    closed(work)
    work.tell("opening the database")
    guard = open_plan(work.plan).guard
    work.memory.held[OPEN] = key, guard
    return guard


def closed(work: Work) -> bool:
    """Close the guard that the process holds; return whether it held one."""
    held = work.memory.held.pop(OPEN, None)
    if held is not None:
        held[1].close()
    return held is not None


def tried(work: Work) -> Guard:
    """Return a guard of the same records without any history, which records nothing."""
    if guarded(work.plan).input == "original":
        return try_plan(work.plan, work.original)
    copy = masked_copy(work.plan, work.seed)
    return try_plan(work.plan, copy.data, copy.about)


def _state(plan: Plan) -> str:
    """Return a name for all that a guard depends on: the plan, and the state of its source."""
    document: Any = plan.located.document if plan.located else {}
    parts = [document.get(word) for word in ("data", "microdata", "queries")]
    source = plan.data.source
    seen = source.stat() if isinstance(source, Path) and source.exists() else None
    return digest(parts, str(plan.folder), seen and (seen.st_size, seen.st_mtime_ns))
