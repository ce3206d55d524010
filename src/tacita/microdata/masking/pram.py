"""PRAM: categories are changed at random, by a Markov matrix."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.attribute import Kind
from tacita.data.classes import EquivalenceClasses, Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import ProtectionError
from tacita.method import AttributeNames, Method
from tacita.microdata.masking.perturbing.numbers import BLANKS_STAY, weights_of
from tacita.microdata.masking.randomizing.domain import Domain, randomized
from tacita.microdata.masking.randomizing.markov import (
    Matrix,
    dense,
    invariant,
    mixed,
    named,
    refuse_other_than_markov,
    retaining,
    with_diagonal,
)
from tacita.preserved import Statistic, expected
from tacita.results import listed
from tacita.validity import Change

USUAL_DIAGONAL = 0.8
Part = tuple[Ints, Floats]  # categories, and the matrix over them
Rows = np.ndarray[Any, np.dtype[np.int32]]


class Pram(Method):
    """Change categories at random by a Markov matrix: the post-randomization method.

    A category k is released as l with probability p_kl, each record for itself; rows of P sum to 1.
    P is the given `matrix`, or keeps a category with probability `minimum_diagonal` and releases
    each of the others alike. *Invariant* PRAM applies R = P Q instead, where Q_kj = p_jk t_j /
    sum_i p_ik t_i and t are the frequencies of the categories: then t' R = t', so that frequencies
    are expected to stay. R is drawn towards the identity I as far as the minimum diagonal needs.
    At the end P is alpha P + (1 - alpha) I. With `within`, every stratum has a matrix of its own.

    The notes hold the matrices. With them `estimated_frequencies` finds the original frequencies
    inv(P') t* and their errors. Publishing them does not undo the masking; but an invariant matrix
    shows the frequencies that it keeps, which is harmless where these may be known.

    When not to use it: on attributes that depend on each other (an age and a marital status), as
    impossible combinations can arise; on continuous attributes, which have no matrix.

    >>> import tacita as ta
    >>> safe = ta.example("medical").apply(ta.Pram("Sex", minimum_diagonal=0.75), seed=1)
    >>> safe.notes["matrices"]["Sex"][0]["matrix"]["F"]
    {'F': 0.75, 'M': 0.25}
    """

    applies_to: ClassVar = frozenset({Kind.NOMINAL, Kind.ORDINAL})
    keeps: ClassVar = (expected(Statistic.DISTRIBUTIONS, given={"invariant": True}),)
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Gouweleeuw, Kooiman, Willenborg & de Wolf, Post randomisation for statistical disclosure "
        "control: theory and implementation, J. Official Statistics 14(4), 1998"
    )
    missing: ClassVar = BLANKS_STAY
    example: ClassVar = {"attributes": ["disease"], "invariant": True}
    public: ClassVar = frozenset({"attributes", "invariant", "within", "weighted"})
    draws: ClassVar = True

    attributes: Annotated[AttributeNames, Field(description="The attributes to change.")]
    _: KW_ONLY
    matrix: Annotated[
        Matrix | None,
        Field(
            description="For every category, the probabilities with which categories are released "
            "in its place; what is left out is impossible. For one attribute only."
        ),
    ] = None
    minimum_diagonal: Annotated[
        float | None,
        Field(
            description="The least probability that a category is kept (0 to 1), where no matrix "
            "is given; by default 0.8.",
            ge=0,
            le=1,
        ),
    ] = None
    alpha: Annotated[
        float,
        Field(
            description="How much of the change is applied (above 0, at most 1): "
            "alpha P + (1 - alpha) I.",
            gt=0,
            le=1,
        ),
    ] = 1.0
    invariant: Annotated[
        bool,
        Field(description="Whether the matrix is made one that keeps expected frequencies."),
    ] = False
    weighted: Annotated[
        bool,
        Field(description="Whether invariance is one of weighted frequencies."),
    ] = False
    within: Annotated[
        AttributeNames | None,
        Field(description="The attributes that make strata, each with a matrix of its own."),
    ] = None
    tell_matrix: Annotated[
        bool,
        Field(description="Whether the matrices are told with the released data."),
    ] = False

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.matrix is not None:
            self._check_matrix(self.matrix)
        if self.weighted and not self.invariant:
            raise ValueError("`weighted` of `pram` is for invariant matrices; say `invariant`.")
        masked = next((name for name in self.within or () if name in self.attributes), None)
        if masked is not None:
            raise ValueError(f"`within` of `pram` names `{masked}`, which is changed itself.")
        return self

    def _check_matrix(self, matrix: dict[str, dict[str, float]]) -> None:
        if self.minimum_diagonal is not None:
            raise ValueError("`pram` needs one of `matrix` and `minimum_diagonal`; found both.")
        if len(self.attributes) > 1:
            raise ValueError(
                f"`matrix` of `pram` is for one attribute; found {len(self.attributes)}. Apply "
                "`pram` to each with its own matrix."
            )
        if self.within is not None and not self.invariant:
            raise ValueError("A given `matrix` is the same in all strata; leave out `within`.")
        refuse_other_than_markov("`matrix` of `pram`", matrix)

    def named_attributes(self) -> list[str]:
        """Return the attributes that must be of a kind it applies to; strata may be of any."""
        return list(self.attributes)

    def told(self) -> frozenset[str]:
        """Return the parameters and notes that are told, by choice also the matrices."""
        return self.public | ({"matrices"} if self.tell_matrix else set())

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with categories changed."""
        weights = weights_of(data, self.name, self.weighted)
        strata = data.classes(self.within) if self.within else EquivalenceClasses.of(data, ())
        matrices = {}
        for name in self.attributes:
            domain = Domain.of(data, name, None if self.matrix is None else list(self.matrix))
            cells = _cells(domain, strata)
            parts = self._parts(domain, len(strata), cells, weights)
            _refuse_alone(name, parts, strata)
            rows = _rows(parts, len(domain.words))[cells]
            data = domain.put_into(data, randomized(rows, parts, rng))
            matrices[name] = _described(domain, strata, parts)
        return data.noting(matrices=matrices)

    def _parts(
        self, domain: Domain, strata: int, cells: Ints, weights: Floats | None
    ) -> list[Part]:
        """Return the categories and the matrix of every stratum."""
        size, there = len(domain.words), cells >= 0
        counted = None if weights is None else weights[there]
        totals = np.bincount(cells[there], counted, strata * size).astype(np.float64)
        return [self._part(domain, found) for found in totals.reshape(strata, size)]

    def _part(self, domain: Domain, totals: Floats) -> Part:
        if self.matrix is None:
            met = np.flatnonzero(totals)
            least = USUAL_DIAGONAL if self.minimum_diagonal is None else self.minimum_diagonal
            matrix = retaining(len(met), least)
        else:
            met, least = np.arange(len(totals)), 0.0
            matrix = dense(self.matrix, domain.words)
        if self.invariant:
            matrix = with_diagonal(invariant(matrix, totals[met]), least)
        return met, mixed(matrix, self.alpha)


def _refuse_alone(name: str, parts: list[Part], strata: EquivalenceClasses) -> None:
    """Refuse to release categories as masked of which none could be changed."""
    if max((len(categories) for categories, _ in parts), default=0) == 1:
        where = f" in every stratum of {listed(strata.keys)}" if strata.keys else ""
        raise ProtectionError(
            f"`pram` finds nothing that `{name}` could be changed into: it has one category"
            f"{where}; give a `matrix` with others, or make fewer strata."
        )


def _cells(domain: Domain, strata: EquivalenceClasses) -> Ints:
    """Return a number for every category of every stratum; a blank has -1."""
    if not strata.keys:
        return domain.codes
    cells = strata.of_record * len(domain.words) + domain.codes
    return np.where(domain.codes < 0, -1, cells)


def _rows(parts: list[Part], size: int) -> Rows:
    """Return the row that each category of each stratum has in the matrices; at the end -1."""
    rows, before = np.full(len(parts) * size + 1, -1, np.int32), 0
    for stratum, (categories, _) in enumerate(parts):
        rows[stratum * size + categories] = before + np.arange(len(categories))
        before += len(categories)
    return rows


def _said(stratum: dict[str, Any]) -> dict[str, str | None]:
    return {name: None if value is None else str(value) for name, value in stratum.items()}


def _described(
    domain: Domain, strata: EquivalenceClasses, parts: list[Part]
) -> list[dict[str, Any]]:
    """Return the matrices as the notes hold them, each with its stratum."""
    found = strata.combinations().select(strata.keys).to_pylist()
    return [
        {
            **({"within": _said(found[place])} if strata.keys else {}),
            "matrix": named(matrix, [domain.words[code] for code in categories]),
        }
        for place, (categories, matrix) in enumerate(parts)
    ]
