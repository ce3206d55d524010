"""How far the distribution over the cells of a table was moved."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints
from tacita.errors import InputError
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted, show
from tacita.tables.pairing import Pair, Tables, paired
from tacita.tables.utility.sums import refuse_quotients


class HellingerDistance(Method):
    """The Hellinger distance between the true and the published distribution over the cells.

    With p_i and q_i the shares that the inner cells (those that are the total of no others) have of
    the true and of the published table,

        H = sqrt( (1/2) sum_i (sqrt(p_i) - sqrt(q_i))^2 ),

    from 0 (the same distribution) to 1 (nothing in common). Changes of small cells count more than
    the same changes of large ones. What is published below 0 counts as 0. Suppressed cells have no
    share; they are counted apart. It is not for tables with negative values.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), Cells.of([10, 1, 9]))
    >>> rounded = table.with_cells(shown=np.array([10.0, 0.0, 10.0]))
    >>> round(HellingerDistance().measure(table, rounded).value, 4)
    0.2265
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Shlomo & Young (2006). Statistical disclosure control methods through a risk-utility "
        "framework. Privacy in Statistical Databases, LNCS 4302, 68-81."
    )
    missing: ClassVar[str] = "A cell whose value is not known or not shown has no share."

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Compare the shares of the inner cells."""
        refuse_quotients(original, self.name)
        pair, system = paired(original, published), original.system()
        inner = np.ones(len(system), bool)
        inner[system.relations.indices[system.relations.data < 0]] = False
        true, shown = pair.truth.shown, pair.shown
        compared = inner & ~np.isnan(true) & ~np.isnan(shown)
        _refuse_negative(true[compared])
        distance = _distance(true[compared], np.maximum(shown[compared], 0.0))
        return Measurement(
            self.name,
            self.family,
            distance,
            f"over {counted(int(compared.sum()), 'inner cell')} the distributions are "
            f"{show(distance)} apart",
            parameters=self.parameters(),
            figures={
                "cells": float(compared.sum()),
                "not_shown": float((inner & pair.hidden).sum()),
                "below_zero": float((shown[compared] < 0).sum()),
            },
            details=_details(pair, np.flatnonzero(compared & (pair.change != 0))),
        )


def _details(pair: Pair, rows: Ints) -> pa.Table:
    """List the inner cells that were changed."""
    return pair.details(rows, {"true": pair.truth.shown[rows], "published": pair.shown[rows]})


def _refuse_negative(true: Floats) -> None:
    if (true < 0).any():
        raise InputError(
            "`hellinger_distance` compares shares of a whole; this table has negative values. Use "
            "`cell_distance`."
        )


def _distance(one: Floats, other: Floats) -> float:
    sums = math.fsum(one), math.fsum(other)
    if not all(sums):
        return float(any(sums))
    left, right = np.sqrt(one / sums[0]), np.sqrt(other / sums[1])
    return math.sqrt(math.fsum((left - right) ** 2) / 2)
