"""Lattice: the least lossy of all full-domain generalizations that reach privacy models."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import KW_ONLY
from math import inf
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, ProtectionError
from tacita.method import ANY_KIND, AttributeName, Method
from tacita.microdata.anonymize.generalizing.best import (
    Aim,
    Chosen,
    NoNode,
    best_node,
    limit_for,
)
from tacita.microdata.anonymize.generalizing.levels import at_levels
from tacita.microdata.anonymize.generalizing.measures import Mean, MeasureName
from tacita.microdata.anonymize.generalizing.search import Limits
from tacita.microdata.anonymize.promises import (
    Models,
    SuppressionLimit,
    allowed_records,
    keys_to_generalize,
    named,
    promises_of,
)
from tacita.results import listed, show
from tacita.validity import NON_PERTURBATIVE

WEIGHED = ("loss", "precision")


class Lattice(Method):
    """Reach privacy models by the best full-domain generalization, with few records left out.

    Every key is released on one level of its hierarchy; a node of the lattice is a level for each.
    At a node, the records in classes that break a model are left out, and it will do if these are
    at most `suppression_limit` x n. Of all such nodes the one is taken that costs least:

    - loss: of each key the mean share of its domain that a value stands for, put together by
      prod(1 + L)^(1/m) - 1 or the arithmetic mean, `importance` as exponents or weights
    - precision: the mean share of its hierarchy that a value climbed
    - discernibility: sum of squared class sizes + n x records left out
    - average_class_size: n / (classes + 1 if records are left out)
    - non_uniform_entropy: the bits that are missing to get back to the original values
    - accuracy: the share of records whose `target` is not the most frequent one of their class

    A record left out costs as if all its keys were suppressed. Of nodes that cost the same, the
    one with the lowest sum of levels is taken, then the one that keeps more records, then the one
    with the lower levels of the first keys. Without a measure, all minimal nodes are found, below
    which none will do (k-minimal generalizations), and the first by that order is taken.

    The result is optimal unless a limit stops the search; a bound below which no node costs is
    told either way. A key without a hierarchy has two levels, its values and `*`. Models that
    compare with the whole file compare with the records that are kept: fix their `distribution`
    to compare with the data as they came.

    When not to use it: where one level for all records costs too much; local recoding costs less.

    >>> import tacita as ta
    >>> safe = ta.example("conditions").apply(ta.Lattice(ta.KAnonymity(4)), seed=0)
    >>> ta.KAnonymity(4).check(safe).holds, safe.notes["levels"], safe.notes["optimal"]
    (True, {'Age': 1, 'Zip code': 2, 'Nationality': 1}, True)
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = ()
    changes: ClassVar = NON_PERTURBATIVE
    reference: ClassVar = (
        "Kohlmayer, Prasser, Eckert, Kemper & Kuhn, Proc. IEEE PASSAT 2012 (Flash); Samarati, IEEE "
        "Trans. Knowledge and Data Engineering 13(6), 2001; LeFevre, DeWitt & Ramakrishnan, Proc. "
        "SIGMOD 2005 (Incognito); Iyengar, Proc. KDD 2002"
    )
    missing: ClassVar = (
        "Missing and suppressed values stay blank and are a value of their own; where a key "
        "without a hierarchy becomes `*`, so do they."
    )
    example: ClassVar = {"to": [{"k_anonymity": {"k": 2}}], "suppression_limit": 0.5}
    public: ClassVar = frozenset({"to", "suppression_limit", "measure", "mean", "target"})

    to: Models
    _: KW_ONLY
    suppression_limit: SuppressionLimit = 0.0
    measure: Annotated[
        MeasureName | None,
        # A default would stand beside the verbs of the class, of which `measure` is one.
        Field(
            description="What is made as small as can be (loss); minimal nodes when none.",
            default_factory=lambda: "loss",
        ),
    ]
    mean: Annotated[
        Mean,
        Field(description="How the losses of the keys are put together: geometric or arithmetic."),
    ] = "geometric"
    importance: Annotated[
        Mapping[AttributeName, Annotated[float, Field(ge=0)]] | None,
        Field(description="How much keys count in a loss (0 or more); 1 where nothing is said."),
    ] = None
    target: Annotated[
        AttributeName | None,
        Field(description="The attribute to predict, for the measure accuracy."),
    ] = None
    node_limit: Annotated[
        int | None,
        Field(description="After so many nodes (1 or more) the best so far is taken.", ge=1),
    ] = None
    time_limit: Annotated[
        float | None,
        Field(
            description="After so many seconds (above 0) the best so far is taken; two runs may "
            "then differ.",
            gt=0,
        ),
    ] = None

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        if (self.measure == "accuracy") != (self.target is not None):
            raise ValueError(
                "`target` of `lattice` goes with the measure accuracy, which needs it."
            )
        if self.mean != "geometric" and self.measure != "loss":
            raise ValueError("`mean` of `lattice` goes with the measure loss only.")
        if self.importance is not None and self.measure not in WEIGHED:
            raise ValueError(
                f"`importance` of `lattice` goes with the measures {' and '.join(WEIGHED)} only."
            )
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data generalized and without the records that would break a model."""
        deadline = inf if self.time_limit is None else time.monotonic() + self.time_limit
        promises = promises_of(self.to, data)
        self._refuse_importance(keys_to_generalize(promises))
        found = best_node(
            data,
            promises,
            allowed_records(self.suppression_limit, len(data)),
            Aim(self.measure, self.mean, self.importance, self.target),
            Limits(inf if self.node_limit is None else self.node_limit, deadline),
        )
        if isinstance(found, NoNode):
            raise ProtectionError(self._why(data, found))
        kept = data if len(found.kept) == len(data) else data.take(found.kept)
        return at_levels(kept, found.levels).noting(**self._notes(data, found))

    def _notes(self, data: Dataset, found: Chosen) -> dict[str, Any]:
        notes = {
            "levels": found.levels,
            "suppressed_records": len(data) - len(found.kept),
            "optimal": found.is_optimal,
            "nodes_checked": found.checked,
            "lattice_size": found.size,
        }
        if self.measure is None:
            return notes | {"minimal": list(found.minimal)}
        return notes | {"loss": found.cost, "bound": found.bound}

    def _refuse_importance(self, keys: list[str]) -> None:
        said = self.importance or {}
        for name in said:
            if name not in keys:
                raise ParameterError(
                    f"`importance` of `lattice` names `{name}`, which is not among the keys "
                    f"{listed(keys)}."
                )
        if not any(said.get(name, 1.0) for name in keys):
            raise ParameterError("`importance` of `lattice` must be above 0 for some key.")

    def _why(self, data: Dataset, found: NoNode) -> str:
        """Say why no node will do, and what would."""
        if not found.is_proven:
            return (
                f"No node that keeps {named(self.to)} was found before the search stopped; raise "
                "`node_limit` or `time_limit`."
            )
        top = at_levels(data, found.top)
        verdicts = [(model, model.check(top)) for model in self.to]  # type: ignore[attr-defined]
        reached = [
            f"{model.name} reaches {show(verdict.value)} there"
            for model, verdict in verdicts
            if not verdict.holds and verdict.value is not None
        ]
        hints = [*reached[:1], *self._enough(data, found)]
        return (
            f"Even with every key fully generalized, {found.left_out:,} of {len(data):,} records "
            f"break {named(self.to)}; {' and '.join(hints)}."
        )

    def _enough(self, data: Dataset, found: NoNode) -> list[str]:
        if found.left_out == len(data):
            return []
        needed = limit_for(found.left_out, len(data))
        return [f"a `suppression_limit` of {needed:g} would do (now {self.suppression_limit:g})"]
