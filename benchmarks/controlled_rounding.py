"""Controlled rounding beside conventional rounding of the same tables, in one run.

    python benchmarks/controlled_rounding.py [--side 300] [--base 5] [--firms N] [--stored FOLDER]

A generated table of two attributes, 300 x 300 inside, is a network; one of two attributes with a
hierarchy is too; counts of firms by three attributes with two hierarchies are searched for in whole
numbers, and so are two instances of the folder of JJ files, if one is said. Each row: how many
totals add up, the distance to the true values, the bound that none can be below, wall and CPU
seconds, and the seconds in relation to conventional rounding, which adds up by chance only.
Networks are also rounded at random without bias.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import tacita as ta
from measuring import clock
from tacita.method import Method
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.formats import read_table
from tacita.tables.network import network_of
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.system import System
from tacita.tables.table import Table

STORED = ("tauW_IS_p10.jj.gz", "tauW_ISR_p10.jj.gz")
BRANCHES = 12  # subtotals of the table with a hierarchy


def two_way(side: int, branches: int = 0) -> System:
    """Make a table of skewed counts, a fifth of them 0, with subtotals of the rows if asked for."""
    rng = np.random.default_rng(0)
    inner = np.round(rng.lognormal(2, 1.5, (side, side)))
    inner[rng.random(inner.shape) < 0.2] = 0
    paths = [
        (f"a{leaf}", *([f"a.{leaf % branches}"] if branches else []), "Total")
        for leaf in range(side)
    ]
    rows = Dimension.of_trees("a", [paths])
    columns = Dimension.flat("b", [f"b{leaf}" for leaf in range(side)])
    below = np.array([[code in path for path in paths] for code in rows.codes], float)
    full = below @ inner
    full = np.column_stack([full.sum(axis=1), full])
    places = np.indices(full.shape, np.int32).reshape(2, -1).T
    return Table("made", (rows, columns), places, Cells.of(full.ravel())).system()


def firms(many: int) -> System:
    """Count generated firms by activity, region and size; the first two have hierarchies."""
    data = ta.example("firms", many)
    return ta.tabulate(data, ["nace", "region", "size_class"]).system()


def row(name: str, system: System, way: Method, compared: float | None) -> float:
    """Round a table in one way, print what that came to, and return the seconds."""
    found: list[Perturbation] = []
    spent = clock(lambda: found.append(way.perturb(system, np.random.default_rng(0))))  # type: ignore[attr-defined]
    result, totals = found[0], system.relations.shape[0]
    adding = f"{totals - result.not_additive.size:,}/{totals:,}"
    bound = "" if result.bound is None else f"{result.bound:,.2f}"
    ratio = "" if compared is None else f"{spent['wall'] / compared:,.0f}"
    print(
        f"{name:<22}{len(system):>8,} {way.name:<24}{adding:>16}{result.loss:>16,.2f}{bound:>16}"
        f"{spent['wall']:>9.3f}{spent['cpu']:>9.3f}{ratio:>8}",
        *result.remarks,
        flush=True,
    )
    return spent["wall"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=300, help="categories of both attributes")
    parser.add_argument("--base", type=float, default=5)
    parser.add_argument("--firms", type=int, default=20000, help="firms that are counted")
    parser.add_argument("--stored", type=Path, help=f"a folder that holds {' and '.join(STORED)}")
    chosen = parser.parse_args()
    tables = {
        f"{chosen.side} x {chosen.side}": two_way(chosen.side),
        "with a hierarchy": two_way(chosen.side // 3, BRANCHES),
        "firms, 3 attributes": firms(chosen.firms),
    }
    if chosen.stored is not None:
        for file in STORED:
            tables[file.removesuffix(".jj.gz")] = read_table(chosen.stored / file)
    columns = (
        f"{'totals that hold':>16}{'loss':>16}{'bound':>16}{'wall s':>9}{'CPU s':>9}{'ratio':>8}"
    )
    print(f"{'table':<22}{'cells':>8} {'way':<24}{columns}")
    for name, system in tables.items():
        plain = row(name, system, ta.ConventionalRounding(chosen.base), None)
        row(name, system, ta.ControlledRounding(chosen.base), plain)
        if network_of(system.relations) is not None:
            row(name, system, ta.ControlledRandomRounding(chosen.base), plain)


if __name__ == "__main__":
    main()
