"""Datafly: generalize the widest key until few enough records stand out, and leave those out."""

from __future__ import annotations

from dataclasses import KW_ONLY
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from tacita.data.classes import Mask
from tacita.data.dataset import Dataset
from tacita.errors import ProtectionError
from tacita.method import ANY_KIND, Method
from tacita.microdata.masking.generalize import generalized
from tacita.registry import from_plan
from tacita.results import brief


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


class Datafly(Method):
    """Reach privacy models by full-domain generalization of the keys and suppression of records.

    As long as more than `suppression_limit` x n records lie in classes that break a model, the key
    attribute with the most distinct values moves one level up its hierarchy. The records that still
    break it are left out. Greedy: the result keeps the promise but is not the least lossy one.

    When not to use it: on keys without hierarchies, or where every record must stay.

    >>> import tacita as ta
    >>> safe = ta.example("conditions").apply(ta.Datafly(ta.KAnonymity(4)), seed=0)
    >>> ta.KAnonymity(4).check(safe).holds, safe.notes["levels"]
    (True, {'Age': 1, 'Zip code': 2, 'Nationality': 1})
    """

    applies_to: ClassVar = ANY_KIND - {"set_valued"}
    reference: ClassVar = (
        "Sweeney, Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002"
    )
    missing: ClassVar = "Missing and suppressed values stay blank and are a value of their own."
    example: ClassVar = {"to": [{"k_anonymity": {"k": 2}}], "suppression_limit": 0.5}
    public: ClassVar = frozenset({"to", "suppression_limit"})

    to: Models
    _: KW_ONLY
    suppression_limit: Annotated[
        float,
        Field(
            description="The largest share of records that may be left out (0 to 1).", ge=0, le=1
        ),
    ] = 0.0

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data generalized and without the records that would break a model."""
        levels = dict.fromkeys(self._keys(data), 0)
        allowed = int(Fraction(str(self.suppression_limit)) * len(data))
        masked = data
        while len(data) - len(safe := self._without_broken(masked)) > allowed:
            name = self._widest(data, masked, levels, len(data) - len(safe))
            levels[name] += 1
            masked = masked.replacing(name, generalized(data, name, levels[name]))
        return safe.noting(levels=levels, suppressed_records=len(data) - len(safe))

    def _keys(self, data: Dataset) -> list[str]:
        """Return the attributes that any of the models looks at."""
        asked = [key for model in self.to for key in (getattr(model, "keys", None) or data.keys)]
        return list(dict.fromkeys(asked))

    def _without_broken(self, data: Dataset) -> Dataset:
        """Leave records out until no class breaks a model; one model's loss may break another."""
        while (broken := self._broken(data)).any():
            data = data.take(np.flatnonzero(~broken))
        return data

    def _broken(self, data: Dataset) -> Mask:
        broken = np.zeros(len(data), np.bool_)
        for model in self.to:
            classes = data.classes(getattr(model, "keys", None))
            broken |= model.breaks(classes)[classes.of_record]  # type: ignore[attr-defined]
        return broken

    def _widest(self, data: Dataset, masked: Dataset, levels: dict[str, int], broken: int) -> str:
        """Return the key with the most distinct values that can still be generalized."""
        heights = {name: getattr(data.attribute(name).hierarchy, "height", 0) for name in levels}
        able = [name for name in levels if levels[name] < heights[name]]
        if not able:
            bare = [name for name, height in heights.items() if not height]
            hint = f" Declare hierarchies for {', '.join(bare)}," if bare else " Drop a key,"
            promise = " and ".join(brief(model.to_plan()) for model in self.to)
            raise ProtectionError(
                f"Every key is fully generalized and {broken:,} of {len(data):,} records still "
                f"break {promise}.{hint} or raise `suppression_limit` "
                f"(now {self.suppression_limit:g})."
            )
        return max(able, key=lambda name: len(masked.classes([name])))
