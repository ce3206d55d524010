"""Generalization: values move up their hierarchy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.dataset import Dataset
from tacita.data.hierarchies import generalize
from tacita.errors import HierarchyError, ParameterError
from tacita.method import ANY_KIND, AttributeName, Method
from tacita.validity import Change

Level = Annotated[int, Field(ge=0)]


class Generalize(Method):
    """Replace every value of an attribute by its ancestor in the attribute's hierarchy.

    x' = the ancestor of x so many levels up, for all records alike; the levels of one attribute are
    said by `attribute` and `level`, those of several by `levels`.

    When not to use it: where a few rare values are the problem; suppress those instead.

    >>> import tacita as ta
    >>> ta.example("medical").apply(ta.Generalize("ZIP", level=1), seed=0).column("ZIP")[0].as_py()
    '9413*'
    """

    applies_to: ClassVar = ANY_KIND - {"set_valued"}
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = "Samarati, IEEE Trans. Knowledge and Data Engineering 13(6), 2001"
    missing: ClassVar = "Missing and suppressed values stay as they are."
    example: ClassVar = {"attribute": "zip", "level": 2}
    by_record: ClassVar = True
    public: ClassVar = frozenset({"attribute", "level", "levels"})

    attribute: Annotated[
        AttributeName | None, Field(description="The attribute to generalize, if it is one.")
    ] = None
    level: Annotated[
        Level | None, Field(description="How many levels up: 0 (as it is) to the root.")
    ] = None
    _: KW_ONLY
    levels: Annotated[
        Mapping[AttributeName, Level] | None,
        Field(description="The levels of several attributes: `{zip: 2, age: 1}`.", min_length=1),
    ] = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        one = (self.attribute is not None, self.level is not None)
        if one != (self.levels is None,) * 2:
            raise ValueError("`generalize` needs `attribute` and `level`, or else `levels`.")
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the attributes generalized."""
        for name, level in (self.levels or {self.attribute or "": self.level or 0}).items():
            data = generalized(data, name, level)
        return data


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
