"""What a masking or synthesis method keeps of the data: how, and under which conditions.

A method declares it as the class attribute `keeps`. The contract suite simulates every promise on
data on which such promises tend to fail, and the pages of methods, the evidence of a run and the
workbench say it from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal


class Statistic(StrEnum):
    """What can be kept of data; means and moments are of the known values."""

    RECORDS = "number of records"
    MEANS = "means"
    TOTALS = "weighted totals"
    VARIANCES = "variances"
    COVARIANCES = "covariances"
    CORRELATIONS = "correlations"
    ORDER = "order of values"
    DISTRIBUTIONS = "univariate distributions"
    SHARES = "weighted shares of categories"
    JOINT_DISTRIBUTION = "joint distribution"
    TABLES = "t-way tables"
    SUBGROUP_MEANS = "means of groups"
    SUBGROUP_COVARIANCES = "covariances of groups"
    SIGNS = "signs and zeros"
    RATIOS = "ratios within a record"
    COEFFICIENTS = "coefficients of regressions"
    INTERVALS = "intervals between dates"
    EQUALITY = "which values are equal"
    VALUES = "values"
    EPSILON = "epsilon"


class Trait(StrEnum):
    """What data can be like, said as the condition that they are not."""

    BLANKS = "no value is blank"
    RARE_BLANKS = "no pattern of blanks is rare"
    TIES = "no values of an attribute are equal"
    CONSTANT = "every attribute varies"
    COLLINEAR = "no attribute is the sum of others"
    NEGATIVE = "no value is negative"
    WEIGHTS = "there are no sampling weights"


@dataclass(frozen=True)
class Kept:
    """A statistic that a method keeps, exactly or in expectation.

    *In expectation* is averaged over all draws of the method, for the data as they are; estimates
    of order 1 / n besides, as those of correlations have. *Exactly* is up to the rounding of
    doubles.

    Args:
        statistic: what is kept.
        how: whether in every run, or on average over all.
        of: of which attributes, in words; by default of those that the method changes.
        given: the parameters that it needs, with their values; a frozenset lists several, each of
            which will do.
        unless: of what the data must have none.
        about: the parameters whose attributes the statistic is of.
        simulated: the parameters of a run that shows it, where those of the method's example and
            `given` do not fit together.
    """

    statistic: Statistic
    how: Literal["exactly", "in expectation"]
    of: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    unless: frozenset[Trait] = frozenset()
    about: tuple[str, ...] = ()
    simulated: Mapping[str, Any] = field(default_factory=dict)

    def holds_for(self, method: object) -> bool:
        """Tell whether a method has the parameters that the promise needs."""
        return all(_is_one_of(getattr(method, name), asked) for name, asked in self.given.items())

    @property
    def conditions(self) -> str:
        """The conditions in words.

        >>> always(Statistic.MEANS, given={"exact": True}, unless={Trait.BLANKS}).conditions
        'with `exact: yes`, where no value is blank'
        """
        parameters = [f"`{name}: {_shown(value)}`" for name, value in self.given.items()]
        traits = [trait.value for trait in Trait if trait in self.unless]
        parts = (
            "with " * bool(parameters) + " and ".join(parameters),
            "where " * bool(traits) + " and ".join(traits),
        )
        return ", ".join(filter(None, parts))

    def __str__(self) -> str:
        """Say the promise in a line.

        >>> print(expected(Statistic.TABLES, of="all attributes", given={"t": frozenset({1, 2})}))
        t-way tables of all attributes, in expectation, with `t: 1 or 2`
        """
        what = f"{self.statistic} of {self.of}" if self.of else str(self.statistic)
        return ", ".join(filter(None, (what, self.how, self.conditions)))


def always(statistic: Statistic, **conditions: Any) -> Kept:
    """Promise a statistic in every run."""
    return _promise(statistic, "exactly", conditions)


def expected(statistic: Statistic, **conditions: Any) -> Kept:
    """Promise a statistic on average over all draws."""
    return _promise(statistic, "in expectation", conditions)


def _promise(
    statistic: Statistic, how: Literal["exactly", "in expectation"], conditions: dict[str, Any]
) -> Kept:
    conditions["unless"] = frozenset(conditions.get("unless", ()))
    return Kept(statistic, how, **conditions)


def _is_one_of(value: Any, asked: Any) -> bool:
    return value in asked if isinstance(asked, frozenset) else value == asked


def _shown(value: Any) -> str:
    """Say a value as a plan file does."""
    if isinstance(value, frozenset):
        return " or ".join(sorted(map(_shown, value)))
    if value is None or value == ():
        return "none"
    if isinstance(value, float):
        return f"{value:g}"
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)
