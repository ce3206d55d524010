"""Cells that records would make in a table, and whose contributions are sensitive there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tacita.data.classes import EquivalenceClasses, Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.engines.contributions import LEVELS
from tacita.mechanisms.sensitivity.contributions import Contributions
from tacita.mechanisms.sensitivity.p_percent import PPercent

LARGEST = 2  # contributions that the rule looks at


@dataclass(frozen=True, eq=False)
class SensitiveCells:
    """Sensitive cells of a table and of its margins.

    Args:
        records: the records in such cells; one that is in several occurs several times.
        cells: the number of the cell of each.
    """

    records: Ints
    cells: Ints

    def __len__(self) -> int:
        return len(np.unique(self.cells))


def sensitive_cells(
    data: Dataset, by: Sequence[str], holders: Ints, values: Floats, p: float
) -> SensitiveCells:
    """Find the cells that the p%-rule calls sensitive, in every margin of a table.

    Sampling weights play no part: cells are judged as if nobody else were in the population.

    Args:
        data: the records.
        by: the attributes that span the table.
        holders: who contributes every record.
        values: the attributes that are added up, one column each; a blank adds nothing.
        p: how well the largest contribution may be estimated, in percent.
    """
    found, numbers, made = [], [], 0
    for margin in _margins(by):
        classes = EquivalenceClasses.of(data, margin)
        of_record = classes.of_record
        judged = [
            _is_sensitive(of_record, holders, np.nan_to_num(column), len(classes), PPercent(p))
            for column in values.T
        ]
        rows = np.flatnonzero(np.any(judged, axis=0)[of_record])
        found.append(rows)
        numbers.append(made + of_record[rows])
        made += len(classes)
    return SensitiveCells(np.concatenate(found), np.concatenate(numbers))


def _margins(by: Sequence[str]) -> list[tuple[str, ...]]:
    return [chosen for size in range(len(by) + 1) for chosen in combinations(by, size)]


def _is_sensitive(cells: Ints, holders: Ints, values: Floats, number: int, rule: PPercent) -> Mask:
    """Judge cells by what every holder contributes to them in all."""
    from tacita.kernels.contributions import largest_by_group
    from tacita.kernels.grouping import group

    pairs = group([cells, holders])
    sizes = np.abs(np.bincount(pairs.ids, values, len(pairs.first)))
    of_pair = cells[pairs.first]
    total: Floats = np.bincount(of_pair, sizes, number).astype(np.float64)
    there = np.bincount(of_pair, minlength=number)
    contributions = Contributions(
        value=total,
        total=total,
        frequency=there.astype(np.float64),
        contributors=there.astype(np.float64),
        largest=largest_by_group(of_pair, sizes[:, None], number, LARGEST),
        asked=np.zeros((number, LEVELS)),
    )
    return rule.judge(contributions).sensitive
