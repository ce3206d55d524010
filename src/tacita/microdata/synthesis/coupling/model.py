"""A Gaussian copula: correlated normal variables behind attributes of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.microdata.masking.perturbing.noise import drawn_noise
from tacita.microdata.synthesis.coupling.correlations import correlations, correlations_behind
from tacita.microdata.synthesis.coupling.margins import Margin, Steps
from tacita.microdata.synthesis.making.columns import BLANK, Column
from tacita.microdata.synthesis.making.ordering import principal_scores, shared_counts

MOST_CLASSES = 20  # of the other attributes, by which categories are put in an order


@dataclass(frozen=True, eq=False)
class Copula:
    """Margins of attributes, and the correlations of the normal variables behind them.

    Behind every attribute there is one variable for its value and, where it has blanks, one for
    whether it is blank; those come last, in the order of the attributes.
    """

    names: tuple[str, ...]
    margins: Sequence[Margin]
    correlations: Floats

    @classmethod
    def of(cls, data: Dataset, names: Sequence[str]) -> Copula:
        """Fit margins and correlations."""
        weights = np.ones(len(data)) if data.weight is None else data.weight
        columns = [Column.of(data, name) for name in names]
        margins = [
            Margin.of(column, weights, _order(column, columns, weights)) for column in columns
        ]
        steps = [margin.steps for margin in margins]
        scores = [margin.scores() for margin in margins]
        for margin in margins:
            if margin.blanks:
                steps.append(_blank_or_not(margin))
                scores.append(steps[-1].scores[np.minimum(margin.column.codes, 1)])
        found = correlations_behind(correlations(scores, weights), steps)
        return cls(tuple(names), margins, found)

    def drawn(self, records: int, rare: int, rng: np.random.Generator) -> dict[str, pa.Array]:
        """Draw records; numbers that fewer than `rare` respondents have are drawn within gaps."""
        behind = iter(drawn_noise(records, self.correlations, rng).T)
        of_values = [next(behind) for _ in self.margins]
        made = {}
        for name, margin, z in zip(self.names, self.margins, of_values, strict=True):
            codes, within = margin.at(z)
            if margin.blanks:
                codes[next(behind) < _blank_or_not(margin).edges[1]] = BLANK
            made[name] = margin.column.drawn(codes, within, rare)
        return made


def _blank_or_not(margin: Margin) -> Steps:
    return Steps(np.array([margin.blanks, 1.0 - margin.blanks]))


def _order(column: Column, columns: Sequence[Column], weights: Floats) -> Ints:
    """Return the codes in their order or, of categories, in one that tells most of the others."""
    others = [other for other in columns if other is not column]
    if column.is_ordered or not others:
        return np.arange(1, column.size)
    tables = [
        shared_counts(column, other.classes(MOST_CLASSES), other, weights) for other in others
    ]
    return 1 + np.argsort(principal_scores(np.hstack(tables))[1:], kind="stable")
