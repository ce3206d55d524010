"""Output noise that belongs to the set of records an answer is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, replace
from math import copysign, log, sqrt
from statistics import NormalDist
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tacita.data.attribute import Kind
from tacita.method import ANY_KIND, Method
from tacita.queries.answer import Released
from tacita.queries.answering import true_value
from tacita.queries.cells import Cell
from tacita.queries.perturbing.contributions import Contributions, noisy_mean
from tacita.queries.perturbing.keys import KeyFrom, RecordKeys, noise_key
from tacita.queries.perturbing.watching import ConfidentialSets, PerturbingWatcher
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import LINEAR, Asked, Statistic
from tacita.queries.watching import Watcher


class RecordSetNoise(Method):
    """Add noise to counts and sums that is a secret function of the records they are about.

    The answer is q(S) + m (Z_C + Z_S) / sqrt(2). Z_S is drawn, by a secret key, from the set S of
    all records that public conditions choose, and Z_C from those of them that contribute: that have
    a value other than 0. Both have mean 0 and the standard deviation `scale`. m is the largest
    contribution, and at least that of a usual record; 1 of a count. A mean is the noisy sum over
    the noisy count, so that it tells nothing more than they do. Asking again, in other words, in
    another order or by another account gives the same number. Records without a contribution
    change Z_S, so that nobody can tell by equal answers who they are, and not Z_C, so that adding
    such records to a set does not average the noise away.

    Counts are whole and may be negative; sums have the digits of the data, so that the noise leaves
    no traces in the last bits.

    When not to use it: where a guarantee is needed. Sets that differ in one known record have
    independent noise; who asks for many pairs of them, or for many random sets, averages it away
    (see `Averaging`, `LinearReconstruction`). Use differential privacy, or limit the questions.

    >>> import tacita as ta
    >>> from tacita.queries.guard import Guard
    >>> guard = Guard(PublicClasses.of(ta.example("toy"), "toy"), [RecordSetNoise(2)])
    >>> one = guard.ask("SELECT sum(income) FROM toy WHERE NOT region <> 'Hills'", user="ana")
    >>> other = guard.ask("SELECT sum(income) FROM toy WHERE region IN ('Hills')", user="ben")
    >>> one.value == other.value
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Beck, L. L. (1980). A security mechanism for statistical databases. ACM TODS 5(3), "
        "316-338; Francis, P. et al. (2018). Diffix-Birch. arXiv:1806.02075."
    )
    missing: ClassVar[str] = "Records with a blank do not contribute to sums and means."
    example: ClassVar[dict[str, float]] = {"scale": 2.0}

    scale: Annotated[
        float,
        Field(description="The standard deviation of the noise, in largest contributions.", gt=0),
    ]
    _: KW_ONLY
    distribution: Annotated[
        Literal["gaussian", "laplace", "uniform"],
        Field(description="What each of the two parts of the noise is drawn from."),
    ] = "gaussian"
    confidential_sets: ConfidentialSets = False
    key_from: KeyFrom = None

    def watch(self, data: PublicClasses) -> Watcher:
        """Begin to add noise."""
        return PerturbingWatcher(Noising(self, data))


class Noising:
    """Noise by record sets on one database."""

    def __init__(self, policy: RecordSetNoise, data: PublicClasses) -> None:
        self._policy = policy
        self._secret = noise_key(policy.name, policy.key_from)
        self._inverse = INVERSES[policy.distribution]
        self.confidential_sets = policy.confidential_sets
        self.guarantee = (
            f"Every count and sum has noise with a standard deviation of {policy.scale:g} times "
            "its largest contribution, the same whenever and however it is asked for; many "
            "different sets together can average it away."
        )
        self.move(data)

    def covers(self, cell: Cell) -> bool:  # noqa: ARG002 - what it cannot perturb it refuses
        """Have a say about every statistic."""
        return True

    def perturbs(self, cell: Cell) -> bool:
        """Tell whether it is a count, a sum or a mean."""
        return cell.asked.statistic in LINEAR

    def released(self, cell: Cell) -> Released:
        """Return a noisy count, sum or mean."""
        if cell.asked.statistic is not Statistic.AVG:
            return Released(self._noisy(cell), by=self._policy.name)
        return Released(noisy_mean(cell, self._noisy), by=self._policy.name)

    def told(self) -> Mapping[str, Any]:
        """Return the standard deviation, in contributions."""
        return {"standard_deviation_in_contributions": self._policy.scale}

    def move(self, data: PublicClasses) -> None:
        """Go on with other data."""
        self._data = data
        self._keys = RecordKeys(data, self._secret)
        self._contributions: dict[Asked, Contributions] = {}

    def _noisy(self, cell: Cell) -> float | int | None:
        if not cell.members.places.size:
            return 0 if cell.asked.statistic is Statistic.COUNT else None  # as everybody knows
        truth = true_value(cell) or 0
        contributions = self._all_of(cell.asked)
        contributing = contributions.of(cell.members)
        drawn = self._drawn("contributing", cell.asked, contributing.set_key)
        drawn += self._drawn("chosen", cell.asked, self._keys.of_classes(cell.members))
        size = max(contributing.largest, contributions.usual)
        return contributions.rounded(float(truth + self._policy.scale * size * drawn / sqrt(2)))

    def _drawn(self, part: str, asked: Asked, set_key: int) -> float:
        # A count of known values is a count of fewer records, and of the same if all are known.
        if asked.statistic is Statistic.COUNT:
            asked = replace(asked, attribute=None)
        return self._inverse(self._keys.uniform(f"{part} {asked}", set_key))

    def _all_of(self, asked: Asked) -> Contributions:
        if asked not in self._contributions:
            self._contributions[asked] = Contributions(asked, self._data, self._keys)
        return self._contributions[asked]


def _laplace(chance: float) -> float:
    return copysign(log(1 - 2 * abs(chance - 0.5)) / sqrt(2), chance - 0.5)


def _uniform(chance: float) -> float:
    return sqrt(3) * (2 * chance - 1)


# The inverse distribution functions, all with mean 0 and variance 1.
INVERSES: Mapping[str, Callable[[float], float]] = {
    "gaussian": NormalDist().inv_cdf,
    "laplace": _laplace,
    "uniform": _uniform,
}
