"""Distance-based linkage: the intruder takes the nearest record."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import ParameterError
from tacita.method import ANY_KIND, AttributeName, AttributeNames, Method
from tacita.microdata.comparing.nearness import spread_of
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn_records, told
from tacita.microdata.risk.linking.distances import Part, Ranges, of_originals, parts_of, whitened
from tacita.microdata.risk.linking.links import Found, known_attributes, nearest_links
from tacita.microdata.risk.linking.nearest_records import Metric, Search
from tacita.microdata.risk.linking.pairing import one_to_one
from tacita.results import Measurement, listed
from tacita.validity import OF_RESPONDENTS, Use

Distance = Literal["standardized", "mahalanobis", "gower", "euclidean", "manhattan"]
ORDERED = (Kind.CONTINUOUS, Kind.DATE)
COMPARISONS = 10**8  # of records with combinations of categories, which take seconds
FEWEST = 1_000  # records that are linked whatever it takes
POWERS = {"standardized": 2, "mahalanobis": 2, "gower": 1, "euclidean": 2, "manhattan": 1}


class DistanceLinkage(Method):
    """The share of released records that an intruder links to their own respondent by distance.

    The intruder knows the true values of `attributes` of every respondent in the original file and
    links each released record to the nearest one; a link is right when the record comes from it.
    Where c respondents are equally near the intruder picks one at random: the expected share of
    right links is (1/n) sum_i 1/c_i over the records whose own respondent is among the c_i.
    Distances that differ by less than one part in 10^9 count as equal, so that rounding decides
    nothing.

    The distance of two records is (sum_j w_j d_j^p)^(1/p) with p = 2, or 1 for `gower` and
    `manhattan`, and w_j their `importance`. d_j is |x - y| of numbers and dates (in days), divided
    by the (weighted) standard deviation of the original (`standardized`), by the range of both
    files together (`gower`, which also divides the sum by that of the w_j), or not at all
    (`euclidean`, `manhattan`); `mahalanobis` weighs the numbers by the inverse of their covariance
    matrix, a blank being their mean. From a released interval the distance is 0 inside and is
    taken to the nearer end outside. Between ordered categories d_j is the number of steps over the
    largest possible, in a hierarchy the level of the lowest common ancestor over the height,
    between other categories 0 or 1, between sets Jaccard's distance. Codes of which different
    numbers of last letters are masked by stars are a hierarchy without being declared one. A label
    that nobody explains stands for the values that became it: the intruder knows how values were
    recoded.

    With `assignment` `one_to_one` no respondent is linked twice: the sum of all distances is made
    as small as possible. The result is exact for up to 10,000 records (which take 0.8 GB); above,
    every record is linked to one of its 20 nearest where that is possible. Of equally good
    assignments one is taken at random: sdcMicro's `recordLinkage`, which assigns in this way, may
    take another one.

    At most `sample` records are linked, and 1,000 to that where the categories of the original
    combine in more than 10,000 ways, with each of which they are compared.

    When not to use it: alone on rank-swapped data, of which rank-based linkage finds more.

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> coarse = data.apply(ta.Recode("age", width=20), seed=0)
    >>> round(float(ta.DistanceLinkage(["age", "region"]).measure(data, coarse).value), 2)
    0.2
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.VALUES
    links_records: ClassVar = True
    opens: ClassVar = True
    reference: ClassVar = (
        "Domingo-Ferrer & Torra, in Confidentiality, Disclosure and Data Access, 2001, pp. 111-134"
    )
    missing: ClassVar = (
        "A released blank tells nothing: it is at distance 0 from every value; a value is as far "
        "as can be from an original blank."
    )
    public: ClassVar = frozenset({"attributes", "distance", "importance", "assignment", "sample"})

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default those with the role key."),
    ] = None
    distance: Annotated[Distance, Field(description="How distances are measured.")] = "standardized"
    importance: Annotated[
        Mapping[AttributeName, Annotated[float, Field(ge=0)]] | None,
        Field(description="How much attributes count (0 or more; 1 where nothing is said)."),
    ] = None
    assignment: Annotated[
        Literal["nearest", "one_to_one"],
        Field(
            description="Whether each record goes to its nearest or no respondent is taken twice."
        ),
    ] = "nearest"
    sample: SampleSize = 10_000
    seed: SampleSeed = 0

    def looks_by_contents(self) -> bool:
        """Tell whether the order of records would choose between equally good assignments."""
        return self.assignment == "one_to_one"

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Link the released records, or a sample of them."""
        names = known_attributes(original, protected, self.attributes)
        own = paired_rows(original, protected)
        rows = drawn_records(original, protected, self._affordable(original, names), self.seed)
        released = parts_of(original, protected, own, rows, names)
        parts, metric = self._metric(released, original)
        found = self._found(parts, metric, own[rows], rows, len(protected))
        return found.links.measurement(
            self,
            f"{found.links.told()} by {listed([part.name for part in released])}"
            f"{found.way}{told(len(rows), len(protected))}{self._among(len(rows), len(protected))}",
            found.figures,
            found.details,
        )

    def _affordable(self, original: Dataset, names: Sequence[str]) -> int | None:
        """Return how many records are linked at most; fewer where categories combine in many ways.

        Each of them is compared with all combinations of categories that the original holds.
        """
        kinds = {name: original.attribute(name).kind for name in names}
        categories = [name for name, kind in kinds.items() if kind not in ORDERED]
        if self.sample is None or not categories:
            return self.sample
        combinations = max(len(original.classes(categories)), 1)
        return min(self.sample, max(COMPARISONS // combinations, FEWEST))

    def _among(self, linked: int, records: int) -> str:
        """Say that a sample is assigned among its own respondents, where there are fewer rivals."""
        if self.assignment == "nearest" or linked == records:
            return ""
        return ", among the respondents of the sample alone, which overstates the share"

    def _found(
        self, parts: list[Part], metric: Metric, own: Ints, rows: Ints, records: int
    ) -> Found:
        if self.assignment == "nearest":
            return nearest_links(Search.of(parts, metric, own), own, rows, records)
        known = np.arange(len(parts[0].known))
        if len(rows) < records:  # then it is a sample of the respondents too
            known = np.unique(own)
            parts = [of_originals(part, known) for part in parts]
        search = Search.of(parts, metric, np.searchsorted(known, own))
        return one_to_one(search, own, known, rows, records, self.seed)

    def _metric(self, parts: Sequence[Part], original: Dataset) -> tuple[list[Part], Metric]:
        """Return the attributes as they are compared, and how."""
        weights, importance = original.weight, self.importance or {}
        if self.distance == "mahalanobis":
            if importance:
                raise ParameterError(
                    "`importance` cannot be given with the distance `mahalanobis`, which weighs "
                    "the attributes itself; choose another `distance`."
                )
            parts = whitened(parts, weights)
        scales = {
            part.name: self._scale(part, weights) for part in parts if isinstance(part, Ranges)
        }
        total = sum(importance.get(part.name, 1.0) for part in parts)
        divisor = total if self.distance == "gower" and total else 1.0
        return list(parts), Metric(POWERS[self.distance], scales, importance, divisor)

    def _scale(self, part: Ranges, weights: Floats | None) -> float:
        if part.length is not None:
            return part.length
        if self.distance == "gower":
            values = np.concatenate([part.known, part.low, part.high])
            values = values[np.isfinite(values)]
            # As halves, since a range may be too long for a double.
            half = np.ptp(values / 2) if len(values) else 0.0
            return min(float(half), sys.float_info.max / 2) * 2 or 1.0
        if self.distance in ("euclidean", "manhattan"):
            return 1.0
        return spread_of(part.known, weights) or 1.0
