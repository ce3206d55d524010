"""Rounding: answers are multiples of a base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tacita.data.attribute import Kind
from tacita.errors import ParameterError, did_you_mean
from tacita.mechanisms.rounding import at_random, nearest
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

# What is said in the units of its attribute, so that one base fits all.
IN_UNITS = frozenset(
    {
        Statistic.SUM,
        Statistic.AVG,
        Statistic.STDDEV,
        Statistic.MIN,
        Statistic.MAX,
        Statistic.QUANTILE,
    }
)


class RoundedAnswers(Method):
    """Round answers to multiples of a base b, to the nearest or at random without bias.

    At random, a value with rest r over a multiple of b goes up with probability r / b, by a number
    that is a secret function of the records and of the statistic: asked again, or in other words,
    it is the same. Counts have the base `base`. Sums, means, standard deviations, extremes and
    quantiles of an attribute have the base that `values` gives it; other attributes, variances and
    correlations are refused, since what is left to other policies would be exact.

    When not to use it alone: sums of many rounded parts tell more than the rounded sum, and sets
    that differ in one known record tell its value if it is large against the base.

    >>> import tacita as ta
    >>> from tacita.queries.guard import Guard
    >>> data = PublicClasses.of(ta.example("toy"), "toy")
    >>> guard = Guard(data, [RoundedAnswers(5, values={"income": 1000}, way="nearest")])
    >>> told = guard.ask("SELECT count(*), sum(income) FROM toy WHERE age < 30", user="ana")
    >>> told.rows[0][0] % 5, told.rows[0][1] % 1000
    (0, 0)
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Fellegi, I. P. and Phillips, J. L. (1974). Statistical confidentiality: some theory and "
        "applications to data dissemination. Annals of Economic and Social Measurement 3(2), "
        "399-409; Achugbue, J. O. and Chin, F. Y. (1979). The effectiveness of output modification "
        "by rounding for protection of statistical databases. INFOR 17(3), 209-218."
    )
    missing: ClassVar[str] = "Records with a blank add nothing; an answer that is blank stays so."
    example: ClassVar[dict[str, Any]] = {"base": 5, "values": {"income": 1000}}

    base: Annotated[int, Field(description="The base of counts.", ge=2)]
    _: KW_ONLY
    values: Annotated[
        dict[str, Annotated[float, Field(gt=0)]],
        Field(description="The base of each attribute whose values may be asked for."),
    ] = Field(default_factory=dict)
    way: Annotated[
        Literal["random", "nearest"], Field(description="At random, or to the nearest.")
    ] = "random"
    confidential_sets: ConfidentialSets = False
    key_from: KeyFrom = None

    def watch(self, data: PublicClasses) -> Watcher:
        """Begin to round."""
        return PerturbingWatcher(Rounding(self, data))


class Rounding:
    """Rounded answers of one database."""

    def __init__(self, policy: RoundedAnswers, data: PublicClasses) -> None:
        self._policy = policy
        self._secret = noise_key(policy.name, policy.key_from)
        self.confidential_sets = policy.confidential_sets
        self.guarantee = (
            f"Every count is a multiple of {policy.base}, and what is asked of attributes one of "
            "their bases; several answers together can tell more."
        )
        self.move(data)

    def covers(self, cell: Cell) -> bool:  # noqa: ARG002 - what it cannot perturb it refuses
        """Have a say about every statistic."""
        return True

    def perturbs(self, cell: Cell) -> bool:
        """Tell whether there is a base for it."""
        asked = cell.asked
        if asked.statistic is Statistic.COUNT:
            return not asked.weighted
        return asked.statistic in IN_UNITS and asked.attribute in self._policy.values

    def released(self, cell: Cell) -> Released:
        """Return the rounded answer, and where the truth can be."""
        truth, base = true_value(cell), self._base(cell)
        if cell.asked.statistic is Statistic.SUM and cell.members.places.size:
            truth = truth or 0  # a blank would tell that nobody fulfils a condition
        if truth is None:
            return Released(None, by=self._policy.name)
        if self._policy.way == "nearest":
            value, off = nearest(truth, base), base / 2
        else:
            value, off = at_random(truth, base, self._chance(cell)), base
        return Released(value, value - off, value + off, self._policy.name, is_certain=True)

    def told(self) -> Mapping[str, Any]:
        """Return the bases."""
        return {"way": self._policy.way, "counts": self._policy.base, **self._policy.values}

    def move(self, data: PublicClasses) -> None:
        """Go on with other data."""
        for name in self._policy.values:
            _refuse_other_than_numbers(data, name)
        self._keys = RecordKeys(data, self._secret)

    def _base(self, cell: Cell) -> float:
        if cell.asked.statistic is Statistic.COUNT:
            return self._policy.base
        return self._policy.values[str(cell.asked.attribute)]

    def _chance(self, cell: Cell) -> float:
        # A count of known values is a count of fewer records, and of the same where all are known.
        is_count = cell.asked.statistic is Statistic.COUNT
        return self._keys.uniform(
            "count" if is_count else str(cell.asked), known_key(cell, self._keys)
        )


def _refuse_other_than_numbers(data: PublicClasses, name: str) -> None:
    known = [one for one in data.attributes if data.attributes[one].kind is Kind.CONTINUOUS]
    if name not in known:
        raise ParameterError(
            f"`values` of `rounded_answers` gives a base to numbers of the view; `{name}` is none "
            f"of them ({', '.join(known)}).{did_you_mean(name, known)}"
        )
