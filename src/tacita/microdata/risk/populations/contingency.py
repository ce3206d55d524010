"""Log-linear models: what a table of counts is expected to be when attributes interact little."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Literal

import numpy as np

from tacita.arithmetic import exp, least_squares, log, product
from tacita.data.classes import EquivalenceClasses, Floats, Ints
from tacita.errors import ParameterError

CELLS = 2**22  # of a table that is built whole
ENTRIES = 2**24  # of the matrix of a generalized linear model
CYCLES = 1000
TOLERANCE = 1e-10  # of the fitted margins, as a share of the total
SMALLEST_LOG = -30.0  # of a fitted mean: one that tends to 0 goes no further

Term = tuple[int, ...]
Fit = Literal["ipf", "glm"]


@dataclass(frozen=True, eq=False)
class CountedCells:
    """The cells of a contingency table that hold records.

    Args:
        codes: the category of every cell for every attribute, one row an attribute.
        shape: the number of categories of every attribute.
    """

    codes: Ints
    shape: tuple[int, ...]

    @classmethod
    def of(cls, classes: EquivalenceClasses) -> CountedCells:
        """Give numbers to the categories of the keys of classes; a blank is a category too."""
        ones = [classes.data.classes([name]) for name in classes.keys]
        codes = np.stack([one.of_record[classes.first] for one in ones])
        return cls(codes, tuple(len(one) for one in ones))

    @property
    def number(self) -> int:
        """The number of cells of the whole table, with the empty ones."""
        return math.prod(self.shape)

    def places(self, axes: Sequence[int]) -> Ints:
        """Return where the cells are in the flat table over some of the attributes."""
        shape = tuple(self.shape[axis] for axis in axes)
        return np.asarray(np.ravel_multi_index(tuple(self.codes[list(axes)]), shape))

    def table(self, numbers: Floats, axes: Sequence[int]) -> Floats:
        """Return the table of some numbers of the cells, summed over all other attributes."""
        shape = tuple(self.shape[axis] for axis in axes)
        _refuse_large(math.prod(shape))
        sums = np.bincount(self.places(axes), numbers, math.prod(shape))
        return sums.astype(np.float64).reshape(shape)

    def spread(self, numbers: Floats, empty: float) -> Floats:
        """Return the whole table with some numbers of the cells, and another in empty cells."""
        _refuse_large(self.number)
        table = np.full(self.shape, empty)
        table[tuple(self.codes)] = numbers
        return table


def _refuse_large(cells: int) -> None:
    if cells > CELLS:
        raise ParameterError(
            f"The model needs a table of {cells:,} cells, more than {CELLS:,}; use fewer keys or "
            "interactions, recode keys, or take main effects with `fit: ipf` and no offset."
        )


@dataclass(frozen=True, eq=False)
class Fitted:
    """A log-linear model fitted to a table: a product of tables of attributes that interact.

    Args:
        blocks: which attributes are in each factor.
        factors: the fitted tables, which all have the same total.
        total: that total.
        converged: whether the margins are those of the data.
    """

    blocks: tuple[Term, ...]
    factors: tuple[Floats, ...]
    total: float
    converged: bool

    def at(self, cells: CountedCells) -> Floats:
        """Return the fitted numbers of the cells that hold records."""
        shares = [
            factor.ravel()[cells.places(block)] / self.total
            for block, factor in zip(self.blocks, self.factors, strict=True)
        ]
        return np.asarray(self.total * np.prod(shares, axis=0))

    def everywhere(self) -> Floats:
        """Return the fitted numbers of all cells, with the attributes in order."""
        table = np.array(self.total)
        for factor in self.factors:
            table = np.multiply.outer(table, factor / self.total)
        order = [axis for block in self.blocks for axis in block]
        return np.asarray(np.transpose(table, np.argsort(order)))


def fitted(
    cells: CountedCells, numbers: Floats, terms: Sequence[Term], *, fit: Fit, start: Floats | None
) -> Fitted:
    """Fit the hierarchical log-linear model with some terms to the numbers of the cells.

    Attributes that no term joins are independent: the model is a product over the sets of
    attributes that do interact, and a set of one is its margin. So the whole table is never built
    for main effects, however many cells it has. From a table to start from (an offset), or as a
    generalized linear model, all attributes are fitted together.

    Args:
        cells: the cells that hold records.
        numbers: what they hold.
        terms: the sets of attributes whose margins are fitted; every attribute is in one.
        fit: by iterative proportional fitting, or as a generalized linear model.
        start: the numbers that the model multiplies, for all cells; 1 by default.
    """
    together = fit == "glm" or start is not None
    every = tuple(range(len(cells.shape)))
    blocks = (every,) if together else joined(terms, len(cells.shape))
    made = []
    for block in blocks:
        inside = [tuple(block.index(axis) for axis in term) for term in terms if term[0] in block]
        observed = cells.table(numbers, block)
        begun = np.ones_like(observed) if start is None else start
        fitting = poisson_fit if fit == "glm" else proportional_fit
        made.append(fitting(observed, inside, begun))
    factors = tuple(table for table, _ in made)
    return Fitted(blocks, factors, float(numbers.sum()), all(done for _, done in made))


def joined(terms: Sequence[Term], attributes: int) -> tuple[Term, ...]:
    """Return the sets of attributes that terms join, directly or through others.

    >>> joined([(0, 2), (1,), (2, 3)], 4)
    ((0, 2, 3), (1,))
    """
    blocks = [{axis} for axis in range(attributes)]
    for term in terms:
        touched = [block for block in blocks if block & set(term)]
        blocks = [block for block in blocks if block not in touched]
        blocks.append(set().union(*touched))
    return tuple(sorted(tuple(sorted(block)) for block in blocks))


def proportional_fit(observed: Floats, terms: Sequence[Term], start: Floats) -> tuple[Floats, bool]:
    """Scale a table until its margins are the observed ones; tell whether they came to be."""
    table = start.astype(np.float64)
    margins = [_margin(observed, term) for term in terms]
    for _ in range(CYCLES):
        for term, margin in zip(terms, margins, strict=True):
            now = _margin(table, term)
            table = table * np.divide(margin, now, out=np.zeros_like(now), where=now > 0)
        if _gap(table, terms, margins) <= TOLERANCE * observed.sum():
            return table, True
    return table, False


def _margin(table: Floats, term: Term) -> Floats:
    others = tuple(axis for axis in range(table.ndim) if axis not in term)
    return np.asarray(table.sum(axis=others, keepdims=True))


def _gap(table: Floats, terms: Sequence[Term], margins: Sequence[Floats]) -> float:
    pairs = zip(terms, margins, strict=True)
    gaps = [np.abs(_margin(table, term) - margin).max(initial=0.0) for term, margin in pairs]
    return float(max(gaps))


def poisson_fit(observed: Floats, terms: Sequence[Term], start: Floats) -> tuple[Floats, bool]:
    """Fit a table as a Poisson regression on its terms, with the start as offset.

    Cells with an observed margin of 0 have a fitted number of 0 and take no part.
    """
    possible = start > 0
    for term in terms:
        possible = possible & (_margin(observed, term) > 0)
    matrix = design(observed.shape, terms)[possible.ravel()]
    means, converged = poisson_means(matrix, observed[possible], log(start[possible]))
    table = np.zeros(observed.shape)
    table[possible] = means
    return table, converged


def poisson_means(matrix: Floats, counts: Floats, offset: Floats) -> tuple[Floats, bool]:
    """Return the means of a Poisson regression by iteratively reweighted least squares."""
    means = counts + 0.1
    predictor = log(means)
    for _ in range(CYCLES):
        working = predictor - offset + (counts - means) / means
        root = np.sqrt(means)
        weights = least_squares(matrix * root[:, None], working * root)
        predictor = np.maximum(product(matrix, weights) + offset, SMALLEST_LOG)
        before, means = means, exp(predictor)
        if np.abs(means - before).max(initial=0.0) <= TOLERANCE * counts.sum():
            return means, True
    return means, False


def design(shape: Sequence[int], terms: Sequence[Term]) -> Floats:
    """Return the 0/1 columns of a hierarchical model, cells in row-major order.

    >>> design((2, 2), [(0, 1)]).tolist()
    [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]
    """
    cells = math.prod(shape)
    if cells * parameters(shape, terms) > ENTRIES:
        raise ParameterError(
            f"A generalized linear model of {cells:,} cells and {parameters(shape, terms):,} "
            "parameters is too large; use `fit: ipf`."
        )
    codes = np.unravel_index(np.arange(cells), tuple(shape))
    dummies = [
        np.equal.outer(code, np.arange(1, size)).astype(np.float64)
        for code, size in zip(codes, shape, strict=True)
    ]
    columns = [_products([dummies[axis] for axis in term], cells) for term in effects(terms)]
    return np.concatenate(columns, axis=1)


def _products(dummies: Sequence[Floats], cells: int) -> Floats:
    made = np.ones((cells, 1))
    for dummy in dummies:
        made = (made[:, :, None] * dummy[:, None, :]).reshape(cells, -1)
    return made


def effects(terms: Sequence[Term]) -> list[Term]:
    """Return all effects of a hierarchical model: its terms and whatever they contain.

    >>> effects([(0, 1), (2,)])
    [(), (0,), (1,), (2,), (0, 1)]
    """
    parts = chain.from_iterable(
        combinations(sorted(term), size) for term in terms for size in range(len(term) + 1)
    )
    return sorted(set(parts), key=lambda term: (len(term), term))


def parameters(shape: Sequence[int], terms: Sequence[Term]) -> int:
    """Return the number of parameters of a hierarchical model.

    >>> parameters((2, 3), [(0,), (1,)]), parameters((2, 3), [(0, 1)])
    (4, 6)
    """
    return sum(math.prod(shape[axis] - 1 for axis in term) for term in effects(terms))
