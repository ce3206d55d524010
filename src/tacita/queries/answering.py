"""The true value of a cell: what the guard computes before policies have their say about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.arithmetic import product
from tacita.data.classes import Floats, Ints
from tacita.queries.cells import Cell
from tacita.queries.language.functions import plain
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked, Statistic

RECORDS = Asked(Statistic.COUNT)
EXACT = 2**53  # up to here doubles tell every whole number


def true_value(cell: Cell) -> Any:
    """Compute a cell from the data; None where SQL says that there is no value.

    Counts, sums and means of public query sets come from the sums of the classes; all else from the
    records of the set. What is too large for a number is None as well.
    """
    if cell.asked == RECORDS:  # of which there may be many
        return cell.members.size
    with np.errstate(over="ignore", invalid="ignore"):
        value = WAYS[cell.asked.statistic](cell)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _count(cell: Cell) -> int | float:
    asked, members = cell.asked, cell.members
    if asked.weighted:
        return _weight(cell)
    if asked.attribute is None:
        return members.size
    return _known(cell)


def _known(cell: Cell) -> int:
    """Count the records in which the attribute has a value."""
    name, data, members = str(cell.asked.attribute), cell.members.data, cell.members
    if not data.is_public(name):
        return int(len(members.rows) - _column(data, name, members.rows).null_count)
    there = data.columns[name].codes >= 0
    if members.is_public:
        return int(data.sizes[members.places[there[members.places]]].sum())
    return int(there[data.of_record[members.rows]].sum())


def _weight(cell: Cell) -> float:
    """Add up the weights of the records in which the attribute has a value."""
    data, rows = cell.members.data, cell.members.rows
    if data.weights is None:
        return float(len(rows))
    if cell.asked.attribute is not None:
        rows = rows[~np.isnan(data.numbers(cell.asked.attribute)[rows])]
    return _exact_sum(data.weights[rows])


def _count_distinct(cell: Cell) -> int:
    data, members = cell.members.data, cell.members
    codes = data.columns[str(cell.asked.attribute)].codes
    places = members.places if members.is_public else data.of_record[members.rows]
    return len(np.unique(codes[places][codes[places] >= 0]))


def _respondents(cell: Cell) -> int:
    respondents = cell.members.data.respondents(str(cell.asked.attribute))
    return len(np.unique(respondents[cell.members.rows]))


def _sum(cell: Cell) -> float | int | None:
    """Add up; a sum of blanks only is 0, since anything else would tell that they are blank."""
    members, name = cell.members, str(cell.asked.attribute)
    totals = members.data.totals(name, weighted=cell.asked.weighted)
    if members.is_public:
        return totals.over(members.places) if members.size else None
    return _added(_values(cell)) if members.size else None


def _added(values: Floats) -> float | int:
    total = _exact_sum(values)
    return int(total) if total.is_integer() and abs(total) <= EXACT else total


def _exact_sum(values: Floats) -> float:
    """Return the sum of doubles, rounded once; infinity where it is too large."""
    try:
        return math.fsum(values)
    except OverflowError:
        return math.inf


def _avg(cell: Cell) -> float | None:
    if cell.asked.weighted:
        weight = _weight(cell)
        total = _sum(cell)
        return None if total is None or not weight else total / weight
    members = cell.members
    if members.is_public:
        totals = members.data.totals(str(cell.asked.attribute))
        known = int(totals.known[members.places].sum())
        return totals.over(members.places) / known if known else None
    values = _values(cell)
    return _exact_sum(values) / values.size if values.size else None


def _values(cell: Cell) -> Floats:
    """Return the numbers of the query set that are known, weighted where that was asked for."""
    data, rows = cell.members.data, cell.members.rows
    values = data.numbers(str(cell.asked.attribute))[rows]
    if cell.asked.weighted and data.weights is not None:
        values = values * data.weights[rows]
    return values[~np.isnan(values)]


def _var(cell: Cell) -> float | None:
    values = _values(cell)
    divisor = values.size - (not cell.asked.population)
    return float(((values - values.mean()) ** 2).sum() / divisor) if divisor > 0 else None


def _stddev(cell: Cell) -> float | None:
    variance = _var(cell)
    return None if variance is None else math.sqrt(variance)


def _extreme(cell: Cell) -> Any:
    column = plain(_column(cell.members.data, str(cell.asked.attribute), cell.members.rows))
    return pc.min_max(column)[str(cell.asked.statistic)].as_py()


def _column(data: PublicClasses, name: str, rows: Ints) -> pa.Array:
    """Return the values of an attribute in some records, so that their order is its own."""
    if name in data.hidden:
        return data.hidden[name].take(pa.array(rows))
    return data.columns[name].of_classes().take(pa.array(data.of_record[rows]))


def _quantile(cell: Cell) -> float | None:
    values = _values(cell)
    return float(np.quantile(values, cell.asked.fraction or 0.0)) if values.size else None


def _pairs(cell: Cell) -> tuple[Floats, Floats]:
    """Return the numbers of both attributes where both are known, less their means."""
    data, rows = cell.members.data, cell.members.rows
    one, other = (
        data.numbers(str(name))[rows] for name in (cell.asked.attribute, cell.asked.other)
    )
    both = ~np.isnan(one) & ~np.isnan(other)
    one, other = one[both], other[both]
    return (one - one.mean(), other - other.mean()) if one.size else (one, other)


def _covar(cell: Cell) -> float | None:
    one, other = _pairs(cell)
    divisor = one.size - (not cell.asked.population)
    return float(product(one, other) / divisor) if divisor > 0 else None


def _corr(cell: Cell) -> float | None:
    one, other = _pairs(cell)
    spread = math.sqrt(float(product(one, one)) * float(product(other, other)))
    return float(product(one, other) / spread) if spread else None


def _regr_slope(cell: Cell) -> float | None:
    response, regressor = _pairs(cell)
    spread = float(product(regressor, regressor))
    return float(product(response, regressor) / spread) if spread else None


WAYS: Mapping[Statistic, Callable[[Cell], Any]] = {
    Statistic.COUNT: _count,
    Statistic.COUNT_DISTINCT: _count_distinct,
    Statistic.RESPONDENTS: _respondents,
    Statistic.SUM: _sum,
    Statistic.AVG: _avg,
    Statistic.VAR: _var,
    Statistic.STDDEV: _stddev,
    Statistic.MIN: _extreme,
    Statistic.MAX: _extreme,
    Statistic.QUANTILE: _quantile,
    Statistic.CORR: _corr,
    Statistic.COVAR: _covar,
    Statistic.REGR_SLOPE: _regr_slope,
}
