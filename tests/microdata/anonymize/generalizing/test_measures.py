from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import tacita as ta
from tacita.microdata.anonymize.generalizing.measures import measure_of
from tacita.microdata.anonymize.generalizing.tables import Tables

NAMES = ["loss", "precision", "non_uniform_entropy"]
OF_CLASSES = ["discernibility", "average_class_size", "accuracy"]


@pytest.fixture(scope="module")
def tables():
    data = ta.example("toy", 200)
    return Tables.of(data, data.keys[:3], ["disease"])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mean", ["geometric", "arithmetic"])
def test_no_node_costs_less_than_its_bound(tables, name, mean):
    """Whatever classes are left out, the bound for so many records is below the cost."""
    measure = measure_of(name, tables, 200, 90, mean=mean)
    rng, start = np.random.default_rng(0), measure.least()
    for levels in product(*map(range, tables.shape)):
        table = tables.at(levels)
        nothing = np.zeros(len(table), np.bool_)
        assert measure.cost(table, nothing) == pytest.approx(start[levels], rel=1e-12)
        broken = rng.random(len(table)) < 0.2
        left_out = np.full((1, 1, 1), table.classes.sizes[broken].sum())
        region = tuple(slice(level, level + 1) for level in levels)
        bound = measure.least_without(region, left_out).item()
        assert start[levels] * (1 - 1e-12) <= bound
        assert bound <= measure.cost(table, broken) * (1 + 1e-12)


@pytest.mark.parametrize("name", OF_CLASSES)
def test_no_node_above_costs_less(tables, name):
    measure = measure_of(name, tables, 200, 200, target="disease")
    rng = np.random.default_rng(0)
    costs, bounds = np.empty(tables.shape), np.empty(tables.shape)
    for levels in product(*map(range, tables.shape)):
        table = tables.at(levels)
        costs[levels] = measure.cost(table, rng.random(len(table)) < rng.random())
        bounds[levels] = measure.least_above(table)
    for levels in product(*map(range, tables.shape)):
        assert bounds[levels] <= costs[tuple(slice(level, None) for level in levels)].min()


def test_the_bound_takes_the_cheapest_records(tables):
    """One left-out record of a key costs what its most general value lacks to all of it."""
    measure = measure_of("loss", tables, 200, 5, mean="arithmetic", weights=[1.0, 0.0, 0.0])
    for level, costs in enumerate(measure.costs[0]):
        region = (slice(level, level + 1), slice(1), slice(1))
        more = costs.more[costs.counts > 0].min() / 200
        bound = measure.least_without(region, np.ones((1, 1, 1), np.int64)).item()
        assert bound == pytest.approx(costs.total / 200 + more)
