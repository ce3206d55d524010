"""SUDA: the records that few key values already tell from all others."""

from __future__ import annotations

from math import comb, factorial, fsum
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.arithmetic import power
from tacita.data.classes import EquivalenceClasses, Floats
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.microdata.risk.frequencies.key_subsets import MinimalUniques, minimal_uniques
from tacita.results import Measurement, listed
from tacita.validity import NON_PERTURBATIVE, Use

PAIR = 2
USUAL_FRACTION = 0.01  # of surveys, where no weights tell it
FLATTEST = 0.05  # the exponent's value for 27 keys, below which it must not fall


class Suda2(Method):
    """The expected share of records that are matched rightly, given how special they are.

    A minimal sample unique (MSU) is a combination of a record's key values that no other record has
    and none of whose parts is unique. The fewer values it needs and the more MSUs a record has, the
    likelier the record is unique in the population too. With p keys an MSU of k values scores
    (p - k)! (`elliot`, the number of ways from it to all keys) or (2^(p-k) - 1) / C(p, k) (`ihsn`,
    by which an MSU of all keys scores 0), and a record's score s_i is the sum over its MSUs.

    Data intrusion simulation (DIS) estimates the probability that a match with a unique record is
    right, U f / (U f + P (1 - f)), from the U unique records, the P records in pairs and the
    sampling fraction f. The DIS score shares it out by s_i: with Q = 1 + (8 - p) / 20 (at least
    0.05) and A = sum 1 / s_i^Q over the records with a score,

        DIS_i = 1 / (1 + P (1 - f) / f / (A s_i^Q)), and 0 without a score.

    It is 1 for all of them where the file has no pairs: nothing then tells that the population
    has any. The value is the mean of DIS_i over all records; a part is the share of the scores, in
    percent, of the MSUs that hold the attribute (together the parts may exceed 100).

    `details` has one row a record. `records_with_msu` counts what sdcMicro's "score > 0" misses by
    `ihsn`: records whose only MSU is of all keys. For fewer than three keys sdcMicro adds constant
    keys and so scores by p = 3; here p is the number of keys.

    When not to use it: on perturbed keys, whose combinations say nothing of the population.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> measured = ta.Suda2(["Sex", "MarStat", "ZIP"]).measure(data, data)
    >>> measured.figures["records_with_msu"], measured.figures["sum_score"]
    (1, 4.0)
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.PARTS
    reference: ClassVar = (
        "Elliot, Manning & Ford, Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems "
        "10(5):493-509, 2002; Manning, Haglin & Keane, Data Mining and Knowledge Discovery "
        "16(2):165-196, 2008; Skinner & Elliot, J. R. Stat. Soc. B 64(4):855-867, 2002"
    )
    missing: ClassVar = (
        "A missing or suppressed value is never part of an MSU; in pairs, it agrees with a blank."
    )
    public: ClassVar = frozenset({"keys", "largest", "scores", "dis_fraction"})
    shown_by_release: ClassVar = True
    estimates: ClassVar = True

    keys: Keys = None
    largest: Annotated[
        int | None,
        Field(
            description="The most attributes in an MSU; by default all keys, of more than 10 keys "
            "as many as leave at most 1,500 combinations to look at.",
            ge=1,
        ),
    ] = None
    scores: Annotated[
        Literal["elliot", "ihsn"],
        Field(description="How an MSU scores: as Elliot defines it or as the IHSN's program does."),
    ] = "elliot"
    dis_fraction: Annotated[
        float | None,
        Field(
            description="The sampling fraction; by default records by sum of the sampling weights, "
            "0.01 where there are none.",
            gt=0,
            le=1,
        ),
    ] = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:  # noqa: ARG002
        """Find the MSUs of the protected data and score their records."""
        classes = protected.classes(self.keys)
        found = minimal_uniques(protected, classes.keys, self.largest)
        points = self._points(len(found.keys))
        score = found.scores(points)
        fraction = _fraction(protected) if self.dis_fraction is None else self.dis_fraction
        dis = _dis(score, len(found.keys), _odds_against(classes, fraction))
        expected = fsum(dis)
        risk = expected / len(dis) if len(dis) else None
        return Measurement(
            self.name,
            self.family,
            risk,
            f"{np.count_nonzero(found.smallest):,} of {len(protected):,} records have a minimal "
            f"sample unique of at most {found.largest} of {listed(found.keys)}; {expected:,.1f} "
            f"are expected to be matched rightly at a sampling fraction of {fraction:.4g}",
            parts=_contributions(found, points),
            per_record=dis,
            parameters=self.parameters(),
            figures=_figures(found, score, dis, fraction),
            details=_details(found, score, dis),
        )

    def _points(self, keys: int) -> Floats:
        """Return what an MSU scores, by its size."""
        sizes = range(keys + 1)
        if self.scores == "elliot":
            return np.array([float(factorial(keys - k)) for k in sizes])
        return np.array([(2.0 ** (keys - k) - 1) / comb(keys, k) for k in sizes])


def _fraction(data: Dataset) -> float:
    """Return the share of the population that the data are, by the sampling weights."""
    weight = data.weight
    if weight is None or not len(weight):
        return USUAL_FRACTION
    return min(1.0, len(weight) / fsum(weight))


def _odds_against(classes: EquivalenceClasses, fraction: float) -> float:
    """Return P (1 - f) / f, which is U / DIS - U: the wrong matches for U right ones."""
    pairs = PAIR * np.count_nonzero(classes.counts == PAIR)
    return float(pairs) * (1 - fraction) / fraction


def _dis(score: Floats, keys: int, odds: float) -> Floats:
    exponent = max(1 + (8 - keys) / 20, FLATTEST)
    scored = score > 0
    raised = power(score[scored], exponent)
    dis = np.zeros(len(score))
    dis[scored] = 1 / (1 + odds / (raised * fsum(1 / raised)))
    return dis


def _contributions(found: MinimalUniques, points: Floats) -> dict[str, float | None]:
    """Return the share of the scores, in percent, of the MSUs that hold each attribute."""
    scored = points[found.sizes] * found.tally.counts
    total = float(scored.sum())
    return {
        name: 100 * float(scored[found.sets_with(place)].sum()) / total if total else 0.0
        for place, name in enumerate(found.keys)
    }


def _figures(
    found: MinimalUniques, score: Floats, dis: Floats, fraction: float
) -> dict[str, float | None]:
    return {
        "sum_score": fsum(score),
        "max_score": float(score.max(initial=0)),
        "records_with_msu": int(np.count_nonzero(found.smallest)),
        "minimal_sample_uniques": int(found.tally.counts.sum()),
        "sum_dis": fsum(dis),
        "max_dis": float(dis.max(initial=0)),
        "sampling_fraction": fraction,
        "largest": found.largest,
    }


def _details(found: MinimalUniques, score: Floats, dis: Floats) -> pa.Table:
    return pa.table(
        {
            "score": score,
            "dis": dis,
            "minimal_sample_uniques": found.numbers,
            "smallest": found.smallest,
        }
    )
