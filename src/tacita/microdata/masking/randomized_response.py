"""Randomized response: each answer is the truth with a known probability only."""

from __future__ import annotations

from dataclasses import KW_ONLY
from math import log
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
from pydantic import BeforeValidator, Field, model_validator

from tacita.data.attribute import Kind
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, ProtectionError
from tacita.method import AttributeName, Method
from tacita.microdata.masking.perturbing.numbers import BLANKS_STAY
from tacita.microdata.masking.randomizing.domain import Domain, randomized
from tacita.microdata.masking.randomizing.markov import (
    Distribution,
    named,
    refuse_other_sums,
    retaining,
    said,
)
from tacita.microdata.masking.recode import in_words
from tacita.validity import Change

FEWEST = 2  # answers


def _as_said(given: Any) -> Any:
    if isinstance(given, list | tuple):
        return tuple(said(one) for one in given)
    return None if given is None else said(given)


class RandomizedResponse(Method):
    """Let every record answer truthfully with a probability, and otherwise as a device says.

    With probability p (`truth`) a record gives its own answer, and otherwise, by `design`,

    - *warner*: the opposite; of more than two answers one of the others, each alike. With
      p = 1/2 + `gamma` and two answers it is epsilon-differentially private for each record,
      epsilon = ln((1/2 + gamma) / (1/2 - gamma)); Warner's estimate of the share of "yes" is
      (y + p - 1) / (2 p - 1), where y is the released share;
    - *unrelated*: the answer to a question that has nothing to do with it, whose answers are known
      to be distributed as `unrelated` says: (y - (1 - p) q) / p, where q is its share of "yes";
    - *forced*: always the answer `forced`, for instance "yes": (y - 1 + p) / p. Who answers
      something else is known to tell the truth, so that only "yes" is protected.

    The notes hold the matrix and epsilon = max ln(p_kj / p_lj), the privacy loss of one record
    (none where it is infinite). `estimated_frequencies` estimates the original frequencies with
    their errors. Chances come from the seed, not from a secure source: epsilon is what the design
    has, and no guarantee that a release could carry. Answers are those of `categories`, of the
    attribute's order, yes and no of a boolean column, or else those that occur, two at least.

    When not to use it: on few records; the error of the estimated share is at least
    sqrt(p (1 - p) / n) / |2 p - 1|.

    >>> import tacita as ta
    >>> asked = ta.RandomizedResponse("Sex", gamma=0.25)
    >>> round(ta.example("medical").apply(asked, seed=1).notes["epsilon"], 6)
    1.098612
    """

    applies_to: ClassVar = frozenset({Kind.NOMINAL, Kind.ORDINAL})
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Warner, J. American Statistical Association 60(309):63, 1965; Greenberg et al., ibid. "
        "64(326):520, 1969"
    )
    missing: ClassVar = BLANKS_STAY
    example: ClassVar = {"attribute": "disease", "truth": 0.75}
    public: ClassVar = frozenset(
        {"attribute", "design", "truth", "gamma", "unrelated", "forced", "categories"}
    )
    draws: ClassVar = True

    attribute: Annotated[AttributeName, Field(description="The attribute asked about.")]
    _: KW_ONLY
    design: Annotated[
        Literal["warner", "unrelated", "forced"],
        Field(description="What is answered instead of the truth."),
    ] = "warner"
    truth: Annotated[
        float | None,
        Field(description="The probability of the truth (above 0, at most 1).", gt=0, le=1),
    ] = None
    gamma: Annotated[
        float | None,
        Field(
            description="The probability of the truth less one half (0 to 0.5), instead of it.",
            ge=0,
            le=0.5,
        ),
    ] = None
    unrelated: Annotated[
        Distribution | None,
        Field(description="The distribution of the answers to the unrelated question."),
    ] = None
    forced: Annotated[
        str | None,
        BeforeValidator(_as_said),
        Field(description="The answer that is forced."),
    ] = None
    categories: Annotated[
        tuple[str, ...] | None,
        BeforeValidator(_as_said),
        Field(description="All possible answers, two or more.", min_length=FEWEST),
    ] = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.truth is None) == (self.gamma is None):
            raise ValueError("`randomized_response` needs one of `truth` and `gamma`.")
        for name in ("unrelated", "forced"):
            if (getattr(self, name) is not None) != (self.design == name):
                raise ValueError(
                    f"`{name}` of `randomized_response` goes with the design {name}; found the "
                    f"design {self.design}."
                )
        if self.unrelated is not None:
            refuse_other_sums("`unrelated` of `randomized_response`", self.unrelated)
        if self.categories is not None and len(set(self.categories)) < len(self.categories):
            raise ValueError("`categories` of `randomized_response` must differ.")
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with randomized answers."""
        domain = Domain.of(data, self.attribute, self._answers(data))
        matrix = self._matrix(domain.words)
        drawn = randomized(domain.codes, [(np.arange(len(matrix)), matrix)], rng)
        return domain.put_into(data, drawn).noting(
            matrix=named(matrix, domain.words), epsilon=_epsilon(matrix)
        )

    def _answers(self, data: Dataset) -> list[str]:
        """Return all possible answers."""
        attribute, column = data.attribute(self.attribute), data.column(self.attribute)
        if self.categories is not None:
            return list(self.categories)
        if attribute.order is not None:
            return in_words(attribute.order, column.type)
        if pa.types.is_boolean(column.type):
            return ["false", "true"]
        met = set(column.drop_null().cast(pa.string()).unique().to_pylist())
        known = {*met, *(self.unrelated or ()), *([self.forced] if self.forced else ())}
        if len(known) == 1:
            raise ProtectionError(
                f"`randomized_response` sees one answer of `{self.attribute}` only, "
                f"{min(known)!r}, and would leave it as it is; name all in `categories`."
            )
        return sorted(known)

    def _matrix(self, answers: list[str]) -> Floats:
        truth = 0.5 + (self.gamma or 0.0) if self.truth is None else self.truth
        if self.design == "warner":
            return retaining(len(answers), truth)
        chances = self.unrelated or {str(self.forced): 1.0}
        other = next((answer for answer in chances if answer not in answers), None)
        if other is not None:
            raise ParameterError(
                f"`{self.design}` of `randomized_response` has the answer {other!r}, which is none "
                f"of `{self.attribute}` ({', '.join(answers[:8])})."
            )
        device = np.array([chances.get(answer, 0.0) for answer in answers])
        return truth * np.eye(len(answers)) + (1 - truth) * device


def _epsilon(matrix: Floats) -> float | None:
    """Return the largest logarithm of two probabilities of one answer; None if it is infinite."""
    possible = matrix[:, matrix.any(axis=0)]
    if not possible.size or (possible == 0).any():
        return None
    return max(log(column.max() / column.min()) for column in possible.T)
