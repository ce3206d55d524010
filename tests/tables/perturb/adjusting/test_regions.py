"""Regions: relations are kept, nothing becomes dearer, shortfalls are mended."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.solvers.integer import Effort
from tacita.tables.perturb.adjusting.bounding import least_distances
from tacita.tables.perturb.adjusting.clock import Clock
from tacita.tables.perturb.adjusting.regions import Attempt, Regions
from tacita.tables.perturb.adjusting.task import task_of
from tacita.tables.ready import grid_table

INSIDE = {"x": [10, 20, 30], "y": [30, 40, 20], "z": [15, 25, 35]}
SENSITIVE = [("x", "u"), ("y", "v"), ("z", "w")]


@pytest.fixture(scope="module")
def regions() -> Regions:
    task = task_of(grid_table("t", INSIDE, "uvw", sensitive=SENSITIVE, level=3.0).system(), "equal")
    return Regions(task, least_distances(task, Clock()).polygons)


def test_a_region_grows_along_relations(regions):
    seed = int(regions.task.sensitive[0])
    small, large = (regions.around(seed, cells=n, directions=2) for n in (2, 100))
    assert small.cells[0] == large.cells[0] == seed
    assert len(small.cells) < len(large.cells) == len(regions.task)
    assert large.free.size == 2
    assert large.free[0] == 0


def test_what_falls_short_is_mended_region_by_region(regions):
    attempt = Attempt(np.zeros(len(regions.task)), np.zeros(3, bool))
    assert (regions.shortfall(attempt) > 0).all()
    for seed in regions.task.sensitive.tolist():
        region = regions.around(seed, cells=100, directions=3)
        before, attempt = attempt, regions.improved(attempt, region, Effort(10))
        assert regions.cost(attempt) <= regions.cost(before)
        assert np.allclose(regions.task.matrix @ attempt.moves, 0)
    assert not regions.shortfall(attempt).any()


def test_cells_outside_a_region_stay_as_they_are(regions):
    begun = regions.begun(np.array([True, False, True]), Effort())
    assert not regions.shortfall(begun).any()
    region = regions.around(int(regions.task.sensitive[1]), cells=3, directions=1)
    found = regions.improved(begun, region, Effort(10))
    outside = np.setdiff1d(np.arange(len(regions.task)), region.cells)
    assert found.moves[outside].tolist() == begun.moves[outside].tolist()
