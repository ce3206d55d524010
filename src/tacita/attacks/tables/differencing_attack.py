"""The differencing attack: two publications of nearly the same group tell about the few between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.attacks.tables.knowledge.coverage import CellAt, Coverage, Group, Key
from tacita.attacks.tables.knowledge.views import (
    Finding,
    Tables,
    View,
    details_of,
    error_of,
    in_percent,
    is_visible,
    rows_in,
    share,
    views_of,
)
from tacita.errors import InputError
from tacita.mechanisms.sensitivity.contributions import decimal
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted
from tacita.tables.dimension import NONE

KINDS = {
    "respondents": pa.float64(),
    "value": pa.float64(),
    "error_percent": pa.float64(),
    "from": pa.string(),
}


class DifferencingAttack(Method):
    """The share of hidden cells and groups that two publications give away by their difference.

    Between `versions` of a table over the same data (revised patterns, other categories, several
    hierarchies over the same leaves), an intruder

    - reads a suppressed cell where another version publishes it, and
    - subtracts a published cell from one that contains it: what is left is the total of a group,
      which is disclosed if it has fewer than n respondents or is a suppressed cell.

    Attacked are the suppressed cells, and the groups by which a published cell exceeds another that
    it contains, unless they are published themselves.

    Between `periods`, a cell whose number of contributors changed by less than n shows by how much
    its value changed: an estimate of what those contribute who came or left, as far as the others
    stayed as they were. Attacked are the cells published in two successive periods.

    Give several tables as `LinkedTables`, periods in their order; of a single table the cells that
    contain each other are compared. What perturbed values come to counts where it is the truth.
    Respondents count once, whatever their sampling weights, unless a table lets records stand for
    as many as these say. Medians have no differences, and what follows from more than two cells is
    left to the audit.

    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.linked import LinkedTables
    >>> from tacita.tables.ready import ready_table
    >>> old = Dimension.from_nested("area", {"Total": {"north": list("abc"), "south": list("de")}})
    >>> new = Dimension.from_nested("area", {"Total": {"coast": list("ab"), "inland": list("cde")}})
    >>> first = ready_table("first", [old], {"area": ["Total", "north", "south"]},
    ...     {"value": [100, 60, 40], "frequency": [20, 11, 9]}, variable="turnover",
    ...     absent="unpublished")
    >>> second = ready_table("second", [new], {"area": ["Total", "coast", "inland"]},
    ...     {"value": [100, 53, 47], "frequency": [20, 9, 11]}, variable="turnover",
    ...     absent="unpublished")
    >>> both = LinkedTables((first, second))
    >>> found = DifferencingAttack().measure(both, both).details.to_pylist()[0]
    >>> found["area"], found["value"], found["from"]
    ('c', 7.0, 'second (area inland) less first (area south): 47 - 40')
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Duke-Williams & Rees, Can Census Offices publish statistics for more than one small area "
        "geography? International Journal of Geographical Information Science 12(6):579-605, 1998"
    )
    missing: ClassVar[str] = (
        "A group whose number of respondents nobody knows is disclosed only as a suppressed cell."
    )

    between: Annotated[
        Literal["versions", "periods"],
        Field(description="What the tables differ in: how they were published, or when."),
    ] = "versions"
    n: Annotated[
        int, Field(ge=2, description="Groups of fewer respondents than this are too small.")
    ] = 3

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Compare the publications with each other."""
        views = views_of(original, published)
        compare = self._periods if self.between == "periods" else self._versions
        attacked, findings = compare(views)
        if published.perturbed_by is not None:
            findings = [one for one in findings if one.told["error_percent"] == 0]
        exact = sum(one.told["error_percent"] == 0 for one in findings)
        return Measurement(
            self.name,
            self.family,
            share(len(findings), attacked),
            self._told(len(findings), attacked),
            parameters=self.parameters(),
            figures={
                "compared": attacked,
                "disclosed_exactly": exact,
                "disclosed_nearly": len(findings) - exact,
            },
            details=details_of(published, findings, KINDS),
        )

    def _told(self, found: int, attacked: int) -> str:
        if self.between == "periods":
            return (
                f"{found:,} of {counted(attacked, 'cell')} changed by fewer than {self.n} "
                "contributors between periods"
            )
        return (
            f"{found:,} of {attacked:,} cells and groups that were not published "
            f"{'follows' if found == 1 else 'follow'} from the versions"
        )

    def _versions(self, views: Sequence[View]) -> tuple[int, list[Finding]]:
        """Compare tables about the same variable; other tables say nothing of each other."""
        alike: dict[Any, list[View]] = {}
        for view in views:
            what = (view.published.variable, view.is_count, view.published.is_additive)
            alike.setdefault(what, []).append(view)
        compared = [_Versions(several, self.n) for several in alike.values()]
        findings = [finding for one in compared for finding in one.findings()]
        return sum(one.attacked for one in compared), findings

    def _periods(self, views: Sequence[View]) -> tuple[int, list[Finding]]:
        if len(views) < 2:  # noqa: PLR2004 - one period has no other
            raise InputError(
                "Periods are compared between at least two tables; found one. Give `LinkedTables` "
                "with a table for each period."
            )
        compared = [_between_periods(*pair, self.n) for pair in pairwise(views)]
        return sum(number for number, _ in compared), [
            one for _, found in compared for one in found
        ]


class _Versions:
    """The cells of several versions, compared with each other."""

    def __init__(self, views: Sequence[View], n: int) -> None:
        self.views = views
        self.n = n
        self.coverage = Coverage([view.published for view in views])
        self.visible: dict[Key, CellAt] = {}
        self.hidden: dict[Group, CellAt] = {}
        for place, view in enumerate(views):
            shown, held = is_visible(view.published), view.cells.suppressed
            for row, key in enumerate(self.coverage.keys(place)):
                if shown[row]:
                    self.visible.setdefault(key, CellAt(place, row))
                elif held[row]:
                    self.hidden.setdefault(key, CellAt(place, row))
        self.groups = self._differences() if views[0].published.is_additive else {}

    @property
    def attacked(self) -> int:
        """How many suppressed cells and groups between published cells there are."""
        return len(self.hidden.keys() | self.groups.keys())

    def findings(self) -> Iterator[Finding]:
        """Give the suppressed cells that another version shows, then the groups."""
        for key, cell in self.hidden.items():
            if key in self.visible:
                yield self._shown(cell, self.visible[key])
        for group, (whole, part) in self.groups.items():
            counts = [float(self._of(c).frequency[c.row]) for c in (whole, part)]
            if group not in self.hidden and not counts[0] - counts[1] < self.n + 1:
                continue  # far from small, so that no decimals need to decide
            respondents = _less(counts)
            is_small = respondents is not None and 0 < respondents < self.n
            if is_small or group in self.hidden:
                yield self._between(self.hidden.get(group, whole), whole, part, respondents)

    def _differences(self) -> dict[Group, tuple[CellAt, CellAt]]:
        """Return the groups by which a published cell exceeds another, unless published too."""
        found: dict[Group, tuple[CellAt, CellAt]] = {}
        for part, cell in self.visible.items():
            for whole in self.coverage.containing(part):
                if whole in self.visible:
                    group = self.coverage.difference(whole, part)
                    if group not in self.visible:
                        found.setdefault(group, (self.visible[whole], cell))
        return found

    def _of(self, cell: CellAt) -> View:
        return self.views[cell.table]

    def _shown(self, cell: CellAt, other: CellAt) -> Finding:
        view, shown = self._of(cell), self._of(other)
        value = shown.cells.value[other.row]
        told = {
            "respondents": _number(_less([shown.frequency[other.row], 0.0])),
            "value": value,
            "error_percent": in_percent(error_of(value, view.true_value[cell.row])),
            "from": f"published in {self._name(other)}",
        }
        return Finding(view.published, cell.row, told)

    def _between(
        self, cell: CellAt, whole: CellAt, part: CellAt, respondents: Fraction | None
    ) -> Finding:
        """Say what the difference between two published cells tells."""
        seen = [float(self._of(c).cells.value[c.row]) for c in (whole, part)]
        true = [float(self._of(c).true_value[c.row]) for c in (whole, part)]
        value, truth = _number(_less(seen)), _number(_less(true))
        error = None if value is None or truth is None else error_of(value, truth)
        told = {
            "respondents": _number(respondents),
            "value": value,
            "error_percent": in_percent(error),
            "from": f"{self._name(whole)} less {self._name(part)}: {seen[0]:,.16g} - "
            f"{seen[1]:,.16g}",
        }
        return Finding(self._of(cell).published, cell.row, told)

    def _name(self, cell: CellAt) -> str:
        table = self._of(cell).published
        name = table.name_of(cell.row)
        return f"{table.name} {name}" if len(self.views) > 1 else name


def _less(pair: Sequence[float]) -> Fraction | None:
    """Return the difference of two numbers as they were written, None if one is not known."""
    if np.isnan(pair).any():
        return None
    return decimal(pair[0]) - decimal(pair[1])


def _number(exact: Fraction | None) -> float | None:
    return None if exact is None else float(exact)


def _between_periods(before: View, after: View, n: int) -> tuple[int, list[Finding]]:
    """Compare a period with the next: how many cells, and which changed by few contributors."""
    rows = rows_in(before.published, after.published)
    there = np.maximum(rows, 0)
    came = after.contributors - before.contributors[there]
    both = (rows != NONE) & is_visible(after.published) & is_visible(before.published)[there]
    compared = both & ~np.isnan(came) & after.published.is_additive
    few = compared & (came != 0) & (np.abs(came) < n)
    findings = [
        Finding(
            after.published, row, _told_of_change(before, after, int(there[row]), row, came[row])
        )
        for row in np.flatnonzero(few).tolist()
    ]
    return int(compared.sum()), findings


def _told_of_change(
    before: View, after: View, row: int, new_row: int, came: float
) -> dict[str, Any]:
    """Say what those contribute who came or left, as far as the others stayed as they were."""
    change = decimal(after.cells.value[new_row]) - decimal(before.cells.value[row])
    who = "came" if came > 0 else "left"
    return {
        "respondents": abs(came),
        "value": float(change if came > 0 else -change),
        "error_percent": None,
        "from": f"{counted(int(abs(came)), 'contributor')} {who} between {before.published.name} "
        f"and {after.published.name}",
    }
