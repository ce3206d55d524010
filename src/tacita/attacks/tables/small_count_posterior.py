"""What an intruder believes of a suppressed count after everything published was looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf, log
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.attacks.tables.knowledge.count_tables import count_system, count_tables_of
from tacita.attacks.tables.knowledge.views import codes_by_attribute
from tacita.attacks.tables.posterior.belief import Belief, observed
from tacita.attacks.tables.posterior.exact_counting import count_tables
from tacita.attacks.tables.posterior.poisson_means import margins, mean_of, poisson_weights
from tacita.attacks.tables.posterior.random_walk import RandomWalk
from tacita.data.classes import Mask
from tacita.errors import InputError, ParameterError
from tacita.method import Method, TableKind
from tacita.results import Measurement, Number, counted, show
from tacita.solvers.integer import Effort
from tacita.tables.audit.presolve import Problem, problem_of
from tacita.tables.audit.whole import no_counts, whole_point
from tacita.tables.cells import named_apart
from tacita.tables.linked import LinkedTables
from tacita.tables.system import System
from tacita.tables.table import Table

MOST_VALUES = 5_000  # possible values of all cells of a component; more are not counted exactly
LARGEST_DOUBLE = 2**1023
NODES = 1_000  # of the search for a table where the walk starts


class SmallCountPosterior(Method):
    """How probable an intruder can hold one count of a sensitive cell to be.

    The intruder knows the published cells, how totals and their parts hang together, what is known
    beforehand of suppressed cells and, if a `threshold` is told, that a sensitive cell counts 1 or
    more and less than that. Before, all tables are equally probable (`uniform`), or cells that are
    no totals are independent Poisson counts whose means are the products of the published margins
    (`poisson`). The number is the largest posterior probability of any one count of a sensitive
    cell (of a suppressed one, if none is marked sensitive): 1 means that it is disclosed. The
    figure `largest_of_true` is the same for the true counts.

    Suppressed cells that have relations in common are looked at together. Their feasible tables
    are counted exactly, partial tables with the same completions as one; where that takes more
    than `most` steps, a random walk draws from them. Its moves are a lattice basis of the relations
    and sums of two, which does not make sure that every feasible table can be met; figures tell
    the standard error (by batch means) and the effective number of draws. Of linked tables the
    cells are looked at, not the records behind them: see `reconstruction_attack`.

    When not to use it: on rounded or perturbed tables.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> rows, columns = Dimension.flat("row", ["1", "2", "3"]), Dimension.flat("column", ["1", "2"])
    >>> value = [16, 9, 7, 7, 4, 3, 3, 2, 1, 6, 3, 3]
    >>> cells = Cells.of(value, status=[0, 0, 0, 0, 1, 2, 0, 2, 2, 0, 0, 0])
    >>> places = np.array([[r, c] for r in range(4) for c in range(3)])
    >>> table = Table("small", (rows, columns), places, cells)
    >>> SmallCountPosterior().measure(table, table.published())
    small_count_posterior: 0.25 - of 1 sensitive cell, the most probable count has probability \
0.25, among 4 feasible tables
    """

    applies_to: ClassVar = frozenset({TableKind.FREQUENCY})
    reference: ClassVar = (
        "Dobra, Fienberg & Trottini, Assessing the risk of disclosure of confidential categorical "
        "data, Bayesian Statistics 7:125, 2003"
    )
    missing: ClassVar = "A missing value is a category of its own where the table has one for it."
    costly: ClassVar = True

    threshold: Annotated[
        int | None,
        Field(
            ge=2,
            description="The frequency below which cells were called sensitive, where the intruder "
            "knows it.",
        ),
    ] = None
    prior: Annotated[
        Literal["uniform", "poisson"],
        Field(description="What is believed before the table is looked at."),
    ] = "uniform"
    most: Annotated[
        int, Field(ge=1, description="How many steps exact counting may take per component.")
    ] = 200_000
    sweeps: Annotated[
        int, Field(ge=100, description="How many tables the random walk draws where it is needed.")
    ] = 2_000
    seed: Annotated[int, Field(ge=0, description="Where the random walk is drawn from.")] = 0

    def measure(
        self, original: Table | LinkedTables, published: Table | LinkedTables
    ) -> Measurement:
        """Work out the posterior of every suppressed count."""
        if published.perturbed_by is not None:
            raise InputError(
                f"`{self.name}` weighs the counts that suppression leaves possible; these were "
                f"perturbed by `{published.perturbed_by}`, whose chances it does not know."
            )
        system = count_system(published, self.name)
        count_tables_of(original, self.name)
        truth = _truth(original, system)
        if self.threshold is not None:
            system = _below(system, self.threshold, truth)
        means = self._means(published, system)
        beliefs, tables = self._beliefs(system, means)
        sensitive = system.cells.sensitive
        chosen = [belief for belief in beliefs if sensitive[belief.place]]
        chosen += _readable(system, sensitive & ~system.unknown)
        what = "sensitive cell" if chosen else "suppressed cell"
        return self._told(chosen or beliefs, what, tables, truth, _places(published))

    def _means(self, published: Table | LinkedTables, system: System) -> dict[int, Fraction] | None:
        """Return the Poisson mean of every unknown cell that is not the total of others."""
        if self.prior == "uniform":
            return None
        totals = system.relations.indices[system.relations.data < 0]
        free = system.unknown.copy()
        free[totals] = False
        tables = count_tables_of(published, self.name)
        by_axis = {t.name: [margins(t, axis) for axis in range(len(t.dimensions))] for t in tables}
        return {
            place: mean_of(table, row, by_axis[table.name])
            for place, (table, row) in _places(published).items()
            if free[place]
        }

    def _beliefs(
        self, system: System, means: dict[int, Fraction] | None
    ) -> tuple[list[Belief], int | None]:
        """Return the posterior of every unknown cell, and how many tables are feasible."""
        if not system.unknown.any():
            return [], 1
        problem = problem_of(system)
        _refuse_unbounded(problem, system)
        fixed = problem.is_fixed
        made = [
            Belief(int(place), int(count), [Fraction(1)])
            for place, count in zip(problem.places[fixed], problem.ends.lower[fixed], strict=True)
        ]
        tables: int | None = 1 if means is None else None
        for number, part in enumerate(problem.without(fixed).components()):
            found = self._counted(part, means)
            if found is None:
                made += self._walked(part, means, number)
                tables = None
            else:
                made += found[0]
                tables = None if tables is None else tables * found[1]
        return sorted(made, key=lambda belief: belief.place), tables

    def _counted(
        self, part: Problem, means: dict[int, Fraction] | None
    ) -> tuple[list[Belief], int] | None:
        """Count the tables of a component exactly, if they are not too many."""
        ends = list(zip(*(end.astype(int).tolist() for end in part.ends), strict=True))
        if sum(high - low + 1 for low, high in ends) > MOST_VALUES:
            return None
        weights = [
            [1] * (high - low + 1)
            if means is None or place not in means
            else poisson_weights(means[place], low, high)
            for place, (low, high) in zip(part.places.tolist(), ends, strict=True)
        ]
        found = count_tables(part, weights, self.most)
        if found is None:
            return None
        if not found.total:
            raise no_counts()
        return [
            Belief(place, low, [Fraction(weight, found.total) for weight in values])
            for place, (low, _), values in zip(
                part.places.tolist(), ends, found.values, strict=True
            )
        ], found.total

    def _walked(
        self, part: Problem, means: dict[int, Fraction] | None, number: int
    ) -> Iterator[Belief]:
        """Draw tables of a component by a random walk."""
        start = whole_point(part, effort=Effort(nodes=NODES))
        if start is None:
            raise InputError(
                "No feasible table was found to start the random walk from; suppress fewer cells "
                "together, or look at fewer tables at once."
            )
        places = part.places.tolist()
        free = np.array([means is not None and place in means for place in places])
        logs = None if means is None else np.array([log(means.get(p, 1)) for p in places])
        rng = np.random.default_rng([self.seed, number])
        met = RandomWalk(part, logs, free).walk(start.astype(np.int64), self.sweeps, rng)
        for place, counts in zip(places, met.T, strict=True):
            yield observed(place, counts)

    def _told(
        self,
        chosen: Sequence[Belief],
        what: str,
        tables: int | None,
        truth: dict[int, int],
        cells: dict[int, tuple[Table, int]],
    ) -> Measurement:
        parameters = self.parameters()
        if not chosen:
            said = "no cell is suppressed"
            return Measurement(self.name, self.family, Fraction(0), said, parameters=parameters)
        top = max(chosen, key=lambda belief: belief.chance)
        walked = [belief for belief in chosen if not belief.is_exact]
        return Measurement(
            self.name,
            self.family,
            top.chance,
            f"of {counted(len(chosen), what)}, the most probable count has probability "
            f"{show(top.chance)}{_told_how(tables, len(walked))}",
            parameters=parameters,
            figures={
                **_figures(chosen, truth),
                "feasible_tables": None if tables is None else _if_small(tables),
                "standard_error": max((b.error for b in walked), default=None),
                "effective_draws": min((b.draws for b in walked if b.draws), default=None),
            },
            interval=top.interval,
            details=_details(chosen, truth, cells),
        )


def _figures(chosen: Sequence[Belief], truth: dict[int, int]) -> dict[str, Number | None]:
    of_true = [belief.of(truth[belief.place]) for belief in chosen if belief.place in truth]
    certain = sum(belief.is_exact and belief.chance == 1 for belief in chosen)
    return {
        "cells": Fraction(len(chosen)),
        "cells_determined": Fraction(certain),
        "largest_of_true": max(of_true, default=None),
        "mean_entropy": sum(belief.entropy for belief in chosen) / len(chosen),
    }


def _if_small(tables: int) -> Fraction | None:
    """Return a number of tables unless it is too large to be a double."""
    return Fraction(tables) if tables <= LARGEST_DOUBLE else None


def _told_how(tables: int | None, walked: int) -> str:
    if walked:
        return (
            f"; {counted(walked, 'cell')} estimated by a random walk, whose moves are not sure to "
            "reach every feasible table"
        )
    return "" if tables is None else f", among {counted(tables, 'feasible table')}"


def _truth(original: Table | LinkedTables, system: System) -> dict[int, int]:
    """Return the true counts of unknown cells, where the original has the same cells."""
    truth = original.system()
    unknown = np.flatnonzero(system.unknown).tolist()
    if len(truth) != len(system) or any(truth.name_of(p) != system.name_of(p) for p in unknown):
        return {}
    value = truth.cells.value
    return {place: int(value[place]) for place in unknown if np.isfinite(value[place])}


def _below(system: System, threshold: int, truth: dict[int, int]) -> System:
    """Return the system of an intruder who knows that sensitive cells are below a threshold."""
    cells, sensitive = system.cells, system.unknown & system.cells.sensitive
    for place, count in truth.items():
        if sensitive[place] and not 1 <= count < threshold:
            raise ParameterError(
                f"With the threshold {threshold} a sensitive cell counts 1 to {threshold - 1}; "
                f"cell {system.name_of(place)} counts {count:,}. Give the threshold of the rule "
                "that was used, or none."
            )
    lower = np.where(sensitive, np.maximum(cells.lower_bound, 1), cells.lower_bound)
    upper = np.where(sensitive, np.minimum(cells.upper_bound, threshold - 1), cells.upper_bound)
    return replace(system, cells=replace(cells, lower_bound=lower, upper_bound=upper))


def _readable(system: System, places: Mask) -> list[Belief]:
    """Return what is believed of cells that another of the tables publishes."""
    value = system.cells.value
    return [Belief(int(p), int(value[p]), [Fraction(1)]) for p in np.flatnonzero(places)]


def _refuse_unbounded(problem: Problem, system: System) -> None:
    for column in np.flatnonzero(problem.ends.upper == inf)[:1]:
        raise InputError(
            f"Nothing published bounds the cell {system.name_of(int(problem.places[column]))} from "
            "above, so no count of it is more probable than others; give it an upper bound."
        )


def _places(given: Table | LinkedTables) -> dict[int, tuple[Table, int]]:
    """Return a table and a row of it for every place of the joint system."""
    if isinstance(given, Table):
        return {row: (given, row) for row in range(len(given))}
    found: dict[int, tuple[Table, int]] = {}
    for table, places in zip(given.tables, given.places, strict=True):
        for row, place in enumerate(places.tolist()):
            found.setdefault(place, (table, row))
    return found


def _details(
    beliefs: Sequence[Belief], truth: dict[int, int], cells: dict[int, tuple[Table, int]]
) -> pa.Table:
    """List the cells with what an intruder believes of them."""
    rows = [cells[belief.place] for belief in beliefs]
    codes = codes_by_attribute(rows, (table for table, _ in rows))
    told = {
        "most_probable": pa.array([belief.best for belief in beliefs], pa.int64()),
        "probability": pa.array([float(belief.chance) for belief in beliefs], pa.float64()),
        "entropy": pa.array([belief.entropy for belief in beliefs], pa.float64()),
        "true": pa.array([truth.get(belief.place) for belief in beliefs], pa.int64()),
    }
    return pa.table({**codes, **named_apart(told, codes)})
