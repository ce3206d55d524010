"""The cell-key method: bounded noise that belongs to the records a count or a sum is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from tacita.data.attribute import Kind
from tacita.errors import ParameterError
from tacita.mechanisms.cell_keys import as_share, perturbation_table, refuse_variance
from tacita.method import ANY_KIND, Method
from tacita.queries.answer import Released
from tacita.queries.answering import true_value
from tacita.queries.cells import Cell
from tacita.queries.perturbing.contributions import known_key, noisy_mean
from tacita.queries.perturbing.keys import KeyFrom, RecordKeys, noise_key
from tacita.queries.perturbing.magnitudes import KeyedSums
from tacita.queries.perturbing.watching import ConfidentialSets, PerturbingWatcher
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Statistic
from tacita.queries.watching import Watcher


class CellKeyNoise(Method):
    """Add to every count a small whole number that its records decide, by a perturbation table.

    Every record has a secret key; those of the counted records, added up modulo one, are the key of
    the cell, which looks up the noise v in the row of the table for the count. Of all noise with
    |v| <= `largest`, mean 0 and the variance `variance`, the table has the one with most entropy;
    no count becomes negative or one of 1 to `smallest`, and 0 stays 0. The same records have the
    same count in every table; tables do not add up, by a little.

    With `magnitudes` m_1, m_2, ... it answers sums, too: the noise is the sum of
    m_j d_j (1 + w_j) |x_j| over the largest contributions x_j. The direction d_j, up or down,
    belongs to the record and the attribute, so that no number of answers averages it away; w_j,
    within `spread`, belongs to the set, half of it to the records of the set that contribute. The
    largest contribution counts at least as a usual one, so that sums of zeros have noise, too. A
    mean is the noisy sum over the noisy count. Sums have the digits of the data.

    It has a say about counts, and about sums and means if there are magnitudes; of what is
    weighted, about sums only.

    When not to use it: where anybody may ask without end. The noise is bounded, so that a count of
    many parts, or of many sets that differ in one known record, averages it away; so do sums for
    records that are not among the largest; and an extreme noise tells the count.

    >>> import tacita as ta
    >>> from tacita.queries.guard import Guard
    >>> guard = Guard(PublicClasses.of(ta.example("toy"), "toy"), [CellKeyNoise(5, variance=3)])
    >>> told = guard.ask("SELECT count(*) FROM toy", user="ana")
    >>> abs(told.value - 1000) <= 5, told.interval == (told.value - 5, told.value + 5)
    (True, True)
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Fraser, B. and Wooton, J. (2005). A proposed method for confidentialising tabular output "
        "to protect against differencing. UNECE work session on statistical data confidentiality; "
        "Giessing, S. (2016). Computational issues in the design of transition probabilities and "
        "disclosure risk estimation for additive noise. PSD 2016, LNCS 9867, 237-251; Thompson, "
        "G., Broadfoot, S. and Elazar, D. (2013). Methodology for the automatic "
        "confidentialisation of statistical outputs from remote servers at the Australian Bureau "
        "of Statistics. UNECE work session on statistical data confidentiality."
    )
    missing: ClassVar[str] = (
        "Records with a blank are not in the set that `count(x)` counts, and add nothing to sums."
    )
    example: ClassVar[dict[str, float]] = {"largest": 5, "variance": 3.0}

    largest: Annotated[int, Field(description="The largest noise.", ge=1, le=1000)]
    _: KW_ONLY
    variance: Annotated[float, Field(description="The variance of the noise.", gt=0)]
    smallest: Annotated[
        int, Field(description="Counts from 1 to this one do not occur in answers.", ge=0, le=100)
    ] = 0
    magnitudes: Annotated[
        tuple[Annotated[float, Field(gt=0, le=1)], ...],
        Field(
            description="The shares of the largest, the second largest contribution and so on that "
            "sums are changed by; without any, sums are left to other policies.",
            max_length=20,
        ),
    ] = ()
    spread: Annotated[
        float,
        Field(description="The part of a share by which it varies from set to set.", gt=0, le=1),
    ] = 0.5
    confidential_sets: ConfidentialSets = False
    key_from: KeyFrom = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        try:
            refuse_variance(self.largest, self.variance, self.smallest)
        except ParameterError as error:
            raise ValueError(str(error)) from error
        return self

    def watch(self, data: PublicClasses) -> Watcher:
        """Begin to add noise."""
        return PerturbingWatcher(CellKeys(self, data))


class CellKeys:
    """The cell keys of one database."""

    def __init__(self, policy: CellKeyNoise, data: PublicClasses) -> None:
        self._policy = policy
        self._secret = noise_key(policy.name, policy.key_from)
        self._table = perturbation_table(policy.largest, policy.variance, policy.smallest)
        self.confidential_sets = policy.confidential_sets
        self.guarantee = _guarantee(policy)
        self.move(data)

    def covers(self, cell: Cell) -> bool:
        """Leave sums and means to other policies where they have no noise, and nothing else."""
        left = () if self._policy.magnitudes else (Statistic.SUM, Statistic.AVG)
        return cell.asked.statistic not in left

    def perturbs(self, cell: Cell) -> bool:
        """Tell whether it is a count of records, or a sum or a mean if those have noise."""
        statistic, weighted = cell.asked.statistic, cell.asked.weighted
        if statistic is Statistic.SUM:
            return bool(self._policy.magnitudes)
        counts = {Statistic.COUNT, Statistic.AVG} if self._policy.magnitudes else {Statistic.COUNT}
        return statistic in counts and not weighted

    def released(self, cell: Cell) -> Released:
        """Return the perturbed answer; of a count also how far it may be from it."""
        if cell.asked.statistic is Statistic.AVG:
            return Released(noisy_mean(cell, self._noisy), by=self._policy.name)
        value = self._noisy(cell)
        if cell.asked.statistic is Statistic.SUM or value is None:
            return Released(value, by=self._policy.name)
        largest = self._policy.largest
        least = max(value - largest, 0)
        return Released(value, least, value + largest, self._policy.name, is_certain=True)

    def _noisy(self, cell: Cell) -> float | int | None:
        if cell.asked.statistic is Statistic.SUM:
            return self._sums.noisy(cell)
        truth = true_value(cell)
        cell_key = as_share(known_key(cell, self._keys))
        return int(truth + self._table.noise(truth, cell_key))

    def told(self) -> Mapping[str, Any]:
        """Return the largest noise of counts and its deviation, and the shares of sums."""
        told: dict[str, Any] = {
            "largest_noise": self._policy.largest,
            "standard_deviation": self._policy.variance**0.5,
        }
        if self._policy.magnitudes:
            told["shares_of_the_largest_contributions"] = list(self._policy.magnitudes)
        return told

    def move(self, data: PublicClasses) -> None:
        """Go on with other data."""
        self._keys = RecordKeys(data, self._secret)
        self._sums = KeyedSums(data, self._keys, self._policy.magnitudes, self._policy.spread)


def _guarantee(policy: CellKeyNoise) -> str:
    counts = f"Every count has noise of at most {policy.largest} with variance {policy.variance:g}"
    shares = ", ".join(f"{one:.0%}" for one in policy.magnitudes)
    sums = f", every sum noise of about {shares} of its largest contributions" if shares else ""
    return (
        f"{counts}{sums}, the same for the same records; many different sets together can average "
        f"{'much of ' if shares else ''}it away."
    )
