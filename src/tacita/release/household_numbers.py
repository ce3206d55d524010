"""New numbers for released households: those of the source could be looked up there."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Role
from tacita.data.content_order import group_ranks
from tacita.data.dataset import Dataset

PSEUDONYM = "^[0-9a-f]{32}$"


def with_new_household_numbers(data: Dataset) -> Dataset:
    """Return data in which households are numbered from 1 by what is released of their members.

    Who belongs together stays; the number of a household in the source does not leave the house.
    The new numbers follow from the released values alone, like the order of the records. Pseudonyms
    stay, because their key may link files.

    >>> import tacita as ta
    >>> people = ta.read(
    ...     pa.table({"home": [907, 907, 411], "age": [40, 3, 61]}), roles={"home": "household"}
    ... )
    >>> with_new_household_numbers(people).column("home").to_pylist()
    [2, 2, 1]
    """
    for name in data.with_role(Role.HOUSEHOLD):
        column = data.column(name)
        if _are_pseudonyms(column):
            continue
        blank = pc.is_null(column).to_numpy(zero_copy_only=False)
        numbers = pa.array(group_ranks(data, name) + 1, pa.int64(), mask=blank)
        data = data.with_column(data.attribute(name).recoded(), numbers)
    return data


def _are_pseudonyms(column: pa.Array) -> bool:
    if not pa.types.is_string(column.type) or column.null_count == len(column):
        return False
    return bool(pc.all(pc.match_substring_regex(column, PSEUDONYM)).as_py())
