"""What can be asked: a statistic of an attribute over a query set."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Statistic(StrEnum):
    """The statistics of the language, as SQL calls them."""

    COUNT = "count"
    COUNT_DISTINCT = "count_distinct"
    RESPONDENTS = "respondents"  # count(DISTINCT x) of the identifier that tells them apart
    SUM = "sum"
    AVG = "avg"
    VAR = "var"
    STDDEV = "stddev"
    MIN = "min"
    MAX = "max"
    QUANTILE = "quantile"
    CORR = "corr"
    COVAR = "covar"
    REGR_SLOPE = "regr_slope"


LINEAR = frozenset({Statistic.COUNT, Statistic.SUM, Statistic.AVG})
OF_TWO = frozenset({Statistic.CORR, Statistic.COVAR, Statistic.REGR_SLOPE})


@dataclass(frozen=True)
class Asked:
    """One statistic of one attribute, or of two.

    Args:
        statistic: which.
        attribute: the attribute it is of; None for `count(*)`. `count(x)` counts the records in
            which x is known.
        other: the second attribute of a correlation, a covariance or a slope (the regressor).
        fraction: which quantile, between 0 and 1; the median is 0.5.
        weighted: whether every record counts with its weight: a weighted total or mean.
        population: whether variances and covariances divide by n instead of n - 1.

    >>> str(Asked(Statistic.AVG, "salary")), str(Asked(Statistic.COUNT))
    ('avg(salary)', 'count(*)')
    """

    statistic: Statistic
    attribute: str | None = None
    other: str | None = None
    fraction: float | None = None
    weighted: bool = False
    population: bool = False

    def __str__(self) -> str:
        parts = [part for part in (self.attribute, self.other) if part is not None]
        if self.fraction is not None:
            parts.append(f"{self.fraction:g}")
        if self.weighted:
            parts.append("weighted")
        name = f"{self.statistic}{'_pop' if self.population else ''}"
        return f"{name}({', '.join(parts) or '*'})"
