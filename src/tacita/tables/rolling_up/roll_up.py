"""Rolling up: the least recoding that leaves no sensitive cell, alone or beside suppression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from tacita.errors import ParameterError, ProtectionError, shown
from tacita.method import Method
from tacita.results import counted, show
from tacita.solvers.integer import Effort
from tacita.tables.judging import Rule, judge
from tacita.tables.placing import numbers_in
from tacita.tables.protect.applied import protected
from tacita.tables.protect.fast_suppression import FastSuppression
from tacita.tables.protect.problem import Cost
from tacita.tables.rolling_up.cuts import Cut, Recoding, recoded, rolled
from tacita.tables.rolling_up.opening import coarsest, opened
from tacita.tables.rolling_up.program import refusal, solution
from tacita.tables.rolling_up.rolled_up import RolledUp
from tacita.tables.rolling_up.task import Task
from tacita.tables.rolling_up.twins import with_sensitive_twins
from tacita.tables.table import Table

NODES = 5_000  # of the search tree; what is not proven by then is bounded
SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)  # of sensitive cells that suppression is left with


def roll_up(
    table: Table,
    rules: Sequence[Rule] | Rule = (),
    *,
    loss: Cost = "count",
    allowed: Mapping[str, Recoding] | None = None,
    effort: Effort | None = None,
) -> RolledUp:
    """Return the table with the least recoding that leaves no sensitive cell.

    In every dimension some branches of its hierarchy are cut off, and the codes where they were
    stand for all below. A dimension without a hierarchy is kept or dropped to its total: codes can
    be joined only where the table has their totals, because who contributes to a sum of cells does
    not follow from the cells. Groupings are given with `hierarchies` when the table is made.

    The coarser cells are in the table already, with their contributors, so what rules say of them
    is known. What is lost is what the cells come to that are left out,

        loss = sum of w(c) over all cells c of the table that lie on a code that is cut off,

    with w = 1 (`count`), the size of the value, the number of contributors or the table's cost. The
    search is an integer program: what it finds is the least, or is told with its bound.

    When not to use it: for a few sensitive cells in a large table. Whole branches go where the
    suppression of some cells would do; see `roll_up_and_suppress`. Other tables over the same data
    must be rolled up alike, or their differences tell what was cut off. A cell that is cut off is
    known to be at most the safe total it went into, which may be less than its value and a margin;
    levels hold for what is suppressed.

    Args:
        table: the table; judged already, if no rules are given.
        rules: the rules that it is judged by first.
        loss: what a cell counts: 1 (`count`), its `value`, its `contributors` or its `cost`.
        allowed: how attributes may be rolled up: `cut`, the usual, branch by branch; `level`, all
            branches down to the same level; `kept`, not at all.
        effort: how much may be spent on the search; 5,000 nodes when left out.

    Raises:
        ProtectionError: the coarsest table that is allowed still has a sensitive cell.
        InputError: the table was protected before.
        ParameterError: an option says what there is not.

    >>> from tacita.tables.ready import grid_table
    >>> inside = {"x": [10, 20], "y": [30, 40]}
    >>> table = grid_table("t", inside, ["u", "v"], sensitive=[("x", "u")])
    >>> roll_up(table)
    t: 3 cells over row x column, 0 sensitive, loss 6 (66.7%; the least possible of 4 ways)
      row: only the total is left
    """
    task = Task.of(_judged(table, rules), loss, allowed or {})
    return _rolled_up(task, effort or Effort(nodes=NODES))


def roll_up_and_suppress(
    table: Table,
    rules: Sequence[Rule] | Rule = (),
    *,
    by: Method | None = None,
    loss: Cost = "count",
    allowed: Mapping[str, Recoding] | None = None,
    remaining: Sequence[float] = SHARES,
    effort: Effort | None = None,
) -> RolledUp:
    """Return the table rolled up in part, and suppressed where it stays sensitive.

    For each share of the sensitive cells, the least recoding is found that leaves no more of them,
    and what is left is protected by suppression. The result is the combination of which a reader
    sees most: lost are the cells that are left out and those that are suppressed. A share of 0 is
    the roll-up alone, one of 1 the suppression alone.

    Args:
        table: the table; judged already, if no rules are given.
        rules: the rules that it is judged by first.
        by: the way to suppress; `FastSuppression`, with the same loss, when left out.
        loss: what a cell counts; see `roll_up`.
        allowed: how attributes may be rolled up; see `roll_up`.
        remaining: the shares of sensitive cells that suppression may be left with (0 to 1 each).
        effort: how much may be spent on each search for a roll-up.

    Raises:
        ProtectionError: no combination protects the table.
        InputError: the table was protected before.
        ParameterError: an option says what there is not.

    >>> from tacita.tables.ready import grid_table
    >>> inside = {"x": [10, 20, 5], "y": [30, 40, 6], "z": [9, 8, 7]}
    >>> table = grid_table("t", inside, ["u", "v", "w"], sensitive=[("x", "u")], level=1)
    >>> print(roll_up_and_suppress(table))
    t: 16 cells over row x column, 1 sensitive, 3 secondary, loss 4 (25.0%; at least 1 of 4 ways)
    1 sensitive cell is suppressed, with 3 others; the roll-up alone would lose 12.
    """
    for share in remaining:
        if not 0 <= share <= 1:
            raise ParameterError(f"`remaining` are shares from 0 to 1; found {shown(share)}.")
    task = Task.of(_judged(table, rules), loss, allowed or {})
    sensitive = int(task.table.cells.sensitive.sum())
    numbers = sorted({int(np.floor(share * sensitive)) for share in remaining})
    way = FastSuppression(cost=loss) if by is None else by
    tasks = [replace(task, remaining=number) for number in numbers]
    tried = [_tried(one, way, effort or Effort(nodes=NODES)) for one in tasks]
    found = [one for one in tried if isinstance(one, RolledUp)]
    if not found:
        raise next((one for one in tried if isinstance(one, ProtectionError)), _nothing_tried())
    best = min(found, key=lambda one: one.loss)
    # Whatever is cut, nobody sees a sensitive cell.
    bound = float(task.weights[task.table.cells.sensitive].sum())
    is_optimal = task.is_least(best.loss, bound)
    alone = next((one.loss for one in found if one.suppression is None), None)
    return replace(best, bound=bound, is_optimal=is_optimal, remarks=_remarks(best, alone))


def _judged(table: Table, rules: Sequence[Rule] | Rule) -> Table:
    is_asked = not isinstance(rules, Sequence) or len(rules) > 0
    return with_sensitive_twins(judge(table, rules) if is_asked else table)


def _rolled_up(task: Task, effort: Effort) -> RolledUp:
    """Solve a task: cells of no weight are shown as well where they can be."""
    cuts, bound = [ways.finest for ways in task.cuts], np.inf  # what loses nothing is the least
    if not task.is_met(task.rows(cuts)):
        found, bound = solution(task, effort)
        cuts = opened(task, coarsest(task) if found is None else found)
    left = task.rows(cuts)
    if not task.is_met(left):
        raise ProtectionError(refusal(task))
    lost = task.loss(left & ~task.table.cells.sensitive)
    is_optimal = task.is_least(lost, bound)
    stopped = "The search was stopped before it was proven to be the least."
    return RolledUp(
        table=_cut_table(task, cuts),
        recoding=_recoding(task, cuts),
        loss=lost,
        share=lost / task.total if task.total else 0.0,
        bound=min(bound, lost),
        is_optimal=is_optimal,
        candidates=prod(ways.number for ways in task.cuts),
        remarks=() if is_optimal else (stopped,),
    )


def _tried(task: Task, way: Method, effort: Effort) -> RolledUp | ProtectionError:
    """Roll up, and suppress what stays sensitive; say why where that is not possible."""
    try:
        rolled_up = _rolled_up(task, effort)
        if not rolled_up.table.cells.sensitive.any():
            return rolled_up
        table, suppression = protected(rolled_up.table, way)
    except ProtectionError as error:
        return error
    rows = task.table.find(numbers_in(task.table, table))
    seen = np.zeros(len(task.table), bool)
    seen[rows[~table.cells.suppressed]] = True
    lost = task.loss(seen)
    share = lost / task.total if task.total else 0.0
    return replace(rolled_up, table=table, loss=lost, share=share, suppression=suppression)


def _remarks(best: RolledUp, alone: float | None) -> tuple[str, ...]:
    if best.suppression is None:
        return best.remarks
    sensitive = int(best.table.cells.sensitive.sum())
    others = counted(int(best.suppression.secondary.size), "other")
    without = "" if alone is None else f"; the roll-up alone would lose {show(alone)}"
    verb = "is" if sensitive == 1 else "are"
    told = f"{counted(sensitive, 'sensitive cell')} {verb} suppressed, with {others}{without}."
    return (*best.remarks, told)


def _nothing_tried() -> ParameterError:
    return ParameterError("`remaining` needs at least one share of sensitive cells; found none.")


# -- the table that is left ------------------------------------------------------------------------


def _cut_table(task: Task, cuts: Sequence[Cut]) -> Table:
    kept = [ways.kept(cut) for ways, cut in zip(task.cuts, cuts, strict=True)]
    left = np.flatnonzero(task.rows_of(kept))
    places = task.table.places[left].copy()
    for axis, codes in enumerate(kept):  # the codes keep their order, and so do the cells
        places[:, axis] = (np.cumsum(codes) - 1)[places[:, axis]]
    spans = tuple(rolled(ways, codes) for ways, codes in zip(task.cuts, kept, strict=True))
    return replace(task.table, dimensions=spans, places=places, cells=task.table.cells.take(left))


def _recoding(task: Task, cuts: Sequence[Cut]) -> dict[str, dict[str, str]]:
    told = {
        ways.dimension.name: recoded(ways, ways.kept(cut))
        for ways, cut in zip(task.cuts, cuts, strict=True)
    }
    return {name: codes for name, codes in told.items() if codes}
