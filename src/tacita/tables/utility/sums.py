"""Tables whose published values add up, and those that show something worked out from sums."""

from __future__ import annotations

from tacita.errors import InputError
from tacita.tables.linked import LinkedTables
from tacita.tables.pairing import Tables

SUMS = ("count", "sum")


def refuse_quotients(tables: Tables, measure: str) -> None:
    """Refuse tables that show neither counts nor sums.

    Args:
        tables: a table, or several.
        measure: who asks, for the message.

    Raises:
        InputError: a table shows a mean, ratio, percentage or median.
    """
    for table in tables if isinstance(tables, LinkedTables) else (tables,):
        if table.statistic not in SUMS:
            raise InputError(
                f"`{measure}` looks at tables of counts or sums; `{table.name}` shows a "
                f"{table.statistic}."
            )
