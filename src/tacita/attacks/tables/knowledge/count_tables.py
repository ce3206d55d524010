"""Tables of counts as attacks see them: whole numbers, of which some are not published."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacita.attacks.tables.knowledge.views import tables_of
from tacita.data.classes import Floats, Mask
from tacita.errors import InputError
from tacita.results import show
from tacita.tables.linked import LinkedTables
from tacita.tables.system import System
from tacita.tables.table import Table


def count_tables_of(given: Table | LinkedTables, attack: str) -> tuple[Table, ...]:
    """Return the tables, all of them counts of the same respondents.

    Args:
        given: a table, or several.
        attack: who asks, for messages.

    Raises:
        InputError: a table shows something else, or they count different things.
    """
    tables = tables_of(given)
    for table in tables:
        if table.statistic != "count":
            raise InputError(
                f"`{attack}` looks at tables of counts; `{table.name}` shows a {table.statistic}."
            )
        if table.variable != tables[0].variable:
            raise InputError(
                f"`{attack}` looks at tables that count the same respondents; `{table.name}` and "
                f"`{tables[0].name}` are about different variables."
            )
    return tables


def count_system(given: Table | LinkedTables, attack: str) -> System:
    """Return the joint system of tables of counts, with bounds that are whole and not negative.

    Raises:
        InputError: the tables are no counts, contradict each other or do not add up.
    """
    count_tables_of(given, attack)
    system = given.system()
    cells = system.cells
    for place in np.flatnonzero(~system.unknown & ~_is_count(cells.value))[:1]:
        raise InputError(
            f"`{attack}` looks at whole counts; cell {system.name_of(int(place))} is "
            f"{show(cells.value[place])}. Tabulate without weights."
        )
    bounds = {
        "lower_bound": np.ceil(np.maximum(cells.lower_bound, 0.0)),
        "upper_bound": np.floor(cells.upper_bound),
    }
    return replace(system, cells=replace(cells, **bounds), decimals=0)


def _is_count(values: Floats) -> Mask:
    counts: Mask = (values >= 0) & (values == np.round(values))
    return counts
