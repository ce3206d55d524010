"""Differentially private tables whose totals are the sums of their parts."""

from __future__ import annotations

from dataclasses import KW_ONLY
from fractions import Fraction
from math import ceil, sqrt
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Ints
from tacita.errors import InputError, ParameterError
from tacita.mechanisms.private.accounting import Measure, exact, rho_within
from tacita.mechanisms.private.consistency import (
    fitted_nonnegative,
    fitted_parts,
    in_whole_units,
)
from tacita.mechanisms.private.mechanisms import MECHANISMS, Mechanism, Sensitivity
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import show
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.perturb.summing.inner import Inner, inner_cells
from tacita.tables.system import System

LARGEST = 2**53  # units that a double tells apart
LIST_IS_PUBLIC = (
    "Which cells the table lists counts as known to everybody; list all combinations (`empty` "
    "possible, codes from a hierarchy) where it is not."
)


class PrivateNoise(Method):
    """Add differentially private noise to a table and make its totals add up again.

    One respondent changes few cells, and each by a bounded amount: noise in proportion to that
    hides whether anybody is in the data. With `delta` 0 it is Laplace noise of the scale
    sensitivity / epsilon; otherwise Gaussian noise of a concentrated loss that keeps within
    (epsilon, delta). It is drawn in whole units from a cryptographically secure source. Then the
    inner cells are fitted to all noisy numbers by least squares (none below 0 unless `negative`
    says so), rounded to whole units, and added up: that costs no privacy, and makes most numbers
    more exact.

    The sensitivity is that of the cells an inner cell counts in, times the `cells_of_one`
    respondent, times the `largest_contribution`, twice as much for neighbours by substitution.
    What the parameters promise of the data must be known without looking at them: a refusal, which
    only who holds the data sees, is no advice to fit the promise to them. With sampling
    weights the largest contribution is the largest weight times the largest value.

    When not to use it: where the same data are published several times and nobody adds up the
    losses; for cells of a few respondents that must be exact; for linked tables, which have no
    inner cells in common.

    >>> import pyarrow as pa
    >>> from tacita.tables.tabulate import tabulate
    >>> people = pa.table({"town": ["a"] * 300 + ["b"] * 700, "age": ["old", "young"] * 500})
    >>> table = tabulate(people, ["town", "age"])
    >>> told = PrivateNoise(1.0).perturb(table.system(), np.random.default_rng())
    >>> told.is_additive, told.is_reproducible, bool((told.value >= 0).all())
    (True, False, True)
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Dwork, C., McSherry, F., Nissim, K. and Smith, A. (2006). Calibrating noise to "
        "sensitivity in private data analysis. TCC 2006, LNCS 3876, 265-284; Hay, M., Rastogi, V., "
        "Miklau, G. and Suciu, D. (2010). Boosting the accuracy of differentially private "
        "histograms through consistency. PVLDB 3(1), 1021-1032; Canonne, C., Kamath, G. and "
        "Steinke, T. (2020). The discrete Gaussian for differential privacy. NeurIPS 33."
    )
    missing: ClassVar[str] = "The value of every cell must be known."
    example: ClassVar[dict[str, float]] = {"epsilon": 1.0}
    public: ClassVar[frozenset[str]] = frozenset(
        {"epsilon", "delta", "neighbours", "largest_contribution", "cells_of_one", "measured"}
        | {"decimals", "negative"}
    )
    draws: ClassVar[bool] = True
    repeatable: ClassVar[bool] = False

    epsilon: Annotated[float, Field(description="The privacy loss (above 0).", gt=0, le=1000)]
    _: KW_ONLY
    delta: Annotated[
        float,
        Field(description="The chance that more is lost; 0 for Laplace noise.", ge=0, lt=1),
    ] = 0.0
    neighbours: Annotated[
        Literal["add_remove", "substitute"],
        Field(
            description="What is hidden: that a respondent is there, or which values he or she has."
        ),
    ] = "add_remove"
    largest_contribution: Annotated[
        float | None,
        Field(
            description="The most that one respondent adds to an inner cell, up or down; left out "
            "of counts, where it is 1.",
            gt=0,
        ),
    ] = None
    cells_of_one: Annotated[
        int, Field(description="How many inner cells one respondent adds to, at most.", ge=1)
    ] = 1
    measured: Annotated[
        Literal["all", "inner"],
        Field(
            description="Whether all cells get noise, so that totals are exact too, or only the "
            "inner ones, with less noise each."
        ),
    ] = "all"
    decimals: Annotated[
        int, Field(description="With how many digits after the point amounts are told.", ge=0, le=9)
    ] = 0
    negative: Annotated[bool, Field(description="Whether amounts may be below 0.")] = False

    @property
    def guarantee(self) -> str:
        """What holds of the published table, in a sentence."""
        loss = f"({self.epsilon:g}, {self.delta:g})" if self.delta else f"{self.epsilon:g}"
        is_there = self.neighbours == "add_remove"
        hidden = "whether a respondent is there" if is_there else "which values a respondent has"
        most = 1.0 if self.largest_contribution is None else self.largest_contribution
        cells = "one inner cell" if self.cells_of_one == 1 else f"{self.cells_of_one} inner cells"
        return (
            f"The table is {loss}-differentially private: it hides {hidden}, if nobody adds more "
            f"than {show(most)} to {cells}."
        )

    def perturb(self, system: System, rng: np.random.Generator) -> Perturbation:  # noqa: ARG002
        """Add the noise, which does not come from the generator, and make totals add up."""
        inner = inner_cells(system)
        self._refuse_larger(system, inner)
        units = self._units(system)
        rows = np.arange(len(system)) if self.measured == "all" else inner.cells
        mechanism, cost = self._mechanism()
        scale = mechanism.scale(self._sensitivity(inner), cost)
        noisy = np.array(mechanism.noised(units[rows].tolist(), scale), float)
        fitted = fitted_parts if self.negative else fitted_nonnegative
        parts = in_whole_units(fitted(inner.sums[rows], noisy, np.full(len(rows), scale)))
        value: Floats = (inner.sums @ parts) / 10.0**self.decimals
        return Perturbation(
            system,
            value,
            float(np.abs(value - system.cells.value).sum()),
            is_reproducible=False,
            remarks=(self.guarantee, LIST_IS_PUBLIC),
        )

    def _refuse_larger(self, system: System, inner: Inner) -> None:
        """Refuse a table in which contributions are larger than promised, as far as it shows them.

        Raises:
            ParameterError: there is such a contribution, or nothing was said of amounts.
        """
        value, largest = system.cells.value, system.cells.largest
        if self.largest_contribution is None:
            is_count = system.counts_records and not self.decimals
            if not is_count or (value % 1 != 0).any() or (value < 0).any():
                raise ParameterError(
                    "A table that does not count records, each once, needs its "
                    "`largest_contribution`; that of weighted counts is the largest weight."
                )
        most = 1.0 if self.largest_contribution is None else self.largest_contribution
        if not largest.shape[1]:
            return
        if (largest[inner.cells, 0] > most).any():
            raise ParameterError(
                f"Some contributions are above the `largest_contribution` of {show(most)}; "
                "top-code the records, or promise a larger one."
            )
        if (largest[:, 0] > most * self.cells_of_one).any():
            raise ParameterError(
                f"Some respondents add to more inner cells than the {self.cells_of_one} that "
                "`cells_of_one` promises; leave out some of their records, or promise more."
            )

    def _units(self, system: System) -> Ints:
        """Return the values in whole units.

        Raises:
            InputError: a value is not known, or too large.
        """
        scaled = system.cells.value * 10.0**self.decimals
        if not (np.abs(scaled) < LARGEST).all():
            raise InputError(
                "Every cell needs a value, and one that has fewer than 16 digits in all; let "
                "`decimals` be smaller."
            )
        units: Ints = np.floor(scaled + 0.5).astype(np.int64)
        return units

    def _mechanism(self) -> tuple[Mechanism, Fraction]:
        """Return what draws the noise, and the loss in its measure."""
        if self.delta:
            return MECHANISMS[Measure.RHO], rho_within(self.epsilon, self.delta)
        return MECHANISMS[Measure.EPSILON], exact(self.epsilon)

    def _sensitivity(self, inner: Inner) -> Sensitivity:
        """Return by how much one respondent moves all measured numbers, in units."""
        cells = inner.deepest if self.measured == "all" else 1
        if self.largest_contribution is None:
            most, apart = self.cells_of_one, sqrt(2)
        else:
            # A sum is rounded to units, which may move it by one more; a respondent with values of
            # either sign may be replaced by the opposite.
            units = ceil(exact(self.largest_contribution) * 10**self.decimals) + 1
            most, apart = self.cells_of_one * units, 2.0
        if self.neighbours == "add_remove":
            return Sensitivity(most * cells, most * sqrt(cells))
        return Sensitivity(2 * most * cells, apart * most * sqrt(cells))
