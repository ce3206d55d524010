"""Disclosure by intervals that are wider for outliers (robust Mahalanobis distances)."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.attribute import Kind, Role
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset, of_kind
from tacita.method import AttributeNames, Method
from tacita.microdata.comparing.confidence import share_interval
from tacita.microdata.comparing.constants import constants, left_out
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.comparing.robust import Scatter, robust_scatter, squared_distances
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn, told
from tacita.results import Measurement, counted
from tacita.validity import OF_RESPONDENTS, Use

CONTINUOUS = frozenset({Kind.CONTINUOUS})
SCALE = 0.05  # of a robust distance, the unit in which its authors measure `width`


class RmdDisclosure(Method):
    """The share of records with a released value in an interval that grows with outlyingness.

    Outliers are re-identified more easily, so that their intervals are wider: with every attribute
    standardized, a record is at risk when for some attribute |x' - x| <= width * 0.05 * RMD(x).
    RMD is the Mahalanobis distance from the mean in the scatter of the minimum covariance
    determinant (Rousseeuw & Van Driessen 1999, reweighted once, consistent for normal data); `seed`
    draws its starting subsets. Figures: `risk1` is the number itself; `risk2` counts only records
    that have no other released record within `near` (Euclidean); `wrisk1` and `wrisk2` are the
    numbers of these records times the sum of their 0.05 * RMD over all records, unbounded.

    As in sdcMicro's `dRiskRMD`, each data set is standardized by its own means and deviations. Its
    subsets are drawn otherwise and it corrects the scatter for small samples, so that its numbers
    differ by about a hundredth; the weighted ones, as from seed to seed, by some in a hundred.

    An attribute of which all original values are the same is left out: it tells nothing of anybody.

    Where two halves of the records lie equally close together, the robust scatter may be that of
    either, which can differ between processors.

    When not to use it: on few records for their attributes (at most twice as many), where the
    ordinary covariances take the place of the robust ones.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.RmdDisclosure().measure(data, data).value
    Fraction(1, 1)
    """

    applies_to: ClassVar = CONTINUOUS
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.SOME_NEAR
    at_everything: ClassVar = True
    reference: ClassVar = "Templ & Meindl, Privacy in Statistical Databases, 2008, pp. 113-126"
    missing: ClassVar = (
        "A blank value is not at risk; for the distances it stands in the middle of its attribute."
    )
    by_contents: ClassVar = True
    public: ClassVar = frozenset({"attributes", "width", "near"})
    costly: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes to look at; by default all continuous ones but weights."),
    ] = None
    width: Annotated[
        float, Field(description="How far an interval goes for each 0.05 of RMD (k).", ge=0)
    ] = 0.01
    near: Annotated[
        float, Field(description="Within this distance another record hides one (k2).", ge=0)
    ] = 0.05
    sample: SampleSize = 10_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Look which records have a value close to the original one."""
        known = paired(original, protected)
        names, constant = self._names(original, known, protected)
        rows = drawn(len(protected), self.sample, self.seed)
        before = _standardized(known, names)
        after = _standardized(protected, names)
        distance = SCALE * _robust_distances(before, rows, self.seed)
        near = np.abs(after - before)[rows] <= self.width * distance[:, None]
        risky: Mask = np.logical_or.reduce(near, axis=1)
        alone = risky & ~_accompanied(np.nan_to_num(after), rows, self.near)
        whole = len(rows) == len(protected)
        count = int(np.count_nonzero(risky))
        value = Fraction(count, len(rows)) if len(rows) and names else None
        return Measurement(
            self.name,
            self.family,
            value,
            f"{count:,} of {len(rows):,} records have a value of {counted(len(names), 'attribute')}"
            f" close to the original one for how far out they lie{told(len(rows), len(protected))}"
            f"{left_out(constant)}",
            parts={name: float(near[:, j].mean()) for j, name in enumerate(names) if len(rows)},
            per_record=risky if whole else None,
            parameters=self.parameters(),
            figures=_figures(risky, "1", distance) | _figures(alone, "2", distance),
            interval=None if whole or value is None else share_interval(count, len(rows)),
        )

    def _names(
        self, original: Dataset, known: Dataset, protected: Dataset
    ) -> tuple[list[str], list[str]]:
        """Return the attributes that are still numbers: those that vary, and the others."""
        weights = original.with_role(Role.WEIGHT)
        asked = [name for name in of_kind(original, CONTINUOUS) if name not in weights]
        names = asked if self.attributes is None else list(self.attributes)
        kept = set(of_kind(protected, CONTINUOUS))
        numbers = [name for name in names if name in kept]
        constant = constants(known, numbers)
        return [name for name in numbers if name not in constant], constant


def _standardized(data: Dataset, names: list[str]) -> Floats:
    """Return records by attributes with mean 0 and deviation 1; a blank is NaN."""
    matrix = np.column_stack([np.zeros((len(data), 0)), *map(data.numbers, names)])
    there = ~np.isnan(matrix)
    largest = np.abs(np.where(there, matrix, 0.0)).max(axis=0, initial=0.0)
    matrix /= np.where(largest > 0, largest, 1.0)  # squares of very large numbers have no double
    count = np.maximum(there.sum(axis=0), 1)
    centred = matrix - np.where(there, matrix, 0.0).sum(axis=0) / count
    squares = np.where(there, centred, 0.0) ** 2
    deviation = np.sqrt(squares.sum(axis=0) / np.maximum(count - 1, 1))
    return np.asarray(centred / np.where(deviation > 0, deviation, 1.0))


def _robust_distances(points: Floats, rows: Ints, seed: int) -> Floats:
    """Return the Mahalanobis distances of some records from the mean in a robust scatter."""
    chosen = np.nan_to_num(points[rows])
    varying = chosen[:, np.ptp(chosen, axis=0) > 0] if len(chosen) else chosen[:, :0]
    scatter = Scatter(np.zeros(varying.shape[1]), robust_scatter(varying, seed).covariance)
    return np.asarray(np.sqrt(squared_distances(varying, scatter)))


def _accompanied(points: Floats, rows: Ints, near: float) -> Mask:
    """Tell which of some records have another one within a distance."""
    from scipy.spatial import cKDTree

    if not points.size:
        return np.zeros(len(rows), np.bool_)
    # Equal records are one point: a tree of them would be as slow as comparing all pairs.
    places, own, counts = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    own = own.ravel()[rows]
    reach = np.nextafter(near, np.inf)
    second = cKDTree(places).query(places[own], k=[2], distance_upper_bound=reach)[0][:, 0]
    return np.asarray((counts[own] > 1) | np.isfinite(second))


def _figures(risky: Mask, number: str, distance: Floats) -> dict[str, float]:
    count, records = int(np.count_nonzero(risky)), max(len(risky), 1)
    weighted = count * float(distance[risky].sum()) / records
    return {f"risk{number}": count / records, f"wrisk{number}": weighted}
