"""What policies with a budget add to a guard: names, confidential groups, prices and evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacita.errors import QueryError
from tacita.queries.answer import Released
from tacita.queries.cells import Cell
from tacita.queries.expanding import expand, outlined
from tacita.queries.key_sets import KeySets
from tacita.queries.language.naming import Permitted
from tacita.queries.language.query import StatisticalQuery
from tacita.queries.public_classes import PublicClasses
from tacita.queries.watching import Private, Watcher


def permitted_by(watchers: Sequence[Watcher]) -> Permitted:
    """Return all that policies let queries name."""
    found = [one.permitted for one in watchers if isinstance(one, Private)]
    return Permitted(
        frozenset().union(*(one.categories for one in found)),
        frozenset().union(*(one.respondents for one in found)),
        expressions=len(found) == len(watchers),
    )


def keys_of(watchers: Sequence[Watcher]) -> KeySets | None:
    """Return the key sets that groups come from; None where they come from the data."""
    return next((one.keys for one in watchers if isinstance(one, Private)), None)


def with_keys(
    query: StatisticalQuery, data: PublicClasses, keys: KeySets | None
) -> StatisticalQuery:
    """Return a query with the key sets that its groups come from, where it needs them.

    Raises:
        QueryError: it groups by what nobody declared.
    """
    return query if keys is None else keys.applied(query, data)


def judged_cells(
    query: StatisticalQuery, data: PublicClasses, watchers: Sequence[Watcher]
) -> tuple[Cell, ...]:
    """Return what is judged: the cells, or their outline where groups are confidential.

    Raises:
        QueryError: groups are confidential, and another policy than one that knows how to show
            them has a say, which would show them in its own way.
    """
    if not query.secret:
        return expand(query, data)
    cells = outlined(query, data)
    for cell in cells:
        covering = [one for one in watchers if one.covers(cell)]
        if len(covering) != 1 or not isinstance(covering[0], Private):
            raise QueryError(
                "Records can be grouped by confidential categories, and by values that nobody "
                "declared, only where one policy, with a budget, has a say about "
                f"{cell.asked}."
            )
    return cells


def without_untold(
    query: StatisticalQuery, cells: Sequence[Cell], released: Sequence[Released | None]
) -> tuple[Sequence[Cell], Sequence[Released | None]]:
    """Leave out the groups that nobody may know to be there."""
    if not query.secret:
        return cells, released
    width = len(query.asked)
    kept = [
        place
        for start in range(0, len(cells), width)
        if not any(one and one.is_untold for one in released[start : start + width])
        for place in range(start, start + width)
    ]
    return [cells[place] for place in kept], [released[place] for place in kept]


def evidence_of(watchers: Mapping[str, Watcher]) -> dict[str, Any]:
    """Return what those who keep the data may know, by policy."""
    told = {name: one.evidence() for name, one in watchers.items() if isinstance(one, Private)}
    found = {name: one for name, one in told.items() if one}
    return {"evidence": found} if found else {}
