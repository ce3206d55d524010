"""Reconstruction: the records themselves, worked out from tables of counts."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.attacks.tables.knowledge.combinations import Combinations, combinations_of
from tacita.attacks.tables.knowledge.count_tables import count_system, count_tables_of
from tacita.data.classes import Floats
from tacita.errors import InputError
from tacita.method import Method, TableKind
from tacita.results import Measurement, counted, percent
from tacita.solvers.integer import Effort
from tacita.tables.audit.whole import WholeIntervals, whole_intervals
from tacita.tables.cells import named_apart
from tacita.tables.dimension import NONE
from tacita.tables.linked import LinkedTables
from tacita.tables.table import Table

Nodes = Annotated[
    int,
    Field(
        ge=1,
        description="How many nodes of a search tree may be spent on one end of one interval.",
    ),
]


class ReconstructionAttack(Method):
    """Which records can be worked out from the published tables taken together.

    Every combination of the attributes' finest values has an unknown count, a whole number of 0 or
    more. A published cell says what the counts below it add up to; a suppressed cell only what is
    known of it beforehand. The number is the share of the records whose combination has one
    possible count: they are reconstructed with certainty. For the others the details tell between
    which counts each combination lies, and one data set that agrees with everything published; the
    figure `records_agreeing` tells how many of its records are right, where one of the original
    tables is over all the attributes.

    When not to use it: on rounded or perturbed tables, which agree with no data set.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> sex, ill = Dimension.flat("sex", ["f", "m"]), Dimension.flat("ill", ["no", "yes"])
    >>> by_sex = Table("by sex", (sex,), np.array([[0], [1], [2]]), Cells.of([9, 4, 5]))
    >>> by_ill = Table("by ill", (ill,), np.array([[0], [1], [2]]), Cells.of([9, 9, 0]))
    >>> both = LinkedTables((by_sex, by_ill))
    >>> ReconstructionAttack().measure(both, both)
    reconstruction_attack: 1 - 9 of 9 records (100 %) are reconstructed with certainty; 2 of 2 \
combinations have one possible count
    """

    applies_to: ClassVar = frozenset({TableKind.FREQUENCY})
    reference: ClassVar = (
        "Garfinkel, Abowd & Martindale, Understanding database reconstruction attacks on public "
        "data, Communications of the ACM 62(3):46, 2019"
    )
    missing: ClassVar = "A missing value is a category of its own where the tables have one for it."
    costly: ClassVar = True

    most: Annotated[
        int, Field(ge=1, description="How many combinations of values are looked at.")
    ] = 5_000
    nodes: Nodes = 1_000

    def measure(
        self, original: Table | LinkedTables, published: Table | LinkedTables
    ) -> Measurement:
        """Bound the count of every combination, and compare with the truth."""
        published = published.as_known()
        count_system(published, self.name)
        combinations = combinations_of(count_tables_of(published, self.name), self.most)
        system = combinations.system()
        wanted = np.arange(len(system)) < len(combinations)
        found = whole_intervals(system, effort=Effort(nodes=self.nodes), wanted=wanted)
        return self._told(combinations, found, count_tables_of(original, self.name))

    def _told(
        self, combinations: Combinations, found: WholeIntervals, original: tuple[Table, ...]
    ) -> Measurement:
        size = len(combinations)
        records = _records(original)
        determined = found.is_determined[:size]
        certain = int(found.lower[:size][determined].sum())
        share = Fraction(certain, records) if records else Fraction(0)
        point = None if found.point is None else found.point[:size]
        truth = _truth(combinations, original)
        agreeing = None if truth is None or point is None else np.minimum(truth, point).sum()
        unsure = int((~found.is_reached[:size]).sum())
        return Measurement(
            self.name,
            self.family,
            share,
            f"{certain:,} of {counted(records, 'record')} ({percent(share)}) are reconstructed "
            f"with certainty; {int(determined.sum()):,} of {counted(size, 'combination')} have "
            f"one possible count{_told_unsure(unsure)}",
            parameters=self.parameters(),
            figures={
                "records": Fraction(records),
                "records_certain": Fraction(certain),
                "records_agreeing": None if agreeing is None else Fraction(int(agreeing)),
                "combinations": Fraction(size),
                "combinations_determined": Fraction(int(determined.sum())),
                "combinations_not_settled": Fraction(unsure),
            },
            details=_details(combinations, found, {"reconstructed": point, "true": truth}),
        )


def _told_unsure(unsure: int) -> str:
    told = f"; for {counted(unsure, 'combination')} the search stopped before it was settled"
    return told if unsure else ""


def _records(tables: tuple[Table, ...]) -> int:
    """Return how many records are behind the tables."""
    for table in tables:
        total = table.cells.value[table.row()]
        if np.isfinite(total):
            return int(total)
    raise InputError("The original tables do not say how many records there are; give the total.")


def _truth(combinations: Combinations, original: tuple[Table, ...]) -> Floats | None:
    """Return the true count of every combination, if a table of the original is that fine."""
    codes = combinations.codes()
    for table in original:
        names = {dimension.name for dimension in table.dimensions}
        if names >= set(codes) and np.isfinite(table.cells.value).all():
            return _counts(table, codes)
    return None


def _counts(table: Table, codes: Mapping[str, list[str]]) -> Floats | None:
    number = np.zeros(len(next(iter(codes.values()))), np.int64)
    for dimension, stride in zip(table.dimensions, table.strides, strict=True):
        said = codes.get(dimension.name)
        if said is None:
            continue
        if not set(said) <= set(dimension.codes):
            return None
        number += stride * np.array([dimension.places[code] for code in said], np.int64)
    row = table.find(number)
    return np.where(row == NONE, 0.0, table.cells.value[row])


def _details(
    combinations: Combinations, found: WholeIntervals, counts: Mapping[str, Floats | None]
) -> pa.Table:
    """List every combination with what is known of its count."""
    size = len(combinations)
    bounds = {"least": found.lower[:size], "largest": found.upper[:size]}
    columns = {
        name: pa.nulls(size, pa.int64()) if column is None else _whole(column)
        for name, column in {**bounds, **counts}.items()
    }
    codes = combinations.codes()
    return pa.table({**codes, **named_apart(columns, codes)})


def _whole(column: Floats) -> pa.Array:
    """Return counts; one without a bound is missing."""
    endless = np.isinf(column)
    return pa.array(np.where(endless, 0, column).astype(np.int64), mask=endless)
