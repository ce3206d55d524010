"""Generalization: values move up their hierarchy."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.data.hierarchies import generalize
from tacita.errors import HierarchyError, ParameterError
from tacita.method import ANY_KIND, AttributeName, Method


class Generalize(Method):
    """Replace every value of an attribute by its ancestor in the attribute's hierarchy.

    When not to use it: where a few rare values are the problem; suppress those instead.

    >>> import tacita as ta
    >>> ta.example("medical").apply(ta.Generalize("ZIP", level=1), seed=0).column("ZIP")[0].as_py()
    '9413*'
    """

    applies_to: ClassVar = ANY_KIND - {"set_valued"}
    reference: ClassVar = "Samarati, IEEE Trans. Knowledge and Data Engineering 13(6), 2001"
    missing: ClassVar = "Missing and suppressed values stay as they are."
    example: ClassVar = {"attribute": "zip", "level": 2}
    by_record: ClassVar = True
    public: ClassVar = frozenset({"attribute", "level"})

    attribute: Annotated[AttributeName, Field(description="The attribute to generalize.")]
    level: Annotated[int, Field(description="How many levels up: 0 (as it is) to the root.", ge=0)]

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the attribute generalized."""
        return generalized(data, self.attribute, self.level)


def generalized(data: Dataset, name: str, level: int) -> Dataset:
    """Return the data with one attribute moved up its hierarchy."""
    attribute = data.attribute(name)
    if attribute.hierarchy is None:
        raise ParameterError(
            f"Attribute `{name}` has no hierarchy to generalize along; declare one."
        )
    try:
        values = generalize(data.column(name), attribute.hierarchy, level)
    except HierarchyError as error:
        raise HierarchyError(f"Attribute `{name}`: {error}") from error
    return data.with_column(attribute if level == 0 else attribute.recoded(), values)
