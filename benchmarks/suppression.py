"""Cell suppression: optimal and fast, on stored instances or a generated table.

With `--stored FOLDER`, a folder of JJ files, the instances whose least loss is proven are protected
in both ways; `--large` protects the largest of them, 55,845 cells, in the fast way. Without a
folder a generated table of 100 cells is protected. Each row: loss, bound, wall and CPU seconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from audit import generated
from measuring import clock
from tacita.tables.formats import read_table
from tacita.tables.protect.fast_suppression import FastSuppression
from tacita.tables.protect.optimal_suppression import OptimalSuppression
from tacita.tables.protect.suppression import Suppression
from tacita.tables.system import System

PROVEN = {
    "simple2d_p15": 521_926.0,
    "ent_region_product_p10h": 5_415.65,
    "ent_act_product_p10h": 308_560.6,
    "tauW_IS_p10": 2_244_954.0,
}
LARGE, ELSEWHERE = "tauW_ISR_p10", 21_351_078.0  # an elimination, 44 of 141 cells below level
WAYS = (OptimalSuppression, FastSuppression)
RULE = 0.1  # of its value: how far a sensitive cell of the generated table must be possible


def made() -> System:
    """Make a table with subtotals whose sensitive cells have levels to both sides."""
    table = generated((8, 6), (2, 2), 8)
    level = np.where(table.cells.sensitive, np.ceil(RULE * table.cells.value), 0.0)
    return table.with_cells(upper_level=level, lower_level=level).system()


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stored", type=Path, help="a folder of JJ files")
    parser.add_argument("--large", action="store_true", help="the largest stored table alone")
    chosen = parser.parse_args()
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


if __name__ == "__main__":
    main()
