"""The cell-key method on counts: bounded whole noise that belongs to the counted records."""

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
from tacita.queries.perturbing.contributions import known_key
from tacita.queries.perturbing.keys import KeyFrom, RecordKeys, noise_key
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

    It has a say about plain counts only: let another policy answer sums.

    When not to use it: where anybody may ask without end. The noise is bounded, so that a count of
    many parts, or of many sets that differ in one known record, averages it away; and an extreme
    noise tells the count.

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
        "disclosure risk estimation for additive noise. PSD 2016, LNCS 9867, 237-251."
    )
    missing: ClassVar[str] = "Records with a blank are not in the set that `count(x)` counts."
    example: ClassVar[dict[str, float]] = {"largest": 5, "variance": 3.0}

    largest: Annotated[int, Field(description="The largest noise.", ge=1, le=1000)]
    _: KW_ONLY
    variance: Annotated[float, Field(description="The variance of the noise.", gt=0)]
    smallest: Annotated[
        int, Field(description="Counts from 1 to this one do not occur in answers.", ge=0, le=100)
    ] = 0
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
        self.guarantee = (
            f"Every count has noise of at most {policy.largest} with variance {policy.variance:g}, "
            "the same for the same records; many different sets together can average it away."
        )
        self.move(data)

    def covers(self, cell: Cell) -> bool:
        """Tell whether it is a count of records."""
        return cell.asked.statistic is Statistic.COUNT and not cell.asked.weighted

    def released(self, cell: Cell) -> Released:
        """Return the perturbed count and how far the count may be from it."""
        truth, largest = true_value(cell), self._policy.largest
        cell_key = as_share(known_key(cell, self._keys))
        value = truth + self._table.noise(truth, cell_key)
        return Released(value, max(value - largest, 0), value + largest, self._policy.name)

    def told(self) -> Mapping[str, Any]:
        """Return the largest noise and its standard deviation."""
        return {
            "largest_noise": self._policy.largest,
            "standard_deviation": self._policy.variance**0.5,
        }

    def move(self, data: PublicClasses) -> None:
        """Go on with other data."""
        self._keys = RecordKeys(data, self._secret)
