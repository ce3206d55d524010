"""The frame: the members of a population that are not in the sample, by their background."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from tacita.arithmetic import product
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ProtectionError
from tacita.microdata.comparing.representation import common_codes


class Bootstrap:
    """A population that is only known through the sample.

    Its members outside the sample have the background of sampled ones, drawn by the weights of one
    Bayesian bootstrap times the sampling weights. A simple random sample of any number of them is
    distributed as so many draws, so that the others need not be made.
    """

    def __init__(
        self, sample: Dataset, background: Sequence[str], rng: np.random.Generator
    ) -> None:
        chances = rng.standard_exponential(len(sample))
        if sample.weight is not None:
            chances *= sample.weight
        self.sample, self.background = sample, background
        self.reached = np.cumsum(chances)

    def drawn(self, records: int, rng: np.random.Generator) -> dict[str, pa.Array]:
        """Draw members and return their background."""
        at = np.searchsorted(self.reached, rng.random(records) * self.reached[-1], side="right")
        return columns_of(self.sample, self.background, np.minimum(at, len(self.reached) - 1))


class Listed:
    """A population whose background is listed; each member is drawn once at most."""

    def __init__(
        self, sample: Dataset, background: Sequence[str], rng: np.random.Generator
    ) -> None:
        self.listed, self.background = listed_background(sample, background), background
        self.outside = rng.permutation(np.flatnonzero(outside_sample(self.listed, sample)))
        self.size, self.used = len(self.listed), 0

    def drawn(self, records: int, rng: np.random.Generator) -> dict[str, pa.Array]:  # noqa: ARG002
        """Draw members, in the order in which they were shuffled, and return their background.

        Raises:
            ProtectionError: all were drawn before.
        """
        first, self.used = self.used, self.used + records
        if self.used > len(self.outside):
            raise ProtectionError(
                f"The population lists {len(self.outside):,} members outside the sample, and "
                f"{self.used:,} are needed; ask for fewer records or rules."
            )
        return columns_of(self.listed, self.background, self.outside[first : self.used])


def listed_background(sample: Dataset, background: Sequence[str]) -> Dataset:
    """Return the background of the population that is beside the data.

    Raises:
        InputError: there is none, or it lacks an attribute.
    """
    population = sample.external.population
    if population is None:
        raise InputError(
            "There is no population beside the data; give it as `population`, or set `frame` to "
            "`sample`."
        )
    lacks = [name for name in background if name not in population.attributes]
    if lacks:
        raise InputError(f"The population lacks `{lacks[0]}`; leave it out of `background`.")
    gone = [name for name in population.names if name not in background]
    return population.without(gone)


def outside_sample(listed: Dataset, sample: Dataset) -> Mask:
    """Tell the members of a population that are not in a sample of it.

    Who is who need not be known: members of the same background stand for each other, so that of
    every combination as many are left out, the first ones, as the sample has.
    """
    from tacita.kernels.grouping import group

    names = listed.names
    codes = [np.concatenate(common_codes(listed.column(n), sample.column(n))) for n in names]
    cells = group(codes).ids
    own, taken = cells[: len(listed)], np.bincount(cells[len(listed) :], minlength=cells.max() + 1)
    outside: Mask = _place_within(own) >= taken[own]
    return outside


def _place_within(groups: Ints) -> Ints:
    """Return the place of every record among those of its group, from 0."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    first = np.searchsorted(ordered, ordered)
    place = np.empty_like(order)
    place[order] = np.arange(len(order)) - first
    return place


def effective(weights: Floats | None) -> Floats | None:
    """Return sampling weights that sum to the effective size of the sample (Kish's).

    >>> effective(np.array([1.0, 1.0, 2.0])).sum().round(3)
    np.float64(2.667)
    """
    if weights is None:
        return None
    scaled: Floats = weights * (weights.sum() / product(weights, weights))
    return scaled


def effective_size(data: Dataset) -> float:
    """Return the size of the simple random sample that tells as much: (sum w)^2 / sum w^2.

    >>> import tacita as ta
    >>> round(effective_size(ta.example("firms", 7)), 3)
    6.987
    """
    weights = effective(data.weight)
    return float(len(data)) if weights is None else float(weights.sum())


def columns_of(
    data: Dataset, names: Sequence[str], rows: Ints | None = None
) -> dict[str, pa.Array]:
    """Return some attributes' values, of all records or of some."""
    if rows is None:
        return {name: data.column(name) for name in names}
    places = pa.array(rows)
    return {name: data.column(name).take(places) for name in names}
