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

Of a finite population, of whom the share s was sampled and the others imputed, quantities vary
less. With f = 1 - s, a copy leaves out the share g = 1 - r s / f of the others, its variance as a
sample of them is g v, and d = b - g v estimates that of what is not known of them. The population
is s of the sample, which is known, and f of the others, about whom the copies are: f^2 d + b / m.
Copies do not show how far the sampled are from the others; of that, what a known background tells
is no chance in d, and h = max(r v / f - d, 0) is what it may be. So the variance of q is
f^2 d + b / m + s^2 h, or f r v where that is not above 0; and with e b the part of it that is a
multiple of b, the degrees of freedom are (m - 1) (variance / (e b))^2. With s = 0 that is what the
table says.
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
OF_FINITE = (
    "the variance of q is f^2 d + b / m + s^2 h, with d = b - g v, h = max(r v / f - d, 0), "
    "g = 1 - r s / f and f = 1 - s; s = {sampled:.6g} is the share of the population that was "
    "sampled and r the records of a copy for each of the original ones. It has "
    "(m - 1) (variance / (e b))^2 degrees of freedom, 1 at least, with e = f^2 + 1/m, less s^2 "
    "where h is above 0. Where the variance is not above 0, it is f r v, with m - 1 (after "
    "Raghunathan, Reiter & Rubin 2003 and Reiter 2002)"
)
FEWEST = {"full": 2, "partial": 2, "plug_in": 1}  # copies that a rule needs
LEAST_FREEDOM = 1.0  # with the rule `full`
ROUNDING = 1e-9  # of shares, when they are compared
LONG = 1.5  # times the interval of endlessly many copies, from which on more are advised
NEARLY = 1.1  # times that interval, with as many as are advised


class Moments(NamedTuple):
    """What copies say of some quantities together."""

    estimate: Floats  # q
    within: Floats  # v
    between: Floats  # b
    copies: int


class Sizes(NamedTuple):
    """How many records there are, of a copy, of the original data and of the population."""

    ratio: float  # r
    sampled: float  # s

    @property
    def others(self) -> float:
        """The share f of the population that was not sampled."""
        return 1 - self.sampled

    @property
    def left_out(self) -> float:
        """The share g of the others that are not in a copy."""
        return max(1 - self.ratio * self.sampled / self.others, 0.0)


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
        sampled: the share of the population that was sampled; 0 of an endless one.
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
    sampled: float = 0.0

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
            f"{enough_copies(self.rule, self.ratio, self.confidence, self.sampled)} copies make "
            f"that {NEARLY:g}."
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
    sampled: float = 0.0,
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
        sampled: with the rule `full`, the share of a finite population that was sampled (0 to
            below 1), where the estimates are of this population and the others were imputed.
        confidence: the probability with which intervals cover (above 0, below 1).

    Raises:
        ParameterError: the rule is none, or a number is out of its range.
        InputError: estimates and variances do not fit each other, or there are too few copies.
    """
    points, spreads = _matrix(estimates), _matrix(variances)
    _refuse(points, spreads, rule, ratio, confidence)
    sizes = Sizes(ratio, sampled)
    _refuse_sizes(rule, sizes)
    called = tuple(names or (f"q{place + 1}" for place in range(points.shape[1])))
    if len(called) != points.shape[1]:
        raise InputError(f"There are {points.shape[1]} quantities and {len(called)} names.")
    found = Moments(
        points.mean(axis=0),
        spreads.mean(axis=0),
        points.var(axis=0, ddof=min(len(points) - 1, 1)),
        len(points),
    )
    spread = _SPREADS[rule](found, sizes)
    return Combined(
        called,
        found.estimate,
        *spread,
        found.between,
        found.within,
        rule,
        len(points),
        _full_variance(found, sizes)[0] <= 0 if rule == "full" else np.zeros(len(called), np.bool_),
        confidence,
        ratio,
        sampled,
    )


def enough_copies(
    rule: Rule, ratio: float = 1.0, confidence: float = 0.95, sampled: float = 0.0
) -> int:
    """Return with how many copies intervals are about a tenth longer than with endlessly many.

    With drawn parameters b is about (1 + r) v, so that the rule `full` has about
    (m - 1) (1 - g / (1 + r))^2 degrees of freedom, where g = 1 in an endless population; those of
    the rule `partial` are m - 1 at least.

    >>> enough_copies("full"), enough_copies("partial"), enough_copies("plug_in")
    (57, 15, 1)

    Args:
        rule: the combining rule.
        ratio: how many records a copy has for each of the original ones.
        confidence: the probability with which intervals cover.
        sampled: the share of the population that was sampled.
    """
    if rule == "plug_in":
        return FEWEST[rule]
    wanted = NEARLY * float(_quantile(np.inf, confidence))
    freedom = next(k for k in count(1) if _quantile(float(k), confidence) <= wanted)
    share = 1 - Sizes(ratio, sampled).left_out / (1 + ratio) if rule == "full" else 1.0
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


def _refuse_sizes(rule: Rule, sizes: Sizes) -> None:
    if not 0 <= sizes.sampled < 1:
        raise ParameterError(f"`sampled` is a share from 0 to below 1; found {sizes.sampled:g}.")
    if sizes.sampled and rule != "full":
        raise ParameterError(f"The rule `{rule}` is for endless populations; leave `sampled` out.")
    if sizes.ratio * sizes.sampled > sizes.others * (1 + ROUNDING):
        raise ParameterError(
            f"With {sizes.ratio:g} records of a copy for each original one, and {sizes.sampled:g} "
            "of the population sampled, a copy has more records than there are others."
        )


def _full_variance(found: Moments, sizes: Sizes) -> tuple[Floats, Floats]:
    """Return the variance, and the part of it that is a multiple of that between the copies."""
    unknown = found.between - sizes.left_out * found.within  # d
    known = sizes.ratio * found.within / sizes.others - unknown  # h, if above 0
    counted = sizes.others**2 - np.where(known > 0, sizes.sampled**2, 0.0)
    variance = counted * unknown + found.between / found.copies
    variance += sizes.sampled**2 * np.where(known > 0, known + unknown, 0.0)
    return variance, (counted + 1 / found.copies) * found.between


def _full(found: Moments, sizes: Sizes) -> Spread:
    variance, between = _full_variance(found, sizes)
    adjusted = variance <= 0
    with np.errstate(divide="ignore", over="ignore"):
        share = np.divide(variance, between, out=np.full_like(variance, np.inf), where=between != 0)
    freedom = (found.copies - 1) * np.where(adjusted, 1.0, share) ** 2
    in_its_stead = sizes.others * sizes.ratio * found.within
    return Spread(np.where(adjusted, in_its_stead, variance), np.maximum(freedom, LEAST_FREEDOM))


def _partial(found: Moments, sizes: Sizes) -> Spread:  # noqa: ARG001 - one shape for all rules
    between = found.between / found.copies
    with np.errstate(divide="ignore", over="ignore"):
        more = np.divide(
            found.within, between, out=np.full_like(between, np.inf), where=between > 0
        )
        freedom = (found.copies - 1) * (1 + more) ** 2
    return Spread(between + found.within, freedom)


def _plug_in(found: Moments, sizes: Sizes) -> Spread:
    return Spread(
        found.within * (sizes.ratio + 1 / found.copies), np.full_like(found.within, np.inf)
    )


_SPREADS = {"full": _full, "partial": _partial, "plug_in": _plug_in}
