"""The score of a release: what it risks and what it costs in one number; the lowest is best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from math import inf, isfinite
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Kind
from tacita.data.dataset import Dataset
from tacita.data.pairing import PairBy, as_pair
from tacita.errors import InputError, ParameterError, shown
from tacita.method import Method
from tacita.microdata.comparing.features import shared
from tacita.microdata.comparing.nearness import is_numeric
from tacita.microdata.risk.distance_linkage import DistanceLinkage
from tacita.microdata.risk.interval_disclosure import IntervalDisclosure
from tacita.microdata.risk.probabilistic_linkage import ProbabilisticLinkage
from tacita.microdata.utility.mean_information_loss import MeanInformationLoss
from tacita.registry import find, from_plan
from tacita.release.comparing.score_card import Component, ScoreCard, Scoring, Side
from tacita.release.measuring import measuring, refusing
from tacita.results import Measurement, brief, exactly, listed

RISKS, LOSSES = ("risk", "attack"), ("utility",)
WEIGHTS = {"IL": 0.5, "DLD": 0.125, "PLD": 0.125, "ID": 0.25}
WIDTHS = tuple(number / 100 for number in range(1, 11))
PERCENT = 100


@dataclass(frozen=True)
class Score:
    """The score of Domingo-Ferrer and Torra: (IL + ((DLD + PLD) / 2 + ID) / 2) / 2, in percent.

    IL is `mean_information_loss`: the mean of the variations of values, means, covariances and
    variances and of the mean absolute error of the correlations. DLD and PLD are the shares of
    records linked rightly by distance and by weighing agreements. ID is the share of original
    values that lie in an interval around their released value, the mean over some widths. What
    the paper leaves open is fixed here and told with the result: the intruder knows all of `known`,
    or the first n of them for each n of `numbers`, of which the mean is taken.

    When not to use it: alone; IL has no upper bound and DR has, and the weights are a choice. The
    components stand beside the score for that reason.

    Args:
        attributes: the continuous attributes that are compared; all by default.
        known: the attributes the intruder knows, the likeliest first; by default the keys, or
            `attributes` if there are no keys.
        numbers: how many of `known` the intruder has; linkage is tried with the first n for each
            of these numbers, and the mean is taken. All by default.
        widths: how far the intervals of ID go to each side; the mean over them is taken.
        intervals: what a width is a share of: the standard deviation of the original values
            (`deviations`), or the number of released records, by their ranks (`ranks`).
        weights: how much IL, DLD, PLD and ID count; one that counts nothing is not measured.
        sample: how many records are linked at most; None for all.
        seed: where the sample comes from.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> card = Score().of(data, data)
    >>> card.loss, card.risk, card.score
    (0.0, 100.0, 50.0)
    """

    attributes: Sequence[str] | None = None
    _: KW_ONLY
    known: Sequence[str] | None = None
    numbers: Sequence[int] | None = None
    widths: Sequence[float] = WIDTHS
    intervals: Literal["deviations", "ranks"] = "deviations"
    weights: Mapping[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    sample: int | None = 2_000
    seed: int = 0

    def __post_init__(self) -> None:
        for word in ("attributes", "known"):
            _refuse_names(word, getattr(self, word))
        _refuse_sample(self.sample)
        _refuse_weights(self.weights, tuple(WEIGHTS))
        if not self.weights["IL"] or not any(self.weights[risk] for risk in ("DLD", "PLD", "ID")):
            raise ParameterError("`weights` of the score must count IL and at least one risk.")
        if not _are(self.widths, int | float) or min(self.widths) < 0:
            raise ParameterError(
                "`widths` of the score are a list of shares of 0 or more; "
                f"found {shown(self.widths)}."
            )
        if self.numbers is not None and not _are(self.numbers, int):
            raise ParameterError(
                f"`numbers` of the score are a list of whole numbers; found {shown(self.numbers)}."
            )
        if self.intervals not in ("deviations", "ranks"):
            raise ParameterError(
                f"`intervals` of the score are of deviations or of ranks; "
                f"found {shown(self.intervals)}."
            )

    @property
    def axes(self) -> tuple[str, str]:
        """What risk and loss are, in words."""
        return "disclosure risk (percent)", "information loss (percent)"

    def of(self, original: Dataset, protected: Dataset) -> ScoreCard:
        """Measure protected data.

        Raises:
            InputError: a risk means nothing after what was done to the data.
        """
        names = self._attributes(original)
        known = self._known(original, names)
        told = self._told(known)
        both = dict.fromkeys(told, (original, protected))
        if self.intervals == "ranks":
            both["ID"] = as_ranks(original, protected, names)
        refuse = refusing(original, protected)
        found = []
        for name, methods in self._methods(names, known).items():
            if weight := self.weights[name]:
                for method in methods:
                    refuse(method)
                found.append(Component.measured(name, _side(name), weight, methods, both[name]))
        return ScoreCard(
            tuple(
                replace(one, value=PERCENT * one.value, sentence=told[one.name]) for one in found
            ),
            "percent",
        )

    def _methods(
        self, names: tuple[str, ...], known: Sequence[tuple[str, ...]]
    ) -> dict[str, list[Method]]:
        """Return the measures of each component, of which the mean is taken."""
        linking: dict[str, Any] = {"sample": self.sample, "seed": self.seed}
        return {
            "IL": [MeanInformationLoss(names)],
            "DLD": [DistanceLinkage(some, **linking) for some in known],
            "PLD": [ProbabilisticLinkage(some, **linking) for some in known],
            "ID": [
                IntervalDisclosure(names, width=width, rank_width=_percent(width))
                for width in self.widths
            ],
        }

    def _attributes(self, original: Dataset) -> tuple[str, ...]:
        if self.attributes is not None:
            return _several(self.attributes)
        tell = shared([original])
        names = tuple(name for name in tell if original.attribute(name).kind is Kind.CONTINUOUS)
        if not names:
            raise InputError(
                "The score is of continuous attributes and the data have none; compare categories "
                "with a score of your own, for instance "
                "`CustomScore(['uniqueness'], ['direct_comparison'])`."
            )
        return names

    def _known(self, original: Dataset, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the sets of attributes that the intruder is taken to know."""
        known = _several(self.known or original.keys or names)
        numbers = [len(known)] if self.numbers is None else list(self.numbers)
        for number in numbers:
            if not 1 <= number <= len(known):
                raise ParameterError(
                    f"`numbers` of the score should lie between 1 and {len(known)}, the number of "
                    f"attributes that the intruder may know; found {shown(number)}."
                )
        return [known[:number] for number in numbers]

    def _told(self, known: Sequence[Sequence[str]]) -> dict[str, str]:
        """Say in words what every component is, with what the paper leaves open."""
        whom = f"knowing {_span([len(some) for some in known])} attributes"
        widths = _span([_percent(width) for width in self.widths])
        around = "a standard deviation" if self.intervals == "deviations" else "the ranks"
        return {
            "IL": "percent that values, means, covariances, variances, correlations changed",
            "DLD": f"percent of the records linked rightly by distance, {whom}",
            "PLD": f"percent of the records linked rightly by weighing agreements, {whom}",
            "ID": f"percent of the values within {widths} % of {around} of their released value",
        }


def _side(name: str) -> Side:
    return "loss" if name == "IL" else "risk"


def _refuse_names(word: str, said: Any) -> None:
    names = [said] if isinstance(said, str) else said
    if said is None or (
        isinstance(names, Sequence) and names and all(isinstance(one, str) for one in names)
    ):
        return
    raise ParameterError(f"`{word}` of the score are the names of attributes; found {shown(said)}.")


def _refuse_sample(said: Any) -> None:
    if said is not None and (isinstance(said, bool) or not isinstance(said, int) or said < 1):
        raise ParameterError(
            f"`sample` of the score is a number of records, 1 or more; found {shown(said)}."
        )


def _percent(width: float) -> float:
    """Return a share in percent, as the decimal that was written and not the nearest double's."""
    return float(PERCENT * exactly(width))


def _are(said: Any, kind: Any) -> bool:
    """Tell whether something is a list, not empty, of finite numbers of a kind."""
    return (
        isinstance(said, Sequence)
        and len(said) > 0
        and all(isinstance(one, kind) and isfinite(one) for one in said)
    )


def _several(names: Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _span(numbers: Sequence[float]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def as_ranks(
    original: Dataset, protected: Dataset, names: Sequence[str]
) -> tuple[Dataset, Dataset]:
    """Return both data sets with numbers as places in the order of all their values.

    What is no longer a number stays as it is.
    """
    for name in names:
        if name in protected.attributes and is_numeric([original, protected], name):
            columns = [data.numbers(name) for data in (original, protected)]
            values = np.unique(np.concatenate(columns))
            order = tuple(range(len(values)))
            original, protected = (
                data.with_column(
                    data.attribute(name).recoded(Kind.ORDINAL, order),
                    pa.array(np.searchsorted(values, column), mask=np.isnan(column)),
                )
                for data, column in zip((original, protected), columns, strict=True)
            )
    return original, protected


Asked = Method | str | Mapping[str, Any]


class CustomScore:
    """A score of your own: any risks and losses, each with its weight.

    The risk is the weighted mean of the risks, the loss that of the losses, and the score the
    weighted mean of all, on the scales of the measures themselves (most are shares of 0 to 1).

    Args:
        risks: risks and attacks, one or a list: methods, names or as plans say them; alone, or
            as a pair with the weight (1 where nothing is said).
        losses: utility measures, said likewise.

    >>> import tacita as ta
    >>> data = ta.example("toy", 200)
    >>> card = CustomScore(["uniqueness", ("exact_linkage", 3)], [ta.DirectComparison()]).of(
    ...     data, data
    ... )
    >>> card.risk, card.loss, card.score
    (1.0, 0.0, 0.8)
    """

    def __init__(
        self,
        risks: Asked | Sequence[Asked | tuple[Asked, float]],
        losses: Asked | Sequence[Asked | tuple[Asked, float]],
    ) -> None:
        self.risks = tuple(_weighed(one, RISKS) for one in _measures(risks))
        self.losses = tuple(_weighed(one, LOSSES) for one in _measures(losses))
        if not self.risks or not self.losses:
            raise ParameterError("A score needs at least one risk and one loss.")

    @property
    def axes(self) -> tuple[str, str]:
        """What risk and loss are, in words."""
        risk, loss = (
            listed([brief(method.to_plan()) for method, _ in weighed])
            for weighed in (self.risks, self.losses)
        )
        return risk, loss

    def of(self, original: Dataset, protected: Dataset) -> ScoreCard:
        """Measure protected data.

        Raises:
            InputError: a risk means nothing after what was done to the data.
        """
        return self.measured(measuring(original, protected))

    def measured(self, measure: Callable[[Method], Measurement]) -> ScoreCard:
        """Measure in some way, for instance for an intruder."""
        sides: tuple[tuple[Side, Any], ...] = (("risk", self.risks), ("loss", self.losses))
        return ScoreCard(
            tuple(
                Component.of(brief(method.to_plan()), side, weight, [measure(method)])
                for side, weighed in sides
                for method, weight in weighed
            )
        )


def _measures(said: Any) -> Sequence[Any]:
    return [said] if isinstance(said, Method | str | Mapping) else said


def _weighed(said: Asked | tuple[Asked, float], families: tuple[str, ...]) -> tuple[Method, float]:
    asked, weight = said if isinstance(said, tuple) and len(said) == 2 else (said, 1.0)  # noqa: PLR2004 - a pair
    if isinstance(asked, Method):
        find(asked.name, families)
    else:
        asked = from_plan(asked, families)
    _refuse_weights({asked.name: weight}, (asked.name,))
    if not weight:
        raise ParameterError(f"`{asked.name}` counts nothing in the score; leave it out.")
    return asked, float(weight)


def _refuse_weights(weights: Mapping[str, float], names: Sequence[str]) -> None:
    if not isinstance(weights, Mapping) or set(weights) != set(names):
        raise ParameterError(
            f"`weights` should say how much {', '.join(names)} count; found {shown(weights)}."
        )
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < inf:
            raise ParameterError(
                f"The weight of `{name}` is a number of 0 or more; found {shown(weight)}."
            )


def scoring_of(risk: Any, loss: Any, by: Scoring | None) -> Scoring:
    """Return what measures risk and loss: some measures, a score, or that of the field.

    Args:
        risk: the risk, or a list of risks; together with `loss`.
        loss: the loss, or a list of losses.
        by: a score that measures both instead.
    """
    if (risk is None) != (loss is None):
        raise ParameterError("A map needs `risk` and `loss` together, or neither.")
    if risk is None:
        return by or Score()
    if by is not None:
        raise ParameterError("Give either `risk` and `loss` or `by`, which measures both.")
    return CustomScore(*(side if isinstance(side, list) else [side] for side in (risk, loss)))


def score(
    original: Any,
    protected: Any,
    *,
    by: Scoring | None = None,
    pair_by: PairBy | None = None,
) -> ScoreCard:
    """Return the score of protected data with every component; the lowest is best.

    Args:
        original: the data before masking: microdata or a data frame.
        protected: the data after masking.
        by: the score to use; that of Domingo-Ferrer and Torra when left out.
        pair_by: how records are paired, as `pair` takes it; by what is known when left out.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> score(data, ta.example("medical_rank_swapped"), pair_by="position").score < 50
    True
    """
    return (by or Score()).of(*as_pair(original, protected, pair_by))
