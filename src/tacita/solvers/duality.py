"""What prices prove: bounds of linear programs that hold whatever errors a solver makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from tacita.solvers.lazy_cuts import Cut

Floats = np.ndarray[Any, np.dtype[np.float64]]

ROUNDING = 2.0**-53  # of a result: what one operation on doubles may lose
LARGEST = 40  # the power of 2 that costs may have as they are
CERTAIN = 2.0  # times what doubles may lose: for what is lost in working that out


@dataclass(frozen=True, eq=False)
class Rows:
    """The inequalities `least <= matrix @ x <= most`.

    Args:
        matrix: one row an inequality, in compressed rows.
        least: the least value of each row; -inf where there is none.
        most: the largest value of each row; inf where there is none.
    """

    matrix: csr_array
    least: Floats
    most: Floats

    def joined(self, cuts: Sequence[Cut]) -> Rows:
        """Return these inequalities and others below them."""
        from scipy.sparse import csr_array, vstack

        starts = np.cumsum([0, *(len(cut.indices) for cut in cuts)])
        numbers = np.concatenate([cut.coefficients for cut in cuts])
        indices = np.concatenate([cut.indices for cut in cuts])
        shape = len(cuts), self.matrix.shape[1]
        return Rows(
            vstack([self.matrix, csr_array((numbers, indices, starts), shape=shape)], format="csr"),
            np.concatenate([self.least, [cut.lower for cut in cuts]]),
            np.concatenate([self.most, np.full(len(cuts), np.inf)]),
        )


def no_rows(columns: int) -> Rows:
    """Return no inequalities at all, on some unknowns."""
    from scipy.sparse import csr_array

    return Rows(csr_array((0, columns)), np.zeros(0), np.zeros(0))


def proven_least(costs: Floats, rows: Rows, lower: Floats, upper: Floats, prices: Floats) -> float:
    """Return what `costs @ x` cannot be less than where x fulfils rows and bounds.

    Weak duality: with any prices y of the rows and r = costs - matrix^T y,

        costs @ x  =  y @ (matrix @ x) + r @ x  >=  sum of the least y_i s_i  +  sum of the least
        r_j x_j,   s_i within the ends of row i, x_j within its bounds.

    So prices that are a little wrong prove a little less, and nothing that is false. What doubles
    lose in the sum is taken off. An unknown without a bound on the side where its r_j leads, as far
    as doubles tell, leaves -inf: nothing is proven.

    Neumaier & Shcherbina (2004), Safe bounds in linear and mixed-integer linear programming,
    Mathematical Programming 99, 283-296.

    >>> from scipy.sparse import csr_array
    >>> rows = Rows(csr_array(np.array([[1.0, 1.0]])), np.array([3.0]), np.array([np.inf]))
    >>> ends = np.zeros(2), np.full(2, 9.0)
    >>> for price in (2.0, 1.0, 2.5):
    ...     print(round(proven_least(np.array([2.0, 4.0]), rows, *ends, np.array([price])), 9))
    6.0
    3.0
    3.0

    Args:
        costs: what each unknown costs.
        rows: the inequalities.
        lower: the least value of each unknown.
        upper: the largest value of each unknown.
        prices: what each row is worth, more or less: how fast the least cost grows with its ends.
    """
    prices = _closed(rows, prices)
    reduced, lost = _reduced(costs, rows, prices)
    terms = np.concatenate(
        [
            _product(prices, np.where(prices > 0, rows.least, rows.most)),
            _product(reduced, np.where(reduced > 0, lower, upper)),
        ]
    )
    if np.isneginf(terms).any():
        return -np.inf
    total = fsum(terms)
    # Where r_j is of one sign for certain, it leads to one end only.
    ends = [np.where(reduced > lost, 0.0, upper), np.where(reduced < -lost, 0.0, lower)]
    doubt = _product(lost, np.abs(ends).max(axis=0))
    rounded = ROUNDING * (fsum(np.abs(terms)) + abs(total))
    return float(total - CERTAIN * (fsum(doubt) + rounded))


def proven_uses(
    costs: Floats, rows: Rows, lower: Floats, upper: Floats, prices: Floats
) -> tuple[float, Floats]:
    """Return what `proven_least` does, and the same of where an unknown is 1 above its least value.

    The arguments are those of `proven_least`.
    """
    bound = proven_least(costs, rows, lower, upper, prices)
    reduced, lost = _reduced(costs, rows, _closed(rows, prices))
    return bound, np.nextafter(bound + np.maximum(reduced - CERTAIN * lost, 0.0), -np.inf)


def _closed(rows: Rows, prices: Floats) -> Floats:
    """Return prices without those on a side that is open: they prove nothing."""
    is_closed = np.isfinite(np.where(prices > 0, rows.least, rows.most))
    return np.where(is_closed, prices, 0.0)


def _reduced(costs: Floats, rows: Rows, prices: Floats) -> tuple[Floats, Floats]:
    """Return what unknowns cost beside what they bring, and what doubles may have lost of it."""
    towards = rows.matrix.T.tocsr()
    sizes = np.abs(costs) + abs(towards) @ np.abs(prices)
    lost: Floats = ROUNDING * (np.diff(towards.indptr) + 2) * sizes
    return costs - towards @ prices, lost


def size_of(costs: Floats) -> float:
    """Return a power of 2 by which costs are divided before a solver takes them.

    Tolerances of solvers are absolute: what costs far below 1 come to is lost in them, and what is
    huge counts as infinite. Dividing by a power of 2 rounds nothing.

    >>> size_of(np.array([3.0, 700.0])), size_of(np.array([1e-12, 0.0])) == 2.0**-40
    (1.0, True)
    """
    sizes = np.abs(costs[costs != 0])
    if not sizes.size:
        return 1.0
    least, most = (int(np.frexp(size)[1]) - 1 for size in (sizes.min(), sizes.max()))
    is_usual = least >= 0 and most <= LARGEST
    return 1.0 if is_usual else 2.0 ** max(least, most - LARGEST)


def _product(factors: Floats, ends: Floats) -> Floats:
    """Multiply by ends that may be infinite: nothing of them is nothing."""
    product: Floats = factors * np.where(factors == 0, 0.0, ends)
    return product
