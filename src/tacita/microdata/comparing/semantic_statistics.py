"""Mean, variance and covariance of attributes whose values are words with a meaning."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from tacita.arithmetic import product
from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Floats
from tacita.data.read import Source, as_dataset
from tacita.errors import InputError, ParameterError, did_you_mean, shown
from tacita.microdata.comparing.nodes import Metric
from tacita.microdata.comparing.semantics import Semantics

Definition = Literal["squares", "marginality"]
POWERS = {"squares": 2, "marginality": 1}  # of the distances that a mean makes least
METRICS = ("ancestors", "level")
WITH_MEANING = frozenset({Kind.NOMINAL, Kind.ORDINAL, Kind.SET_VALUED})


def semantic_mean(
    data: Source,
    attribute: str,
    *,
    by: Definition = "squares",
    metric: Metric = "ancestors",
    weighted: bool = True,
) -> Any:
    """Return the value, or the label or concept above values, that is nearest to all values.

    With d the distance in meaning (see `metric`), x_i the values of the records that are not blank
    and w_i their weights, it is the node c of least sum w_i d(x_i, c)^2, as the mean of numbers is;
    by *marginality* that of least sum w_i d(x_i, c). On ties a value goes before a label, the
    lowest first. Without a hierarchy or an ontology it is the most frequent value. The mean of sets
    is one of the sets.

    Papers: Martinez, Sanchez & Valls, Journal of Biomedical Informatics 46:294, 2013;
    Domingo-Ferrer, Sanchez & Rufian-Torrell, Information Sciences 242:35, 2013.

    >>> import tacita as ta
    >>> toy = ta.example("toy", 100)
    >>> ta.semantic_mean(toy, "disease"), ta.semantic_mean(toy, "disease", by="marginality")
    ('Chronic', 'asthma')

    Args:
        data: the records.
        attribute: a nominal, ordinal or set-valued attribute.
        by: whether squared distances or distances (the marginality) are made least.
        metric: along a hierarchy, `ancestors` compares what lies above two values (see
            `Ontology.distance`), `level` takes the level of their lowest common ancestor over the
            height; with `level` the mean is always a value. An ontology has ancestors only.
        weighted: whether records count by their sampling weights, where there are any.

    Raises:
        TacitaError: the attribute is of another kind, has no value, or its hierarchy or ontology
            does not hold all of them.
    """
    values = _values(data, attribute, by, metric, weighted)
    centroid = values.semantics.centroid(values.mass, POWERS[by])
    return values.semantics.take(np.array([centroid]))[0].as_py()


def semantic_variance(
    data: Source,
    attribute: str,
    *,
    by: Definition = "squares",
    metric: Metric = "ancestors",
    weighted: bool = True,
) -> float:
    """Return how far apart values are in meaning: 0 where all are the same, and at most 1.

    - *squares*: sum w_i d(x_i, mean)^2 / sum w_i, about `semantic_mean`;
    - *marginality*: sum w_i m(x_i) / sum w_i, where m(c) = sum w_j d(x_j, c) / sum w_j is the
      marginality of a value, here a mean, so that it does not grow with the file: the mean distance
      of two records. Without a hierarchy it is Gini's index, 1 less the squared shares of values.

    Papers and arguments: see `semantic_mean`.

    >>> import tacita as ta
    >>> round(ta.semantic_variance(ta.example("toy", 100), "disease"), 4)
    0.3536

    Raises:
        TacitaError: see `semantic_mean`.
    """
    values = _values(data, attribute, by, metric, weighted)
    if by == "squares":
        return values.semantics.variance(values.mass)
    return float(product(values.mass, values.marginality()) / values.mass.sum())


def semantic_covariance(
    data: Source,
    attribute: str,
    other: str,
    *,
    by: Definition = "squares",
    metric: Metric = "ancestors",
    weighted: bool = True,
) -> float:
    """Return how much two attributes vary together in meaning, over records with both values.

    - *squares*: the distance covariance, the root of sum w_i w_j A_ij B_ij / (sum w_i)^2, where
      A_ij = d(x_i, x_j) - a_i - a_j + a are the distances less their means over the other record,
      plus the mean of all, and B_ij the same of the other attribute. It is 0 if and only if the two
      are independent in the file, unless one holds sets.
    - *marginality*: sum w_i (m(x_i) m(y_i))^(1/2) / sum w_i, which of an attribute with itself is
      its variance by marginality. It is 0 only where no record is marginal in both, never below 0,
      and independent attributes have one above 0 too.

    Papers: Szekely & Rizzo, Annals of Applied Statistics 3:1236, 2009 (distance covariance), and
    those of `semantic_mean`, as are the arguments.

    >>> import tacita as ta
    >>> toy = ta.example("toy", 100)
    >>> together = ta.semantic_covariance(toy, "disease", "education")
    >>> round(together, 4), round(ta.semantic_covariance(toy, "disease", "disease"), 4)
    (0.0727, 0.3298)

    Raises:
        TacitaError: no record has both values, an attribute has too many different ones to compare
            all pairs, or see `semantic_mean`.
    """
    dataset = as_dataset(data)
    both = np.logical_and.reduce(
        [np.asarray(dataset.column(name).is_valid()) for name in (attribute, other)]
    )
    if not both.any():
        raise InputError(
            f"A covariance needs records with both values; no record has both `{attribute}` and "
            f"`{other}`."
        )
    known = dataset.take(np.flatnonzero(both))
    mine, theirs = (_values(known, name, by, metric, weighted) for name in (attribute, other))
    if by == "squares":
        return mine.semantics.covariance(theirs.semantics, mine.weights)
    pairs = [part.marginality()[part.semantics.codes] for part in (mine, theirs)]
    counted = np.ones(len(known)) if mine.weights is None else mine.weights
    return float(product(counted, np.sqrt(pairs[0] * pairs[1])) / counted.sum())


class _Values(NamedTuple):
    """The values of an attribute with their meaning, and how much each counts."""

    semantics: Semantics
    weights: Floats | None
    mass: Floats

    def marginality(self) -> Floats:
        """Return the mean distance of every value to those of all records."""
        costs = self.semantics.costs(self.mass, power=1)[: len(self.semantics.values)]
        return np.asarray(costs / self.mass.sum())


def _values(data: Source, name: str, by: Definition, metric: Metric, weighted: bool) -> _Values:
    for word, given, known in (("by", by, tuple(POWERS)), ("metric", metric, METRICS)):
        if given not in known:
            raise ParameterError(
                f"`{word}` is {' or '.join(known)}; found {shown(given)}."
                f"{did_you_mean(str(given), known)}"
            )
    dataset = as_dataset(data)
    attribute = dataset.attribute(name)
    _refuse_other_kinds(attribute)
    semantics = Semantics.of(attribute, dataset.column(name), metric)
    weights = dataset.weight if weighted else None
    return _Values(semantics, weights, semantics.mass(weights))


def _refuse_other_kinds(attribute: Attribute) -> None:
    if attribute.kind not in WITH_MEANING:
        raise InputError(
            f"Numbers and dates have a mean and a variance of their own; `{attribute.name}` is "
            f"{attribute.kind}, and this is for nominal, ordinal and set-valued attributes."
        ).about(attribute.name)
