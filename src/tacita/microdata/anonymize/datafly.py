"""Datafly: generalize the widest key until few enough records stand out, and leave those out."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import ClassVar

import numpy as np

from tacita.data.dataset import Dataset
from tacita.errors import ProtectionError
from tacita.method import ANY_KIND, Method
from tacita.microdata.anonymize.generalizing.levels import at_levels, height
from tacita.microdata.anonymize.promises import (
    Models,
    SuppressionLimit,
    allowed_records,
    keys_to_generalize,
    named,
    promises_of,
    without_broken,
)
from tacita.validity import NON_PERTURBATIVE


class Datafly(Method):
    """Reach privacy models by full-domain generalization of the keys and suppression of records.

    As long as more than `suppression_limit` x n records lie in classes that break a model, the key
    attribute with the most distinct values moves one level up its hierarchy. The records that still
    break it are left out. Greedy: the result keeps the promise but is not the least lossy one.

    A key without a hierarchy has two levels, its values and `*`.

    When not to use it: where few of the keys have hierarchies, or every record must stay.

    >>> import tacita as ta
    >>> safe = ta.example("conditions").apply(ta.Datafly(ta.KAnonymity(4)), seed=0)
    >>> ta.KAnonymity(4).check(safe).holds, safe.notes["levels"]
    (True, {'Age': 1, 'Zip code': 2, 'Nationality': 1})
    """

    applies_to: ClassVar = ANY_KIND - {"set_valued"}
    keeps: ClassVar = ()
    changes: ClassVar = NON_PERTURBATIVE
    reference: ClassVar = (
        "Sweeney, Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002"
    )
    missing: ClassVar = (
        "Missing and suppressed values stay blank and are a value of their own; where a key "
        "without a hierarchy becomes `*`, so do they."
    )
    example: ClassVar = {"to": [{"k_anonymity": {"k": 2}}], "suppression_limit": 0.5}
    public: ClassVar = frozenset({"to", "suppression_limit"})

    to: Models
    _: KW_ONLY
    suppression_limit: SuppressionLimit = 0.0

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data generalized and without the records that would break a model."""
        levels = dict.fromkeys(keys_to_generalize(promises_of(self.to, data)), 0)
        allowed = allowed_records(self.suppression_limit, len(data))
        masked = data
        while len(data) - len(safe := without_broken(masked, self.to)) > allowed:
            name = self._widest(data, masked, levels, len(data) - len(safe))
            levels[name] += 1
            masked = at_levels(data, levels)
        return safe.noting(levels=levels, suppressed_records=len(data) - len(safe))

    def _widest(self, data: Dataset, masked: Dataset, levels: dict[str, int], broken: int) -> str:
        """Return the key with the most distinct values that can still be generalized."""
        able = [name for name in levels if levels[name] < height(data, name)]
        if not able:
            raise ProtectionError(
                f"Every key is fully generalized and {broken:,} of {len(data):,} records still "
                f"break {named(self.to)}. Ask for less, add records, or raise `suppression_limit` "
                f"(now {self.suppression_limit:g})."
            )
        return max(able, key=lambda name: len(masked.classes([name])))
