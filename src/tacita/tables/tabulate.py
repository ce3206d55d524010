"""Tabulation: from microdata to a table with all its totals, and who contributes to its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats
from tacita.engines.contributions import LEVELS, Amount, Breakdown, Contributed
from tacita.errors import InputError, ParameterError, did_you_mean, shown
from tacita.tables.aggregating import Ledger, Parts, every_cell
from tacita.tables.cells import Cells
from tacita.tables.dimension import NONE, TOTAL
from tacita.tables.spanning import Further, Missing, Spanning, further_hierarchies
from tacita.tables.statistics import medians, percentages, quotients, whole_weights
from tacita.tables.table import Statistic, Table, Weighting, numbers_of
from tacita.tables.wanted import REQUEST_CODES, KeysOver, Wanted, source_of, spanning_names

Empty = Literal["structural", "possible"]
MOST_CELLS = 10_000_000


def tabulate(
    data: Any,
    by: Sequence[str],
    *,
    value: str | None = None,
    statistic: Statistic | None = None,
    denominator: str | None = None,
    contributor: str | None = None,
    shadow: str | None = None,
    cost: str | None = None,
    request: str | None = None,
    request_codes: Sequence[str] = REQUEST_CODES,
    keys: str | bytes | None = None,
    keys_over: KeysOver = "records",
    hierarchies: Further | None = None,
    total: str = TOTAL,
    missing: Missing = "category",
    empty: Empty = "structural",
    largest: int = 3,
    weighting: Weighting = "respondents",
    name: str | None = None,
) -> Table:
    """Make a table of microdata: every cell, every total, and who contributes how much.

    With sampling weights (an attribute of the role `weight`), sums and counts are weighted. Rules
    judge respondents: a record is one contributor, and the size of its contribution is its weight
    times the absolute value, which is what it adds to the cell and what others who know the weights
    can tell it by. With `weighting="represented"` a record stands for as many contributors of its
    unweighted size as its weight, rounded, says (1 at least): rules then judge the population that
    is estimated, and call a cell safe whose only respondent has a large weight. That is right only
    if nobody knows who took part.

    With holdings (`contributor`), what the records of one holding contribute to a cell is added up
    first, anew for every total; its size is the absolute value of that (weighted) sum, a holding
    counts once, and a record that names no holding is one by itself. `total` of a cell is the sum
    of its contributors' sizes.

    A record whose value is blank (missing or suppressed) counts in the frequency and as a
    contributor, but contributes nothing; a mean is over the values that are known. A mean, ratio or
    percentage of nothing is NaN, and a cell without known values has no median, so it is left out.

    Args:
        data: microdata, a data frame, or a scan of records on an engine.
        by: the attributes that span the table; each with its hierarchy, if it has one.
        value: the attribute whose values are added up; without it, records are counted.
        statistic: what is shown: count, sum, mean, ratio, percentage or median. A count when there
            is no value, else a sum, if left out.
        denominator: of a ratio, the attribute whose sum divides the value's. Of a percentage, the
            spanning attribute along which percentages add up to 100; all cells when left out.
        contributor: the attribute that says whose record it is, if records are not respondents.
        shadow: the attribute that the rules look at; the value when left out.
        cost: the attribute whose sum says what is lost with a cell; the value when left out.
        request: the attribute that says who asks for protection.
        request_codes: its codes for asking at the first and the second level.
        keys: the attribute that holds a random key of every record, from 0 on and below 1; or a
            secret of 16 bytes or more, by which the values of a record have a key. Cells then have
            keys, as the cell-key method needs them.
        keys_over: `records` adds the keys of all records of a cell up; `contributions` only those
            of records whose value is not 0.
        hierarchies: for spanning attributes a further hierarchy over the same values, or several:
            a hierarchy, the path of its file, or as plans say it.
        total: the code of the total of attributes without a hierarchy.
        missing: `category` makes blanks of a spanning attribute a code below its total; `exclude`
            leaves records with such blanks out.
        empty: `structural` leaves out combinations that no record has; `possible` lists them, as
            zeros that are not known beforehand.
        largest: how many of the largest contributions to a cell are kept.
        weighting: whom rules judge where records have sampling weights: `respondents`, or those
            `represented` by them.
        name: what the table is called.

    Raises:
        InputError: an attribute is unknown or cannot be used like this, there are no records, or
            the data are none.
        HierarchyError: a hierarchy does not cover the data.
        ParameterError: the parameters do not go together.

    >>> import pyarrow as pa
    >>> firms = pa.table({"town": ["a", "a", "b"], "pay": [5, 2, 4]})
    >>> tabulate(firms, ["town"], value="pay").cells.value
    array([11.,  7.,  4.])
    """
    by = spanning_names(by)
    wanted = Wanted(
        source_of(data, by),
        by,
        value,
        _statistic(statistic, value),
        denominator,
        contributor,
        value if shadow is None else shadow,
        cost,
        largest,
        weighting=weighting,
    )
    wanted.check()
    _check_words(missing, empty, wanted.statistic)
    further = further_hierarchies(hierarchies or {}, by)
    wanted = wanted if request is None else wanted.asking(request, request_codes)
    wanted = wanted if keys is None else wanted.keyed(keys, keys_over)
    spanning = [
        Spanning(
            wanted.source.attributes[attribute],
            further.get(attribute, ()),
            str(total),
            missing,
            wanted.source.reasons.get(attribute),
        )
        for attribute in by
    ]
    table = _tabulated(wanted, spanning, name or f"{value or 'records'} by {' x '.join(by)}")
    return _with_empty(table, wanted) if empty == "possible" else table


def _tabulated(wanted: Wanted, spanning: Sequence[Spanning], name: str) -> Table:
    """Ask the engine who contributes to the combinations of leaves, and add up."""
    answer = wanted.source.records.contributions(wanted.breakdown)
    if not answer.keys.num_rows:
        raise InputError("There are no records to tabulate; the table would be empty.")
    dimensions = tuple(attribute.dimension(answer.keys) for attribute in spanning)
    ledger = Ledger(wanted.breakdown, answer.units)
    empty = Table(
        name,
        dimensions,
        np.zeros((0, len(dimensions)), np.int32),
        Cells.of([]),
        wanted.value,
        wanted.statistic,
        weighting=None if wanted.source.weight is None else wanted.weighting,
        digits=None if wanted.statistic == "median" else ledger.digits(Amount(wanted.value)),
    )
    leaves = _leaves(answer, _places(spanning, empty, answer.keys))
    if wanted.source.reasons:  # blanks for several reasons may share a code
        leaves = leaves.merged()
    cells = every_cell(leaves, dimensions, ledger.pooled)
    cells = cells.take(np.argsort(numbers_of(cells.places, empty.strides)))
    held = _cells(wanted, cells, ledger, answer.negative)
    table = replace(empty, places=cells.places, cells=held)
    if wanted.statistic == "median":
        return _with_medians(table, wanted, spanning)
    return table.with_cells(shown=_shown(table, wanted, cells, ledger))


def _places(spanning: Sequence[Spanning], table: Table, keys: pa.Table) -> Any:
    """Return where some combinations of values stand in the dimensions of a table."""
    both = zip(spanning, table.dimensions, strict=True)
    return np.column_stack([attribute.places(dimension, keys) for attribute, dimension in both])


def _leaves(answer: Contributed, places: Any) -> Parts:
    """Return the combinations of leaves, without records that are left out."""
    every = Parts(places, answer.sums, answer.largest, answer.asked, answer.holders)
    kept = (places != NONE).all(axis=1)
    if not kept.any():
        raise InputError(
            "Every record is blank in an attribute that spans the table; the table would be empty. "
            "Let missing values be a category."
        )
    return every if kept.all() else every.take(kept)


def _cells(wanted: Wanted, parts: Parts, ledger: Ledger, negative: frozenset[str]) -> Cells:
    """Return what is known of the cells, with sums for what they show."""
    frequency = ledger.numbers(parts.sums, Amount())
    value = frequency if wanted.value is None else ledger.numbers(parts.sums, Amount(wanted.value))
    lost = value if wanted.cost is None else ledger.numbers(parts.sums, Amount(wanted.cost))
    return Cells.of(
        value,
        frequency=frequency,
        contributors=parts.sums[0],
        total=ledger.total(parts),
        largest=parts.largest,
        cost=np.abs(lost),
        lower_bound=np.full(len(value), -np.inf if wanted.value in negative else 0.0),
        cell_key=ledger.keys(parts.sums),
        **({} if wanted.request is None else {"asked": parts.asked}),
    )


def _shown(table: Table, wanted: Wanted, parts: Parts, ledger: Ledger) -> Floats:
    if wanted.statistic == "percentage":
        return percentages(table, wanted.denominator)
    divisors = {"mean": Amount(wanted.value, "known"), "ratio": Amount(wanted.denominator)}
    if wanted.statistic not in divisors:
        return table.cells.value
    divisor = ledger.numbers(parts.sums, divisors[wanted.statistic])
    return quotients(table.cells.value, divisor)


def _with_medians(table: Table, wanted: Wanted, spanning: Sequence[Spanning]) -> Table:
    """Return the table with the medians of its cells; those without one are left out."""
    keys = dict.fromkeys([*wanted.breakdown.keys, str(wanted.value)])
    asked = Breakdown(tuple(keys), (Amount(),), weight=wanted.source.weight)
    held = wanted.source.records.contributions(asked)
    values = held.keys.column(wanted.value).cast(pa.float64(), safe=False).to_numpy()
    places = _places(spanning, table, held.keys)
    weights = whole_weights(held.units[0], held.sums[1:])
    known = ~np.isnan(values) & (places != NONE).all(axis=1)
    if not known.any():
        raise InputError(f"No value of `{wanted.value}` is known; the table would be empty.").about(
            str(wanted.value)
        )
    numbers, found = medians(
        table.dimensions, places[known], values[known], weights[known], table.strides
    )
    order = np.argsort(numbers)
    rows, middle = table.find(numbers[order]), found[order]
    kept = replace(table, places=table.places[rows], cells=table.cells.take(rows))
    return kept.with_cells(value=middle, shown=middle)


def _with_empty(table: Table, wanted: Wanted) -> Table:
    """Return a table that lists every combination of codes."""
    size = prod(len(dimension) for dimension in table.dimensions)
    if size > MOST_CELLS:
        raise ParameterError(
            f"A table of all combinations may have {MOST_CELLS:,} cells; this one would have "
            f"{size:,}. Leave `empty` at structural, or leave out an attribute."
        )
    lacking = np.setdiff1d(np.arange(size), table.numbers)
    zero, held = np.zeros(len(lacking)), table.cells
    none = Cells.of(
        zero,
        shown=np.full(len(lacking), np.nan) if wanted.statistic in ("mean", "ratio") else zero,
        frequency=zero,
        largest=np.zeros((len(lacking), held.largest.shape[1])),
        lower_bound=np.full(len(lacking), held.lower_bound[0]),
        cell_key=zero if wanted.keys is not None else np.full(len(lacking), np.nan),
        **({} if wanted.request is None else {"asked": np.zeros((len(lacking), LEVELS))}),
    )
    every = table.with_more(lacking, none)
    if wanted.statistic != "percentage":
        return every
    return every.with_cells(shown=percentages(every, wanted.denominator))


def _statistic(statistic: Statistic | None, value: str | None) -> Statistic:
    if statistic is None:
        return "count" if value is None else "sum"
    if statistic not in get_args(Statistic):
        raise ParameterError(
            f"A table shows {', '.join(get_args(Statistic))}; found {shown(statistic)}."
            f"{did_you_mean(str(statistic), get_args(Statistic))}"
        )
    return statistic


def _check_words(missing: Missing, empty: Empty, statistic: Statistic) -> None:
    for name, word, known in (("missing", missing, Missing), ("empty", empty, Empty)):
        if word not in get_args(known):
            raise ParameterError(
                f"`{name}` is {' or '.join(get_args(known))}; found {shown(word)}."
            )
    if empty == "possible" and statistic == "median":
        raise ParameterError("An empty cell has no median; leave `empty` at structural.")
