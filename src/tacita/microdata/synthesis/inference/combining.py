"""Combining rules: one estimate, with its variance, from those of several synthetic copies.

Of m copies, q_l is the estimate of copy l and v_l its variance as if the copy were real data;
q is the mean of the q_l, v that of the v_l, and b = sum_l (q_l - q)^2 / (m - 1).

=========  ==============================  ==================================  ===================
rule       variance of q                   degrees of freedom                  copies
=========  ==============================  ==================================  ===================
full       (1 + 1/m) b - v                 (m - 1) (1 - v / ((1 + 1/m) b))^2   fully synthetic
partial    b / m + v                       (m - 1) (1 + v / (b / m))^2         partially synthetic
plug_in    v (r + 1/m)                     infinitely many                     fully, not proper
=========  ==============================  ==================================  ===================

r is the number of records in a copy over that of the original data. The variance of the rule `full`
can come out negative; it is then r v, with m - 1 degrees of freedom. Where it is hardly above 0, so
are the degrees of freedom, and Student's t would have no bounds anybody can use: they are 1 at
least, with which intervals still cover more often than they promise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tacita.data.classes import Floats
from tacita.errors import InputError, ParameterError, load_extra, shown
from tacita.results import Interval, show

Rule = Literal["full", "partial", "plug_in"]
SAID: dict[Rule, str] = {
    "full": "the variance of q is (1 + 1/m) b - v, with (m - 1) (1 - v / ((1 + 1/m) b))^2 degrees "
    "of freedom, 1 at least (Raghunathan, Reiter & Rubin 2003); where the variance is not above 0, "
    "it is r v, with m - 1 and r the records of a copy for each of the original ones (Reiter 2002)",
    "partial": "the variance of q is b / m + v, with (m - 1) (1 + v / (b / m))^2 degrees of "
    "freedom (Reiter 2003)",
    "plug_in": "the variance of q is v (r + 1/m), with r the records of a copy for each of the "
    "original ones, and q is normal (Raab, Nowok & Dibben 2016)",
}
FEWEST = {"full": 2, "partial": 2, "plug_in": 1}  # copies that a rule needs
LEAST_FREEDOM = 1.0  # with the rule `full`
LONG = 1.5  # times the interval of endlessly many copies, from which on more are advised
NEARLY = 1.1  # times that interval, with as many as are advised


class Moments(NamedTuple):
    """What copies say of some quantities together."""

    estimate: Floats  # q
    within: Floats  # v
    between: Floats  # b
    copies: int


class Spread(NamedTuple):
    """How far combined estimates may lie from the truth."""

    variance: Floats
    freedom: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Combined:
    """Estimates from several copies, with variances and intervals.

    Args:
        names: the quantities.
        estimates: the mean of every quantity's estimates.
        variances: the variance of each, never below 0.
        freedom: the degrees of freedom of Student's t by which its interval is made.
        between: the variance of the estimates between the copies.
        within: the mean of the variances that the copies show.
        rule: the combining rule.
        copies: how many copies there were.
        adjusted: where the rule's own variance was not above 0, and another took its place.
        confidence: the probability with which intervals cover.
        ratio: how many records a copy has for each of the original ones.
    """

    names: tuple[str, ...]
    estimates: Floats
    variances: Floats
    freedom: Floats
    between: Floats
    within: Floats
    rule: Rule
    copies: int
    adjusted: npt.NDArray[np.bool_]
    confidence: float = 0.95
    ratio: float = 1.0

    @property
    def standard_errors(self) -> Floats:
        """The standard error of every estimate."""
        return np.sqrt(self.variances)

    @property
    def lower(self) -> Floats:
        """The lower bounds of the intervals."""
        return self.estimates - self._reach

    @property
    def upper(self) -> Floats:
        """The upper bounds of the intervals."""
        return self.estimates + self._reach

    @property
    def _reach(self) -> Floats:
        with np.errstate(invalid="ignore"):  # of no variance and an endless quantile
            reach = _quantile(self.freedom, self.confidence) * self.standard_errors
        return np.where(self.variances > 0, reach, 0.0)

    @property
    def stretch(self) -> Floats:
        """How many times as long intervals are as with endless degrees of freedom."""
        return _quantile(self.freedom, self.confidence) / _quantile(np.inf, self.confidence)

    @property
    def warning(self) -> str:
        """What to do about intervals that are long because the copies are few; or nothing.

        The number of copies that it names is that of `enough_copies`.
        """
        longest = float(self.stretch.max(initial=1.0))
        if longest <= LONG:
            return ""
        return (
            f"{self.copies} copies are few: with so few degrees of freedom, intervals are up to "
            f"{longest:.1f} times as long as need be; about "
            f"{enough_copies(self.rule, self.ratio, self.confidence)} copies make that {NEARLY:g}."
        )

    def interval(self, name: str) -> Interval:
        """Return the interval of one quantity."""
        if name not in self.names:
            raise InputError(f"`{name}` was not estimated (there are {', '.join(self.names)}).")
        place = self.names.index(name)
        return Interval(float(self.lower[place]), float(self.upper[place]), self.confidence)

    def __getitem__(self, name: str) -> float:
        self.interval(name)
        return float(self.estimates[self.names.index(name)])

    def __repr__(self) -> str:
        head = f"{self.copies} copies, rule `{self.rule}`"
        width = max(map(len, self.names), default=0)
        lines = [
            f"  {name:<{width}}  {show(self[name]):>10}  {self.interval(name)}"
            for name in self.names
        ]
        return "\n".join([head, *lines, *([self.warning] if self.warning else [])])

    def to_arrow(self) -> pa.Table:
        """Return a row for every quantity."""
        return pa.table(
            {
                "name": list(self.names),
                "estimate": self.estimates,
                "standard_error": self.standard_errors,
                "degrees_of_freedom": self.freedom,
                "lower": self.lower,
                "upper": self.upper,
                "between": self.between,
                "within": self.within,
                "adjusted": self.adjusted,
            }
        )

    def to_polars(self) -> Any:
        """Return a row for every quantity as a Polars frame."""
        return load_extra("polars", "frames").from_arrow(self.to_arrow())

    def to_pandas(self) -> Any:
        """Return a row for every quantity as a pandas frame."""
        load_extra("pandas", "frames")
        return self.to_arrow().to_pandas()


def combine(
    estimates: npt.ArrayLike,
    variances: npt.ArrayLike,
    *,
    rule: Rule,
    names: Sequence[str] | None = None,
    ratio: float = 1.0,
    confidence: float = 0.95,
) -> Combined:
    """Combine what several synthetic copies say of the same quantities.

    Papers: `full` is Raghunathan, Reiter & Rubin, J. Official Statistics 19(1):1-16, 2003, with the
    adjustment of Reiter, J. Official Statistics 18(4):531-543, 2002; `partial` is Reiter, Survey
    Methodology 29(2):181-188, 2003; `plug_in`, for records drawn with estimated parameters instead
    of ones from their posterior distribution, is Raab, Nowok & Dibben, J. Privacy and
    Confidentiality 7(3), 2016, and assumes simple random samples.

    >>> combine([10.0, 12.0, 11.0], [0.5, 0.7, 0.6], rule="partial", names=["mean"])
    3 copies, rule `partial`
      mean          11  8.949 to 13.05 (95 %)

    Args:
        estimates: one estimate a copy, or copies by quantities.
        variances: their variances, each computed as if its copy were real data.
        rule: `full`, `partial` or `plug_in`; see the module's text.
        names: what the quantities are called; q1, q2, ... when left out.
        ratio: how many records a copy has for each of the original ones.
        confidence: the probability with which intervals cover (above 0, below 1).

    Raises:
        ParameterError: the rule is none, or a number is out of its range.
        InputError: estimates and variances do not fit each other, or there are too few copies.
    """
    points, spreads = _matrix(estimates), _matrix(variances)
    _refuse(points, spreads, rule, ratio, confidence)
    called = tuple(names or (f"q{place + 1}" for place in range(points.shape[1])))
    if len(called) != points.shape[1]:
        raise InputError(f"There are {points.shape[1]} quantities and {len(called)} names.")
    found = Moments(
        points.mean(axis=0),
        spreads.mean(axis=0),
        points.var(axis=0, ddof=min(len(points) - 1, 1)),
        len(points),
    )
    spread = _SPREADS[rule](found, ratio)
    return Combined(
        called,
        found.estimate,
        *spread,
        found.between,
        found.within,
        rule,
        len(points),
        _is_adjusted(found) if rule == "full" else np.zeros(len(called), np.bool_),
        confidence,
        ratio,
    )


def enough_copies(rule: Rule, ratio: float = 1.0, confidence: float = 0.95) -> int:
    """Return with how many copies intervals are about a tenth longer than with endlessly many.

    With drawn parameters b is about (1 + r) v, so that the rule `full` has (m - 1) (r / (1 + r))^2
    degrees of freedom; those of the rule `partial` are m - 1 at least.

    >>> enough_copies("full"), enough_copies("partial"), enough_copies("plug_in")
    (57, 15, 1)

    Args:
        rule: the combining rule.
        ratio: how many records a copy has for each of the original ones.
        confidence: the probability with which intervals cover.
    """
    if rule == "plug_in":
        return FEWEST[rule]
    wanted = NEARLY * float(_quantile(np.inf, confidence))
    freedom = next(k for k in count(1) if _quantile(float(k), confidence) <= wanted)
    share = ratio / (1 + ratio) if rule == "full" else 1.0
    return 1 + ceil(freedom / share**2)


def _quantile(freedom: npt.ArrayLike, confidence: float) -> Floats:
    """Return how many standard errors an interval reaches to each side."""
    from scipy.special import ndtri, stdtrit

    level, finite = (1 + confidence) / 2, np.isfinite(freedom)
    of_student = stdtrit(np.where(finite, freedom, 1.0), level)
    return np.asarray(np.where(finite, of_student, ndtri(level)))


def _matrix(numbers: npt.ArrayLike) -> Floats:
    made = np.asarray(numbers, np.float64)
    return made[:, None] if made.ndim == 1 else made


def _refuse(points: Floats, spreads: Floats, rule: str, ratio: float, confidence: float) -> None:
    if rule not in get_args(Rule):
        raise ParameterError(f"`rule` should be full, partial or plug_in; found {shown(rule)}.")
    if not 0 < confidence < 1:
        raise ParameterError(f"`confidence` lies between 0 and 1; found {shown(confidence)}.")
    if not 0 < ratio < np.inf:
        raise ParameterError(f"`ratio` is a number above 0; found {shown(ratio)}.")
    if points.ndim != 2 or points.shape != spreads.shape:  # noqa: PLR2004 - copies by quantities
        raise InputError(
            f"Estimates and variances should be one a copy, or copies by quantities; found shapes "
            f"{points.shape} and {spreads.shape}."
        )
    if len(points) < FEWEST[rule]:
        raise InputError(
            f"The rule `{rule}` needs at least {FEWEST[rule]} copies; found {len(points)}."
        )
    if not (np.isfinite(points).all() and np.isfinite(spreads).all() and (spreads >= 0).all()):
        raise InputError("Estimates should be finite numbers, and variances 0 or more.")


def _full_variance(found: Moments) -> Floats:
    return (1 + 1 / found.copies) * found.between - found.within


def _is_adjusted(found: Moments) -> npt.NDArray[np.bool_]:
    """Tell where the variance of fully synthetic copies does not come out above 0."""
    return _full_variance(found) <= 0


def _full(found: Moments, ratio: float) -> Spread:
    adjusted = _is_adjusted(found)
    between = np.where(adjusted, 1.0, (1 + 1 / found.copies) * found.between)
    freedom = (found.copies - 1) * (1 - np.where(adjusted, 0.0, found.within) / between) ** 2
    freedom = np.maximum(freedom, LEAST_FREEDOM)
    return Spread(np.where(adjusted, ratio * found.within, _full_variance(found)), freedom)


def _partial(found: Moments, ratio: float) -> Spread:  # noqa: ARG001 - one shape for all rules
    between = found.between / found.copies
    with np.errstate(divide="ignore", over="ignore"):
        more = np.divide(
            found.within, between, out=np.full_like(between, np.inf), where=between > 0
        )
        freedom = (found.copies - 1) * (1 + more) ** 2
    return Spread(between + found.within, freedom)


def _plug_in(found: Moments, ratio: float) -> Spread:
    return Spread(found.within * (ratio + 1 / found.copies), np.full_like(found.within, np.inf))


_SPREADS = {"full": _full, "partial": _partial, "plug_in": _plug_in}
