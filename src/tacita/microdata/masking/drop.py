"""Leaving attributes out."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.preserved import Statistic, always
from tacita.validity import Change


class Drop(Method):
    """Leave attributes out of the data: the first thing done to identifiers.

    When not to use it: on identifiers by which the records of one respondent must stay linkable;
    give them a keyed pseudonym instead.

    >>> import tacita as ta
    >>> ta.example("conditions").apply(ta.Drop(["SS number"]), seed=0).names[0]
    'Age'
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (
        always(Statistic.VALUES, of="all other attributes", simulated={"attributes": ["zip"]}),
    )
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = "Hundepool et al., Statistical Disclosure Control, Wiley 2012"
    missing: ClassVar = "Missing and suppressed values go with their attribute."
    example: ClassVar = {"attributes": ["id"]}
    by_record: ClassVar = True
    public: ClassVar = frozenset({"attributes"})

    attributes: Annotated[AttributeNames, Field(description="The attributes to leave out.")]

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data without the attributes."""
        return data.without(self.attributes)
