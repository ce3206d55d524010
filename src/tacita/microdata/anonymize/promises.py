"""The promises that an algorithm is asked to reach, and the records that still break them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from tacita.data.classes import EquivalenceClasses, Mask
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError
from tacita.method import Method
from tacita.microdata.models.class_table import ClassTable
from tacita.microdata.models.verdicts import confidential_attributes
from tacita.registry import from_plan
from tacita.results import brief, exactly


def _models(said: Any) -> Any:
    listed = said if isinstance(said, list | tuple) else [said]
    return tuple(m if isinstance(m, Method) else from_plan(m, ("model",)) for m in listed)


Models = Annotated[
    tuple[Method, ...],
    BeforeValidator(_models),
    PlainSerializer(lambda models: [model.to_plan() for model in models]),
    WithJsonSchema({"type": "array", "items": {"type": "object"}, "minItems": 1}),
    Field(description="The privacy models to reach.", min_length=1),
]
SuppressionLimit = Annotated[
    float,
    Field(description="The largest share of records that may be left out (0 to 1).", ge=0, le=1),
]


class Promise(NamedTuple):
    """A model, about one confidential attribute at most, and the keys it looks at.

    An attribute that is key and confidential is looked at in the classes over the other keys.
    """

    model: Method
    keys: tuple[str, ...]
    attribute: str | None = None

    @property
    def counts_population(self) -> bool:
        """Whether the model looks at the population, where one is given beside the data."""
        return getattr(self.model, "counts_population", False)

    @property
    def looks_at_keys(self) -> bool:
        """Whether the model compares classes by their keys."""
        return getattr(self.model, "looks_at_keys", False)

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell for every class over the keys whether it breaks the model."""
        broken: Mask = self.model.breaks(classes)  # type: ignore[attr-defined]
        return broken

    def table(self, data: Dataset) -> tuple[EquivalenceClasses, ClassTable]:
        """Return the classes of some data over the keys, and what the model sees of them."""
        classes = data.classes(self.keys) if self.keys else EquivalenceClasses.of(data, ())
        attributes = [self.attribute] if self.attribute else []
        counted = self.counts_population and data.external.population is not None
        return classes, ClassTable.of(
            classes, attributes, with_population=counted, with_keys=self.looks_at_keys
        )


def promises_of(models: Sequence[Method], data: Dataset) -> list[Promise]:
    """Take models apart into promises about one attribute each.

    Raises:
        ParameterError: a model is not about classes, so that no algorithm for classes reaches it.
        InputError: a model speaks of a value that the data do not hold.
    """
    found = _promises(models, data)
    for model, _, name in found:
        if hasattr(model, "refuse_unfit"):
            model.refuse_unfit(data, name)
    return found


def _promises(models: Sequence[Method], data: Dataset) -> list[Promise]:
    """Do as `promises_of`, of data that may have lost values on the way."""
    found = []
    for model in models:
        if not hasattr(model, "breaks"):
            raise ParameterError(
                f"`{model.name}` is not about equivalence classes; another algorithm reaches it."
            )
        if getattr(model, "semantics", "equality") == "fitting":
            raise ParameterError(
                f"`{model.name}` with `semantics` fitting can be checked but not aimed at; ask for "
                "equality, which implies it."
            )
        keys = data.classes(getattr(model, "keys", None)).keys
        if not hasattr(model, "attribute"):
            found.append(Promise(model, keys))
            continue
        for name in confidential_attributes(data, model.attribute):
            others = tuple(key for key in keys if key != name)
            one = replace(model, attribute=(name,))  # type: ignore[type-var]
            found.append(Promise(one, others, name))
    return found


def keys_of(promises: Sequence[Promise]) -> list[str]:
    """Return the keys that any of the promises looks at."""
    return list(dict.fromkeys(key for promise in promises for key in promise.keys))


def keys_to_generalize(promises: Sequence[Promise]) -> list[str]:
    """Return the keys that any of the promises looks at; there must be one.

    Raises:
        ParameterError: the only key is the confidential attribute itself.
    """
    if keys := keys_of(promises):
        return keys
    raise ParameterError(
        "There is no key beside the confidential attribute, so that nothing can be generalized; "
        "name other `keys`."
    )


def confidential_of(promises: Sequence[Promise]) -> list[str]:
    """Return the confidential attributes that the promises are about."""
    return list(dict.fromkeys(one.attribute for one in promises if one.attribute is not None))


def allowed_records(limit: float, records: int) -> int:
    """Return how many records may be left out: the limit as it was written, rounded down.

    >>> allowed_records(0.29, 100)
    29
    """
    return int(Fraction(exactly(limit)) * records)


def without_broken(data: Dataset, models: Sequence[Method]) -> Dataset:
    """Leave records out until no class breaks a model; one model's loss may break another."""
    while (broken := broken_records(data, models)).any():
        data = data.take(np.flatnonzero(~broken))
    return data


def broken_records(data: Dataset, models: Sequence[Method]) -> Mask:
    """Tell the records in classes that break a model."""
    broken = np.zeros(len(data), np.bool_)
    for promise in _promises(models, data):
        classes, table = promise.table(data)
        broken |= promise.breaks(table)[classes.of_record]
    return broken


def named(models: Sequence[Method]) -> str:
    """Name the models in a sentence."""
    return " and ".join(brief(model.to_plan()) for model in models)
