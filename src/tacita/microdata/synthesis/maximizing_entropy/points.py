"""Points that a distribution is made of: drawn near the data from a log-linear normal model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.arithmetic import exp, least_squares, log
from tacita.data.classes import Floats, Ints
from tacita.microdata.synthesis.matching_moments.drawing import triangular_root, white_noise
from tacita.microdata.synthesis.matching_moments.regressing import regressed
from tacita.microdata.synthesis.maximizing_entropy.constraints import (
    Constraints,
    Sample,
    known_numbers,
)
from tacita.microdata.synthesis.maximizing_entropy.tables import fitted_table

WIDE = 3.0  # times as far as the others lie some points, for the sake of the tails
SHARE = 0.1  # of the points


@dataclass(frozen=True, eq=False)
class Reference:
    """A table of categories, and numbers that are normal given them.

    Args:
        table: the shares of all combinations of categories.
        given: the means of the 0/1 columns of categories.
        slopes: numbers by these columns.
        means: the means of the numbers.
        root: a root of the covariances of the numbers, given the categories.
        blanks: for each number, the factor that is 1 where it is blank; -1 if it never is.
    """

    table: Floats
    given: Floats
    slopes: Floats
    means: Floats
    root: Floats
    blanks: Sequence[int]

    @classmethod
    def of(
        cls,
        sample: Sample,
        constraints: Constraints,
        blanks: Sequence[int],
        weights: Floats | None = None,
    ) -> Reference:
        """Fit it to records; relations of numbers only where they are to be kept."""
        sizes = constraints.sizes
        table = fitted_table(sample.codes, sizes, constraints.margins, weights)
        count = len(sample.numbers)
        width = sum(sizes) - len(sizes) + 1
        if not (count and constraints.relations):
            slopes = np.zeros((count, width))
            return cls(table, np.zeros(width), slopes, np.zeros(count), np.eye(count), blanks)
        whole = sample.known.all(axis=0)
        found = regressed(
            _dummies(sample.codes[:, whole], sizes),
            list(sample.numbers[:, whole]),
            None if weights is None else weights[whole],
        )
        root = triangular_root(found.residual)
        return cls(table, found.given, found.slopes, found.means, root, blanks)

    def drawn(self, points: int, rng: np.random.Generator) -> tuple[Sample, Floats]:
        """Draw points, and the logarithms of weights under which numbers are spread evenly.

        The weights undo what is not to be kept: that some points lie farther off than others, and
        that the categories had more to do with each other than their margins say.
        """
        from tacita.kernels.linear_maps import mapped

        codes = self._codes(points, rng)
        noise = white_noise(self.root.shape[1], points, rng)
        if len(noise):
            noise *= np.where(rng.random(points) < SHARE, WIDE, 1.0)
        dummies = _dummies(codes, self.table.shape)
        given = np.concatenate([self.given, np.zeros(len(noise))])
        matrix = np.hstack([self.slopes, self.root])
        numbers = mapped(matrix, [*dummies, *noise], given, self.means)
        known = known_numbers(codes, self.blanks)
        return Sample(codes, np.where(known, numbers, 0.0), known), self._base(dummies, noise)

    def _codes(self, points: int, rng: np.random.Generator) -> Ints:
        """Draw categories as often as their shares say, nearly without chance."""
        ends = np.cumsum(self.table.ravel())
        shares = (np.arange(points) + rng.random()) / points * ends[-1]
        cells = rng.permutation(np.minimum(np.searchsorted(ends, shares), len(ends) - 1))
        return np.array(np.unravel_index(cells, self.table.shape))

    def _base(self, dummies: Sequence[Floats], noise: Floats) -> Floats:
        from tacita.kernels.linear_maps import mapped

        slopes, means = (least_squares(self.root, one) for one in (self.slopes, self.means))
        expected = mapped(slopes, dummies, self.given, means)
        lengths = (noise**2).sum(axis=0)
        farther = exp(np.minimum(lengths / 2 * (1 - 1 / WIDE**2), 600.0)) / WIDE ** len(noise)
        between = (expected**2).sum(axis=0) / 2
        return np.asarray(between - log(1 - SHARE + SHARE * farther))


def _dummies(codes: Ints, sizes: Sequence[int]) -> list[Floats]:
    """Return categories as 0/1 columns but the first of each factor; and one of zeros."""
    columns = [
        (row == code).astype(np.float64)
        for row, size in zip(codes, sizes, strict=True)
        for code in range(1, size)
    ]
    return [*columns, np.zeros(codes.shape[1])]
