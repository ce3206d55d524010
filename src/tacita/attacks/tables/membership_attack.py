"""Membership: whether the tables tell that somebody is among those they were made from."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.attacks.tables.knowledge.combinations import Combinations, combinations_of
from tacita.attacks.tables.knowledge.count_tables import count_system, count_tables_of
from tacita.attacks.tables.reconstruction_attack import Nodes
from tacita.data.classes import Floats, Ints, Mask
from tacita.method import Method, TableKind
from tacita.results import Measurement, counted, percent
from tacita.solvers.integer import Effort
from tacita.tables.audit.whole import whole_intervals
from tacita.tables.cells import named_apart
from tacita.tables.linked import LinkedTables
from tacita.tables.table import Table


class Asked(NamedTuple):
    """The combinations of codes that are asked about.

    Args:
        codes: their codes, attribute by attribute.
        lower: how many respondents have them at least; `upper` at most.
    """

    codes: dict[str, list[str]]
    lower: Floats
    upper: Floats


class MembershipAttack(Method):
    """Whether the published tables tell that somebody with known codes is in the data.

    Somebody is certainly in if all data sets that agree with the tables hold a record with these
    codes, and certainly not if none does. Asked is about one respondent, or about every cell of
    the finest table without its totals; structural zeros, which everybody knows beforehand, are
    left aside. The number is the share of the combinations asked about that are decided either
    way. For tables published in full that is all of them: then it is not the tables that can keep
    membership secret.

    When not to use it: if membership is no secret, as in a census.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> town = Dimension.flat("town", ["a", "b", "c"])
    >>> status = [0, 1, 2, 0]
    >>> cells = Cells.of([9, 2, 3, 4], status=status)
    >>> table = Table("clinic", (town,), np.array([[0], [1], [2], [3]]), cells)
    >>> MembershipAttack().measure(table, table.published())
    membership_attack: 0.3333 - of 3 combinations, 1 is certainly in the data and 0 certainly not \
(33 % decided)
    """

    applies_to: ClassVar = frozenset({TableKind.FREQUENCY})
    reference: ClassVar = (
        "Homer et al., Resolving individuals contributing trace amounts of DNA to highly complex "
        "mixtures, PLoS Genetics 4(8):e1000167, 2008"
    )
    missing: ClassVar = "A missing value is a category of its own where the tables have one for it."

    respondent: Annotated[
        dict[str, str] | None,
        Field(
            description="What is known of somebody: attribute and code; by default everybody that "
            "the finest table has a cell for is asked about.",
            min_length=1,
        ),
    ] = None
    most: Annotated[
        int, Field(ge=1, description="How many combinations of values are looked at.")
    ] = 5_000
    nodes: Nodes = 1_000

    def measure(
        self,
        original: Table | LinkedTables,  # noqa: ARG002 - a reader decides without the truth
        published: Table | LinkedTables,
    ) -> Measurement:
        """Bound the number of respondents with the codes that are asked about."""
        published = published.as_known()
        count_system(published, self.name)
        tables = count_tables_of(published, self.name)
        asked = self._of_everybody(tables) if self.respondent is None else self._of_one(tables)
        inside = int((asked.lower >= 1).sum())
        outside = int((asked.upper == 0).sum())
        total = len(asked.lower)
        share = Fraction(inside + outside, total) if total else Fraction(0)
        return Measurement(
            self.name,
            self.family,
            share,
            f"of {counted(total, 'combination')}, {inside:,} {'is' if inside == 1 else 'are'} "
            f"certainly in the data and {outside:,} certainly not ({percent(share)} decided)",
            parameters=self.parameters(),
            figures={
                "combinations": Fraction(total),
                "certainly_in": Fraction(inside),
                "certainly_not": Fraction(outside),
            },
            details=_details(asked),
        )

    def _of_one(self, tables: tuple[Table, ...]) -> Asked:
        known = dict(self.respondent or {})
        combinations = combinations_of(tables, self.most)
        lower, upper = self._bounds(combinations, [combinations.having(known)])
        return Asked({name: [code] for name, code in known.items()}, lower, upper)

    def _of_everybody(self, tables: tuple[Table, ...]) -> Asked:
        """Ask about the cells of the finest table: published ones tell at once."""
        finest = max(tables, key=_leaf_count)
        rows = _leaf_rows(finest)
        codes = finest.to_arrow().take(rows).select([d.name for d in finest.dimensions])
        value = finest.cells.value[rows]
        lower, upper = value.copy(), value.copy()
        hidden = np.flatnonzero(finest.cells.suppressed[rows])
        if hidden.size:
            combinations = combinations_of(tables, self.most)
            people = codes.take(hidden).to_pylist()
            groups = [combinations.having(person) for person in people]
            lower[hidden], upper[hidden] = self._bounds(combinations, groups)
        return Asked(codes.to_pydict(), lower, upper)

    def _bounds(self, combinations: Combinations, groups: list[Mask]) -> tuple[Floats, Floats]:
        system = combinations.system(groups)
        asked = slice(len(combinations), len(combinations) + len(groups))
        wanted = np.zeros(len(system), bool)
        wanted[asked] = True
        found = whole_intervals(system, effort=Effort(nodes=self.nodes), wanted=wanted)
        return found.lower[asked], found.upper[asked]


def _leaf_rows(table: Table) -> Ints:
    """Return the cells that are the total of no others."""
    finest = [
        np.isin(table.places[:, axis], dimension.leaves)
        for axis, dimension in enumerate(table.dimensions)
    ]
    return np.flatnonzero(np.logical_and.reduce(finest))


def _leaf_count(table: Table) -> int:
    return len(_leaf_rows(table))


def _details(asked: Asked) -> pa.Table:
    """List the combinations with the number of respondents and what it tells."""
    told = np.where(asked.lower >= 1, "in", np.where(asked.upper == 0, "not in", "undecided"))
    endless = np.isinf(asked.upper)
    columns = {
        "least": pa.array(asked.lower.astype(np.int64)),
        "largest": pa.array(np.where(endless, 0, asked.upper).astype(np.int64), mask=endless),
        "told": pa.array(told.tolist(), pa.string()),
    }
    return pa.table({**asked.codes, **named_apart(columns, asked.codes)})
