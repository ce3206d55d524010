"""The best levels of the keys for some promises, and the records that they leave out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, prod
from typing import NamedTuple

import numpy as np

from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError
from tacita.microdata.anonymize.generalizing.judging import Judge
from tacita.microdata.anonymize.generalizing.levels import Levels
from tacita.microdata.anonymize.generalizing.measures import (
    Heights,
    Mean,
    Measure,
    MeasureName,
    measure_of,
)
from tacita.microdata.anonymize.generalizing.search import Found, Limits, Search
from tacita.microdata.anonymize.generalizing.tables import Tables
from tacita.microdata.anonymize.promises import Promise, confidential_of, keys_of

MOST_NODES = 2**26  # of which a bound each is held in memory


class Aim(NamedTuple):
    """What makes a node the best one.

    Args:
        measure: what is made as small as can be; without one, all minimal nodes are found.
        mean: how the losses of the keys are put together.
        importance: how much the keys count in a loss; 1 where nothing is said.
        target: the attribute to predict, for the accuracy.
    """

    measure: MeasureName | None = "loss"
    mean: Mean = "geometric"
    importance: Mapping[str, float] | None = None
    target: str | None = None


LEAST_LOSS = Aim()
NO_LIMITS = Limits()


class Chosen(NamedTuple):
    """The best node.

    Args:
        levels: the level of every key.
        kept: the records that are not left out.
        cost: what it costs by the measure.
        bound: no node costs less.
        is_optimal: whether none was left undecided.
        checked: how many nodes were looked at.
        size: how many nodes there are.
        minimal: where all minimal nodes were wanted, their levels, the best first.
    """

    levels: dict[str, int]
    kept: Ints
    cost: float
    bound: float
    is_optimal: bool
    checked: int
    size: int
    minimal: tuple[dict[str, int], ...] = ()


class NoNode(NamedTuple):
    """That no node was found which will do.

    Args:
        is_proven: whether there is none.
        top: the highest node.
        left_out: how many records would be left out at the top.
    """

    is_proven: bool
    top: dict[str, int]
    left_out: int


def best_node(
    data: Dataset,
    promises: Sequence[Promise],
    allowed: int,
    aim: Aim = LEAST_LOSS,
    limits: Limits = NO_LIMITS,
) -> Chosen | NoNode:
    """Find the levels that keep all promises at the least cost.

    Args:
        data: the data.
        promises: what must hold for the records that are kept.
        allowed: how many records may be left out.
        aim: what makes a node the best one.
        limits: when to stop and take the best so far.
    """
    names = keys_of(promises)
    counted = [*confidential_of(promises), *([aim.target] if aim.target else [])]
    beside = any(one.counts_population for one in promises)
    tables = Tables.of(
        data,
        names,
        list(dict.fromkeys(counted)),
        with_population=beside and data.external.population is not None,
    )
    _refuse_size(tables)
    judge = Judge(tables, promises, allowed)
    measure = _measure(tables, aim, len(data), allowed)
    search = Search(tables, judge, measure, limits, is_for_minimal=aim.measure is None)
    found = search.run()
    if not found.nodes:
        top = tuple(size - 1 for size in tables.shape)
        left_out = len(data) - len(kept_at(tables, Judge(tables, promises, len(data)), top))
        return NoNode(found.is_complete, tables.named(top), left_out)
    return _chosen(tables, judge, measure, found)


def _measure(tables: Tables, aim: Aim, records: int, allowed: int) -> Measure:
    if aim.measure is None:
        return Heights(tables)
    said = aim.importance or {}
    weights = [said.get(key.name, 1.0) for key in tables.keys]
    return measure_of(
        aim.measure,
        tables,
        records,
        allowed,
        mean=aim.mean,
        weights=weights,
        target=aim.target,
    )


def _chosen(tables: Tables, judge: Judge, measure: Measure, found: Found) -> Chosen:
    best = found.nodes[0]
    minimal = found.nodes if isinstance(measure, Heights) else ()
    return Chosen(
        tables.named(best.levels),
        kept_at(tables, judge, best.levels),
        measure.told(best.cost),
        measure.told(found.bound),
        found.is_complete,
        found.checked,
        prod(tables.shape),
        tuple(tables.named(node.levels) for node in minimal),
    )


def kept_at(tables: Tables, judge: Judge, levels: Levels) -> Ints:
    """Return the records that a node does not leave out."""
    table, into = tables.rolled_up(tables.base, levels)
    return np.flatnonzero(~judge.judged(table).broken[into[tables.of_record]])


def limit_for(left_out: int, records: int) -> float:
    """Return a short share of records that allows so many to be left out.

    >>> limit_for(1, 3)
    0.333334
    """
    return ceil(left_out * 10**6 / records) / 10**6


def _refuse_size(tables: Tables) -> None:
    size = prod(tables.shape)
    if size > MOST_NODES:
        raise ParameterError(
            f"The hierarchies of {len(tables.keys)} keys make a lattice of {size:,} nodes; the "
            f"search holds at most {MOST_NODES:,}. Name fewer keys or give them fewer levels, or "
            "use an algorithm that recodes locally."
        )
