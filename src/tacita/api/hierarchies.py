"""Hierarchies for people who have none: made from the data they hold."""

from __future__ import annotations

from typing import Any, Literal

import pyarrow as pa

from tacita.data.dataset import Dataset
from tacita.data.hierarchies import Hierarchy
from tacita.data.read import as_dataset, declare, hierarchy_of
from tacita.errors import InputError, ParameterError

By = Literal["intervals", "quantiles", "frequencies", "prefixes", "dates", "clustering"]
COLUMN = "values"


def hierarchy_from(
    data: Any,
    attribute: str | None = None,
    *,
    by: By,
    levels: int | None = None,
    width: float | None = None,
    over: str | None = None,
) -> Hierarchy:
    """Make a generalization hierarchy from the values of an attribute.

    - `intervals`: numbers, in intervals of equal, round widths that grow.
    - `quantiles`: numbers or ordinal categories, in 2, 4, 8, ... classes of nearly equal numbers of
      records.
    - `frequencies`: categories, all but the 1, 3, 7, ... most frequent gathered.
    - `prefixes`: codes by their beginnings, whether of one length or of several.
    - `dates`: calendar units, as many as the range of the dates needs.
    - `clustering`: numbers, in 2, 4, 8, ... classes cut where they lie apart; with `over`,
      categories that are alike in another attribute.

    What is made depends on the data: the bounds and labels of a hierarchy made from confidential
    values tell of them. To protect new data in the same way, keep the hierarchy.

    Args:
        data: microdata or a data frame; or one column of values.
        attribute: the attribute to generalize; none for a column.
        by: the way.
        levels: how many levels there are at most between the values and the root; 3 when left out,
            of `prefixes` and `dates` as many as are of use.
        width: the first width of `intervals`; a round one when left out.
        over: the attribute beside which `clustering` compares categories.

    >>> ages = [23, 25, 31, 38, 44, 47, 52, 80]
    >>> hierarchy_from(ages, by="quantiles", levels=2)
    Cuts(levels=((30, 40, 50), (40,)))
    >>> hierarchy_from(["a", "a", "b", "c", "c", "c"], by="frequencies", levels=1).paths[0]
    ('a', '(other)', '*')
    """
    options = {"levels": levels, "width": width, "over": over}
    given = {word: value for word, value in options.items() if value is not None}
    if isinstance(data, Dataset):
        held = data
    elif attribute is None:
        held, attribute = _column(data), COLUMN
    else:
        held = as_dataset(data)
    if attribute is None:
        raise ParameterError("Say which `attribute` of the data the hierarchy is for.")
    return hierarchy_of(held, attribute, {by: given})


def _column(values: Any) -> Dataset:
    """Read one column: a list, an Arrow array, or that of a data frame."""
    if hasattr(values, "to_frame"):  # a Series, which may know an order of its categories
        return as_dataset(values.to_frame(COLUMN))
    try:
        return declare(pa.table({COLUMN: pa.array(values)}), {})
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise InputError(
            "A column holds values of one type: numbers, text or dates. Of a data frame, say which "
            "`attribute`."
        ) from error
