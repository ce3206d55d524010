"""The cell-key method for tables of counts."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.classes import Floats
from tacita.errors import InputError
from tacita.mechanisms.cell_keys import PerturbationTable, perturbation_table
from tacita.method import Method, TableKind
from tacita.results import show
from tacita.tables.cells import Cells
from tacita.tables.perturb.keying.keys import NOT_ADDITIVE, perturbed_cells
from tacita.tables.perturb.keying.options import (
    LargestNoise,
    PTable,
    Variance,
    refuse_noise,
    refuse_said_twice,
    table_of_counts,
)
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.status import Status
from tacita.tables.system import System


class CellKeyCounts(Method):
    """Add small whole noise to every count, the same in every table for the same respondents.

    Every record has a random key that never changes; the key of a cell is the sum of the keys of
    its records modulo 1. With the count it chooses the noise in a perturbation table: v for which
    P(noise < v) <= key < P(noise <= v). Of all noise with mean 0, the variance, no more than
    `largest` and no result that is negative or between 1 and `smallest`, the table has the one with
    most entropy. A 0 stays 0, and so do cells that must be published.

    The noise does not depend on the table, so that nobody can average it away by asking for the
    same cell in many tables; for the same reason totals are not the sums of their parts. A weighted
    count gets the noise of the count that it rounds to, of 1 at least.

    When not to use it: where tables must add up (round them instead); for magnitudes, where noise
    of a few units hides nothing, and for weighted counts of respondents whose weights are beyond
    `largest`, of whom it hides a part only (a remark says so). Whoever knows the table of noise can
    work small counts out of many cells that overlap: keep `variance` large enough for the number of
    tables, and the record keys secret.

    >>> import pyarrow as pa
    >>> from tacita.tables.tabulate import tabulate
    >>> people = pa.table({"town": ["a"] * 7 + ["b"] * 4, "age": ["old", "young"] * 5 + ["old"]})
    >>> system = tabulate(people, ["town", "age"], keys=b"a secret of 16 bytes").system()
    >>> told = CellKeyCounts(largest=3, variance=1.5).perturb(system, np.random.default_rng())
    >>> bool((np.abs(told.change) <= 3).all() and (told.value >= 0).all())
    True
    """

    applies_to: ClassVar[frozenset[TableKind]] = frozenset({TableKind.FREQUENCY})
    reference: ClassVar[str] = (
        "Fraser, B. and Wooton, J. (2005). A proposed method for confidentialising tabular output "
        "to protect against differencing. UNECE work session on statistical data confidentiality; "
        "Giessing, S. (2016). Computational issues in the design of transition probabilities and "
        "disclosure risk estimation for additive noise. PSD 2016, LNCS 9867, 237-251."
    )
    missing: ClassVar[str] = "The count and the key of every cell must be known."
    example: ClassVar[dict[str, float]] = {"largest": 5, "variance": 3.0}

    largest: LargestNoise = 5
    _: KW_ONLY
    variance: Variance = 3.0
    smallest: Annotated[
        int, Field(description="Counts from 1 to this one are not published.", ge=0, le=100)
    ] = 0
    p_table: PTable = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.p_table is None:
            refuse_noise(self.largest, self.variance, self.smallest)
        else:
            refuse_said_twice(self, "largest", "variance", "smallest")
        return self

    def perturb(self, system: System, rng: np.random.Generator) -> Perturbation:  # noqa: ARG002
        """Add the noise that belongs to the records of each cell."""
        moved = perturbed_cells(system)
        cells = system.cells
        for place in np.flatnonzero(cells.value < 0)[:1].tolist():
            raise InputError(
                f"A count is 0 or more; the cell {system.name_of(place)} is "
                f"{show(cells.value[place])}. Use `cell_key_magnitudes` for amounts."
            )
        counts = np.where(moved, np.maximum(np.rint(cells.value), 1.0), 0.0)
        table = self._noise_table()
        noise = table.drawn(counts, cells.cell_key)
        value = np.maximum(cells.value + noise, 0.0)
        # A reader cannot tell a 0 that stayed from a count that became 0.
        reach = np.where(cells.status == Status.PUBLISHED, 0.0, table.largest)
        return Perturbation(
            system,
            value,
            float(np.abs(noise).sum()),
            lower=np.maximum(value - reach, _least(cells.value, value, table)),
            upper=value + reach,
            remarks=(*_of_totals(system), *_of_weights(cells, table)),
        )

    def _noise_table(self) -> PerturbationTable:
        if self.p_table is not None:
            return table_of_counts(self.p_table)
        return perturbation_table(self.largest, self.variance, self.smallest)


def _of_totals(system: System) -> tuple[str, ...]:
    return (NOT_ADDITIVE,) if system.relations.shape[0] else ()


def _of_weights(cells: Cells, table: PerturbationTable) -> tuple[str, ...]:
    """Say whether respondents weigh more than the noise can be."""
    known = cells.contributors > 0  # of NaN it is not known
    heaviest = float((cells.value[known] / cells.contributors[known]).max(initial=0.0))
    if heaviest <= max(table.largest, 1.0):
        return ()
    told = (
        f"Respondents count up to {show(heaviest)} on average of a cell, and the noise is at most "
        f"{show(table.largest)}: it does not hide one of them."
    )
    return (told,)


def _least(counts: Floats, published: Floats, table: PerturbationTable) -> Floats:
    """Return what every cell counts at least: one respondent where a count above 0 is published.

    It holds of whole counts, if no noise is ever added to an empty cell.
    """
    highest = np.array([np.nextafter(1.0, 0.0)])  # the key of the largest noise
    stays = not table.drawn(np.zeros(1), highest)[0] > 0
    counts_all = stays and bool((counts % 1 == 0).all())
    return np.where(published > 0, 1.0, 0.0) if counts_all else np.zeros(len(counts))
