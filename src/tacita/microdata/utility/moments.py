"""Means, variances and correlations: the statistics that most analyses start from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.attribute import Kind, Role
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset, of_kind
from tacita.method import AttributeNames, Method
from tacita.results import Measurement, counted, listed

CONTINUOUS = frozenset({Kind.CONTINUOUS})
PAPER = "Domingo-Ferrer & Torra, in Confidentiality, Disclosure and Data Access, 2001, pp. 111-134"
MOST_CORRELATED = 200  # attributes; their pairs grow with the square
MISSING = "Each statistic uses the records in which its attributes are not blank."
Attributes = Annotated[
    AttributeNames | None,
    Field(description="The attributes to compare; by default all continuous ones but weights."),
]


class Means(Method):
    """How far the means moved: the mean variation between the vectors of averages.

    (1/p) sum_j |m_j - m'_j| / |m_j|, weighted by the sampling weights where there are any. Where
    m_j = 0 the term is 0 if m'_j = 0 and 1 if not; it is 1 for an attribute that was left out or is
    no longer a number.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> capped = data.apply(ta.TopCode("DH", 30), seed=0)
    >>> round(float(ta.information_loss(data, capped)["means"].parts["DH"]), 4)
    0.2797
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = PAPER
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"attributes"})

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the means."""
        return _compare(
            self, original, protected, self.attributes, lambda moments: moments[0], "means"
        )


class Variances(Method):
    """How far the variances moved: the mean variation between the diagonals of the covariances.

    (1/p) sum_j |v_jj - v'_jj| / |v_jj|, weighted by the sampling weights where there are any. Where
    v_jj = 0 the term is 0 if v'_jj = 0 and 1 if not; it is 1 for an attribute that was left out or
    is no longer a number.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.information_loss(data, data)["variances"].value
    0.0
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = PAPER
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"attributes"})

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the variances."""
        return _compare(
            self, original, protected, self.attributes, lambda moments: moments[1], "variances"
        )


class Correlations(Method):
    """How far the correlations moved: their mean absolute difference over pairs of attributes.

    2 / (p (p - 1)) sum_{i<j} |r_ij - r'_ij|, weighted by the sampling weights where there are any.
    A constant attribute has no correlations; its pairs are left out. With an attribute that was
    left out or is no longer a number, r' counts as 0. Of more than 200 attributes the first 200
    are compared, unless `attributes` names more.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.information_loss(data, data)["correlations"].value
    0.0
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = PAPER
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"attributes"})

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the correlations."""
        names, lost = _comparable(original, protected, self.attributes)
        every = [*names, *lost]
        chosen = every if self.attributes is not None else every[:MOST_CORRELATED]
        before = _correlations(original, chosen)
        after = _correlations(protected, [name for name in chosen if name not in lost])
        # A correlation that cannot be computed any more is as good as none.
        gaps = {pair: abs(r - after.get(pair, 0.0)) for pair, r in before.items()}
        parts = {pair: gap for pair, gap in gaps.items() if np.isfinite(gap)}
        value = _mean(list(parts.values()))
        pairs = counted(len(parts), "pair")
        left = len(every) > len(chosen)
        of = f" (the first {len(chosen)} of {len(every):,} attributes)" if left else ""
        told = f"correlations of {pairs}{of} moved by this much on average{_told(lost)}"
        named = {" x ".join(pair): part for pair, part in parts.items()}
        return Measurement(self.name, self.family, value, told, named, parameters=self.parameters())


def _compare(
    method: Method,
    original: Dataset,
    protected: Dataset,
    asked: Sequence[str] | None,
    statistic: Callable[[tuple[float, float]], float],
    what: str,
) -> Measurement:
    names, lost = _comparable(original, protected, asked)
    parts: dict[str, float | None] = dict.fromkeys(lost, 1.0)
    for name in names:
        before, after = statistic(_moments(original, name)), statistic(_moments(protected, name))
        parts[name] = variation(before, after)
    known = [part for part in parts.values() if part is not None]
    whose = counted(len(known), "attribute")
    told = f"relative change of the {what} of {whose}, on average{_told(lost)}"
    return Measurement(
        method.name, method.family, _mean(known), told, parts, parameters=method.parameters()
    )


def variation(before: float, after: float) -> float | None:
    """Return |before - after| / |before|; 0 or 1 where before is 0, None where one is undefined.

    >>> variation(4, 5), variation(0, 0), variation(0, 3)
    (0.25, 0.0, 1.0)
    """
    if not np.isfinite(before) or not np.isfinite(after):
        return None
    if before == 0:
        return 0.0 if after == 0 else 1.0
    return abs(before - after) / abs(before)


def _comparable(
    original: Dataset, protected: Dataset, asked: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Return the attributes that are still numbers, and those that masking made something else."""
    weights = original.with_role(Role.WEIGHT)
    names = of_kind(original, CONTINUOUS) if asked is None else list(asked)
    names = [name for name in names if name not in weights or asked is not None]
    kept = set(of_kind(protected, CONTINUOUS))
    return [n for n in names if n in kept], [n for n in names if n not in kept]


def _told(lost: Sequence[str]) -> str:
    return f"; left out or no longer numbers: {listed(lost)}" if lost else ""


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _moments(data: Dataset, name: str) -> tuple[float, float]:
    """Return mean and variance of an attribute over the records in which it is not blank."""
    means, covariance = _of_columns(data, [data.numbers(name)])
    return float(means[0]), float(covariance[0, 0])


def _of_columns(data: Dataset, columns: list[Floats]) -> tuple[Floats, Floats]:
    from tacita.kernels.moments import moments

    whole = np.ones(len(data), np.bool_)
    for column in columns:
        whole &= ~np.isnan(column)
    weight = data.weight
    chosen = columns if whole.all() else [column[whole] for column in columns]
    weights = None if weight is None else _rescaled(weight[whole])
    _, means, covariance = moments(chosen, weights)
    return means, covariance


def _rescaled(weights: Floats) -> Floats:
    """Let weights sum to the number of records, so that their scale does not matter."""
    return weights * (len(weights) / weights.sum()) if len(weights) else weights


def _correlations(data: Dataset, names: Sequence[str]) -> Mapping[tuple[str, str], float]:
    columns = {name: data.numbers(name) for name in names}
    if not any(np.isnan(column).any() for column in columns.values()) and len(names) > 1:
        _, joint = _of_columns(data, list(columns.values()))
        return {
            (a, b): _correlation(joint[np.ix_([i, j], [i, j])])
            for (i, a), (j, b) in combinations(enumerate(names), 2)
        }
    return {
        (a, b): _correlation(_of_columns(data, [columns[a], columns[b]])[1])
        for a, b in combinations(names, 2)
    }


def _correlation(covariance: np.ndarray[Any, Any]) -> float:
    scale = np.sqrt(covariance[0, 0] * covariance[1, 1])
    return float(covariance[0, 1] / scale) if scale > 0 else float("nan")
