"""Random tables that several tests start from."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from math import inf, prod

import numpy as np
import pytest

from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.status import Status
from tacita.tables.table import Table

LARGE = 10**9  # smaller numbers stand in a file for other reasons, too
BRANCHES = (lambda leaf: leaf % 2, lambda leaf: leaf // 2)  # two ways to part the same leaves


def random_dimension(rng: np.random.Generator, name: str) -> Dimension:
    """Draw a dimension of 2 to 4 leaves without, with one or with two hierarchies."""
    leaves = [f"{name}{number}" for number in range(int(rng.integers(2, 5)))]
    levels = int(rng.integers(0, 3))
    paths = [
        [(leaf, f"{name}.{way}.{part(number)}", "Total") for number, leaf in enumerate(leaves)]
        for way, part in enumerate(BRANCHES[:levels])
    ]
    return Dimension.of_trees(name, paths or [[(leaf, "Total") for leaf in leaves]])


def random_dimensions(
    rng: np.random.Generator, count: int, cells: float = inf
) -> tuple[Dimension, ...]:
    """Draw dimensions of all shapes; those that span too many cells together are drawn anew."""
    while True:
        spans = tuple(random_dimension(rng, "abcd"[axis]) for axis in range(count))
        if prod(map(len, spans)) <= cells:
            return spans


def leaves_below(dimension: Dimension) -> list[list[int]]:
    """Return for each code the places of its leaves, found by walking up from every leaf."""
    below: list[set[int]] = [set() for _ in dimension.codes]
    for leaf in dimension.leaves:
        for parents in dimension.parents:
            code = int(leaf)
            while code != -1:
                below[code].add(int(leaf))
                code = int(parents[code])
    return [sorted(found) for found in below]


def build_table(
    seed: int, *, dimensions: int = 2, share: float = 0.4, most: int = 4, cells: float = inf
) -> Table:
    """Make a table of small counts in which some cells are sensitive or secondary."""
    rng = np.random.default_rng(seed)
    spans = random_dimensions(rng, dimensions, cells)
    inner = {
        leaf: int(rng.integers(0, most + 1))
        for leaf in product(*(map(int, span.leaves) for span in spans))
    }
    below = [leaves_below(span) for span in spans]
    places, values = [], []
    for place in product(*(range(len(span)) for span in spans)):
        parts = product(*(below[axis][code] for axis, code in enumerate(place)))
        places.append(place)
        values.append(sum(inner[part] for part in parts))
    status = rng.choice(
        [Status.SAFE, Status.SENSITIVE, Status.SECONDARY],
        len(values),
        p=[1 - share, share / 2, share / 2],
    )
    found = Cells.of(np.array(values, float), frequency=np.array(values, float), status=status)
    return Table("random", spans, np.array(places, np.int32), found)


@pytest.fixture(scope="session")
def random_table() -> Callable[..., Table]:
    """How to make a random table from a seed."""
    return build_table


@pytest.fixture(scope="session")
def given_away() -> Callable[[Table, str], set[float]]:
    """How to find the large suppressed values that a text holds.

    They are looked for as numbers of their own: among the digits of others they stand by chance.
    """

    def found(table: Table, text: str) -> set[float]:
        hidden, value = table.cells.suppressed, table.cells.value
        secret = {one for one in value[hidden] if one > LARGE} - set(value[~hidden])
        return secret & set(map(float, re.findall(r"\d+", text)))

    return found


@pytest.fixture(scope="session")
def salary() -> Table:
    """The salary table of the course, with the three cells that it marks as sensitive."""
    sectors, regions = ["IT", "Fin", "HC"], ["BCN", "TGN"]
    spans = (Dimension.flat("Sector", sectors), Dimension.flat("Region", regions))
    grid = np.array([[852000, 97000], [335000, 150000], [379000, 103000]], float)
    full = np.vstack([grid.sum(0), grid])
    full = np.column_stack([full.sum(1), full])
    places = np.array(list(product(range(4), range(3))), np.int32)
    status = np.zeros(12, np.int8)
    for sector, region in ((1, 1), (2, 1), (2, 2)):
        status[3 * sector + region] = Status.SENSITIVE
    cells = Cells.of(full.ravel(), status=status)
    return Table("salary", spans, places, cells, "Salary", "sum")
