"""Tables with levels to be protected, and a check of patterns by another solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from scipy.optimize import linprog

from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.table import Table


def with_levels(table: Table, seed: int) -> Table:
    """Give every sensitive cell a level above and often one below, which some pattern reaches."""
    rng, size = np.random.default_rng(seed), len(table)
    sensitive = table.cells.sensitive
    above = np.where(sensitive, rng.integers(1, 4, size), 0)
    below = np.where(sensitive, np.minimum(rng.integers(0, 3, size), table.cells.value), 0)
    return table.with_cells(upper_level=above.astype(float), lower_level=below.astype(float))


def tiny_table(seed: int) -> Table:
    """Make a 2 x 2 or 2 x 3 table with totals, one to three sensitive cells and a kept one."""
    rng = np.random.default_rng(seed)
    inner = rng.integers(0, 6, (2, int(rng.integers(2, 4)))).astype(float)
    full = np.vstack([inner.sum(0), inner])
    full = np.column_stack([full.sum(1), full])
    spans = (Dimension.flat("a", "xy"), Dimension.flat("b", "uvw"[: inner.shape[1]]))
    places = np.array(list(np.ndindex(full.shape)), np.int32)
    status = np.zeros(full.size, np.int8)
    status[rng.choice(full.size, int(rng.integers(1, 4)), replace=False)] = Status.SENSITIVE
    cells = Cells.of(full.ravel(), frequency=full.ravel() + 1, status=status)
    costs = replace(cells, cost=rng.integers(1, 9, full.size).astype(float))
    return with_levels(Table("tiny", spans, places, costs), seed)


def reaches_every_level(system: System, suppressed: np.ndarray) -> bool:
    """Tell whether a pattern protects every sensitive cell, by linear programs of another solver."""
    cells, columns = system.cells, np.flatnonzero(suppressed)
    matrix = system.relations.toarray()[:, columns].astype(float)
    bounds = list(
        zip(
            (cells.lower_bound - cells.value)[columns],
            (cells.upper_bound - cells.value)[columns],
            strict=True,
        )
    )
    for cell in np.flatnonzero(cells.sensitive):
        unit = (columns == cell).astype(float)
        for sign, level in ((1, cells.upper_level[cell]), (-1, cells.lower_level[cell])):
            if level > 0:
                wanted = {"A_ub": [-sign * unit], "b_ub": [-level]}
                found = linprog(
                    0 * unit, A_eq=matrix, b_eq=np.zeros(len(matrix)), bounds=bounds, **wanted
                )
                if found.status != 0:
                    return False
    return True


@pytest.fixture(scope="session")
def judged_table(random_table: Callable[..., Table]) -> Callable[..., Table]:
    """How to make a random table with hierarchies whose sensitive cells have levels."""

    def make(seed: int, *, dimensions: int = 2, share: float = 0.2, cells: float = inf) -> Table:
        made = random_table(seed, dimensions=dimensions, share=share, cells=cells)
        return with_levels(made, seed)

    return make


@pytest.fixture(scope="session")
def tiny() -> Callable[[int], Table]:
    """How to make a table so small that every pattern can be tried."""
    return tiny_table


@pytest.fixture(scope="session")
def reaches_all() -> Callable[[System, np.ndarray], bool]:
    """Whether a pattern protects every sensitive cell to its levels."""
    return reaches_every_level
