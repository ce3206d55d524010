"""The audit against a plain loop of warm-started linear programs that skips what it has seen.

Both find the feasibility interval of every suppressed cell of a generated 30 x 30 x 10 table with
1,737 suppressed cells: 3,474 linear programs if none is skipped. They must agree in every interval.
`--large` audits a generated hierarchical table of 28,083 cells alone, with 2,700 cells suppressed
in cubes, as the hypercube method does. `--two-way` audits generated tables of two attributes and up
to a million cells, of which 6 % are suppressed; those that are not too large by linear programs
too, and both must find the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import reduce
from itertools import product

import highspy
import numpy as np

from measuring import clock, race, show
from tacita.tables.audit import intervals
from tacita.tables.audit.audit import TableAudit, audit
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.table import Table

SMALL, SUPPRESSED = (30, 30, 10), 1737
PRIMAL_SIMPLEX = 4
SQUARES, SHARE = (200, 400, 1000), 0.06  # rows and columns of tables; what is suppressed of them
BY_PROGRAMS = 400  # rows up to which linear programs end within a minute


def with_totals(
    inner: np.ndarray, branches: tuple[int, ...]
) -> tuple[tuple[Dimension, ...], np.ndarray]:
    """Add to every axis its total and, where there are branches, its subtotals."""
    spans, full = [], inner
    for axis, (size, several) in enumerate(zip(inner.shape, branches, strict=True)):
        name = "abcdef"[axis]
        paths = [
            (f"{name}{leaf}", *([f"{name}.{leaf % several}"] if several else []), "Total")
            for leaf in range(size)
        ]
        span = Dimension.of_trees(name, [paths])
        below = np.array([[code in path for path in paths] for code in span.codes], float)
        full = np.moveaxis(np.tensordot(below, full, (1, axis)), 0, axis)
        spans.append(span)
    return tuple(spans), full


def generated(sizes: tuple[int, ...], branches: tuple[int, ...], suppressed: int) -> Table:
    """Make a table of skewed sums with a fifth of empty cells; some cells are suppressed."""
    rng = np.random.default_rng(0)
    inner = np.round(rng.lognormal(3, 1.5, sizes))
    inner[rng.random(sizes) < 0.2] = 0
    spans, full = with_totals(inner, branches)
    places = np.array(list(product(*map(range, full.shape))), np.int32)
    leaf = reduce(
        np.logical_and, (np.isin(places[:, axis], span.leaves) for axis, span in enumerate(spans))
    )
    status = np.zeros(full.size, np.int8)
    chosen = rng.choice(np.flatnonzero(leaf & (full.ravel() > 0)), suppressed, replace=False)
    status[chosen] = Status.SENSITIVE
    return Table("generated", spans, places, Cells.of(full.ravel(), status=status), "v", "sum")


def plain_loop(system: System) -> tuple[np.ndarray, np.ndarray]:
    """Solve two linear programs a cell, each from the last basis, unless a bound was attained.

    No cell can be more than any relation that it is a part of leaves for it, which is easily seen.
    """
    unknown = np.flatnonzero(system.unknown)
    relations = system.relations[:, unknown]
    rows = np.flatnonzero(np.diff(relations.indptr))
    relations = relations[rows]
    rhs = (system.rhs - system.relations @ np.where(system.unknown, 0.0, system.cells.value))[rows]
    most = np.full(len(unknown), np.inf)
    of_entry = np.repeat(np.arange(len(rows)), np.diff(relations.indptr))
    np.minimum.at(most, relations.indices, rhs[of_entry])  # every suppressed cell is a part here
    solver = _solver(relations, rhs)
    ends = {1.0: most.copy(), -1.0: np.zeros(len(unknown))}
    attained = {sign: np.zeros(len(unknown), bool) for sign in ends}
    for cell in range(len(unknown)):
        for sign, found in ends.items():
            if attained[sign][cell]:
                continue
            solver.changeColCost(cell, sign)
            solver.run()
            point = np.array(solver.getSolution().col_value)
            solver.changeColCost(cell, 0.0)
            attained[1.0] |= point >= most - 1e-7
            attained[-1.0] |= point <= 1e-7
            found[cell] = point[cell]
    return ends[-1.0], ends[1.0]


def _solver(matrix: object, rhs: np.ndarray) -> highspy.Highs:
    solver = highspy.Highs()
    for option, value in {
        "output_flag": False,
        "presolve": "off",
        "solver": "simplex",
        "simplex_strategy": PRIMAL_SIMPLEX,
    }.items():
        solver.setOptionValue(option, value)
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = matrix.shape
    model.col_cost_ = np.zeros(matrix.shape[1])
    model.col_lower_ = np.zeros(matrix.shape[1])
    model.col_upper_ = np.full(matrix.shape[1], np.inf)
    model.row_lower_ = model.row_upper_ = rhs
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = matrix.indptr
    model.a_matrix_.index_ = matrix.indices
    model.a_matrix_.value_ = matrix.data.astype(float)
    solver.passModel(model)
    solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
    return solver


def small_system() -> System:
    return generated(SMALL, (0, 0, 0), SUPPRESSED).system()


def ours(_: argparse.Namespace) -> Callable[[], object]:
    system = small_system()
    audit(generated((4, 4, 3), (0, 0, 0), 20))  # what is compiled is compiled before the clock runs
    return lambda: audit(system)


def loop(_: argparse.Namespace) -> Callable[[], object]:
    system = small_system()

    def run_and_compare() -> None:
        lower, upper = plain_loop(system)
        compared.append((lower, upper))

    compared: list[tuple[np.ndarray, np.ndarray]] = []
    return run_and_compare


def check_agreement() -> None:
    """Stop if the two sides do not find the same intervals on a smaller table."""
    system = generated((10, 10, 5), (0, 0, 0), 180).system()
    found, (lower, upper) = audit(system), plain_loop(system)
    assert np.allclose(found.lower[system.unknown], lower, atol=1e-5)
    assert np.allclose(found.upper[system.unknown], upper, atol=1e-5)


def with_cubes(table: Table, most: int) -> Table:
    """Suppress the corners of cubes inside of subtables, as the hypercube method does."""
    rng = np.random.default_rng(1)
    status = np.zeros(len(table), np.int8)
    siblings = [_siblings(span) for span in table.dimensions]
    while np.count_nonzero(status) < most:
        corner = [int(rng.choice(span.leaves)) for span in table.dimensions]
        other = [int(rng.choice(siblings[axis][code])) for axis, code in enumerate(corner)]
        cube = np.array(list(product(*zip(corner, other, strict=True))))
        rows = table.find(cube @ table.strides)
        if (table.cells.value[rows] > 0).all():
            status[rows] = np.maximum(status[rows], Status.SECONDARY)
            status[rows[0]] = Status.SENSITIVE
    return table.with_cells(status=status)


def _siblings(span: Dimension) -> dict[int, list[int]]:
    """Return for each leaf the other leaves right below the same code."""
    above = span.parents[0]
    return {
        int(leaf): [int(one) for one in span.leaves if one != leaf and above[one] == above[leaf]]
        for leaf in span.leaves
    }


def large() -> None:
    """Audit a hierarchical table of 28,083 cells with a pattern of cubes."""
    audit(generated((4, 4, 3), (0, 0, 0), 20))  # what is compiled is compiled before the clock runs
    table = with_cubes(generated((60, 30, 8), (8, 6, 2), 0), 2700)
    print(f"{len(table):,} cells, {int(table.cells.suppressed.sum()):,} suppressed")
    found: list[TableAudit] = []
    row = clock(lambda: found.append(audit(table)))
    print(f"{found[0].exact_disclosed.size:,} exactly disclosed")
    show({"audit": row, "allowed": {"wall": 120.0, "cpu": 120.0, "peak_mb": 0.0}})


def two_way() -> None:
    """Audit two-way tables by flows in networks and by linear programs."""
    from tacita.kernels.flows import warm_up

    warm_up()
    print(f"{'cells':>10}{'suppressed':>12}{'by':>18}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}")
    for size in SQUARES:
        system = generated((size, size), (0, 0), int(SHARE * size * size)).system()
        found = audited(system, "flows", intervals.MANY)
        if size <= BY_PROGRAMS:
            other = audited(system, "linear programs", len(system))
            assert np.array_equal(found.lower, other.lower)
            assert np.array_equal(found.upper, other.upper)


def audited(system: System, way: str, many: int) -> TableAudit:
    """Audit a table by flows if `many` of its cells are suppressed, and print what that took."""
    usual, intervals.MANY = intervals.MANY, many
    found: list[TableAudit] = []
    spent = clock(lambda: found.append(audit(system)))
    intervals.MANY = usual
    columns = f"{spent['wall']:>9.2f}{spent['cpu']:>9.2f}{spent['peak_mb']:>9.0f}"
    print(f"{len(system):>10,}{int(system.unknown.sum()):>12,}{way:>18}{columns}", flush=True)
    return found[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="audit a large table alone")
    parser.add_argument("--two-way", action="store_true", help="audit tables of two attributes")
    chosen = parser.parse_known_args()[0]
    if chosen.large:
        large()
    elif chosen.two_way:
        two_way()
    else:
        check_agreement()
        race(__file__, {"tacita": ours, "plain loop": loop}, parser, repeats=1)
