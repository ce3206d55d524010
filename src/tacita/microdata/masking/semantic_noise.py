"""Semantic noise: every category is moved by a random distance in meaning."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.comparing.semantics import Semantics
from tacita.microdata.masking.perturbing.noise import Distribution, drawn_noise, told_variances
from tacita.microdata.masking.perturbing.numbers import (
    BLANKS_STAY,
    MOST,
    TellVariance,
    Weighted,
    weights_of,
)
from tacita.microdata.masking.perturbing.semantic_values import (
    SEMANTIC,
    Labels,
    Moved,
    with_nodes,
)
from tacita.validity import Change


class SemanticNoise(Method):
    """Move every category by a random distance in meaning: additive noise for words.

    The noise of a record is e with mean 0 and Var(e) = alpha V, V being the semantic variance of
    the attribute, sum w d(x, mean)^2 / sum w (`ta.semantic_variance`). With d the distance along
    the hierarchy or in the ontology, a value x becomes the value c of the file whose d(x, c) is
    nearest to |e|, among those at least as far from the semantic mean as x where e > 0, and at most
    as far otherwise. x itself, 0 away, is among them; of equally near ones each is as likely. With
    `labels`, what lies above values may be released too: a diagnosis may become its group.

    A small alpha leaves most values as they are and exchanges the others with their nearest
    relatives: of 1,000 diseases of the example data, alpha = 0.1, 0.5 and 2 move 12, 50 and 74 %.
    As there are only so many values to move to, neither frequencies nor the semantic mean and
    variance are kept; compare them before and after. alpha stays in the house unless
    `tell_variance` says so.

    When not to use it: where nothing says what values mean, as all others are equally near then
    (use `pram`); where frequencies must be right on average (use `pram` with `invariant`); on
    attributes that depend on each other, as each moves for itself.

    >>> import tacita as ta
    >>> masked = ta.example("toy", 100).apply(ta.SemanticNoise("disease", alpha=0.3), seed=1)
    >>> masked.column("disease").to_pylist()[:4], masked.notes["variance"]
    (['flu', 'flu', 'diabetes', 'hepatitis'], {'disease': 0.112})
    """

    applies_to: ClassVar = SEMANTIC
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Rodriguez-Garcia, Batet & Sanchez, A semantic framework for noise addition with nominal "
        "data, Knowledge-Based Systems 122, 2017, pp. 103-118"
    )
    missing: ClassVar = f"{BLANKS_STAY} The mean and the variance are those of the known values."
    example: ClassVar = {"attributes": ["disease", "region"], "alpha": 0.5}
    public: ClassVar = frozenset({"attributes", "distribution", "labels", "weighted"})
    draws: ClassVar = True

    attributes: Moved
    _: KW_ONLY
    alpha: Annotated[
        float,
        Field(
            description="The variance of the noise, in semantic variances of the attribute.",
            gt=0,
            le=MOST,
        ),
    ]
    labels: Labels = False
    distribution: Annotated[
        Distribution,
        Field(description="What the noise is drawn from; a uniform one has a largest value."),
    ] = "normal"
    weighted: Weighted = False
    tell_variance: TellVariance = False

    def told(self) -> frozenset[str]:
        """Return what is told beside the data: the variance only by choice."""
        return self.public | ({"alpha", "variance"} if self.tell_variance else set())

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the attributes moved in meaning."""
        weights = weights_of(data, self.name, self.weighted)
        variance: dict[str, float] = {}
        for name in self.attributes:
            semantics = Semantics.of(data.attribute(name), data.column(name))
            mass = semantics.mass(weights)
            if not mass.any():
                continue
            covariance = np.array([[self.alpha * semantics.variance(mass)]])
            noise = drawn_noise(len(data), covariance, rng, self.distribution)[:, 0]
            count = len(semantics) if self.labels else len(semantics.values)
            nodes = moved(semantics, semantics.centroid(mass), noise, rng.random(len(data)), count)
            data = with_nodes(data, name, semantics, nodes)
            variance |= told_variances([name], covariance)
        return data.noting(variance=variance)


def moved(semantics: Semantics, mean: int, noise: Floats, draws: Floats, count: int) -> Ints:
    """Return the node that every record's value becomes; -1 for a blank.

    Args:
        semantics: the values of the records.
        mean: the node that noise above 0 moves away from, and noise below 0 towards.
        noise: the distance of every record, with the sign that says where to.
        draws: for every record, which of equally near nodes is taken: uniform in [0, 1).
        count: how many nodes may be taken, the values first.
    """
    nodes, allowed = np.full(len(noise), -1), np.arange(count)
    from_mean = semantics.distances(np.array([mean]), allowed)[0]
    known = np.flatnonzero(semantics.codes >= 0)
    sides = 2 * semantics.codes[known] + (noise[known] > 0)
    known = known[np.argsort(sides, kind="stable")]
    kinds, starts = np.unique(np.sort(sides), return_index=True)
    for kind, rows in zip(kinds.tolist(), np.split(known, starts[1:]), strict=False):
        value, outwards = divmod(kind, 2)
        turned = from_mean if outwards else -from_mean
        there = np.flatnonzero(turned >= turned[value])
        away = semantics.distances(np.array([value]), there)[0]
        steps, times = np.unique(away, return_counts=True)
        nearest = np.searchsorted((steps[1:] + steps[:-1]) / 2, np.abs(noise[rows]))
        ascending = there[np.argsort(away, kind="stable")]
        begin = np.cumsum(times) - times
        nodes[rows] = ascending[begin[nearest] + (draws[rows] * times[nearest]).astype(np.int64)]
    return nodes
