"""How large the noise of an amount is: shares of its largest contributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arithmetic import power
from tacita.data.classes import Floats, Mask
from tacita.mechanisms.cell_keys import PerturbationTable
from tacita.tables.perturb.keying.keys import shifted_keys


@dataclass(frozen=True)
class Scaling:
    """The share of a contribution that noise of 1 stands for.

    A contribution x up to the flex point f has the share s; from there on it falls towards t:
    m(x) = t (1 + (s x - t f) / (t f) (2 f / (f + x))^q).

    Args:
        share: s, of small contributions.
        large_share: t, which it tends to.
        flex_point: f; None where all contributions have the share s.
        power: q, how fast it falls (above 1; with 1 it does not).

    >>> Scaling(0.3, 0.03, 1000.0, 3.0).of(np.array([10.0, 1000.0, 1e9])).round(4)
    array([0.3 , 0.3 , 0.03])
    """

    share: float
    large_share: float = 0.0
    flex_point: float | None = None
    power: float = 1.0

    def of(self, sizes: Floats) -> Floats:
        """Return the shares of contributions, whatever their signs."""
        if self.flex_point is None:
            return np.full(sizes.shape, self.share)
        least = self.large_share * self.flex_point
        beyond = np.maximum(sizes, self.flex_point)
        fallen = power(2 * self.flex_point / (self.flex_point + beyond), self.power)
        # Written so that a share of 0 for large contributions divides nothing by it.
        shares = self.large_share + (self.share * beyond - least) / self.flex_point * fallen
        return np.where(sizes < self.flex_point, self.share, shares)


@dataclass(frozen=True, eq=False)
class Noise:
    """Noise of amounts, one contribution after the other.

    Args:
        tables: the tables of noise that cells have, and `of_cell` the number of each cell's.
        of_cell: for every cell the place of its table.
        small: the table for amounts below the separation point; None where they are not separated.
        scaling: the share of a contribution that noise of 1 stands for.
        fading: by which part shares of the largest, the second largest contribution and so on
            count; the first is 1.
        digits: how many digits keys have.
        extra: by how much the first noise of every cell is larger than drawn.
    """

    tables: tuple[PerturbationTable, ...]
    of_cell: Floats
    small: PerturbationTable | None
    scaling: Scaling
    fading: tuple[float, ...]
    digits: int
    extra: Floats

    @property
    def separation(self) -> float:
        """Up to which contribution an amount counts as small (units of the values).

        There, the deviation of scaled noise is as large as that of small amounts.
        """
        if self.small is None:
            return 0.0
        both = self.scaling.share * float(np.sqrt(np.square(self.fading).sum()))
        return float(np.sqrt(self.small.variances[-1])) / both

    def added(self, values: Floats, largest: Floats, keys: Floats) -> Floats:
        """Return values with noise.

        Args:
            values: the amounts.
            largest: their largest contributions, one column each.
            keys: the key of each for the first contribution.
        """
        sizes = self._with_first(np.abs(values), np.abs(largest[:, 0]), keys)
        for place, part in enumerate(self.fading[1 : largest.shape[1]], start=1):
            sizes, keys = self._with_further(sizes, np.abs(largest[:, place]), keys, part)
        return np.copysign(sizes, values)

    def _with_first(self, sizes: Floats, first: Floats, keys: Floats) -> Floats:
        """Add the noise of the largest contribution; small amounts have that of counts."""
        point = self.separation
        extra = np.where(first >= point, self.extra, 0.0)
        unit = np.where(first < point, 1.0, first * self.scaling.of(first))
        is_less = sizes < unit
        first = np.where(is_less, sizes / self.scaling.share, first)
        is_small = first < point
        unit = np.where(is_less, np.where(is_small, 1.0, sizes), unit)
        drawn = self._drawn(_ratio(sizes, unit), keys, is_small)
        moved: Floats = unit * np.sign(drawn) * (extra + np.abs(drawn))
        return np.maximum(sizes + moved, 0.0)

    def _with_further(
        self, sizes: Floats, size: Floats, keys: Floats, part: float
    ) -> tuple[Floats, Floats]:
        """Add the noise of a further contribution, by the next key, unless it is a small one."""
        point = self.separation
        unit = part * size * self.scaling.of(size)
        is_less = sizes < unit
        unit = np.where(is_less, sizes, unit)
        has_noise = (size >= point) & (unit > 0)
        has_noise &= ~is_less | (sizes / (part * self.scaling.share) >= point)
        keys = np.where(has_noise, shifted_keys(keys, self.digits), keys)
        drawn = self._drawn(_ratio(sizes, unit), keys, np.zeros(len(keys), bool))
        return np.where(has_noise, np.maximum(sizes + unit * drawn, 0.0), sizes), keys

    def _drawn(self, numbers: Floats, keys: Floats, is_small: Mask) -> Floats:
        drawn = np.empty(len(numbers))
        of_cell = np.where(is_small, len(self.tables), self.of_cell)
        for place, table in enumerate((*self.tables, self.small)):
            rows = np.flatnonzero(of_cell == place)
            if table is not None and rows.size:
                drawn[rows] = table.interpolated(numbers[rows], keys[rows])
        return drawn


def _ratio(sizes: Floats, unit: Floats) -> Floats:
    """Return sizes in units; nothing is 0 units of nothing."""
    return np.divide(sizes, unit, out=np.zeros(len(sizes)), where=unit > 0)
