"""The pq-rule: what others know beforehand may not become much better by the table."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from tacita.mechanisms.sensitivity.contributions import Contributions, Judgement
from tacita.mechanisms.sensitivity.p_percent import remainder_rule
from tacita.method import Method, TableKind
from tacita.results import exactly


class Pq(Method):
    """Call a cell sensitive if others can estimate its largest contribution within p percent.

    Everybody is taken to know every contribution within q percent before the table is published.
    The n next largest contributors subtract their own from the total X and what they know of the
    rest, so they miss the largest contribution x1 by q percent of the rest. The cell is sensitive
    if

        q/100 * (X - x1 - ... - x(n+1)) < p/100 * x1,

    and it is protected if nobody can tell it from values up to

        p/q * x1 - (X - x1 - ... - x(n+1))

    above or below. With q = 100 it is the p%-rule.

    >>> import numpy as np
    >>> cells = Contributions(
    ...     value=np.array([100.0]), total=np.array([100.0]), frequency=np.array([9.0]),
    ...     contributors=np.array([9.0]), largest=np.array([[60.0, 30.0]]),
    ...     asked=np.zeros((1, 2)))
    >>> Pq(15, 100).judge(cells).sensitive, Pq(15, 50).judge(cells).upper_level
    (array([False]), array([8.]))
    """

    applies_to: ClassVar[frozenset[TableKind]] = frozenset({TableKind.MAGNITUDE})
    reference: ClassVar[str] = (
        "Cox, L. H. (1981). Linear sensitivity measures in statistical disclosure control. Journal "
        "of Statistical Planning and Inference 5(2), 153-164."
    )
    missing: ClassVar[str] = "A cell whose contributions are not known is not judged."
    example: ClassVar[dict[str, float]] = {"p": 15, "q": 50}

    p: Annotated[
        float, Field(gt=0, description="How well the largest may be estimated, in percent of it.")
    ]
    q: Annotated[
        float,
        Field(gt=0, le=100, description="How well contributions are known before, in percent."),
    ]
    n: Annotated[
        int, Field(ge=1, description="How many of the next largest pool what they know.")
    ] = 1

    @model_validator(mode="after")
    def _learns(self) -> Self:
        if self.p >= self.q:
            raise ValueError(
                f"`p` of `pq` should be below `q`; found {self.p:g} and {self.q:g}. What is known "
                f"within {self.q:g} percent beforehand cannot be made vaguer."
            )
        return self

    def judge(self, cells: Contributions) -> Judgement:
        """Judge every cell."""
        return remainder_rule(self.name, cells, exactly(self.p) / exactly(self.q), self.n)
