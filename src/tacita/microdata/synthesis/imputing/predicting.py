"""Predictive models of one attribute: values drawn for new records by their predictors.

A model is learnt from known records with one draw of its parameters from their posterior
distribution, so that copies drawn from several models differ as much as they should. It draws for
every new record a known one, whose value it takes, and may draw a number in its stead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.arithmetic import product, share_of
from tacita.data.classes import Floats, Ints
from tacita.microdata.comparing.nearness import spread_of
from tacita.microdata.synthesis.growing.predictors import MOST_BINS, target_classes
from tacita.microdata.synthesis.imputing.posterior import LinearDraw, logistic_draw
from tacita.microdata.synthesis.making.columns import BLANK, Column
from tacita.microdata.synthesis.making.donors import Donors

if TYPE_CHECKING:
    from tacita.kernels.growing_trees import Bins, Tree

ModelName = Annotated[
    Literal["regression", "tree"],
    Field(
        description="What predicts: linear and logistic regressions, or trees from whose leaves "
        "values are drawn."
    ),
]
MOST_CLASSES = 30  # of categories that logistic regressions tell apart
LEAF = 10  # records that a leaf of a tree has at least
CHANCE = 3.0  # times as much as chance that a division of a tree must tell

# For every new record the known one whose value it takes, and the number that it takes instead.
Drawn = tuple[Ints, Floats | None]


class Model(Protocol):
    """What draws values."""

    def drawn(self, x: Floats, rng: np.random.Generator) -> Drawn:
        """Draw for new records, given by their rows of the design matrix."""
        ...


class Known(NamedTuple):
    """What a model is learnt from."""

    x: Floats  # records by columns, the first of which is 1
    column: Column  # the target
    weights: Floats  # how much every record counts


def learnt(model: str, known: Known, rng: np.random.Generator) -> Model:
    """Learn a model of an attribute and draw its parameters.

    Args:
        model: `regression` or `tree`.
        known: what it is learnt from; a blank of the target is a value like others.
        rng: where chance comes from.

    Raises:
        ProtectionError: there are too few records.
    """
    if model == "tree":
        return LeafModel.of(known, rng)
    if known.column.numbers is None:
        return ClassModel.of(known, known.column.classes(MOST_CLASSES)[known.column.codes], rng)
    return NumberModel.of(known, known.column.numbers, rng)


@dataclass(frozen=True, eq=False)
class NumberModel:
    """A linear regression of numbers, after a logistic one of whether there is a number.

    Args:
        blanks: draws a known record, whose value is blank or not.
        regression: draws numbers; None if all are blank.
        column: the target.
        scale: the unit in which the regression counts.
    """

    blanks: ClassModel
    regression: LinearDraw | None
    column: Column
    scale: float

    @classmethod
    def of(cls, known: Known, numbers: Floats, rng: np.random.Generator) -> NumberModel:
        """Learn it and draw its parameters; `numbers` are those of the target, NaN if blank."""
        there = ~np.isnan(numbers)
        blanks = ClassModel.of(known, there.astype(np.int64), rng)
        if not there.any():
            return cls(blanks, None, known.column, 1.0)
        scale = spread_of(numbers) or 1.0
        known_ones = known.x[there], numbers[there] / scale, known.weights[there]
        return cls(blanks, LinearDraw.of(*known_ones, rng), known.column, scale)

    def drawn(self, x: Floats, rng: np.random.Generator) -> Drawn:
        """Draw numbers and blanks."""
        donors, _ = self.blanks.drawn(x, rng)
        if self.regression is None:
            return donors, None
        numbers = _on_grid(self.column, self.regression.drawn(x, rng) * self.scale)
        return donors, np.where(self.column.codes[donors] == BLANK, np.nan, numbers)


@dataclass(frozen=True, eq=False)
class ClassModel:
    """A chain of logistic regressions: is it the first class? If not, the second? And so on.

    The posterior distribution of a chain is the product of those of its links. Within a class, a
    record is drawn by weights of the Bayesian bootstrap.

    Args:
        order: the classes, as they are asked for.
        links: the drawn coefficients of every question but the last.
        members: the known records of every class.
    """

    order: Ints
    links: Sequence[Floats]
    members: Donors

    @classmethod
    def of(cls, known: Known, classes: Ints, rng: np.random.Generator) -> ClassModel:
        """Learn it and draw its parameters; `classes` are those of the known records."""
        held, often = np.unique(classes, return_counts=True)
        order = held if known.column.is_ordered else held[np.argsort(-often, kind="stable")]
        links, left = [], np.arange(len(classes))
        for one in order[:-1]:
            labels = (classes[left] == one).astype(np.float64)
            links.append(logistic_draw(known.x[left], labels, known.weights[left], rng))
            left = left[labels == 0]
        chances = known.weights * rng.standard_exponential(len(classes))
        return cls(order, links, Donors.of(classes, known.column, chances))

    def drawn(self, x: Floats, rng: np.random.Generator) -> Drawn:
        """Draw records."""
        found, left = np.full(len(x), self.order[-1]), np.arange(len(x))
        for one, coefficients in zip(self.order, self.links, strict=False):
            is_one = rng.random(len(left)) < share_of(product(x[left], coefficients))
            found[left[is_one]] = one
            left = left[~is_one]
        return self.members.drawn(found, 0, rng)


@dataclass(frozen=True, eq=False)
class LeafModel:
    """A tree grown and drawn from with the weights of one Bayesian bootstrap.

    Args:
        cuts: where every column of the design matrix is cut into bins.
        tree: the tree.
        leaves: the known records by leaf.
    """

    cuts: Sequence[Floats]
    tree: Tree
    leaves: Donors

    @classmethod
    def of(cls, known: Known, rng: np.random.Generator) -> LeafModel:
        """Grow the tree."""
        from tacita.kernels.growing_trees import Limits, Target, grown

        weights = known.weights * rng.standard_exponential(len(known.weights))
        classes = target_classes(known.column)
        target = Target(
            classes[known.column.codes],
            weights,
            int(classes.max(initial=0)) + 1,
            known.column.is_ordered,
        )
        cuts = [_cuts(column) for column in known.x.T]
        tree, leaf = grown(_binned(known.x, cuts), target, Limits(LEAF, 0.0, CHANCE))
        return cls(cuts, tree, Donors.of(leaf, known.column, weights))

    def drawn(self, x: Floats, rng: np.random.Generator) -> Drawn:
        """Draw records from the leaves; numbers that few records have, from the gaps there."""
        from tacita.kernels.growing_trees import leaf_of

        return self.leaves.drawn(leaf_of(self.tree, _binned(x, self.cuts)), LEAF, rng)


def _cuts(column: Floats) -> Floats:
    """Return where a column is cut: at its values, or at quantiles of many."""
    values = np.unique(column)
    if len(values) > MOST_BINS:
        values = np.unique(np.quantile(column, np.linspace(0, 1, MOST_BINS), method="lower"))
    return values[1:]


def _binned(x: Floats, cuts: Sequence[Floats]) -> Bins:
    found = [np.searchsorted(cut, one, side="right") for cut, one in zip(cuts, x.T, strict=True)]
    return np.array(found, np.int16).reshape(len(cuts), len(x))


def _on_grid(column: Column, numbers: Floats) -> Floats:
    """Return numbers rounded as the attribute's own are; they may lie beyond its range."""
    if pa.types.is_integer(column.values.type):
        held = np.iinfo(column.values.type.to_pandas_dtype())
        numbers = np.clip(numbers, float(held.min), np.nextafter(float(held.max), 0))
    if column.grid is None:
        return numbers
    decimals, step = column.grid
    unit = step / 10**decimals
    made: Floats = np.round(np.round(numbers / unit) * unit, decimals)
    return made
