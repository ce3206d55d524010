"""The least recoding as an integer program.

Unknown is which forks are open. A cell is left if the forks right above all its codes are; cells
that hang on the same forks are one group. The program keeps the heaviest groups, and of the forks
above a sensitive cell at least one stays shut.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tacita.data.classes import Ints
from tacita.errors import ProtectionError
from tacita.solvers.integer import Effort, IntegerOptimum, integer_optimum
from tacita.tables.dimension import NONE
from tacita.tables.rolling_up.cuts import Cut, Cuts
from tacita.tables.rolling_up.task import Task

ALWAYS = -1  # in place of an unknown: yes
Terms = Mapping[int, int]  # what each unknown counts in a row


@dataclass(eq=False)
class Program:
    """Unknowns that are 0 or 1, and the rows that they fulfil."""

    gains: list[int] = field(default_factory=list)
    least: list[int] = field(default_factory=list)
    rows: list[tuple[Terms, int, int]] = field(default_factory=list)  # terms, rhs, slack

    def unknown(self, gain: int = 0) -> int:
        """Add an unknown, and what is gained if it is 1."""
        self.gains.append(gain)
        self.least.append(0)
        return len(self.gains) - 1

    def at_most(self, terms: Terms, limit: int) -> None:
        """Say that a sum is at most a number."""
        lowest = sum(min(factor, 0) for factor in terms.values())
        self.rows.append((terms, limit, limit - lowest))

    def equal(self, terms: Terms, number: int) -> None:
        """Say that a sum is a number."""
        self.rows.append((terms, number, 0))

    def all_of(self, several: Sequence[int]) -> int:
        """Return the unknown that is 1 if and only if several others are."""
        if len(several) == 1:
            return several[0]
        joint = self.unknown()
        for one in several:
            self.at_most({joint: 1, one: -1}, 0)
        self.at_most({joint: -1, **dict.fromkeys(several, 1)}, len(several) - 1)
        return joint

    def solved(self, effort: Effort) -> IntegerOptimum:
        """Search for the largest gain."""
        from scipy.sparse import coo_array

        slack = [number for number, row in enumerate(self.rows) if row[2]]
        unknowns, count = len(self.gains), len(self.gains) + len(slack)
        entries = [(r, c, f) for r, row in enumerate(self.rows) for c, f in row[0].items()]
        entries += [(row, unknowns + place, 1) for place, row in enumerate(slack)]
        at, columns, factors = np.array(entries, np.int64).reshape(-1, 3).T
        return integer_optimum(
            np.array([*self.gains, *[0] * len(slack)], np.int64),
            coo_array((factors, (at, columns)), shape=(len(self.rows), count)).tocsr(),
            np.array([row[1] for row in self.rows], np.int64),
            np.array([*self.least, *[0] * len(slack)], np.float64),
            np.array([*[1] * unknowns, *(self.rows[row][2] for row in slack)], np.float64),
            direction="maximize",
            effort=effort,
        )


@dataclass(frozen=True, eq=False)
class Entered:
    """A dimension in the program.

    Args:
        chosen: for each hierarchy the unknown that says that it is cut.
        forks: for each hierarchy the unknowns of its forks.
        codes: for each code the unknown that says that it is kept.
    """

    chosen: Sequence[int]
    forks: Sequence[Sequence[int]]
    codes: Ints

    def cut(self, cuts: Cuts, point: Ints) -> Cut:
        """Return the cut that a solution says."""
        if not self.chosen:
            return cuts.finest
        said = [hierarchy for hierarchy, u in enumerate(self.chosen) if u == ALWAYS or point[u]]
        opened = frozenset(n for n, unknown in enumerate(self.forks[said[0]]) if point[unknown])
        return Cut(said[0], opened)


def solution(task: Task, effort: Effort) -> tuple[list[Cut] | None, float]:
    """Search for the heaviest cells that can be left.

    Returns:
        The cuts, if some were found; what no cuts can lose less than.

    Raises:
        ProtectionError: whatever is cut, sensitive cells are left.
    """
    program = Program()
    entered = [_entered(cuts, program) for cuts in task.cuts]
    left_anyway = _enter_cells(task, entered, program)
    try:
        found = program.solved(effort)
    except ProtectionError as error:
        raise ProtectionError(refusal(task)) from error
    weights, unit = task.units
    bound = max(float(int(weights.sum()) - left_anyway - found.bound) * unit, 0.0)
    if found.point is None:
        return None, bound
    both = zip(entered, task.cuts, strict=True)
    return [one.cut(cuts, found.point) for one, cuts in both], bound


def refusal(task: Task) -> str:
    """Return the sentence that says that no cut is coarse enough."""
    coarsest = task.rows([cuts.coarsest for cuts in task.cuts])
    rows = np.flatnonzero(coarsest & task.table.cells.sensitive)
    why = "sensitive cells lie beside cells that must be published"
    if rows.size:
        why = f"{task.table.name_of(int(rows[0]))} is sensitive and stays in every way"
    return (
        f"However `{task.table.name}` is rolled up, too many sensitive cells are left: {why}. "
        "Allow more, or suppress cells."
    )


# -- dimensions ------------------------------------------------------------------------------------


def _entered(cuts: Cuts, program: Program) -> Entered:
    codes = np.full(len(cuts.dimension), ALWAYS, np.int64)
    if cuts.recoding == "kept":
        return Entered((), (), codes)
    chosen = [ALWAYS]
    if len(cuts.forks) > 1:
        chosen = [program.unknown() for _ in cuts.forks]
        program.equal(dict.fromkeys(chosen, 1), 1)
    forks = [[program.unknown() for _ in forks] for forks in cuts.forks]
    for hierarchy, unknowns in enumerate(forks):
        for fork, unknown in zip(cuts.forks[hierarchy], unknowns, strict=True):
            above = chosen[hierarchy] if fork.above == NONE else unknowns[fork.above]
            if above != ALWAYS:
                program.at_most({unknown: 1, above: -1}, 0)
    known: dict[tuple[int, ...], int] = {}
    for code in range(1, len(codes)):
        ways = tuple(
            _kept_by(needs[code], unknowns, choice, known, program)
            for needs, unknowns, choice in zip(cuts.needs, forks, chosen, strict=True)
        )
        codes[code] = ways[0] if len(ways) == 1 else _any_of(ways, known, program)
    return Entered(chosen, forks, codes)


def _kept_by(
    need: Sequence[int],
    unknowns: Sequence[int],
    choice: int,
    known: dict[tuple[int, ...], int],
    program: Program,
) -> int:
    """Return the unknown that says that a code stays when one hierarchy is cut."""
    if not need:
        return choice
    forks = tuple(unknowns[fork] for fork in need)
    if forks not in known:
        known[forks] = program.all_of(forks)
    return known[forks]


def _any_of(ways: tuple[int, ...], known: dict[tuple[int, ...], int], program: Program) -> int:
    """Return the unknown that says that one of several ways, which exclude each other, holds."""
    key = (ALWAYS, *ways)  # apart from those of which all must hold
    if key not in known:
        known[key] = program.unknown()
        program.equal({known[key]: -1, **dict.fromkeys(ways, 1)}, 0)
    return known[key]


# -- cells -----------------------------------------------------------------------------------------


def _enter_cells(task: Task, entered: Sequence[Entered], program: Program) -> int:
    """Enter the groups of cells; return what those weigh that are left whatever is cut."""
    places = task.table.places
    hang = np.column_stack([one.codes[places[:, axis]] for axis, one in enumerate(entered)])
    groups, of_cell = np.unique(np.sort(hang, axis=1), axis=0, return_inverse=True)
    of_cell = of_cell.ravel()
    sensitive = task.table.cells.sensitive
    gains = _added(of_cell, np.where(sensitive, 0, task.units[0]), len(groups))
    counts = _added(of_cell, sensitive.astype(np.int64), len(groups))
    staying = np.unique(of_cell[task.must_stay])
    anyway, spent = 0, {}
    for number, (unknowns, gain, count) in enumerate(zip(groups, gains, counts, strict=True)):
        several = [int(unknown) for unknown in unknowns if unknown != ALWAYS]
        if number in staying:
            for unknown in several:
                program.least[unknown] = 1
        if count:
            spent[_excess(several, program)] = int(count)
        if not several:
            anyway += int(gain)
        elif gain:
            _enter_gain(several, int(gain), program)
    program.at_most(spent, task.remaining)
    return anyway


def _excess(several: Iterable[int], program: Program) -> int:
    """Return an unknown that is 1 if all of several are: then sensitive cells are left."""
    excess = program.unknown()
    forks = dict.fromkeys(several, 1)
    program.at_most({**forks, excess: -1}, len(forks) - 1)
    return excess


def _enter_gain(several: Sequence[int], gain: int, program: Program) -> None:
    if len(several) == 1:
        program.gains[several[0]] += gain
        return
    left = program.unknown(gain)
    for unknown in several:
        program.at_most({left: 1, unknown: -1}, 0)


def _added(ids: Ints, numbers: Ints, count: int) -> Ints:
    sums = np.zeros(count, np.int64)
    np.add.at(sums, ids, numbers)
    return sums
