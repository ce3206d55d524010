"""Markov matrices: with what probability each category is released as each other one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from tacita.arithmetic import product
from tacita.data.classes import Floats

SUM = 1e-9  # by which the probabilities of a row may miss 1, as decimal numbers round


def said(category: object) -> str:
    """Say a category as columns say it.

    >>> said(True), said(2)
    ('true', '2')
    """
    return str(category).lower() if isinstance(category, bool) else str(category)


def keyed(given: Any) -> Any:
    """Let categories be written as numbers or yes and no, as plan files may."""
    if isinstance(given, Mapping):
        return {said(category): keyed(part) for category, part in given.items()}
    return given


Distribution = Annotated[
    dict[str, Annotated[float, Field(ge=0, le=1)]], BeforeValidator(keyed), Field(min_length=1)
]
Matrix = Annotated[dict[str, Distribution], BeforeValidator(keyed), Field(min_length=1)]


def refuse_other_sums(where: str, probabilities: Mapping[str, float]) -> None:
    """Raise unless probabilities sum to one."""
    total = sum(probabilities.values())
    if abs(total - 1) > SUM:
        raise ValueError(f"{where} must sum to 1; it sums to {total:.10g}.")


def refuse_other_than_markov(where: str, matrix: Mapping[str, Mapping[str, float]]) -> None:
    """Raise unless every category that a matrix names has a row, and rows sum to one."""
    for category, row in matrix.items():
        refuse_other_sums(f"Row {category!r} of {where}", row)
        for released in row:
            if released not in matrix:
                raise ValueError(
                    f"Row {category!r} of {where} releases {released!r}, which has no row itself; "
                    "give every category a row."
                )


def dense(matrix: Mapping[str, Mapping[str, float]], categories: Sequence[str]) -> Floats:
    """Return the probabilities as an array; what a row does not name is impossible.

    >>> dense({"a": {"a": 1.0}, "b": {"a": 0.5, "b": 0.5}}, ["a", "b"]).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    return np.array([[matrix[one].get(other, 0.0) for other in categories] for one in categories])


def named(matrix: Floats, categories: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the probabilities by category; impossible ones are left out."""
    return {
        category: {other: p for other, p in zip(categories, row, strict=True) if p > 0}
        for category, row in zip(categories, matrix.tolist(), strict=True)
    }


def retaining(size: int, diagonal: float) -> Floats:
    """Keep a category with some probability, and else release each of the others alike.

    >>> retaining(3, 0.5).tolist()
    [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
    """
    if size == 1:
        return np.ones((1, 1))
    matrix = np.full((size, size), (1 - diagonal) / (size - 1))
    np.fill_diagonal(matrix, diagonal)
    return matrix


def invariant(matrix: Floats, frequencies: Floats) -> Floats:
    """Return R = P Q, under which these frequencies t are expected to stay: t' R = t'.

    Q_kj = p_jk t_j / sum_i p_ik t_i is the probability that what is released as k was j.

    >>> invariant(retaining(2, 0.75), np.array([3.0, 1.0])).tolist()
    [[0.8, 0.2], [0.6, 0.4]]
    """
    joint = matrix * frequencies[:, None]
    released = joint.sum(axis=0)
    back = np.divide(
        joint.T, released[:, None], out=np.eye(len(matrix)), where=released[:, None] > 0
    )
    return np.asarray(product(matrix, back))


def with_diagonal(matrix: Floats, least: float) -> Floats:
    """Draw a matrix so near to the identity that no category is kept with less probability."""
    lowest = float(np.diag(matrix).min(initial=1.0))
    return matrix if lowest >= least else mixed(matrix, (1 - least) / (1 - lowest))


def mixed(matrix: Floats, share: float) -> Floats:
    """Apply a matrix to a share of the records only: a P + (1 - a) I."""
    return share * matrix + (1 - share) * np.eye(len(matrix))
