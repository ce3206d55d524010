"""Controlled tabular adjustment: losses against their bounds, on a stored or a generated table.

With `--table PATH`, a file that `read_table` reads, its sensitive cells are adjusted: directions
block by block and all at once, distances as they are, over the value and squared; without a table,
turnover of generated firms is. Beside them stands the plain program, without polygon inequalities,
which the solver may search for a minute. With `--large PATH` a last row adjusts one more table,
block by block. Each row: loss, bound, gap, wall and CPU seconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import tacita as ta
from measuring import clock
from tacita.solvers.integer import Effort
from tacita.solvers.mixed import Mixed
from tacita.tables.formats import read_table
from tacita.tables.judging import judge
from tacita.tables.perturb.adjusting import program
from tacita.tables.perturb.adjusting.task import task_of
from tacita.tables.perturb.controlled_adjustment import ControlledAdjustment
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.system import System
from tacita.tables.tabulate import tabulate

ENOUGH = 60.0  # seconds
STORED = Path(__file__).parents[2] / "shared/data/tables/derived_jj/tauW_IS_p10.jj.gz"
LARGE = STORED.with_name("tauW_ISR_p10.jj.gz")
WAYS = {
    "blocks, l1": {},
    "optimal, l1": {"directions": "optimal", "time_limit": ENOUGH},
    "blocks, l1 relative": {"weight": "relative"},
    "blocks, l2": {"distance": "l2"},
}


def generated() -> System:
    """Tabulate the turnover of generated firms."""
    table = tabulate(
        ta.example("firms", 3000), ["nace", "region"], value="turnover", contributor="holding"
    )
    return judge(table, [ta.PPercent(10), ta.MinimumFrequency(3)]).system()


def stored(path: Path) -> System:
    """Read a table."""
    made = read_table(path)
    return made if isinstance(made, System) else made.system()


def headed(system: System) -> None:
    """Print what the rows below are about."""
    print(f"{len(system):,} cells, {system.cells.sensitive.sum():,} sensitive")
    print(f"{'way':<22}{'loss':>14}{'bound':>14}{'gap':>9}{'wall s':>9}{'CPU s':>9}", flush=True)


def row(name: str, system: System, method: ControlledAdjustment) -> None:
    """Adjust a table in one way and print what that came to."""
    found: list[Perturbation] = []
    spent = clock(lambda: found.append(method.perturb(system, np.random.default_rng(0))))
    result = found[0]
    assert result.is_additive
    told(name, result.loss, result.bound or 0.0, spent)


def plain(system: System) -> None:
    """Let the solver search the program as the literature writes it."""
    task, found = task_of(system, "equal"), list[Mixed | None]()

    def work() -> None:
        made = program.DirectionProgram(task)
        everything = np.arange(len(task.sensitive))
        rises = np.zeros(len(everything), bool)
        found.append(made.search(everything, rises, effort=Effort(seconds=ENOUGH)))

    spent = clock(work)
    assert found[0] is not None
    told("plain program, l1", found[0].value, found[0].bound, spent)


def told(name: str, loss: float, bound: float, spent: dict[str, float]) -> None:
    """Print a row."""
    gap = (loss - bound) / loss if loss else 0.0
    print(
        f"{name:<22}{loss:>14,.2f}{bound:>14,.2f}{gap:>9.3%}{spent['wall']:>9.1f}"
        f"{spent['cpu']:>9.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, default=STORED if STORED.exists() else None)
    parser.add_argument("--large", type=Path, default=LARGE if LARGE.exists() else None)
    chosen = parser.parse_args()
    system = generated() if chosen.table is None else stored(chosen.table)
    headed(system)
    for name, options in WAYS.items():
        row(name, system, ControlledAdjustment(**options))
    plain(system)
    if chosen.large is not None:
        headed(large := stored(chosen.large))
        row("blocks, l1", large, ControlledAdjustment())


if __name__ == "__main__":
    main()
