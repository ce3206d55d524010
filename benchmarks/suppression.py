"""Cell suppression: optimal and fast, on stored instances or a generated table.

With `--stored FOLDER`, a folder of JJ files, the instances whose least loss is proven are protected
in both ways, and by a plain loop that solves 0/1 programs with HiGHS and adds the attacker's cuts
until a pattern reaches every level, without heuristics, merging or parts; `--large` protects the
largest of them, 55,845 cells, in the fast way. Without a folder a generated table of 100 cells is
protected. Each row: loss, bound, wall and CPU seconds.
`--million` protects a generated two-way table of 1,002,001 cells, 5 percent of them sensitive, from
file to file, and tells what each stage took; the audit, part of the pattern's time, is done once
more to be told apart.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from audit import generated, with_totals
from measuring import clock
from tacita.tables.audit.audit import audit
from tacita.tables.cells import Cells
from tacita.tables.formats import read_table, write_table
from tacita.tables.protect.attacker import Attacker
from tacita.tables.protect.fast_suppression import FastSuppression
from tacita.tables.protect.optimal_suppression import OptimalSuppression
from tacita.tables.protect.problem import Problem, problem_of
from tacita.tables.protect.suppression import Suppression
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.table import Table

PROVEN = {
    "simple2d_p15": 521_926.0,
    "ent_region_product_p10h": 5_415.65,
    "ent_act_product_p10h": 308_560.6,
    "tauW_IS_p10": 2_244_954.0,
}
LARGE, ELSEWHERE = "tauW_ISR_p10", 21_351_078.0  # an elimination, 44 of 141 cells below level
WAYS = (OptimalSuppression, FastSuppression)
RULE = 0.1  # of its value: how far a sensitive cell of the generated table must be possible
SKEWNESS = 3.0  # of the million: the standard deviation of the logarithm of a cell
SIDE, SENSITIVE = 1000, 0.05


def made() -> System:
    """Make a table with subtotals whose sensitive cells have levels to both sides."""
    table = generated((8, 6), (2, 2), 8)
    level = np.where(table.cells.sensitive, np.ceil(RULE * table.cells.value), 0.0)
    return table.with_cells(upper_level=level, lower_level=level).system()


def million() -> System:
    """Make a two-way table of very different whole numbers, 5 percent of the inner sensitive."""
    rng = np.random.default_rng(0)
    inner = np.round(rng.lognormal(4, SKEWNESS, (SIDE, SIDE)))
    spans, full = with_totals(inner, (0, 0))
    is_sensitive = np.zeros(full.shape, bool)
    is_sensitive[1:, 1:] = (rng.random(inner.shape) < SENSITIVE) & (inner > 0)
    level = np.where(is_sensitive, np.ceil(full * rng.uniform(0.10, 0.15, full.shape)), 0.0).ravel()
    cells = Cells.of(
        full.ravel(),
        status=np.where(is_sensitive, Status.SENSITIVE, Status.SAFE).ravel(),
        lower_level=level,
        upper_level=level,
    )
    places = np.indices(full.shape, np.int32).reshape(2, -1).T
    return Table("million", spans, places, cells, "v", "sum").system()


def from_file_to_file(system: System) -> None:
    """Read a table from a file, protect it and write it to another one; print each stage."""
    FastSuppression().protect(made())  # what is compiled is compiled before the clock runs
    with TemporaryDirectory() as folder:
        source, out = Path(folder) / "million.jj", Path(folder) / "protected.jj"
        write_table(system, source)
        table = stage("read", lambda: read_table(source))
        found = stage("pattern and audit", lambda: FastSuppression().protect(table))
        stage("audit once more", lambda: audit(found.system))
        stage("write", lambda: write_table(found.system, out))
    assert found.audit.is_safe
    print(f"{found.secondary.size:,} secondary, loss {found.cost:,.0f}, bound {found.bound:,.0f}")


def stage(name: str, work: Callable[[], Any]) -> Any:
    """Do a stage, print what it took and return what it gave."""
    made: list[Any] = []
    spent = clock(lambda: made.append(work()))
    print(
        f"{name:<46}{spent['wall']:>9.1f}{spent['cpu']:>9.1f}{spent['peak_mb']:>9.0f}", flush=True
    )
    return made[0]


def row(name: str, system: System, way: type, least: float | None) -> None:
    """Protect a table in one way and print what that came to."""
    found: list[Suppression] = []
    spent = clock(lambda: found.append(way().protect(system)))
    result = found[0]
    assert result.audit.is_safe
    compared = f"{result.cost / least:>8.4f}" if least else f"{'':>8}"
    print(
        f"{name:<26}{way.__name__:<20}{result.cost:>14,.2f}{result.bound:>14,.2f}{compared}"
        f"{spent['wall']:>9.1f}{spent['cpu']:>9.1f}{spent['peak_mb']:>9.0f}",
        flush=True,
    )


def plain_loop(name: str, system: System, least: float) -> None:
    """Find the least loss by a plain loop, and print what that took."""
    found: list[float] = []
    spent = clock(lambda: found.append(_least_by_a_plain_loop(problem_of(system))))
    print(
        f"{name:<26}{'plain loop':<20}{found[0]:>14,.2f}{found[0]:>14,.2f}{found[0] / least:>8.4f}"
        f"{spent['wall']:>9.1f}{spent['cpu']:>9.1f}{spent['peak_mb']:>9.0f}",
        flush=True,
    )


def _least_by_a_plain_loop(problem: Problem) -> float:
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    columns = np.arange(len(problem), dtype=np.int32)
    required = problem.is_required.astype(np.float64)
    solver.addVars(len(problem), required, np.ones(len(problem)))
    solver.changeColsCost(len(problem), columns, problem.cost)
    integer = np.full(len(problem), highspy.HighsVarType.kInteger)
    solver.changeColsIntegrality(len(problem), columns, integer)
    attacker, pattern = Attacker(problem), required
    while cuts := attacker.cuts(pattern):
        for cut in cuts:
            entries = len(cut.indices), cut.indices.astype(np.int32), cut.coefficients
            solver.addRow(cut.lower, highspy.kHighsInf, *entries)
        solver.run()
        pattern = np.round(np.array(solver.getSolution().col_value))
    return problem.cost_of(pattern.astype(bool))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stored", type=Path, help="a folder of JJ files")
    parser.add_argument("--large", action="store_true", help="the largest stored table alone")
    parser.add_argument("--million", action="store_true", help="a two-way table of a million cells")
    chosen = parser.parse_args()
    if chosen.million:
        print(f"{'stage':<46}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}")
        from_file_to_file(million())
        return
    columns = f"{'loss':>14}{'bound':>14}{'ratio':>8}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}"
    print(f"{'table':<26}{'way':<20}{columns}")
    if chosen.stored is None:
        for way in WAYS:
            row("generated", made(), way, None)
    elif chosen.large:
        row(LARGE, read_table(chosen.stored / f"{LARGE}.jj.gz"), FastSuppression, ELSEWHERE)
    else:
        for name, least in PROVEN.items():
            for way in WAYS:
                row(name, read_table(chosen.stored / f"{name}.jj.gz"), way, least)
            plain_loop(name, read_table(chosen.stored / f"{name}.jj.gz"), least)


if __name__ == "__main__":
    main()
